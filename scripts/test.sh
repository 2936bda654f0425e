#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that are missing, builds everything, and runs the tests. They run on host and emulator, and on
# the GPU if the machine has one and CUDA 13 is installed. Without a GPU, nvcc only checks the CUDA tests and the tool.
# Before the summary it says which tests were skipped, and which package brings them; with RHIZOME_NO_OTHER_SKIPS=1 it
# fails if it could have run them (scripts/run-tests.sh).
# The Python package is built and tested with what scripts/python-env.sh downloads (pip); where it cannot, its tests are
# skipped.
# RHIZOME_DATASETS names a folder of real graphs to test with. RHIZOME_BUILD_TIMES=ON also compares what the compilers
# took with scripts/build-time/release-check.txt, or release-build.txt where there is a GPU: for a build from nothing,
# without a compiler cache. If a budget is not kept, the tests run, and the script fails then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh --tests --python
cuda_tests=check
if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
    cuda_tests=build
fi
python=()
if interpreter="$(scripts/python-env.sh build/python-env)"; then
    python=(-DRHIZOME_PYTHON=ON "-DPython_EXECUTABLE=$interpreter")
fi # without it, the tests of the Python package are skipped, and the summary says so
cmake --preset release "${python[@]}" -DRHIZOME_COMPONENTS=all -DRHIZOME_BUILD_TESTS=ON -DRHIZOME_CUDA_TESTS="$cuda_tests" \
    ${RHIZOME_BUILD_TIMES:+"-DRHIZOME_BUILD_TIMES=$RHIZOME_BUILD_TIMES"}
cmake --build --preset release
budget_kept=yes
if [[ "${RHIZOME_BUILD_TIMES:-OFF}" == ON ]]; then
    scripts/build-time.sh --check build/release "scripts/build-time/release-$cuda_tests.txt" || budget_kept=no
fi
scripts/run-tests.sh release
[[ "$budget_kept" == yes ]] || { echo "rhizome: the check of build times failed, see above the tests" >&2; exit 1; }

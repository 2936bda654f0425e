#!/usr/bin/env bash
# Installs what is missing, builds everything, and runs the tests: on host and emulator always, on the GPU where there
# is one and CUDA 13 is installed; where there is none, the CUDA tests are compiled no further than to see that they
# are right, and so is the tool. RHIZOME_DATASETS names a folder of real graphs to test with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh
cuda_tests=check
if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
    cuda_tests=build
fi
cmake --preset release -DRHIZOME_BUILD_TESTS=ON -DRHIZOME_CUDA_TESTS="$cuda_tests"
cmake --build --preset release
ctest --preset release --parallel "$(nproc)"

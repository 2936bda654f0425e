#!/usr/bin/env bash
# Installs the packages that are missing, builds everything, and runs the tests. They run on host and emulator, and on
# the GPU if the machine has one and CUDA 13 is installed. Without a GPU, nvcc only checks the CUDA tests and the tool.
# RHIZOME_DATASETS names a folder of real graphs to test with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh
cuda_tests=check
if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
    cuda_tests=build
fi
cmake --preset release -DRHIZOME_COMPONENTS=all -DRHIZOME_BUILD_TESTS=ON -DRHIZOME_CUDA_TESTS="$cuda_tests"
cmake --build --preset release
ctest --preset release --parallel "$(nproc)"

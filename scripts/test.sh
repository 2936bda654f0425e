#!/usr/bin/env bash
# Installs what is missing, builds everything, and runs the tests: on host and emulator always, on the GPU where there
# is one and CUDA 13 is installed. RHIZOME_DATASETS names a folder of real graphs to test with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh
cmake --preset release -DRHIZOME_BUILD_TESTS=ON
cmake --build --preset release
ctest --preset release --parallel "$(nproc)"

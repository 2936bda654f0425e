#!/usr/bin/env bash
# The host suite under AddressSanitizer and UndefinedBehaviorSanitizer, then host and emulator under ThreadSanitizer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh --sanitizers
for preset in sanitize sanitize-thread; do
    cmake --preset "$preset"
    cmake --build --preset "$preset"
    ctest --preset "$preset" --parallel "$(nproc)"
done

#!/usr/bin/env bash
# Builds and tests host and emulator with AddressSanitizer and UndefinedBehaviorSanitizer, then with ThreadSanitizer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh --sanitizers
for preset in sanitize sanitize-thread; do
    cmake --preset "$preset"
    cmake --build --preset "$preset" --parallel "$(nproc)"
    ctest --preset "$preset" --parallel "$(nproc)"
done

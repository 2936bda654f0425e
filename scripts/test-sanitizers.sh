#!/usr/bin/env bash
# Builds and tests host and emulator with AddressSanitizer and UndefinedBehaviorSanitizer, then with ThreadSanitizer.
# --core: with ThreadSanitizer, only what RHIZOME_CORE_TESTS says.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

core=OFF
[[ "${1:-}" != --core ]] || core=ON
scripts/install-dependencies.sh --sanitizers
for preset in sanitize sanitize-thread; do
    options=()
    [[ "$preset" != sanitize-thread ]] || options=("-DRHIZOME_CORE_TESTS=$core")
    cmake --preset "$preset" "${options[@]}"
    cmake --build --preset "$preset" --parallel "$(nproc)"
    ctest --preset "$preset" --parallel "$(nproc)"
done

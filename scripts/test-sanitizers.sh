#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests host and emulator with AddressSanitizer and UndefinedBehaviorSanitizer, then with ThreadSanitizer.
# --core: with ThreadSanitizer, without files, tool, arrays and compaction (RHIZOME_CORE_TESTS).
# RHIZOME_BUILD_TIMES=ON also compares what the compilers took with scripts/build-time/sanitize.txt and
# sanitize-thread.txt (with --core: sanitize-thread-core.txt), as scripts/test.sh does.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

core=OFF
[[ "${1:-}" != --core ]] || core=ON
scripts/install-dependencies.sh --sanitizers
budget_kept=yes
for preset in sanitize sanitize-thread; do
    options=()
    budget="$preset"
    if [[ "$preset" == sanitize-thread ]]; then
        options=("-DRHIZOME_CORE_TESTS=$core")
        [[ "$core" == OFF ]] || budget=sanitize-thread-core
    fi
    [[ -z "${RHIZOME_BUILD_TIMES:-}" ]] || options+=("-DRHIZOME_BUILD_TIMES=$RHIZOME_BUILD_TIMES")
    cmake --preset "$preset" "${options[@]}"
    cmake --build --preset "$preset" --parallel "$(nproc)"
    if [[ "${RHIZOME_BUILD_TIMES:-OFF}" == ON ]]; then
        scripts/build-time.sh --check "build/$preset" "scripts/build-time/$budget.txt" || budget_kept=no
    fi
    scripts/run-tests.sh "$preset"
done
[[ "$budget_kept" == yes ]] || { echo "rhizome: the check of build times failed, see above the tests" >&2; exit 1; }

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests host and emulator with AddressSanitizer and UndefinedBehaviorSanitizer, then with ThreadSanitizer. With
# AddressSanitizer also the Python package, where scripts/python-env.sh can download what it needs.
# --core: what .ci/run does (RHIZOME_CORE_TESTS): with AddressSanitizer, no tests of allocators, algorithms and compaction;
# with ThreadSanitizer, none of files, tool, arrays and compaction.
# RHIZOME_BUILD_TIMES=ON also compares what the compilers took with tables in scripts/build-time, as
# scripts/test.sh does: with --core, sanitize-core.txt and sanitize-thread-core.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

core=OFF
[[ "${1:-}" != --core ]] || core=ON
scripts/install-dependencies.sh --sanitizers --python
budget_kept=yes
for preset in sanitize sanitize-thread; do
    options=("-DRHIZOME_CORE_TESTS=$core")
    budget="$preset"
    [[ "$core" == OFF ]] || budget+=-core
    [[ -z "${RHIZOME_BUILD_TIMES:-}" ]] || options+=("-DRHIZOME_BUILD_TIMES=$RHIZOME_BUILD_TIMES")
    if [[ "$preset" == sanitize ]] && interpreter="$(scripts/python-env.sh build/python-env)"; then
        options+=(-DRHIZOME_PYTHON=ON "-DPython_EXECUTABLE=$interpreter")
    fi
    cmake --preset "$preset" "${options[@]}"
    cmake --build --preset "$preset" --parallel "$(nproc)"
    if [[ "${RHIZOME_BUILD_TIMES:-OFF}" == ON ]]; then
        scripts/build-time.sh --check "build/$preset" "scripts/build-time/$budget.txt" || budget_kept=no
    fi
    scripts/run-tests.sh "$preset"
done
[[ "$budget_kept" == yes ]] || { echo "rhizome: the check of build times failed, see above the tests" >&2; exit 1; }

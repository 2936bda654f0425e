#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of a build: scripts/run-tests.sh PRESET. Before ctest's summary, it says which tests were skipped and what
# brings them to run. RHIZOME_NO_OTHER_SKIPS=1: fails if a test was skipped for a reason that tests/skip_reasons.txt does
# not allow. RHIZOME_STAGES=FILE: adds to this file how long the tests took, and shows it before the summary too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ $# -eq 1 ]] || { echo "usage: run-tests.sh PRESET" >&2; exit 2; }
build="$PWD/build/$1"
results="$build/test-results.xml"
rm -f "$results"

# Tests draw with the python3 on PATH. Where that is not Debian's, it may lack the matplotlib that Debian's has.
if ! python3 -c 'import matplotlib' 2>/dev/null && /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
    mkdir -p "$build/python"
    ln -sf /usr/bin/python3 "$build/python/python3"
    PATH="$build/python:$PATH"
fi

# ctest's summary is printed when the skipped tests are known, which is when ctest has ended.
passed=0
summary=''
while IFS= read -r line || [[ -n "$line" ]]; do
    if [[ -n "$summary" || "$line" =~ ^[0-9]+%\ tests\ passed ]]; then
        summary+="$line"$'\n'
    else
        printf '%s\n' "$line"
    fi
done < <(ctest --preset "$1" --parallel "$(nproc)" --output-junit "$results" 2>&1) &&
    wait $! || passed=$?
others=0
strict=()
[[ "${RHIZOME_NO_OTHER_SKIPS:-0}" == 0 ]] || strict=(--strict)
scripts/skipped-tests.sh "${strict[@]}" "$results" || others=$?
if [[ -n "${RHIZOME_STAGES:-}" ]]; then
    printf '              %d s for the tests of %s\n' "$SECONDS" "$1" >>"$RHIZOME_STAGES"
    cat "$RHIZOME_STAGES"
fi
printf '%s' "$summary"
[[ "$passed" -eq 0 ]] || exit "$passed"
[[ "$others" -eq 0 ]] ||
    echo "rhizome: tests were skipped for reasons that tests/skip_reasons.txt does not allow, see above" >&2
exit "$others"

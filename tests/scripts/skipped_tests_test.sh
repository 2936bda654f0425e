#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests scripts/skipped-tests.sh, and scripts/run-tests.sh with a ctest that is made up.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
results="$work/results.xml"
reasons="$work/tests/skip_reasons.txt"
mkdir -p "$work/tests" "$work/scripts" "$work/build/release" "$work/bin"
cp "$root/scripts/skipped-tests.sh" "$root/scripts/run-tests.sh" "$work/scripts"

failed=0
complain() { echo "$1, but printed:"; cat "$work/out"; failed=1; }
expect() { # exit code, command
    local code="$1" got=0
    shift
    "$@" >"$work/out" 2>&1 || got=$?
    [[ "$got" -eq "$code" ]] || complain "$*: ended with $got instead of $code"
}
says() { grep -qxF -- "$1" "$work/out" || complain "did not say '$1'"; }
expect_refusal() { # text, command: one line, and exit code 2
    local text="$1"
    shift
    expect 2 "$@"
    { [[ "$(wc -l <"$work/out")" -eq 1 ]] && grep -qF -- "$text" "$work/out"; } || complain "$*: did not say '$text' alone"
}
skipped() { # test, what it prints
    printf '\t<testcase name="%s" classname="%s" time="0.1" status="notrun">\n' "$1" "$1"
    printf '\t\t<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>\n\t\t<system-out>%s\n</system-out>\n\t</testcase>\n' "$2"
}
googletest() { # test, reason
    skipped "$1" $'Note: Google Test filter\n[ RUN      ] '"$1"$'\n/a/b.cpp:12: Skipped\n'"$2"$'\n\n[  SKIPPED ] '"$1 (0 ms)"
}
suite() { # testcases from standard input
    printf '<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="(empty)"\n\ttests="7"\n\t>\n'
    cat
    printf '</testsuite>\n'
}
not_skipped() {
    cat <<'XML'
	<testcase name="passes" classname="passes" time="0.1" status="run">
		<system-out>/a/b.cpp:12: Skipped
no such reason
</system-out>
	</testcase>
	<testcase name="s.DISABLED_a" classname="s.DISABLED_a" time="0" status="disabled">
		<system-out>Disabled</system-out>
	</testcase>
	<testcase name="not_built" classname="not_built" time="0" status="notrun">
		<skipped message="Unable to find executable"/>
		<system-out>Unable to find executable: /a/b</system-out>
	</testcase>
XML
}
cat >"$reasons" <<'TEXT'
# why

allowed: ^no GPU
allowed: ^needs [0-9]+ bytes
package matplotlib-for-tests: ^no matplotlib
run scripts/fetch.sh --all: ^no header
TEXT

# No test was skipped.
not_skipped | suite >"$results"
expect 0 "$work/scripts/skipped-tests.sh" --strict "$results"
[[ ! -s "$work/out" ]] || complain "was not silent"

# All reasons are allowed. Two that differ in a number are one.
{
    not_skipped
    googletest a.one 'needs 5 bytes of memory, 2 are available'
    googletest a.two 'needs 7 bytes of memory, 2 are available'
    skipped examples.one 'SKIPPED: no GPU: &lt;none&gt; &amp; no driver'
} | suite >"$results"
expect 0 "$work/scripts/skipped-tests.sh" --strict "$results" "$reasons"
says '3 tests were skipped:'
says '     2  needs 5 bytes of memory, 2 are available'
says '     1  no GPU: <none> & no driver'
[[ "$(wc -l <"$work/out")" -eq 3 ]] || complain "says more"

# A package brings the test.
googletest bench.draws $'no matplotlib for python3:\nsecond line' | suite >"$results"
expect 0 "$work/scripts/skipped-tests.sh" "$results" "$reasons"
says '1 test was skipped:'
says '     1  no matplotlib for python3: second line'
says '        bench.draws'
says '        the Debian package matplotlib-for-tests brings them (scripts/install-dependencies.sh --tests)'
expect 1 "$work/scripts/skipped-tests.sh" --strict "$results" "$reasons"

# A command does.
skipped comm.nccl 'SKIPPED: no header' | suite >"$results"
expect 1 "$work/scripts/skipped-tests.sh" --strict "$results" "$reasons"
says '        scripts/fetch.sh --all brings them, before the build'

# A reason that is not known, none at all, and one that has to match from its begin.
for reason in 'the moon is full' '' 'there is no GPU'; do
    googletest a.one "$reason" | suite >"$results"
    expect 0 "$work/scripts/skipped-tests.sh" "$results" "$reasons"
    says "     1  ${reason:-the test gave no reason}"
    says "        this reason is not in $reasons"
    expect 1 "$work/scripts/skipped-tests.sh" --strict "$results" "$reasons"
done
for test in 1 2 3 4; do googletest "a.number_$test" 'the moon is full'; done | suite >"$results"
expect 1 "$work/scripts/skipped-tests.sh" --strict "$results" "$reasons"
says '        a.number_1 a.number_2 a.number_3 ...'

# Bad input.
expect_refusal 'usage: ' "$work/scripts/skipped-tests.sh"
expect_refusal 'no results of ctest at' "$work/scripts/skipped-tests.sh" "$work/none"
expect_refusal 'no reasons at' "$work/scripts/skipped-tests.sh" "$results" "$work/none"
echo text >"$work/text"
expect_refusal 'is not what ctest --output-junit writes' "$work/scripts/skipped-tests.sh" "$work/text"
for line in 'allowed:' 'permitted: no GPU' 'package: no GPU' 'no GPU'; do
    printf '\n%s\n' "$line" >"$work/text"
    expect_refusal 'line 2: expected "allowed: REASON"' "$work/scripts/skipped-tests.sh" "$results" "$work/text"
done

# The real list is read.
googletest a.one 'no GPU can be used: none' | suite >"$results"
expect 0 "$root/scripts/skipped-tests.sh" --strict "$results"

# run-tests.sh: ctest's summary comes last, and its exit code is passed on.
cat >"$work/bin/ctest" <<'SH'
#!/bin/sh
printf '%s\n' "1/1 Test #1: a.one ...***Skipped" "a note" >&2
printf '\n%s\n\n%s\n' '100% tests passed, 0 tests failed out of 1' 'Total Test time (real) = 0.1 sec'
[ "$RESULTS" = none ] || cp "$RESULTS" "$6"
exit "$CTEST_CODE"
SH
chmod +x "$work/bin/ctest"
run_tests() { # exit code of ctest, its results, RHIZOME_NO_OTHER_SKIPS
    env -u RHIZOME_STAGES PATH="$work/bin:$PATH" CTEST_CODE="$1" RESULTS="$2" RHIZOME_NO_OTHER_SKIPS="$3" "$work/scripts/run-tests.sh" release
}
last() { [[ "$(tail -n 1 "$work/out")" == "$1"* ]] || complain "the last line is not '$1'"; }
expect 0 run_tests 0 "$results" 1
says 'a note'
says '1 test was skipped:'
says '100% tests passed, 0 tests failed out of 1'
last 'Total Test time'
expect 8 run_tests 8 "$results" 1
last 'Total Test time'
googletest a.one 'the moon is full' | suite >"$results"
expect 0 run_tests 0 "$results" 0
last 'Total Test time'
expect 1 run_tests 0 "$results" 1
last 'rhizome: tests were skipped for reasons that tests/skip_reasons.txt does not allow'
expect 2 run_tests 0 none 0 # results of an earlier run do not count
exit "$failed"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Says which tests CTest skipped, why, and what brings them to run:
#   scripts/skipped-tests.sh [--strict] RESULTS [REASONS]
# RESULTS is what ctest --output-junit wrote. REASONS (tests/skip_reasons.txt) has the reasons that are known.
# --strict: ends with 1 if a test was skipped for a reason that REASONS does not allow. Bad input ends with 2.
# Prints nothing if no test was skipped.
set -euo pipefail
export LC_ALL=C

fail() { echo "skipped-tests.sh: $*" >&2; exit 2; }
strict=0
[[ "${1:-}" != --strict ]] || { strict=1; shift; }
[[ $# -ge 1 && $# -le 2 ]] || fail "usage: skipped-tests.sh [--strict] RESULTS [REASONS]"
results="$1"
reasons="${2:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/tests/skip_reasons.txt}"
[[ -r "$reasons" ]] || fail "no reasons at $reasons"
[[ -r "$results" ]] || fail "no results of ctest at $results"
grep -q '<testsuite' "$results" || fail "$results is not what ctest --output-junit writes"

awk -v strict="$strict" -v list="$reasons" '
    function text_of(xml) {
        gsub(/&lt;/, "<", xml); gsub(/&gt;/, ">", xml); gsub(/&quot;/, "\"", xml); gsub(/&apos;/, "\047", xml)
        gsub(/&amp;/, "\\&", xml)
        return xml
    }
    # Reads what a test printed, line by line. GoogleTest gives the reason below a line "FILE:LINE: Skipped", up to an empty
    # line; other tests print "SKIPPED: REASON".
    function read_output(line) {
        if (in_reason) {
            if (line == "" || line ~ /^\[ +SKIPPED/) in_reason = 0
            else reason = reason (reason == "" ? "" : " ") line
        } else if (reason == "" && line ~ /: Skipped$/) in_reason = 1
        else if (reason == "" && match(line, /^SKIPPED: /)) reason = substr(line, RLENGTH + 1)
    }
    function add(test, reason,    i, group) {
        if (reason == "") reason = "the test gave no reason"
        group = "other " reason
        for (i = 1; i <= patterns; i++)
            if (reason ~ pattern[i]) {
                group = i
                break
            }
        if (!(group in count)) {
            order[++groups] = group
            first_reason[group] = length(reason) > 160 ? substr(reason, 1, 157) "..." : reason
        }
        tests[group] = tests[group] (count[group]++ < 3 ? " " test : "")
        total++
    }
    FILENAME == list {
        if ($0 ~ /^[ \t]*(#|$)/) next
        at = index($0, ": ")
        kind = substr($0, 1, at - 1)
        if (at == 0 || kind !~ /^(allowed|package [^ ]+|run .+)$/ || length($0) < at + 2) {
            print "skipped-tests.sh: " FILENAME ", line " FNR ": expected \"allowed: REASON\", \"package NAME: REASON\" or \"run COMMAND: REASON\"" > "/dev/stderr"
            bad = 1
            exit 2
        }
        help[++patterns] = kind
        pattern[patterns] = substr($0, at + 2)
        next
    }
    /<testcase / {
        name = $0
        sub(/.*<testcase name="/, "", name)
        sub(/".*/, "", name)
        skipped = in_output = in_reason = 0
        reason = ""
    }
    /<skipped message="SKIP_/ { skipped = 1 }
    skipped {
        line = $0
        if (sub(/^[ \t]*<system-out>/, "", line)) in_output = 1
        ends = sub(/<\/system-out>.*/, "", line)
        if (in_output) read_output(text_of(line))
        if (ends) in_output = 0
    }
    /<\/testcase>/ && skipped { add(text_of(name), text_of(reason)); skipped = 0 }
    END {
        if (bad) exit 2
        if (total) printf "%d %s skipped:\n", total, (total == 1 ? "test was" : "tests were")
        for (i = 1; i <= groups; i++) {
            group = order[i]
            printf "%6d  %s\n", count[group], first_reason[group]
            if (help[group] == "allowed") continue
            if (count[group] > 3) tests[group] = tests[group] " ..."
            print "       " tests[group]
            if (help[group] ~ /^package/) {
                sub(/^package /, "", help[group])
                print "        the Debian package " help[group] " brings them (scripts/install-dependencies.sh --tests)"
            } else if (help[group] ~ /^run/)
                print "        " substr(help[group], 5) " brings them, before the build"
            else
                print "        this reason is not in " list
            others += count[group]
        }
        if (strict && others) exit 1
    }' "$reasons" "$results"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints how long a build took, and compares what its compilers took with a budget.
#   scripts/build-time.sh BUILD_FOLDER [LONGEST]
#       From the log that ninja writes: core-seconds, which are the times of all steps added up, and the LONGEST (10)
#       steps. Use it on builds from an empty folder without a compiler cache: if a step ran more than once, only its
#       last run counts.
#   scripts/build-time.sh --check BUILD_FOLDER TABLE
#       Compares the processor time of each target and of the longest file with TABLE. Ends with 1 if one takes 75 % more
#       than its budget, or has no budget; tells which take 25 % more. Ends with 2 if the build cannot be compared.
#   scripts/build-time.sh --record BUILD_FOLDER
#       Prints such a table, with what the build took as budgets.
# Processor times need a build with -DRHIZOME_BUILD_TIMES=ON, without a compiler cache. Their unit is the processor time of
# scripts/build-time/calibration.cpp. The build compiles it several times between its other files, and the unit is the
# mean. A build of single targets has a unit if its target `calibration` is built too.
set -euo pipefail
export LC_ALL=C # a point in numbers

fail() { echo "build-time.sh: $*" >&2; exit 2; }
usage="usage: build-time.sh BUILD_FOLDER [LONGEST] | --check BUILD_FOLDER TABLE | --record BUILD_FOLDER"

print_log() { # build folder, number of steps
    local log="$1/.ninja_log" steps
    [[ -r "$log" ]] || { echo "build-time.sh: no log of ninja at $log" >&2; exit 1; }
    # Columns: begin and end in ms since ninja started, time stamp, output, hash of the command. A step with several
    # outputs has one line per output, with the same times and hash.
    steps="$(awk -F '\t' '!/^#/ { step[$5] = $2 - $1 " " $1 " " $2 " " $4 }
                          END { for (s in step) print step[s] }' "$log" | sort -rn)"
    [[ -n "$steps" ]] || { echo "build-time.sh: nothing was built in $1" >&2; exit 1; }
    awk '{ sum += $1; if (NR == 1 || $2 < begin) begin = $2; if ($3 > end) end = $3 }
         END { printf "%d steps, %.0f core-seconds, %.0f seconds from the first to the last\n", NR, sum / 1000, (end - begin) / 1000 }' \
        <<<"$steps"
    head -n "$2" <<<"$steps" | awk '{ printf "%8.1f s  %s\n", $1 / 1000, $4 }'
}

# Prints a line per compiled file of the targets that were built: target, language, seconds, source. Ends with 2 if the
# build does not tell the times of all.
compiled_files() { # build folder
    local build="$1"
    [[ -r "$build/build.ninja" && -r "$build/CMakeCache.txt" ]] || fail "$build is no build folder of ninja"
    local cache="a compiler cache is in use in $build, so that its times say nothing: configure it without, in an empty folder"
    if grep -Eqs '(command|LAUNCHER) = .*\bs?ccache[" ]' "$build/CMakeFiles/rules.ninja" "$build/build.ninja"; then
        fail "$cache"
    fi
    case "$(basename "$(realpath -m "$(cached "$build" CMAKE_CXX_COMPILER)")")" in ccache | sccache) fail "$cache" ;; esac
    find "$build" '(' -name '*.o' -o -name '*.gch' -o -name '*.pch' -o -name '*.times' ')' -printf '%P\t%T@\n' |
        awk -F '\t' -v build="$build" -v sources="$(cached "$build" CMAKE_HOME_DIRECTORY)" '
        FNR == NR { written[$1] = $2; next }
        /^build [^ ]+\.(o|gch|pch): (CXX|CUDA)_COMPILER__/ {
            split($0, word, " ")
            object = word[2]
            sub(/:$/, "", object)
            target = object
            if (!sub(/\.dir\/.*/, "", target)) next
            sub(/.*CMakeFiles\//, "", target)
            if (!(object in written)) {
                absent[target] = object
                next
            }
            some[target] = 1
            if (written[object ".times"] < written[object]) {
                untimed = object
                count++
                next
            }
            file = build "/" object ".times"
            getline times < file
            if ((getline times < file) != 1 || times !~ /^[0-9]+m[0-9.,]+s [0-9]+m[0-9.,]+s$/) {
                untimed = object
                count++
                next
            }
            close(file)
            gsub(",", ".", times)
            split(times, part, /[ms ]+/)
            source = word[4]
            if (index(source, sources "/") == 1) source = substr(source, length(sources) + 2)
            print target "\t" (word[3] ~ /^CUDA/ ? "cuda" : "c++") "\t" \
                60 * (part[1] + part[3]) + part[2] + part[4] "\t" source
        }
        function refuse(text) {
            print "build-time.sh: " text > "/dev/stderr"
            exit 2
        }
        END {
            if (count)
                refuse(count " files of " build " were compiled without their time, such as " untimed \
                       ": build it from nothing with -DRHIZOME_BUILD_TIMES=ON")
            for (target in some)
                if (target in absent)
                    refuse(target " is built in part, " absent[target] " is missing: end the build of " build " first")
            for (target in some) exit
            refuse("nothing is built in " build)
        }' - "$build/build.ninja"
}
cached() { # build folder, variable of CMake
    sed -n "s/^$2:[A-Z]*=//p" "$1/CMakeCache.txt"
}

mode=print
case "${1:-}" in
    --check) mode=check; shift; [[ $# -ge 2 ]] || fail "$usage"; build="$1" table="$2"; shift 2 ;;
    --record) mode=record; shift; [[ $# -ge 1 ]] || fail "$usage"; build="$1"; shift ;;
    '' | -*) fail "$usage" ;;
esac
if [[ "$mode" == print ]]; then
    [[ $# -le 2 ]] || fail "$usage"
    print_log "$1" "${2:-10}"
    exit
fi
[[ $# -eq 0 ]] || fail "$usage"

# Lines of a table: a target, or longest-c++ or longest-cuda, and its budget. # begins a comment.
read_table='
    { sub(/#.*/, "") }
    NF == 0 { next }
    NF != 2 || $2 !~ /^[0-9]+(\.[0-9]+)?$/ || $2 == 0 {
        print "build-time.sh: " FILENAME ", line " FNR ": expected a target and its budget in units" > "/dev/stderr"; exit 2
    }
    $1 in budget { print "build-time.sh: " FILENAME ", line " FNR ": " $1 " has a budget already" > "/dev/stderr"; exit 2 }
    { budget[$1] = $2; print $1 "\t" $2 }'
if [[ "$mode" == check ]]; then
    [[ -r "$table" ]] || fail "no table of budgets at $table: write it with 'scripts/build-time.sh --record $build >$table'"
    budgets="$(awk "$read_table" "$table")" || exit 2
fi
files="$(compiled_files "$build")" || exit 2
unit="$(awk -F '\t' '$1 ~ /^calibration_[0-9]+$/ { seconds += $3; count++ } END { if (count) print seconds / count }' \
    <<<"$files")"
[[ "$unit" =~ [1-9] ]] || fail "the calibration file is not compiled in $build: build all of it, or its target calibration"
files="$(grep -Ev '^calibration_[0-9]+'$'\t' <<<"$files")" || fail "nothing but the calibration file is built in $build"
# A budget of what takes as long as this. Short times vary much: no budget is less than half a unit.
add_up='
    function budget_of(units) { units = int(units * 10 + 0.999) / 10; return sprintf("%.1f", units < 0.5 ? 0.5 : units) }
    { sum[$1] += $3 / unit; if ($3 / unit > longest["longest-" $2]) { longest["longest-" $2] = $3 / unit; of["longest-" $2] = $4 } }'

if [[ "$mode" == record ]]; then
    compiler="$(cached "$build" CMAKE_CXX_COMPILER)"
    echo "# What the compilers may take for each target and for the longest file, in units of scripts/build-time/calibration.cpp."
    echo "# Recorded where the unit is $(printf %.2f "$unit") s of processor time, with $("$compiler" --version 2>/dev/null | head -n 1)."
    awk -F '\t' -v unit="$unit" "$add_up"'
        END {
            for (name in longest) print name, budget_of(longest[name])
            for (name in sum) print name, budget_of(sum[name])
        }' \
        <<<"$files" | sort
    exit
fi

# Longest file first, so that each target names its longest files.
sort -t $'\t' -k 3,3nr <<<"$files" | awk -F '\t' -v unit="$unit" -v table="$table" -v tell=1.25 -v refuse=1.75 '
    FNR == NR { if (NF) budget[$1] = $2; next }
    '"$add_up"'
    { if (++count[$1] <= 5) files[$1] = files[$1] sprintf("%10.1f  %s\n", $3 / unit, $4) }
    function compare(name, units, what,    over) {
        if (!(name in budget)) {
            failed++
            printf "%s takes %.1f units and has no budget: add the line \"%s %s\" to %s\n%s", name, units, name, \
                budget_of(units), table, what
            return
        }
        checked++
        used[name] = 1
        over = units / budget[name]
        if (over < tell) return
        if (over >= refuse) failed++
        told++
        printf "%s takes %.1f units, %.0f %% over its budget of %.1f in %s%s:\n%s", name, units, (over - 1) * 100, \
            budget[name], table, (over >= refuse ? ", which is too much" : ""), what
    }
    END {
        for (name in sum) compare(name, sum[name], files[name])
        for (name in longest) compare(name, longest[name], sprintf("%10.1f  %s\n", longest[name], of[name]))
        for (name in budget)
            if (!(name in used)) printf "%s has a budget in %s, but was not built: remove its line if it is gone\n", name, table
        if (failed)
            printf "A budget is raised by its line in %s, in a commit that says why.\n", table
        else
            printf "build times: %d of %d budgets kept; the unit is %.1f s of processor time\n", checked - told, checked, unit
        exit failed > 0
    }' <(printf '%s\n' "$budgets") -

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests scripts/build-time.sh --check and --record, and cmake/timed.sh, on a build folder that it makes up.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
build="$work/build"
table="$work/table.txt"

failed=0
# Runs build-time.sh: exit code, text that it prints, arguments
expect() {
    local code="$1" text="$2" got=0
    shift 2
    "$root/scripts/build-time.sh" "$@" >"$work/out" 2>&1 || got=$?
    [[ "$got" -eq "$code" ]] || { echo "$*: ended with $got instead of $code"; cat "$work/out"; failed=1; }
    grep -qF -- "$text" "$work/out" || { echo "$*: did not say '$text', but:"; cat "$work/out"; failed=1; }
}
expect_refusal() { # text, arguments: one line, and exit code 2
    expect 2 "$@"
    [[ "$(wc -l <"$work/out")" -eq 1 ]] || { echo "more than one line:"; cat "$work/out"; failed=1; }
}
# Adds a compiled file to the build folder: object, language, source, user time, system time
compiled() {
    echo "build $1: $2_COMPILER__some_target_Release $3 || some_order" >>"$build/build.ninja"
    mkdir -p "$build/$(dirname "$1")"
    : >"$build/$1"
    printf '0m0.00s 0m0.00s\n%s %s\n' "$4" "$5" >"$build/$1.times"
}

# Times of 40 s (20 units) and 8 s (4 units): the calibration file took 2 s on average.
mkdir -p "$build/CMakeFiles"
printf 'CMAKE_HOME_DIRECTORY:INTERNAL=/source\nCMAKE_CXX_COMPILER:FILEPATH=/usr/bin/c++\n' >"$build/CMakeCache.txt"
printf 'rule CXX_COMPILER\n  command = timed.sh c++ $in\n' >"$build/CMakeFiles/rules.ninja"
echo 'build libsmall.a: CXX_STATIC_LIBRARY_LINKER__small small.o' >"$build/build.ninja"
compiled calibration/1/CMakeFiles/calibration_1.dir/calibration.cpp.o CXX /source/calibration.cpp 0m1.5s 0m0.5s
compiled calibration/2/CMakeFiles/calibration_2.dir/calibration.cpp.o CXX /source/calibration.cpp 0m1,75s 0m0,25s
compiled a/CMakeFiles/large.dir/first.cpp.o CXX /source/a/first.cpp 0m9.00s 0m1.00s
compiled a/CMakeFiles/large.dir/second.cu.o CUDA /source/a/second.cu 0m20.0s 0m4.0s
compiled a/CMakeFiles/large.dir/cmake_pch.hxx.gch CXX /source/a/cmake_pch.hxx.cxx 0m5.00s 0m1.00s
compiled CMakeFiles/small.dir/third.cpp.o CXX /source/third.cpp 0m8.0s 0m0.0s
# A target that is not built: not compared.
echo 'build CMakeFiles/other.dir/fourth.cpp.o: CXX_COMPILER__other_Release /source/fourth.cpp' >>"$build/build.ninja"

budgets() { printf '# name budget\n\n%s # why\n' "$@" >"$table"; }
budgets 'large 20' 'small 4' 'longest-c++ 5' 'longest-cuda 12'
expect 0 'build times: 4 of 4 budgets kept; the unit is 2.0 s' --check "$build" "$table"
[[ "$(wc -l <"$work/out")" -eq 1 ]] || { echo "more than one line:"; cat "$work/out"; failed=1; }
budgets 'large 15.4' 'small 4' 'longest-c++ 5' 'longest-cuda 12'
expect 0 'large takes 20.0 units, 30 % over its budget of 15.4' --check "$build" "$table"
expect 0 '3 of 4 budgets kept' --check "$build" "$table"
budgets 'large 11.1' 'small 4' 'longest-c++ 5' 'longest-cuda 12'
expect 1 'large takes 20.0 units, 80 % over its budget of 11.1' --check "$build" "$table"
expect 1 '12.0  a/second.cu' --check "$build" "$table"
expect 1 '5.0  a/first.cpp' --check "$build" "$table"
expect 1 "A budget is raised by its line in $table" --check "$build" "$table"
budgets 'large 20' 'small 4' 'longest-c++ 2.5' 'longest-cuda 12'
expect 1 'longest-c++ takes 5.0 units, 100 % over its budget of 2.5' --check "$build" "$table"
expect 1 '5.0  a/first.cpp' --check "$build" "$table"
budgets 'large 20' 'longest-c++ 5' 'longest-cuda 12'
expect 1 "small takes 4.0 units and has no budget: add the line \"small 4.0\" to $table" --check "$build" "$table"
budgets 'large 20' 'small 4' 'longest-c++ 5' 'longest-cuda 12' 'gone 3'
expect 0 'gone has a budget' --check "$build" "$table"

# What --record prints is a table that the build keeps.
"$root/scripts/build-time.sh" --record "$build" >"$table"
grep -qx 'large 20.0' "$table" || { echo "recorded:"; cat "$table"; failed=1; }
expect 0 '4 of 4 budgets kept' --check "$build" "$table"

# Bad input.
expect_refusal 'usage: ' --check "$build"
expect_refusal 'usage: ' --record
expect_refusal 'usage: ' --unknown
expect_refusal 'usage: '
expect_refusal "no table of budgets at $work/none" --check "$build" "$work/none"
expect_refusal "$work is no build folder" --record "$work"
budgets 'large 20' 'small four'
expect_refusal 'table.txt, line 6: expected a target and its budget' --check "$build" "$table"
budgets 'large 20' 'large 20'
expect_refusal 'line 6: large has a budget already' --check "$build" "$table"

# Builds whose times say nothing.
good="$work/good"
cp -a "$build" "$good"
again() { rm -rf "$build"; cp -a "$good" "$build"; }
printf '  command = timed.sh ccache c++ $in\n' >>"$build/CMakeFiles/rules.ninja"
expect_refusal 'a compiler cache is in use' --record "$build"
again
ln -s ccache "$work/c++"
printf 'CMAKE_CXX_COMPILER:FILEPATH=%s\n' "$work/c++" >"$build/CMakeCache.txt"
expect_refusal 'a compiler cache is in use' --record "$build"
again
rm "$build/CMakeFiles/small.dir/third.cpp.o.times"
expect_refusal '1 files of' --record "$build"
again
echo >"$build/CMakeFiles/small.dir/third.cpp.o.times"
expect_refusal 'compiled without their time, such as CMakeFiles/small.dir/third.cpp.o' --record "$build"
again
touch -d '1 hour' "$build/CMakeFiles/small.dir/third.cpp.o" # compiled later, without its time
expect_refusal 'compiled without their time' --record "$build"
again
rm "$build/a/CMakeFiles/large.dir/first.cpp.o"
expect_refusal 'large is built in part, a/CMakeFiles/large.dir/first.cpp.o is missing' --record "$build"
again
rm "$build"/calibration/*/*/*/*.o
expect_refusal 'the calibration file is not compiled' --record "$build"
again
find "$build" -name '*.o' -delete -o -name '*.gch' -delete
expect_refusal 'nothing is built' --record "$build"

# The launcher: passes on what the compiler returns, and writes a time if there is an output.
"$root/cmake/timed.sh" "$root/cmake/check_only.sh" sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' \
    -c source -o "$work/object"
[[ -f "$work/object" && "$(tail -n 1 "$work/object.times")" =~ ^0m[0-9.,]*[1-9][0-9.,]*s\ 0m ]] ||
    { echo "timed.sh wrote no time:"; cat "$work/object.times"; failed=1; }
got=0
"$root/cmake/timed.sh" sh -c 'exit 7' -o "$work/failed" || got=$?
[[ "$got" -eq 7 && ! -e "$work/failed.times" ]] || { echo "timed.sh ended with $got instead of 7"; failed=1; }
exit "$failed"

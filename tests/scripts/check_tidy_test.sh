#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/check-tidy.sh finds a fault in a file and one in a header, names each once, and passes files without faults.
#   check_tidy_test.sh SOURCE_FOLDER
set -euo pipefail
source="$1"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
fail() { echo "check_tidy_test.sh: $*" >&2; exit 1; }

mkdir -p "$folder/scripts" "$folder/exec" "$folder/io" "$folder/cli" "$folder/build/include/rhizome"
cp "$source/scripts/check-tidy.sh" "$folder/scripts/"
cp "$source/.clang-tidy" "$folder/"
ln -s "$folder/exec" "$folder/build/include/rhizome/exec"
printf '%s\n' '#pragma once' 'inline int same(int a) { if (a > 0) return 1; else return 1; }' >"$folder/exec/faulty.hpp"
printf '%s\n' '#include <rhizome/exec/faulty.hpp>' 'int first() { return same(1); }' >"$folder/exec/first.cpp"
printf '%s\n' '#include <rhizome/exec/faulty.hpp>' 'int second(int b) { if (b > 0) return same(b); else return same(b); }' >"$folder/io/unity_gml_cxx.cxx"
printf '%s\n' 'int third(int c) { return c + 1; }' >"$folder/cli/third.cpp"
cd "$folder"
separator='['
for file in exec/first.cpp io/unity_gml_cxx.cxx cli/third.cpp; do
    printf '%s\n{\n  "directory": "%s",\n  "command": "c++ -std=c++20 -Ibuild/include -c %s",\n  "file": "%s"\n}' \
        "$separator" "$folder" "$file" "$folder/$file"
    separator=','
done >build/compile_commands.json
echo ']' >>build/compile_commands.json

printed="$(scripts/check-tidy.sh build)" && fail "faults do not fail; printed: $printed"
grep -q '^exec/faulty.hpp:2:.*bugprone-branch-clone' <<<"$printed" || fail "not found in the header: $printed"
grep -q '^io/unity_gml_cxx.cxx:2:.*bugprone-branch-clone' <<<"$printed" || fail "not found in the file: $printed"
[[ "$(wc -l <<<"$printed")" == 2 ]] || fail "not two findings: $printed"
[[ "$(scripts/check-tidy.sh --quick build)" == "$printed" ]] || fail "--quick does not check the readers of io"
printed="$(scripts/check-tidy.sh --only exec build)" && fail "a fault of exec does not fail"
[[ "$(wc -l <<<"$printed")" == 1 ]] || fail "--only exec checks other files: $printed"
scripts/check-tidy.sh --only cli build || fail "a file without faults does not pass"
status=0
scripts/check-tidy.sh --only nothing build 2>/dev/null || status=$?
[[ "$status" == 2 ]] || fail "no file, but it ends with $status"

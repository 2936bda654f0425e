#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/check-sources.sh finds each kind of fault, in a repository that has one of each, and mends what it can.
#   check_sources_test.sh SOURCE_FOLDER
set -euo pipefail
source="$1"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
fail() { echo "check_sources_test.sh: $*" >&2; exit 1; }

mkdir -p "$folder/scripts" "$folder/exec" "$folder/graph"
cp "$source/scripts/check-sources.sh" "$folder/scripts/"
cp "$source/.clang-format" "$folder/"
licence='// SPDX-License-Identifier: Apache-2.0'
printf '%s\n' "$licence" '#include <rhizome/graph/view.hpp>' >"$folder/exec/upwards.hpp"
printf '%s\n' '#pragma once' >"$folder/graph/unlicensed.hpp"
printf '%s\n' "$licence" 'int  two_blanks ;' >"$folder/graph/unformatted.hpp"
printf '%s\n' "$licence" '#include <rhizome/exec/config.hpp>' >"$folder/graph/sound.hpp"
cd "$folder"
git init -q . && git add . && git -c user.name=x -c user.email=x -c commit.gpgsign=false commit -qm x

printed="$(scripts/check-sources.sh)" && fail "faults do not fail"
for expected in 'exec/upwards.hpp: exec includes a header of graph' 'graph/unlicensed.hpp: the first lines' \
    'graph/unformatted.hpp: not as clang-format'; do
    grep -qF "$expected" <<<"$printed" || fail "not found: $expected; printed: $printed"
done
[[ "$(wc -l <<<"$printed")" == 3 ]] || fail "not three findings: $printed"
scripts/check-sources.sh --mend >/dev/null || true
git rm -qf exec/upwards.hpp
printed="$(scripts/check-sources.sh)" || fail "not mended: $printed"

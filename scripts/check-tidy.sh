#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Looks for mistakes with clang-tidy 14 (.clang-tidy names the checks) in the host code of the libraries and the tool.
#   scripts/check-tidy.sh [BUILD_FOLDER]
#       All of it. BUILD_FOLDER (default: build/cpu-only) is configured; nothing need be built.
#   scripts/check-tidy.sh --quick [BUILD_FOLDER]
#       What CI checks: the readers of graph files, since these come from anywhere. A minute of processor time.
#   scripts/check-tidy.sh --only REGEX [BUILD_FOLDER]
#       The files of BUILD_FOLDER/compile_commands.json whose path matches REGEX.
# Files that are compiled together are checked together, so that their headers are read once. Runs a process per core
# (JOBS=N: N processes). Prints a line per finding, and ends with 1 if there are any; with 2 if it checked nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() { echo "check-tidy.sh: $*" >&2; exit 2; }
only='.'
case "${1:-}" in
    --quick) only='/unity_(dimacs9|edge_list|gml|ldbc|metis|store|stream)_cxx\.cxx$'; shift ;;
    --only) only="${2:?check-tidy.sh: --only needs a regular expression}"; shift 2 ;;
    -*) fail "usage: check-tidy.sh [--quick | --only REGEX] [BUILD_FOLDER]" ;;
esac
build="${1:-build/cpu-only}"
[[ -r "$build/compile_commands.json" ]] || fail "no $build/compile_commands.json: run cmake --preset cpu-only"
clang_tidy="$(command -v clang-tidy-14 || command -v clang-tidy || true)"
[[ -n "$clang_tidy" ]] && "$clang_tidy" --version | grep -q 'version 14\.' ||
    fail "no clang-tidy 14: scripts/install-dependencies.sh --tests installs it"

# Tests and examples are no part of it, nor a file that includes what the build writes (environment.cpp). The code compiled for the emulator, or for more types of graphs, is the same
# templates again.
files="$(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u |
    sed "s|^$PWD/||" | grep -Ev '(^|/)(tests|examples|calibration)/|\.cu$|unity_(simt|host_types|host_(allocators|graphs|views))_|/on_simt\.cpp$|_simt\.cpp$|harness/environment\.cpp$' |
    grep -E -- "$only")" || fail "no file of $build/compile_commands.json matches $only"

# The warnings of compilers are not its business: builds have them as errors.
found=0
printed="$(tr '\n' '\0' <<<"$files" | xargs -0 -P "${JOBS:-$(nproc)}" -n 1 "$clang_tidy" -p "$build" --quiet \
    --extra-arg=-Wno-everything --extra-arg=-Wno-error 2>/dev/null)" || found=1
# A header that several files include is found in each of them.
grep -E ': (warning|error): ' <<<"$printed" | sed "s|$PWD/||; s|^.*/include/rhizome/||" | sort -u || true
if [[ "$found" == 1 ]] && ! grep -qE ': (warning|error): ' <<<"$printed"; then
    fail "clang-tidy failed: $printed"
fi
exit "$found"

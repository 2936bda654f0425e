#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks what compilers do not:
# - every source file names its licence (SPDX) in its first lines
# - C++ and CUDA files are as clang-format 14 leaves them
# - a module includes headers only of modules that it builds on (docs/architecture.md)
# - no compiled Python file is tracked
# Prints a line per finding, and ends with 1 if there are any. --mend adds licences and formats instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

git rev-parse --is-inside-work-tree >/dev/null || { echo "check-sources.sh: no git checkout" >&2; exit 2; }
mend=''
[[ "${1:-}" != --mend ]] || mend=1
found=0
complain() { echo "$*"; found=1; }

# The sources of this project; the corpus of rhizome-coalesce is input, whose places its tests know.
sources() { git ls-files -- "$@" | grep -v '^tests/coalesce/\(corpus\|fuzz\)/'; }

licence='SPDX-License-Identifier: Apache-2.0'
while IFS= read -r file; do
    head -n 2 "$file" | grep -q "$licence" && continue
    if [[ -z "$mend" ]]; then
        complain "$file: the first lines do not say '$licence'"
        continue
    fi
    case "$file" in
        *.hpp | *.cpp | *.inl | *.cu | *.hpp.in | *.cpp.in | *.in) mark='//' ;;
        *) mark='#' ;;
    esac
    if [[ "$(head -c 2 "$file")" == '#!' ]]; then
        sed -i "1a $mark $licence" "$file"
    else
        sed -i "1i $mark $licence" "$file"
    fi
done < <(sources '*.hpp' '*.cpp' '*.inl' '*.cu' '*.cmake' '*CMakeLists.txt' '*.sh' '*.py')

clang_format="$(command -v clang-format-14 || command -v clang-format || true)"
if [[ -z "$clang_format" ]] || ! "$clang_format" --version | grep -q 'version 14\.'; then
    echo "check-sources.sh: no clang-format 14: the format is not checked" >&2
elif [[ -n "$mend" ]]; then
    sources '*.hpp' '*.cpp' '*.inl' '*.cu' | xargs "$clang_format" -i
else
    unformatted="$(sources '*.hpp' '*.cpp' '*.inl' '*.cu' |
        xargs -P "$(nproc)" -n 50 "$clang_format" --dry-run 2>&1 |
        sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: warning: code should be clang-formatted.*/\1/p' | sort -u)"
    for file in $unformatted; do
        complain "$file: not as clang-format leaves it"
    done
fi

# module: the modules that it may include
layers='
exec:
alloc: exec
malloc: exec alloc
compaction: exec
comm: exec
container: exec alloc
graph: exec alloc container comm
algorithms: exec comm graph
io: exec graph
runtime: exec alloc comm graph algorithms
stream: exec graph io runtime
cli: exec comm graph algorithms io runtime stream
python: exec graph io runtime stream
bench: exec alloc compaction container comm graph algorithms io runtime stream cli
coalesce: exec alloc'
while IFS=: read -r module allowed; do
    [[ -n "$module" ]] || continue
    while IFS=: read -r file included; do
        [[ " $module $allowed " == *" $included "* ]] ||
            complain "$file: $module includes a header of $included, which does not lie below it (docs/architecture.md)"
    done < <(git -c grep.lineNumber=false grep --no-color -oE '#include <rhizome/[a-z]+/' -- "$module" | sed 's|#include <rhizome/||; s|/$||' | sort -u)
done <<<"$layers"

while IFS= read -r file; do
    complain "$file: a compiled Python file is tracked"
done < <(git ls-files -- '*.pyc')
exit "$found"

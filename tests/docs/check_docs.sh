#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks pages of documentation: check_docs.sh PAGE...
# - Below a line <!-- FILE --> stands a C++ block whose code is in FILE, apart from indentation. "// ..." in the block
#   stands for code that is left out; the parts must come in the order of FILE. A C++ block without such a line is an error.
# - A link to a file of the repository names a file that exists.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

failed=0
complain() { echo "$*" >&2; failed=1; }

for page in "$@"; do
    [[ -r "$page" ]] || { complain "$page: no such page"; continue; }
    source='' part='' in_block='' rest='' number=0
    check_part() { # `part` is in what `rest` has of the file
        if [[ -n "$part" && "$rest" != *"$part"* ]]; then
            complain "$page:$number: not in $source, or not in this order:"$'\n'"$part"
        fi
        rest="${rest#*"$part"}"
        part=''
    }
    while IFS= read -r line; do
        number=$((number + 1))
        stripped="${line#"${line%%[![:space:]]*}"}"
        if [[ -n "$in_block" ]]; then
            case "$stripped" in
                '```') check_part; in_block='' source='' ;;
                '// ...') check_part ;;
                '') ;;
                *) part+="$stripped"$'\n' ;;
            esac
        elif [[ "$line" =~ ^'<!-- '(.+)' -->'$ ]]; then
            source="${BASH_REMATCH[1]}"
        elif [[ "$line" == '```cpp' ]]; then
            in_block=1
            if [[ -r "$source" ]]; then
                rest="$(sed -e 's/^[[:space:]]*//' -e '/^$/d' "$source")"$'\n'
            else
                complain "$page:$number: C++ code that is from no file: '$source'"
                rest=''
            fi
        elif [[ "$line" == *']('* && "$line" != '    '* ]]; then
            while read -r link; do
                link="${link%%#*}"
                [[ -z "$link" || "$link" == http* || -e "$(dirname "$page")/$link" ]] ||
                    complain "$page:$number: no file $link"
            done < <(grep -o '](\([^)]*\))' <<<"$line" | sed 's/^](\(.*\))$/\1/')
        fi
    done <"$page"
    [[ -z "$in_block" ]] || complain "$page: a block without an end"
done
exit "$failed"

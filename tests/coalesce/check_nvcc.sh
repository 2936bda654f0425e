#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles what rhizome-coalesce makes of the corpus, without making device code: check_nvcc.sh TOOL NVCC HEADERS
# Each source with headers and with a table; with a RHIZOME_TEST_SCALE below 1, with one of them by turns.
set -euo pipefail
tool=$1 nvcc=$2 headers=$3
corpus=$(cd "$(dirname "${BASH_SOURCE[0]}")/corpus" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
turn=0
for kept in header table; do
    turn=$((1 - turn)) # the first, third ... source with headers, the others with a table
    number=$turn
    for source in "$corpus"/*.cu; do
        number=$((number + 1))
        [[ ! "${RHIZOME_TEST_SCALE:-1}" =~ ^0 || $((number % 2)) -eq 0 ]] || continue
        read -ra options <<< "$(sed -n '1s/.*options://p' "$source")"
        [[ " ${options[*]} " == *" --bookkeeping "* ]] && continue
        "$tool" "${options[@]}" --bookkeeping "$kept" -o "$work/k.cu" "$source" 2> /dev/null
        "$nvcc" -std=c++17 -arch=sm_80 -w -I"$headers" -fdevice-syntax-only -Xcompiler=-fsyntax-only -c "$work/k.cu" \
            -o "$work/k.o" || { echo "$source ($kept) does not compile"; exit 1; }
    done
done

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles what rhizome-coalesce makes of the corpus, without making device code: check_nvcc.sh TOOL NVCC HEADERS
set -euo pipefail
tool=$1 nvcc=$2 headers=$3
corpus=$(cd "$(dirname "${BASH_SOURCE[0]}")/corpus" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for kept in header table; do
    for source in "$corpus"/*.cu; do
        read -ra options <<< "$(sed -n '1s/.*options://p' "$source")"
        [[ " ${options[*]} " == *" --bookkeeping "* ]] && continue
        "$tool" "${options[@]}" --bookkeeping "$kept" -o "$work/k.cu" "$source" 2> /dev/null
        "$nvcc" -std=c++17 -arch=sm_80 -w -I"$headers" -fdevice-syntax-only -Xcompiler=-fsyntax-only -c "$work/k.cu" \
            -o "$work/k.o" || { echo "$source ($kept) does not compile"; exit 1; }
    done
done

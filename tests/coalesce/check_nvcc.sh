#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles what rhizome-coalesce makes of the corpus, without making device code: check_nvcc.sh TOOL NVCC HEADERS RHIZOME
# By turns with headers and with a table, as one program for each whole source and for each case of one. RHIZOME is the
# folder of Rhizome's headers, which sources with --dynamic include. Last, two files of one program are linked.
set -euo pipefail
tool=$1 nvcc=$2 headers=$3 rhizome=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
for source in "$here"/corpus/*.cu; do
    mkdir -p "$work/$number"
    while read -r case; do
        number=$((number + 1))
        [[ ! "${RHIZOME_TEST_SCALE:-1}" =~ ^0 || $((number % 3)) -eq 0 ]] || continue
        read -ra options <<< "$(sed -n '1s/.*options://p' "$case")"
        [[ " ${options[*]} " == *" --bookkeeping "* ]] ||
            options+=(--bookkeeping "$([[ $((number % 2)) -eq 0 ]] && echo header || echo table)")
        "$tool" "${options[@]}" -o "${case%.cu}_rewritten.cu" "$case" 2> /dev/null
        cmp -s "$case" "${case%.cu}_rewritten.cu" && continue
        "$nvcc" -std=c++20 -arch=sm_80 -w -I"$headers" -I"$rhizome" -fdevice-syntax-only -Xcompiler=-fsyntax-only \
            -c "${case%.cu}_rewritten.cu" -o "$work/k.o" || { echo "$case of $source does not compile"; exit 1; }
    done < <(python3 "$here/check_corpus.py" --write "$work/$number" "$source")
done

# Another file calls a function whose text the tool has changed, by a declaration of its own.
mkdir "$work/linked"
cat > "$work/linked/maker.cu" <<'SOURCE'
__device__ void* make(int n) { return malloc(n); }
__global__ void makes(int n) { free(make(n)); }
SOURCE
cat > "$work/linked/caller.cu" <<'SOURCE'
extern __device__ void* make(int n);
__global__ void calls(int n) { free(make(n)); }
int main() { calls<<<1, 32>>>(8); }
SOURCE
"$tool" --whole-program --in-place "$work/linked/maker.cu" 2> /dev/null
grep -q 'block_header_malloc(n, rhizome_reached)' "$work/linked/maker.cu" || { echo "make() was not rewritten"; exit 1; }
"$nvcc" -std=c++17 -arch=sm_80 -w -rdc=true -I"$headers" "$work/linked/maker.cu" "$work/linked/caller.cu" \
    -o "$work/linked/program" || { echo "a rewritten file and one that calls it do not link"; exit 1; }

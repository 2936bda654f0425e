#!/usr/bin/env bash
# Generates kernels, lets rhizome-coalesce rewrite them, runs them on the host, and fails if a static call was not reached
# by all threads of its block or warp together: fuzz.sh TOOL COMPILER FIRST_SEED SEEDS KERNELS_PER_SEED
# Odd seeds state that nothing waits; every seed is run for blocks of any shape, and again for rows of threads.
set -euo pipefail
tool=$1 compiler=$2 first=$3 seeds=$4 kernels=$5
# An odd and an even seed at least.
[[ ! "${RHIZOME_TEST_SCALE:-1}" =~ ^0 || "$seeds" -lt 4 ]] || seeds=$((seeds / 2))
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
uniform=0 rewritten=0
for ((seed = first; seed < first + seeds; ++seed)); do
    for shape in "" 1d; do
        python3 "$here/generate.py" "$seed" "$kernels" "$work/k.cu" "$work/harness.cpp" $shape
        options=(--whole-program --header-cache "${RHIZOME_HEADER_CACHE:-$work/headers}" -o "$work/rewritten_k.cu")
        ((seed % 2 == 0)) || options+=(--assume-nothing-waits)
        [[ -z $shape ]] || options+=(--one-dimensional-blocks)
        "$tool" "${options[@]}" "$work/k.cu" 2> "$work/report" || { tail -n 5 "$work/report"; echo "seed $seed: the tool failed"; exit 1; }
        "$compiler" -std=c++20 -O0 -w -I"$here" "$work/harness.cpp" -o "$work/harness"
        "$work/harness" > "$work/result" || { cat "$work/result"; echo "seed $seed $shape: wrong"; exit 1; }
        numbers=$(tail -n 1 "$work/result" | tr -dc '0-9 ')
        read -r _ observed of_these _ <<< "$numbers"
        uniform=$((uniform + observed)) rewritten=$((rewritten + of_these))
    done
done
echo "$((seeds * kernels * 2)) kernels: $uniform calls observed uniform, $rewritten of them rewritten, none wrong"
# A tool that refuses everything is never wrong.
((rewritten * 4 >= uniform)) || { echo "fewer than a quarter were rewritten"; exit 1; }

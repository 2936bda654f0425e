#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles each program of tests/coalesce/programs as it is and as rhizome-coalesce rewrites it, runs both on the GPU of
# this machine, and fails if they print different results: check_gpu.sh TOOL NVCC HEADERS RHIZOME [ARCHITECTURE]
# HEADERS is coalesce/include, RHIZOME the folder of Rhizome's headers. Prints the times of the kernels side by side.
# Each program is rewritten with headers, with a table, for warps alone, and with --dynamic. compute-sanitizer, if it is
# there, must find no error in the rewritten programs. RHIZOME_COMPILE_ONLY=1 runs nothing.
set -euo pipefail
tool=$(realpath "$1") nvcc=$2 headers=$(realpath "$3") rhizome=$(realpath "$4") architecture=${5:-sm_90}
programs=$(cd "$(dirname "${BASH_SOURCE[0]}")/programs" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$programs"/*.cuh "$work"
compile() { "$nvcc" -std=c++20 -arch="$architecture" -O2 -w -rdc=true -I"$headers" -I"$rhizome" -I"$work" "$1" -o "${1%.cu}"; }
failed=0
for source in "$programs"/*.cu; do
    name=$(basename "$source" .cu)
    read -ra options <<< "$(sed -n '1s/.*options://p' "$source")"
    cp "$source" "$work/$name.cu"
    compile "$work/$name.cu"
    [[ -n "${RHIZOME_COMPILE_ONLY:-}" ]] || "$work/$name" > "$work/$name.out" 2> "$work/$name.times" ||
        { echo "$name: the original fails"; cat "$work/$name.times"; failed=1; continue; }
    for way in "--bookkeeping header" "--bookkeeping table" "--scope warp" "--dynamic"; do
        read -ra more <<< "$way"
        made="$work/${name}_$(tr -dc 'a-z' <<< "$way")"
        "$tool" "${options[@]}" $([[ " ${options[*]} " == *" $way "* ]] || echo "${more[@]}") -o "$made.cu" "$work/$name.cu" \
            2> "$work/report" || { cat "$work/report"; exit 1; }
        grep -q 'rhizome::coalesced::' "$made.cu" || { echo "$name ($way): nothing was rewritten"; failed=1; }
        compile "$made.cu"
        [[ -z "${RHIZOME_COMPILE_ONLY:-}" ]] || continue
        if ! "$made" > "$made.out" 2> "$made.times" || ! cmp -s "$work/$name.out" "$made.out"; then
            echo "$name ($way): the rewritten program differs"
            diff "$work/$name.out" "$made.out" || cat "$made.times"
            failed=1
        fi
        echo "== $name $way: kernel, original ms, rewritten ms"
        paste -d' ' "$work/$name.times" "$made.times" | awk '{ print "   ", $1, $2, $5 }'
        if command -v compute-sanitizer > /dev/null; then
            compute-sanitizer --tool memcheck --error-exitcode 1 "$made" > "$work/sanitizer" 2>&1 ||
                { echo "$name ($way): compute-sanitizer"; tail -n 20 "$work/sanitizer"; failed=1; }
        fi
    done
done
exit $failed

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles each program of tests/coalesce/programs as it is and as rhizome-coalesce rewrites it, runs both on the GPU of
# this machine, and fails if they print different results: check_gpu.sh TOOL NVCC HEADERS RHIZOME [ARCHITECTURE]
# HEADERS is coalesce/include, RHIZOME the folder of Rhizome's headers. Prints the times of the kernels side by side.
# Each program is rewritten by default, for warps alone, and with --dynamic. compute-sanitizer, if it is there, must find
# no error in the rewritten programs. RHIZOME_COMPILE_ONLY=1 runs nothing.
#
# Where the tool cannot run on the machine with the GPU: `check_gpu.sh --rewrite TOOL FOLDER` writes the rewritten programs
# to FOLDER, and `check_gpu.sh FOLDER NVCC ...` takes them from there.
set -euo pipefail
programs=$(cd "$(dirname "${BASH_SOURCE[0]}")/programs" && pwd)
ways=("--scope auto" "--scope warp" "--dynamic")
options_of() { read -ra options <<< "$(sed -n '1s/.*options://p' "$1")"; }
rewritten_name() { echo "$(basename "$1" .cu)_$(tr -dc 'a-z' <<< "$2").cu"; }
rewrite() { # tool, program, way, folder
    local made more
    made="$4/$(rewritten_name "$2" "$3")"
    read -ra more <<< "$3"
    options_of "$2"
    [[ " ${options[*]} " == *" $3 "* ]] && more=()
    "$1" "${options[@]}" "${more[@]}" -o "$made" "$2" 2> "$4/report" || { cat "$4/report"; exit 1; }
    rm "$4/report"
    grep -q 'rhizome::coalesced::' "$made" || { echo "$(basename "$2") ($3): nothing was rewritten"; exit 1; }
}
if [[ $1 == --rewrite ]]; then
    mkdir -p "$3"
    for source in "$programs"/*.cu; do
        for way in "${ways[@]}"; do rewrite "$2" "$source" "$way" "$3"; done
    done
    exit 0
fi
tool=$(realpath "$1") nvcc=$2 headers=$(realpath "$3") rhizome=$(realpath "$4") architecture=${5:-sm_90}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile() { # source, program
    "$nvcc" -std=c++20 -arch="$architecture" -O2 -w -rdc=true -I"$headers" -I"$rhizome" -I"$programs" "$1" -o "$2"
}
failed=0
for source in "$programs"/*.cu; do
    name=$(basename "$source" .cu)
    compile "$source" "$work/$name"
    [[ -n "${RHIZOME_COMPILE_ONLY:-}" ]] || "$work/$name" > "$work/$name.out" 2> "$work/$name.times" ||
        { echo "$name: the original fails"; cat "$work/$name.times"; failed=1; continue; }
    for way in "${ways[@]}"; do
        made="$work/$(rewritten_name "$source" "$way")"
        if [[ -d "$tool" ]]; then cp "$tool/$(basename "$made")" "$made"; else rewrite "$tool" "$source" "$way" "$work"; fi
        program=${made%.cu}
        compile "$made" "$program"
        [[ -z "${RHIZOME_COMPILE_ONLY:-}" ]] || continue
        if ! "$program" > "$program.out" 2> "$program.times" || ! cmp -s "$work/$name.out" "$program.out"; then
            echo "$name ($way): the rewritten program differs"
            diff "$work/$name.out" "$program.out" || cat "$program.times"
            failed=1
        fi
        echo "== $name $way: kernel, original ms, rewritten ms"
        paste -d' ' "$work/$name.times" "$program.times" | awk '{ print "   ", $1, $2, $5 }'
        if command -v compute-sanitizer > /dev/null; then
            compute-sanitizer --tool memcheck --error-exitcode 1 "$program" > "$work/sanitizer" 2>&1 ||
                { echo "$name ($way): compute-sanitizer"; tail -n 20 "$work/sanitizer"; failed=1; }
        fi
    done
done
exit $failed

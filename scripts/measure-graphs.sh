#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures graphs on the GPU of this machine, with the runs of bench/results/: scripts/measure-graphs.sh FOLDER [TOOL]
# Writes a table, a CSV file and a JSON file per run to FOLDER, and one picture of all runs if python3 has matplotlib.
set -euo pipefail

[[ $# -ge 1 && $# -le 2 ]] || { echo "usage: measure-graphs.sh FOLDER [TOOL]" >&2; exit 2; }
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
tool="${2:-$root/build/release/cli/rhizome}"
[[ -x "$tool" ]] || { echo "measure-graphs.sh: no tool at $tool: build it, or name it" >&2; exit 1; }
tool="$(realpath "$tool")"
mkdir -p "$1"
cd "$1"

measure() { # name of the run, file of public figures, arguments of bench run
    local name="$1" figures="$2"
    shift 2
    echo "== $name: $*"
    "$tool" bench run "$@" --space cuda --time-limit 20 --public "$root/bench/public/$figures-h200.csv" \
        --output "$name.json" --csv "$name.csv" | tee "$name.txt"
}
for graph in rgg rmat mesh road; do
    measure "updates-$graph" updates updates --graph "$graph"
done
measure build updates build snapshot
measure memory updates memory
measure algorithms algorithms pagerank triangles
measure frontiers frontiers bfs components kcore sssp
measure row-placement updates row-placement --graph rgg,road,rmat
for other in linked-pages:page-queue buckets:ouroboros-page-virtual-array; do
    name="layout-${other/:/-}"
    kind=(--layout "${other%:*}" --allocator "${other#*:}")
    measure "$name-updates" updates updates "${kind[@]}" --graph rgg,rmat --edges 1M --pattern random
    measure "$name-algorithms" algorithms memory pagerank triangles "${kind[@]}" --graph rgg
    measure "$name-frontiers" frontiers bfs components kcore "${kind[@]}" --graph rgg
done
measure layout-contiguous-device-malloc-updates updates updates --layout contiguous --allocator device-malloc \
    --graph rgg,rmat --edges 1M --pattern random

if python3 -c 'import matplotlib' 2>/dev/null; then
    python3 "$root/bench/harness/plot.py" updates-*.json build.json memory.json algorithms.json frontiers.json graphs.svg
fi

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the figures 3 and 4 of the Ouroboros paper on the GPU of this machine:
#   bench/papers/ouroboros/measure.sh FOLDER [TOOL]
# Writes a table, a CSV file and a JSON file per figure to FOLDER, and a picture of each if python3 has matplotlib.
# MOST_ARCS (default 4M) is the size of the largest graphs of figure 4, SPACE (default cuda) where both run.
# Estimate for an H200 with 16 cores, from 0.8 s per process there and the times of the generators: figure 4, 112 cells,
# 2.5 minutes; figure 3, 287 cells, 4.5 minutes. A cell ends after 10 seconds.
set -euo pipefail

[[ $# -ge 1 && $# -le 2 ]] || { echo "usage: measure.sh FOLDER [TOOL]" >&2; exit 2; }
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)"
tool="${2:-$root/build/release/cli/rhizome}"
[[ -x "$tool" ]] || { echo "measure.sh: no tool at $tool: build it, or name it" >&2; exit 1; }
tool="$(realpath "$tool")"
mkdir -p "$1"
cd "$1"

measure() { # benchmark, arguments of bench run
    local name="$1"
    echo "== $*"
    "$tool" bench run "$@" --space "${SPACE:-cuda}" --time-limit 10 --output "$name.json" --csv "$name.csv" |
        tee "$name.txt"
    if python3 -c 'import matplotlib' 2>/dev/null; then python3 "$root/bench/harness/plot.py" "$name.json" "$name.svg"; fi
}
measure ouroboros-fig4 --most-arcs "${MOST_ARCS:-4M}" --repetitions 3
measure ouroboros-fig3 --repetitions 10

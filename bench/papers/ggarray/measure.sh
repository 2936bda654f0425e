#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the figures 3 to 7 and Table 2 of the GGArray paper on the GPU of this machine:
#   bench/papers/ggarray/measure.sh FOLDER [TOOL]
# Writes a table, a CSV file and a JSON file per figure to FOLDER, and a picture of each if python3 has matplotlib.
# SPACE (default cuda) is where they run. A cell ends after TIME_LIMIT (default 60) seconds.
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
    "$tool" bench run "$@" --time-limit "${TIME_LIMIT:-60}" --output "$name.json" --csv "$name.csv" |
        tee "$name.txt"
    if python3 -c 'import matplotlib' 2>/dev/null; then python3 "$root/bench/harness/plot.py" "$name.json" "$name.svg"; fi
}
measure ggarray-fig3
for each in ggarray-table2 ggarray-fig4 ggarray-fig5 ggarray-fig6 ggarray-fig7; do
    measure "$each" --space "${SPACE:-cuda}"
done

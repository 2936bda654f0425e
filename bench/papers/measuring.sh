# SPDX-License-Identifier: Apache-2.0
# What the measure.sh of each folder begins with, which sources this file: reads the arguments FOLDER [TOOL], goes to FOLDER,
# and defines how a benchmark is measured. `common` holds options for all of them.
[[ $# -ge 1 && $# -le 2 ]] || { echo "usage: measure.sh FOLDER [TOOL]" >&2; exit 2; }
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
tool="${2:-$root/build/release/cli/rhizome}"
[[ -x "$tool" ]] || { echo "measure.sh: no tool at $tool: build it, or name it" >&2; exit 1; }
tool="$(realpath "$tool")"
mkdir -p "$1"
cd "$1"
common=()

measure_as() { # name of the files, arguments of bench run
    local name="$1"
    shift
    echo "== $name: $*"
    "$tool" bench run "$@" "${common[@]}" --output "$name.json" --csv "$name.csv" | tee "$name.txt"
    if python3 -c 'import matplotlib' 2>/dev/null; then python3 "$root/bench/harness/plot.py" "$name.json" "$name.svg"; fi
}
measure() { measure_as "$1" "$@"; } # arguments of bench run; the files are named after the benchmark

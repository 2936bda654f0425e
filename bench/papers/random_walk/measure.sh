#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the figures 1, 4, 6, 10 to 15, 17 and 18 of the random-walk paper, and the correlation of its section III-B, on
# the GPU of this machine:
#   bench/papers/random_walk/measure.sh FOLDER [TOOL]
# Writes a table, a CSV file and a JSON file per figure to FOLDER, and a picture of each if python3 has matplotlib.
# SPACE (default cuda) is where they run. A cell ends after TIME_LIMIT (default 60) seconds. With the paper's repetitions
# all of them take more than ten minutes; REPETITIONS=3 measures each cell three times.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../measuring.sh"
common=(--time-limit "${TIME_LIMIT:-60}")
measure random-walk-fig6
for each in fig1 fig4 fig10 fig11 fig12 fig13 fig14 fig15 fig17 fig18 correlation; do
    repetitions=()
    [[ -z "${REPETITIONS:-}" || "$each" = fig15 ]] || repetitions=(--repetitions "$REPETITIONS") # 15 measures no time
    measure "random-walk-$each" --space "${SPACE:-cuda}" "${repetitions[@]}"
done

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the figures 3 to 7 and Table 2 of the GGArray paper on the GPU of this machine:
#   bench/papers/ggarray/measure.sh FOLDER [TOOL]
# Threads insert one element with each call, as in the paper; figure 4 and Table 2 are measured with four as well.
# Writes a table, a CSV file and a JSON file per figure to FOLDER, and a picture of each if python3 has matplotlib.
# SPACE (default cuda) is where they run. A cell ends after TIME_LIMIT seconds (default 200: a thousand kernels of work
# take ten seconds per repetition of figure 7).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../measuring.sh"
common=(--time-limit "${TIME_LIMIT:-200}")
measure ggarray-fig3
for each in ggarray-table2 ggarray-fig4 ggarray-fig5 ggarray-fig6 ggarray-fig7; do
    measure "$each" --space "${SPACE:-cuda}"
done
for each in ggarray-table2 ggarray-fig4; do
    measure_as "$each-by-four" "$each" --space "${SPACE:-cuda}" --per-call 4
done

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the figures 3 and 4 of the Ouroboros paper on the GPU of this machine:
#   bench/papers/ouroboros/measure.sh FOLDER [TOOL]
# Writes a table, a CSV file and a JSON file per figure to FOLDER, and a picture of each if python3 has matplotlib.
# MOST_ARCS (default 4M) is the size of the largest graphs of figure 4, SPACE (default cuda) where both run.
# Estimate for an H200 with 16 cores, from 0.8 s per process there and the times of the generators: figure 4, 112 cells,
# 2.5 minutes; figure 3, 287 cells, 4.5 minutes. A cell ends after 10 seconds.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../measuring.sh"
common=(--space "${SPACE:-cuda}" --time-limit 10)
measure ouroboros-fig4 --most-arcs "${MOST_ARCS:-4M}" --repetitions 3
measure ouroboros-fig3 --repetitions 10

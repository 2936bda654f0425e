#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the figures 3 and 4 of the Ouroboros paper on the GPU of this machine:
#   bench/papers/ouroboros/measure.sh FOLDER [TOOL]
# Writes a table, a CSV file and a JSON file per figure to FOLDER, and a picture of each if python3 has matplotlib.
# MOST_ARCS (default 4M; all: the paper's sizes, where memory allows) is the size of the largest graphs of figure 4, SPACE
# (default cuda) where all run. A cell ends after TIME_LIMIT seconds (default 20).
# Estimate for an H200 with 16 cores, from 0.8 s per process there and the times of the generators: figure 4, 126 cells,
# 3 minutes; figure 3, 328 cells, 6 minutes, and 7 cells of its last panel.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../measuring.sh"
common=(--space "${SPACE:-cuda}" --time-limit "${TIME_LIMIT:-20}")
measure ouroboros-fig4 --most-arcs "${MOST_ARCS:-4M}" --repetitions 3
measure ouroboros-fig3
measure growth --size 16 --heap 2GiB --allocator ouroboros-page-array,ouroboros-page-array-pow2,ouroboros-page-virtual-array,ouroboros-page-virtual-linked,ouroboros-chunk-array,ouroboros-chunk-virtual-array,ouroboros-chunk-virtual-linked

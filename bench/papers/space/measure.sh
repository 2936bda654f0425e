#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the figures 1, 5, 6 and 7 of the SPACE paper on the GPU of this machine, and the sweep of its section 4.4:
#   bench/papers/space/measure.sh FOLDER [TOOL]
# Writes a table, a CSV file and a JSON file each to FOLDER, and a picture if python3 has matplotlib.
# SPACE (default cuda) is where they run. A cell ends after TIME_LIMIT seconds (default 30).
# Estimate for an H100, from 0.8 s per process: the sweep, 187 cells, 4 minutes; the figures, 1,596 cells, 25 minutes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../measuring.sh"
common=(--space "${SPACE:-cuda}" --time-limit "${TIME_LIMIT:-30}")
for each in sweep fig1 fig5 fig6 fig7; do
    measure "space-$each"
done

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Five minutes with Rhizome: installs the packages that are missing, builds the tool, generates a random geometric graph
# (as DIMACS10 defines them, 2^17 vertices), applies a million updates to it, and prints PageRank and triangles.
# Runs on the GPU if the machine has one and CUDA 13 is installed, on the cores of the host otherwise.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/build.sh
rhizome=build/release/cli/rhizome
work=build/try
mkdir -p "$work"

set -x
"$rhizome" generate rgg --scale 17 --seed 1 --output "$work/rgg17.graph"
"$rhizome" generate updates "$work/rgg17.graph" --count 1000000 --seed 1 --output "$work/updates.txt"
"$rhizome" stream "$work/rgg17.graph" "$work/updates.txt" --pagerank-every 5 --triangles-every 5 \
    --output "$work/after.graph"
"$rhizome" pagerank "$work/after.graph" --top 5
"$rhizome" triangles "$work/after.graph"

#!/usr/bin/env bash
# The five-minute path: installs what is missing, builds the tool, makes a random geometric graph (DIMACS10's
# definition, 2^17 vertices), streams a million updates through it, and prints PageRank and triangles.
# Runs on the GPU where there is one and CUDA 13 is installed, on the host's cores otherwise.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh
cmake --preset release -DRHIZOME_BUILD_TESTS=OFF
cmake --build --preset release --target rhizome_cli
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

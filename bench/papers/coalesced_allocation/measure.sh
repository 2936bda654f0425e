#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the figures 1 to 5 of the coalescing paper on the GPU of this machine, programs of several collectives, what
# coalescing gives over other backings, and the allocation of a million blocks:
#   bench/papers/coalesced_allocation/measure.sh FOLDER [TOOL]
# Writes a table, a CSV file and a JSON file per figure to FOLDER, and a picture of each if python3 has matplotlib.
# Variables, with their defaults:
#   SPACE=cuda       where they run
#   PARTS="fig1 fig2 fig3 fig4 fig5 programs full backings million"   what is measured
#   QUICK=           1: three repetitions, and only fig3 of two patterns and fig5 of the paper's collectives. Each cell is
#                    a process of its own; there are 132 of them instead of about 900. The cells of fig3 have what fig1,
#                    fig2 and fig4 have, at four sizes
#   RUNS=            repetitions of each cell; empty: those of the paper
#   FLOATS=          of fig1 to fig4, such as 100,200,300,400; empty: those of the paper
#   PATTERNS=        of fig3; empty: all five
#   COLLECTIVES=     of fig5; empty: all six
#   TIME_LIMIT=60    seconds after which a cell ends
#   FULL_BLOCKS=264  blocks of 1024 threads that fill the GPU, for the part `full`
# The paper's 12 blocks of 1024 threads fill the GPU that it used. The part `full` measures fig3 with FULL_BLOCKS.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../measuring.sh"

if [[ -n "${QUICK:-}" ]]; then
    RUNS="${RUNS:-3}" PARTS="${PARTS:-fig3 fig5}" PATTERNS="${PATTERNS:-linear,quadratic}"
    COLLECTIVES="${COLLECTIVES:-reduce,broadcast,all-to-all}"
fi
common=(--space "${SPACE:-cuda}" --time-limit "${TIME_LIMIT:-60}")
[[ -z "${RUNS:-}" ]] || common+=(--repetitions "$RUNS" --warm-up 1)
sizes=()
[[ -z "${FLOATS:-}" ]] || sizes=(--floats "$FLOATS")
collectives=()
[[ -z "${COLLECTIVES:-}" ]] || collectives=(--collective "$COLLECTIVES")
patterns=()
[[ -z "${PATTERNS:-}" ]] || patterns=(--pattern "$PATTERNS")

for part in ${PARTS:-fig1 fig2 fig3 fig4 fig5 programs full backings million}; do
    case "$part" in
    fig1 | fig2 | fig4) measure "coalescing-$part" "${sizes[@]}" ;;
    fig3) measure coalescing-fig3 "${sizes[@]}" "${patterns[@]}" ;;
    fig5) measure coalescing-fig5 "${collectives[@]}" ;;
    programs) measure coalescing-programs ;;
    full) measure_as full coalescing-fig3 "${sizes[@]}" --pattern linear,quadratic --blocks "${FULL_BLOCKS:-264}" ;;
    backings) # what coalescing gives over each backing: allocation, access, lines
        measure_as backings coalescing-fig3 --floats 16,25,200 --pattern linear,update --allocator \
            ouroboros-page-virtual-array,coalescing-block-table,coalescing-warp-table,random-walk-malloc,coalescing-block-table-random-walk-malloc,coalescing-warp-table-random-walk-malloc ;;
    million) # 1,000,448 requests of 64 bytes
        measure_as million coalescing-fig4 --floats 16 --blocks 977 --allocator \
            ouroboros-page-virtual-array,coalescing-block-header,coalescing-block-table,coalescing-warp-header,coalescing-warp-table,coalescing-dynamic ;;
    *)
        echo "measure.sh: there is no part '$part'" >&2
        exit 2
        ;;
    esac
done

#!/usr/bin/env bash
# Runs every Ouroboros variant on the emulator under many schedules. Each seed is one schedule, with weak memory, of
# requests, frees, refills, queues that gain and lose segments, and a heap that runs out of memory.
#   scripts/explore.sh [SEEDS] [PROCESSES]      default: 10000 seeds per variant, one process per core
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seeds=${1:-10000}
processes=${2:-$(nproc)}
each=$(((seeds + processes - 1) / processes))

cmake --preset release -DRHIZOME_BUILD_TESTS=ON >/dev/null
cmake --build --preset release --target alloc_test compaction_test
program=build/release/tests/alloc/alloc_test
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

failed=0
for variant in page_array page_virtual_array page_virtual_linked chunk_array chunk_virtual_array \
    chunk_virtual_linked combined; do
    pids=()
    for ((part = 0; part < processes; ++part)); do
        RHIZOME_SIMT_FIRST_SEED=$((part * each + 1)) RHIZOME_SIMT_SEEDS=$each "$program" \
            --gtest_filter="tiny_heap/$variant.survives_its_whole_life" >"$logs/$variant.$part" 2>&1 &
        pids+=($!)
    done
    passed=0
    for part in "${!pids[@]}"; do
        if wait "${pids[$part]}" && grep -q 'PASSED.* 1 test' "$logs/$variant.$part"; then
            passed=$((passed + each))
        else
            failed=1
            cat "$logs/$variant.$part"
        fi
    done
    echo "$variant: $passed of $((each * processes)) seeds passed"
done
exit "$failed"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every Ouroboros variant, the random walks, the array that grows in kernels, and the compactions, on the emulator
# under many schedules. Each seed is one schedule, with weak memory: of requests, frees, refills, queues that gain and
# lose segments, and a heap that runs out of memory; of look-backs, selections and moves in place.
#   scripts/explore.sh [SEEDS] [PROCESSES]      default: 10000 seeds per test, one process per core
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seeds=${1:-10000}
processes=${2:-$(nproc)}
each=$(((seeds + processes - 1) / processes))

cmake --preset release -DRHIZOME_COMPONENTS=all -DRHIZOME_BUILD_TESTS=ON >/dev/null
cmake --build --preset release --target alloc_test container_test compaction_test
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

failed=0
explore() { # name, program, filter
    local pids=() passed=0
    for ((part = 0; part < processes; ++part)); do
        RHIZOME_SIMT_FIRST_SEED=$((part * each + 1)) RHIZOME_SIMT_SEEDS=$each "$2" \
            --gtest_filter="$3" >"$logs/$1.$part" 2>&1 &
        pids+=($!)
    done
    for part in "${!pids[@]}"; do
        if wait "${pids[$part]}" && grep -q 'PASSED.* 1 test' "$logs/$1.$part"; then
            passed=$((passed + each))
        else
            failed=1
            cat "$logs/$1.$part"
        fi
    done
    echo "$1: $passed of $((each * processes)) seeds passed"
}
for variant in page_array page_virtual_array page_virtual_linked chunk_array chunk_virtual_array \
    chunk_virtual_linked combined; do
    explore "$variant" build/release/tests/alloc/alloc_test "tiny_heap/$variant.survives_its_whole_life"
done
walks=build/release/tests/alloc/alloc_test
for test in one_word_is_enough_for_all_that_hold_a_page words_are_enough_for_all_warps_that_hold_a_page \
    a_nearly_full_store_is_enough_for_the_pages_that_are_left two_last_pages_are_enough_for_two_warps \
    refusals_come_to_an_end_and_harm_no_thread every_page_is_handed_out_before_a_request_is_refused; do
    for search in flag bitmap claim collaborative clustered collaborative_64; do
        explore "random walk $search $test" "$walks" "tiny_random_walk/$search.$test"
    done
done
for test in runs_within_words_are_enough_for_all_that_hold_one runs_that_span_words_are_enough_for_all_that_hold_one \
    refusals_come_to_an_end_and_harm_no_thread every_page_is_handed_out_before_a_request_is_refused; do
    explore "random_walk_malloc $test" "$walks" "tiny_random_walk_malloc.$test"
    explore "random_walk_segments $test" "$walks" "tiny_random_walk_segments.$test"
done
for test in refusals_come_to_an_end_and_harm_no_thread pages_are_enough_for_all_that_hold_a_small_block; do
    explore "page_sharing $test" "$walks" "tiny_page_sharing.$test"
done
for test in block_wide_superblocks_with_headers_are_freed_once block_wide_superblocks_in_the_table_are_freed_once \
    warp_wide_superblocks_with_headers_are_freed_once warp_wide_superblocks_in_the_table_are_freed_once \
    superblocks_of_lanes_are_freed_once variants_may_be_mixed \
    threads_of_several_blocks_release_a_block_wide_superblock_with_headers \
    threads_of_several_blocks_release_a_block_wide_superblock_in_the_table \
    threads_of_several_blocks_release_warp_wide_superblocks_with_headers \
    threads_of_several_blocks_release_warp_wide_superblocks_in_the_table \
    threads_of_several_blocks_release_superblocks_of_lanes a_request_that_the_backing_refuses_loses_nothing; do
    explore "coalescing $test" "$walks" "tiny_coalescing.$test"
done
for policy in atomic warp_scan tensor_scan; do
    for test in loses_and_doubles_nothing loses_and_doubles_nothing_with_pages_that_come_back \
        that_is_refused_loses_and_doubles_nothing; do
        explore "gg_array $policy $test" build/release/tests/container/container_test "explored_growth/$policy.$test"
    done
done
for test in look_back_adds_up selections_are_right moves_in_place_are_right moves_of_groups_in_place_are_right; do
    explore "$test" build/release/tests/compaction/compaction_test \
        "compaction_exploration.${test}_under_every_schedule"
done
exit "$failed"

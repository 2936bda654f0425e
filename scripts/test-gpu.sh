#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the CUDA tests on the GPU of this machine, then compute-sanitizer over those in which many threads access the
# same memory:
#   scripts/test-gpu.sh [BUILD]      BUILD: the folder of a build with the CUDA tests; default: build/gpu-tests
# The tests of stored graphs, and the programs that rhizome-coalesce rewrites, run only if BUILD has them; a complete build
# does, the preset gpu-tests does not.
# RHIZOME_COALESCE=TOOL           takes this rhizome-coalesce, for a machine where it cannot be built
# RHIZOME_REQUIRE_GPU=2           tests that need two GPUs fail instead of being skipped
# RHIZOME_REQUIRE_GPU_MEMORY=1    tests that need a GPU with 94 GB fail instead of being skipped
# RHIZOME_SANITIZE_ONLY=1         compute-sanitizer only
# RHIZOME_SANITIZE_NOT=1          no compute-sanitizer
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="${1:-$root/build/gpu-tests}"
export RHIZOME_REQUIRE_GPU="${RHIZOME_REQUIRE_GPU:-1}"
modules=(exec alloc container compaction comm graph/partition graph algorithms bench/hash_join)
test_of() { echo "$build/tests/$1/${1##*/}_cuda_test"; }
for module in "${modules[@]}"; do
    [[ -x "$(test_of "$module")" ]] ||
        { echo "test-gpu.sh: no $(test_of "$module"): build the CUDA tests first" >&2; exit 1; }
done

failed=()
run() { # name, command
    local name="$1"
    shift
    echo "== $name"
    "$@" || failed+=("$name")
}
sanitize() { # tool, module, filter
    local options=()
    [[ "$1" != memcheck ]] || options=(--report-api-errors no) # some tests request more memory than the device has
    run "$1 $2 $3" env RHIZOME_TEST_SCALE=0.1 compute-sanitizer --tool "$1" "${options[@]}" --error-exitcode 1 \
        "$(test_of "$2")" --gtest_brief=1 --gtest_filter="$3"
}
if [[ -z "${RHIZOME_SANITIZE_ONLY:-}" ]]; then
    for module in "${modules[@]}"; do
        run "$module" "$(test_of "$module")" --gtest_brief=1
    done
    run "algorithms over ranks" "$build/tests/algorithms/partitioned_algorithms_cuda_test" --gtest_brief=1
    # A program of a user, which ends with 77 where there is no GPU.
    run rhizome_malloc "$build/tests/malloc/malloc_program"
    if [[ -x "$build/tests/malloc/malloc_module_test" ]]; then # not without NVRTC and nvJitLink
        run "rhizome_malloc in kernels that are compiled at run time" "$build/tests/malloc/malloc_module_test"
    fi
    [[ ! -x "$build/malloc/rhizome_malloc_port" ]] || run "a program before and after its port" "$build/malloc/rhizome_malloc_port" 1
    run "rhizome_malloc, new on a full heap" "$build/tests/malloc/malloc_program" refused_new
    # The tests of stored graphs need libraries that the preset gpu-tests does not use.
    [[ ! -x "$(test_of io)" ]] || run io "$(test_of io)" --gtest_brief=1
fi
coalesce="${RHIZOME_COALESCE:-$build/coalesce/rhizome-coalesce}"
if [[ -x "$coalesce" ]]; then # with compute-sanitizer too
    capability="$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1)"
    run coalesce "$root/tests/coalesce/check_gpu.sh" "$coalesce" "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" \
        "$root/coalesce/include" "$build/include" "sm_${capability/./}"
elif [[ -n "${RHIZOME_COALESCE:-}" ]]; then
    echo "test-gpu.sh: no program $RHIZOME_COALESCE" >&2
    failed+=(coalesce)
fi
if [[ -z "${RHIZOME_SANITIZE_NOT:-}" ]]; then
    sanitize memcheck exec '*'
    run "memcheck rhizome_malloc" compute-sanitizer --tool memcheck --report-api-errors no --error-exitcode 1 \
        "$build/tests/malloc/malloc_program"
    sanitize memcheck alloc '*chunk_return*:*packed_chunks*:*short_queues*:*page_runs*:*parts*:*small_pages*:*decor*:restock*:random_walk*:*oalescing*-*endurance*'
    sanitize memcheck graph 'compaction*:tiny_batches*:graph_behaviour*:edge_values*:graph_hubs*:graph_faults*:graph_memory*steady*'
    sanitize memcheck algorithms '*without_damping*:*follow*:*scattered*:*refused*'
    sanitize memcheck algorithms 'components_on*:bfs_on*:k_core_on*:shortest_paths_on*'
    # One thread inserts a million elements in one test: minutes with a sanitizer.
    sanitize memcheck container '-beyond*:*inserts_as_many*'
    sanitize memcheck compaction '-large*'
    sanitize memcheck bench/hash_join '*'
    sanitize racecheck exec '*'
    sanitize racecheck container '-beyond*:*inserts_as_many*'
    sanitize racecheck compaction 'compaction_conformance/cuda_default*:default_compaction*-*any_width*:*large_arrays*'
    # One test of each search: all of them did not end in minutes.
    sanitize racecheck algorithms 'components_on*-*many_schedules*'
    sanitize racecheck algorithms 'bfs_on*.goes_bottom*:k_core_on*.shares_rows*:shortest_paths_on*.share_rows*'
    sanitize racecheck graph 'graph_behaviour*hub_may*:graph_behaviour*one_hub*' # all of graph_behaviour* did not end in minutes
fi
if [[ ${#failed[@]} -ne 0 ]]; then
    printf 'failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
echo "all passed"

// SPDX-License-Identifier: Apache-2.0
// The CUDA space keeps the contract.
#include "collectives_cases.hpp"
#include "contract_cases.hpp"
#include "event_cases.hpp"
#include "sorting_cases.hpp"

#include <rhizome/exec/cuda.hpp>

#include <cuda_runtime.h>
#include <spaces.hpp>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

using namespace rhizome;

namespace {

class cuda_space : public tests::space_test {};

TEST_F(cuda_space, every_item_is_visited_once) { exec_test::every_item_is_visited_once(exec::cuda_space()); }
TEST_F(cuda_space, tiles_share_an_item) { exec_test::tiles_share_an_item(exec::cuda_space()); }
TEST_F(cuda_space, regions_grow_in_place) { exec_test::regions_grow_in_place(exec::cuda_space(), 2u << 20); }
TEST_F(cuda_space, regions_shrink_in_place) { exec_test::regions_shrink_in_place(exec::cuda_space()); }
TEST_F(cuda_space, sizes_beyond_all_memory_are_refused) {
    exec_test::sizes_beyond_all_memory_are_refused(exec::cuda_space());
}
TEST_F(cuda_space, limits_are_kept) {
    exec_test::limits_are_kept(exec::cuda_space({.memory_limit_bytes = 8u << 20}));
}
TEST_F(cuda_space, places_are_filled_ahead) { exec_test::places_are_filled_ahead(exec::cuda_space()); }
TEST_F(cuda_space, numbers_come_early) { exec_test::numbers_come_early(exec::cuda_space()); }

TEST_F(cuda_space, results_come_without_a_copy) {
    exec_test::results_come_without_a_copy(exec::cuda_space());
}
TEST_F(cuda_space, kernels_go_on_beside_the_work) {
    exec_test::kernels_go_on_beside_the_work(exec::cuda_space());
}
TEST_F(cuda_space, waits_and_charges_are_counted) {
    exec_test::waits_and_charges_are_counted(exec::cuda_space());
}
TEST_F(cuda_space, primitives_agree_with_the_standard_library) {
    exec_test::primitives_agree_with_the_standard_library(exec::cuda_space());
}
/// What a user's own call left behind is the user's to read, and no reason to break off.
TEST_F(cuda_space, errors_of_other_calls_are_left_alone) {
    exec::cuda_space const space;
    void* never = nullptr;
    ASSERT_EQ(cudaMalloc(&never, std::size_t{1} << 60), cudaErrorMemoryAllocation);
    EXPECT_NO_THROW(exec_test::every_item_is_visited_once(space));
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
    EXPECT_NO_THROW(exec_test::primitives_agree_with_the_standard_library(space));
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
    EXPECT_NO_THROW(exec_test::places_are_filled_ahead(space));
    EXPECT_NO_THROW({
        exec::stopwatch<exec::cuda_space> watch(space);
        watch.start();
        watch.stop();
        EXPECT_GE(watch.elapsed_ms(), 0.0);
    });
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

/// An error that is thrown, or handled inside, has been reported: it is not left for the user to stumble
/// over.
TEST_F(cuda_space, leaves_no_error_of_its_own_behind) {
    ASSERT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_THROW(exec::cuda_space({.device = 10'000}), exec::cuda_error);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    exec::cuda_space space;
    EXPECT_THROW(static_cast<void>(space.allocate(std::uint64_t{1} << 60)), exec::out_of_memory);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    exec::event<exec::cuda_space> done(space);
    exec::buffer<exec::cuda_space, std::uint32_t> word(space, 1);
    launch(space, {1, 32}, exec_test::write_late{word.data(), 0});
    space.record(done);
    static_cast<void>(done.reached());
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

/// On the default streams every operation works as on a stream of the space's own.
TEST_F(cuda_space, takes_the_default_streams) {
    for (cudaStream_t const stream : {cudaStreamLegacy, cudaStreamPerThread}) {
        exec::cuda_space const space({.stream = stream});
        exec_test::every_item_is_visited_once(space);
        exec_test::places_are_filled_ahead(space);
        exec_test::kernels_go_on_beside_the_work(space);
        exec_test::waits_and_charges_are_counted(space);
        exec_test::primitives_agree_with_the_standard_library(space);
    }
}

TEST_F(cuda_space, events_order_two_spaces) {
    exec_test::events_order_two_spaces(exec::cuda_space(), exec::cuda_space());
    exec_test::events_order_two_spaces(exec::cuda_space({.stream = cudaStreamLegacy}), exec::cuda_space());
}
TEST_F(cuda_space, sorting_ignores_higher_bits) {
    exec_test::sorting_ignores_higher_bits<std::uint64_t>(exec::cuda_space());
    exec_test::sorting_ignores_higher_bits<exec::uint128>(exec::cuda_space());
}
TEST_F(cuda_space, sorting_into_another_array_leaves_the_keys) {
    exec_test::sorting_into_another_array_leaves_the_keys<std::uint64_t>(exec::cuda_space());
    exec_test::sorting_into_another_array_leaves_the_keys<exec::uint128>(exec::cuda_space());
}
TEST_F(cuda_space, scratch_of_sorting_is_charged) {
    exec_test::scratch_of_sorting_is_charged<std::uint64_t>(
        exec::cuda_space({.memory_limit_bytes = 4u << 20}));
}

TEST_F(cuda_space, devices_can_be_used_in_turn_by_any_thread) {
    int devices = 0;
    ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
    if (devices < 2) return tests::end_without(tests::gpus_are_required(2), "there is one GPU");
    exec::cuda_space const first({.device = 0});
    exec::cuda_space const second({.device = 1});
    for (int round = 0; round < 2; ++round) {
        exec_test::every_item_is_visited_once(first);
        exec_test::every_item_is_visited_once(second);
    }
    std::thread([&] { exec_test::every_item_is_visited_once(second); }).join();
}

/// A space on another device than the thread's current one: everything works, and the current one stays.
TEST_F(cuda_space, gives_the_current_device_back) {
    int devices = 0;
    ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
    if (devices < 2) return tests::end_without(tests::gpus_are_required(2), "there is one GPU");
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    auto const current = [] {
        int device = -1;
        EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
        return device;
    };
    for (cudaStream_t const stream : {cudaStream_t{nullptr}, cudaStreamLegacy}) {
        exec::cuda_space space({.device = 1, .stream = stream});
        EXPECT_EQ(current(), 0) << "the space";
        space.load_kernels();
        EXPECT_EQ(current(), 0) << "load_kernels";
        exec_test::every_item_is_visited_once(space);
        EXPECT_EQ(current(), 0) << "buffers and launches";
        exec_test::regions_grow_in_place(space, 2u << 20);
        EXPECT_EQ(current(), 0) << "regions";
        exec_test::places_are_filled_ahead(space);
        EXPECT_EQ(current(), 0) << "copy lanes";
        exec_test::kernels_go_on_beside_the_work(space);
        EXPECT_EQ(current(), 0) << "side lanes";
        exec_test::results_come_without_a_copy(space);
        EXPECT_EQ(current(), 0) << "mailboxes";
        exec_test::primitives_agree_with_the_standard_library(space);
        EXPECT_EQ(current(), 0) << "primitives";
        exec::stopwatch<exec::cuda_space> watch(space);
        watch.start();
        watch.stop();
        EXPECT_GE(watch.elapsed_ms(), 0.0) << "its events are of the space's device";
        EXPECT_EQ(current(), 0) << "stopwatches";
        exec_test::events_order_two_spaces(space, exec::cuda_space({.device = 1}));
        EXPECT_EQ(current(), 0) << "events";
    }
}

/// No device has given the other one access to its memory.
TEST_F(cuda_space, copies_from_allocated_memory_and_a_pool_of_another_device) {
    int devices = 0;
    ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
    if (devices < 2) return tests::end_without(tests::gpus_are_required(2), "there is one GPU");
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    exec::cuda_space here({.device = 0});
    exec::cuda_space there({.device = 1});
    constexpr std::uint64_t bytes = 3u << 20;
    exec::buffer<exec::cuda_space, std::uint8_t> allocated(there, bytes);
    void* pooled = nullptr;
    ASSERT_EQ(cudaMallocAsync(&pooled, bytes, there.stream()), cudaSuccess);
    exec::event<exec::cuda_space> filled(there);
    exec::event<exec::cuda_space> copied(here);
    exec::buffer<exec::cuda_space, std::uint8_t> copy(here, bytes);
    std::uint8_t value = 1;
    for (void* const from : {static_cast<void*>(allocated.data()), pooled}) {
        there.fill(from, value, bytes);
        there.record(filled);
        here.wait_for(filled);
        copy.fill_bytes(0);
        here.copy_from_device(1, copy.data(), from, bytes);
        here.record(copied);
        there.wait_for(copied);
        there.fill(from, 0xff, bytes); // after the copy
        EXPECT_EQ(copy.to_host(), std::vector<std::uint8_t>(bytes, value)) << "memory " << int(value);
        ++value;
    }
    here.copy_from_device(0, copy.data(), copy.data() + bytes / 2, bytes / 2); // of the same device
    here.copy_from_device(1, copy.data(), pooled, 0);
    EXPECT_EQ(copy.to_host(), std::vector<std::uint8_t>(bytes, 2));
    there.synchronize();
    EXPECT_EQ(cudaFreeAsync(pooled, there.stream()), cudaSuccess);
}

TEST_F(cuda_space, wide_keys_are_sorted) { exec_test::wide_keys_are_sorted(exec::cuda_space()); }

} // namespace

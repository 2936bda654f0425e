// SPDX-License-Identifier: Apache-2.0
// Memory of a device: what copies do with their source, and what still works once it is used up.
#include "contract_cases.hpp"

#include <rhizome/exec/cuda.hpp>
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/driver.hpp>

#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <spaces.hpp>
#include <stream_gate.hpp>
#include <used_up_memory.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

using namespace rhizome;
using exec::check_cuda;

namespace {

class cuda_memory : public tests::space_test {};

/// Keeps the stream busy for some milliseconds, so that a source is overwritten before it is read late.
struct spend_time {
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for (int i = 0; i < 20'000; ++i)
            thread.pause();
    }
};

/// Host memory of one kind.
class source {
public:
    enum class kind { pageable, pinned, managed };

    source(kind what, std::size_t bytes) : what_(what) {
        if (what == kind::pageable) memory_ = new std::uint8_t[bytes];
        if (what == kind::pinned) check_cuda(cudaMallocHost(&memory_, bytes), "cudaMallocHost");
        if (what == kind::managed) check_cuda(cudaMallocManaged(&memory_, bytes), "cudaMallocManaged");
    }
    source(source const&) = delete;
    source& operator=(source const&) = delete;
    ~source() {
        if (what_ == kind::pageable) delete[] data();
        if (what_ == kind::pinned) cudaFreeHost(memory_);
        if (what_ == kind::managed) cudaFree(memory_);
    }
    [[nodiscard]] std::uint8_t* data() const { return static_cast<std::uint8_t*>(memory_); }

private:
    kind what_;
    void* memory_ = nullptr;
};

/// Other programs that use the GPU see the memory.
TEST_F(cuda_memory, of_a_region_that_shrinks_is_free_for_other_users) {
    auto const free_bytes = [] {
        std::size_t free = 0;
        std::size_t total = 0;
        check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
        return static_cast<std::int64_t>(free);
    };
    exec::cuda_space space;
    exec::region<exec::cuda_space> region(space, 1u << 30, "test region");
    region.grow_to(64u << 20);
    region.grow_to(512u << 20);
    space.fill(region.data(), 0x5a, region.committed_bytes());
    auto const held = static_cast<std::int64_t>(region.committed_bytes());
    std::int64_t const before = free_bytes();
    region.shrink_to(100u << 20);
    auto const given_back = held - static_cast<std::int64_t>(region.committed_bytes());
    EXPECT_GE(given_back, held - (std::int64_t{100} << 20) - held / 16); // whole pieces
    // Other processes may use the GPU meanwhile: most of it is enough.
    EXPECT_GT(free_bytes() - before, given_back / 2);
}

/// Several pieces go at once, and come back, while the first bytes stay what they were.
TEST_F(cuda_memory, of_a_region_comes_back_after_several_pieces_were_given_back) {
    exec::cuda_space space;
    exec::region<exec::cuda_space> region(space, 1u << 30, "test region");
    region.grow_to(32u << 20);
    std::uint64_t const kept = region.committed_bytes();
    space.fill(region.data(), 0x5a, kept);
    for (int round = 0; round < 3; ++round) {
        for (std::uint64_t mb = 40; mb <= 128; mb += 8) // a piece each
            region.grow_to(mb << 20);
        std::uint64_t const grown = region.committed_bytes();
        space.fill(region.data() + kept, round, grown - kept);
        std::uint8_t last = 0;
        space.copy_out(&last, region.data() + grown - 1, 1);
        EXPECT_EQ(last, round);
        region.shrink_to((64u << 20) + 1);
        EXPECT_GT(region.committed_bytes(), std::uint64_t{64} << 20);
        EXPECT_LT(region.committed_bytes(), grown);
        region.shrink_to(kept);
        EXPECT_EQ(region.committed_bytes(), kept);
    }
    std::vector<std::uint8_t> first(kept);
    space.copy_out(first.data(), region.data(), kept);
    EXPECT_EQ(first, std::vector<std::uint8_t>(kept, 0x5a));
}

TEST_F(cuda_memory, sources_of_every_kind_may_be_reused_on_return) {
    exec::cuda_space space;
    for (auto const kind : {source::kind::pageable, source::kind::pinned, source::kind::managed})
        for (std::size_t const bytes :
             {std::size_t{8}, std::size_t{64} << 10, (std::size_t{64} << 10) + 1, std::size_t{6} << 20}) {
            source const from(kind, bytes);
            exec::buffer<exec::cuda_space, std::uint8_t> to(space, bytes);
            std::memset(from.data(), 0x5a, bytes);
            for (int round = 0; round < 3; ++round) { // with and without pinned memory that is there already
                launch(space, {1, 32}, spend_time{});
                space.copy_in(to.data(), from.data(), bytes);
                std::memset(from.data(), 0xa5, bytes);
                EXPECT_TRUE(to.to_host() == std::vector<std::uint8_t>(bytes, 0x5a))
                    << "kind " << static_cast<int>(kind) << ", " << bytes << " bytes, round " << round;
                std::memset(from.data(), 0x5a, bytes);
            }
        }
}

TEST_F(cuda_memory, copies_of_pageable_memory_do_not_wait_for_kernels) {
    exec::cuda_space space;
    std::vector<std::uint32_t> values(1u << 18, 3); // 1 MiB
    exec::buffer<exec::cuda_space, std::uint32_t> to(space, values);
    std::uint32_t small = 5;
    space.copy_in(to.data(), &small, sizeof small); // both rings are there
    space.synchronize();
    std::uint64_t const waits = space.waits();
    tests::stream_gate busy;
    busy.hold(space.stream());
    space.copy_in(to.data(), values.data(), values.size() * sizeof(values[0]));
    space.copy_in(to.data(), &small, sizeof small);
    small = 7;
    std::fill(values.begin(), values.end(), 9u);
    EXPECT_FALSE(busy.gave_up()) << "it waited for the kernel";
    EXPECT_EQ(space.waits(), waits);
    busy.open();
    std::vector<std::uint32_t> const found = to.to_host();
    EXPECT_EQ(found.front(), 5u);
    EXPECT_EQ(found.back(), 3u);
    EXPECT_FALSE(busy.gave_up());
}

/// Functions of the module that has `entry` which are not loaded.
unsigned not_loaded_beside(void const* entry) {
    cudaFunction_t function = nullptr;
    check_cuda(cudaGetFuncBySymbol(&function, entry), "cudaGetFuncBySymbol");
    exec::cuda_driver const& driver = exec::driver();
    CUmodule unit = nullptr;
    unsigned count = 0;
    exec::check_driver(driver.func_module(&unit, function), "cuFuncGetModule");
    exec::check_driver(driver.module_function_count(&count, unit), "cuModuleGetFunctionCount");
    std::vector<CUfunction> functions(count);
    exec::check_driver(driver.module_functions(functions.data(), count, unit), "cuModuleEnumerateFunctions");
    unsigned missing = 0;
    for (CUfunction const each : functions) {
        CUfunctionLoadingState state{};
        exec::check_driver(driver.func_is_loaded(&state, each), "cuFuncIsLoaded");
        missing += state == CU_FUNCTION_LOADING_STATE_LOADED ? 0 : 1;
    }
    return missing;
}

/// No test launches them.
template <std::uint32_t Number>
struct never_launched {
    std::uint32_t* word;
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        thread.device(*word).fetch_add(Number, exec::order::relaxed);
    }
};

// Kernels of this file are launched by exec::launch, but for that of the gate.
TEST_F(cuda_memory, loads_kernels_before_they_are_launched) {
    exec::cuda_space space;
    bool volatile never = false;
    if (never) {
        launch(space, {1, 32}, never_launched<1>{nullptr});
        launch(space, {1, 32}, never_launched<2>{nullptr});
    }
    launch(space, {1, 32}, spend_time{});
    space.synchronize();
    void const* const entry = reinterpret_cast<void const*>(&exec::detail::run_kernel<spend_time>);
    unsigned const before = not_loaded_beside(entry);
    exec::cuda_space({.preload_kernels = false}).load_kernels();
    EXPECT_EQ(not_loaded_beside(entry), before) << "it was told not to";
    space.load_kernels();
    EXPECT_LE(not_loaded_beside(entry), 1u);
    launch(space, {1, 32}, spend_time{});
    space.synchronize();
}

TEST_F(cuda_memory, primitives_run_once_memory_is_used_up) {
    exec::cuda_space space;
    space.load_kernels();
    constexpr std::uint64_t count = 70'000;
    exec::workspace<exec::cuda_space> scratch(space);
    static_cast<void>(scratch.at_least(16u << 20));
    exec::buffer<exec::cuda_space, std::uint64_t> keys(space, std::vector<std::uint64_t>(count, 11));
    exec::buffer<exec::cuda_space, std::uint64_t> other(space, count);
    exec::buffer<exec::cuda_space, std::uint64_t> number(space, 1);
    tests::used_up_memory const full;
    ASSERT_GT(full.pieces(), 0u);
    for (std::uint64_t const some : {std::uint64_t{1000}, count}) {
        std::uint64_t* const sorted = sort_keys(space, scratch, keys.data(), other.data(), some, 40);
        std::uint64_t* const rest = sorted == keys.data() ? other.data() : keys.data();
        sum(space, scratch, sorted, number.data(), some);
        EXPECT_EQ(number.to_host()[0], 11 * some);
        unique(space, scratch, sorted, rest, number.data(), some);
        EXPECT_EQ(number.to_host()[0], 1u);
        exclusive_scan(space, scratch, sorted, rest, some);
        std::uint64_t last = 0;
        space.copy_out(&last, rest + some - 1, sizeof last);
        EXPECT_EQ(last, 11 * (some - 1));
        space.copy_in(keys.data(), std::vector<std::uint64_t>(count, 11).data(),
                      count * sizeof(std::uint64_t));
    }
}

} // namespace

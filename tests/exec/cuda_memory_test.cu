// Memory of a device: what copies do with their source.
#include "contract_cases.hpp"

#include <rhizome/exec/cuda.hpp>
#include <rhizome/exec/cuda/check.hpp>

#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <spaces.hpp>
#include <stream_gate.hpp>

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

TEST_F(cuda_memory, sources_of_every_kind_may_be_reused_on_return) {
    exec::cuda space;
    for (auto const kind : {source::kind::pageable, source::kind::pinned, source::kind::managed})
        for (std::size_t const bytes :
             {std::size_t{8}, std::size_t{64} << 10, (std::size_t{64} << 10) + 1, std::size_t{6} << 20}) {
            source const from(kind, bytes);
            exec::buffer<exec::cuda, std::uint8_t> to(space, bytes);
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
    exec::cuda space;
    std::vector<std::uint32_t> values(1u << 18, 3); // 1 MiB
    exec::buffer<exec::cuda, std::uint32_t> to(space, values);
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

} // namespace

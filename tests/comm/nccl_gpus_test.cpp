// SPDX-License-Identifier: Apache-2.0
// The backend `nccl` with the real library: on one GPU, and on as many GPUs as there are, up to 8. The ranks
// are threads, a GPU each; processes differ from them only in how they are started.
#include "every_collective.hpp"

#include <rhizome/comm/nccl/nccl.hpp>
#include <rhizome/exec/cuda.hpp>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <requirements.hpp>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace rhizome::tests {
namespace {

using comm::communicator;
using comm::failure;
using exec::cuda_space;

class comm_nccl_on_gpus : public ::testing::Test {
protected:
    void SetUp() override {
        std::string const no_gpu = cuda_space::unusable_because();
        if (!no_gpu.empty()) return end_without(gpus_are_required(), "no GPU can be used: " + no_gpu);
        std::string const no_nccl = comm::nccl_unusable_because();
        if (!no_nccl.empty()) return end_without(gpus_are_required(2), no_nccl);
        ASSERT_EQ(cudaGetDeviceCount(&gpus_), cudaSuccess);
        gpus_ = std::min(gpus_, 8);
    }

    static void on_gpus(int gpus, std::function<void(communicator<cuda_space>&)> const& function,
                        std::chrono::milliseconds limit = std::chrono::minutes(2)) {
        auto const file = std::filesystem::temp_directory_path() /
                          ("rhizome_nccl_gpus_" + std::to_string(::getpid()) + "_" + std::to_string(gpus));
        std::vector<std::thread> threads;
        for (int rank = 0; rank < gpus; ++rank)
            threads.emplace_back([&, rank] {
                comm::process_rank process{.rank = rank, .size = gpus};
                process.file = file.string();
                try {
                    auto const exchange = comm::exchange_for(process);
                    auto const self =
                        comm::connect_nccl(cuda_space({.device = rank, .preload_kernels = false}), process,
                                           *exchange, {.time_limit = limit});
                    function(*self);
                } catch (std::exception const& error) {
                    ADD_FAILURE() << "rank " << rank << ": " << error.what();
                }
            });
        for (auto& thread : threads)
            thread.join();
    }

    int gpus_ = 0;
};

TEST_F(comm_nccl_on_gpus, one_rank_talks_to_itself) {
    on_gpus(1, [](communicator<cuda_space>& self) { expect_every_collective(self); });
}

TEST_F(comm_nccl_on_gpus, every_collective_on_all_gpus) {
    if (gpus_ < 2) return end_without(gpus_are_required(2), "there is one GPU");
    on_gpus(gpus_, [](communicator<cuda_space>& self) {
        for (int round = 0; round < 3; ++round)
            expect_every_collective(self);
    });
}

TEST_F(comm_nccl_on_gpus, collectives_come_after_earlier_work_and_before_later_work) {
    if (gpus_ < 2) return end_without(gpus_are_required(2), "there is one GPU");
    on_gpus(gpus_, [](communicator<cuda_space>& self) {
        constexpr std::uint64_t words = 1 << 22;
        exec::buffer<cuda_space, std::uint32_t> mine(self.space(), words);
        exec::buffer<cuda_space, std::uint32_t> all(self.space(),
                                                    words * static_cast<std::uint64_t>(self.size()));
        for (int round = 0; round < 4; ++round) {
            mine.fill_bytes(static_cast<std::uint8_t>(16 * round + self.rank()));
            ASSERT_TRUE(self.all_gather(mine.data(), words, all.data()).ok());
            mine.fill_bytes(0xff);
            auto const got = all.to_host();
            for (int rank = 0; rank < self.size(); ++rank) {
                auto const begin = got.begin() + static_cast<std::ptrdiff_t>(words) * rank;
                auto const expected = 0x01010101u * static_cast<std::uint32_t>(16 * round + rank);
                EXPECT_EQ(std::count(begin, begin + words, expected), static_cast<std::ptrdiff_t>(words));
            }
        }
    });
}

/// Rank 1 does not take part in this call of rank 0.
void expect_time_limit(communicator<cuda_space>& self, std::atomic<int>& over,
                       std::function<comm::comm_result(communicator<cuda_space>&)> const& call) {
    ASSERT_TRUE(self.barrier().ok());
    if (self.rank() == 1) {
        while (over.load() == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return self.abort("the test is over");
    }
    auto const begin = std::chrono::steady_clock::now();
    auto result = call(self);
    if (result.ok()) result = self.wait(); // a kernel may wait for the other rank
    auto const took = std::chrono::steady_clock::now() - begin;
    over.store(1);
    EXPECT_EQ(result.kind(), failure::timed_out) << result.why();
    EXPECT_GE(took, std::chrono::seconds(5));
    EXPECT_LT(took, std::chrono::seconds(20)); // ncclCommAbort ends the kernel that waits
    EXPECT_EQ(self.vote(true).result.why(), result.why());
    self.space().synchronize(); // the stream is free again
}

comm::comm_result exchange_a_word(communicator<cuda_space>& self) {
    exec::buffer<cuda_space, std::uint64_t> words(self.space(), 4);
    std::vector<std::uint64_t> const one(2, 1);
    comm::comm_result result =
        self.all_to_all(static_cast<std::uint64_t const*>(words.data()), one, words.data() + 2, one);
    return result.ok() ? self.wait() : result; // the words are in use until then
}

TEST_F(comm_nccl_on_gpus, a_rank_that_is_missing_ends_the_call_at_the_time_limit) {
    if (gpus_ < 2) return end_without(gpus_are_required(2), "there is one GPU");
    std::vector<std::function<comm::comm_result(communicator<cuda_space>&)>> const calls{
        [](auto& self) { return self.barrier(); }, exchange_a_word};
    for (bool const have_exchanged : {false, true})
        for (auto const& call : calls) {
            std::atomic<int> over{0};
            on_gpus(
                2,
                [&](communicator<cuda_space>& self) {
                    ASSERT_TRUE(!have_exchanged || exchange_a_word(self).ok());
                    expect_time_limit(self, over, call);
                },
                std::chrono::seconds(5));
        }
}

} // namespace
} // namespace rhizome::tests

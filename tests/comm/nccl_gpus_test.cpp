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
#include <cstddef>
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

    /// `has_board`: the ranks know that they are on one machine.
    static void on_gpus(int gpus, std::function<void(communicator<cuda_space>&)> const& function,
                        std::chrono::milliseconds limit = std::chrono::minutes(2), bool has_board = false) {
        auto const file = std::filesystem::temp_directory_path() /
                          ("rhizome_nccl_gpus_" + std::to_string(::getpid()) + "_" + std::to_string(gpus));
        std::vector<std::thread> threads;
        for (int rank = 0; rank < gpus; ++rank)
            threads.emplace_back([&, rank] {
                comm::process_rank process{.rank = rank, .size = gpus};
                process.file = file.string();
                if (has_board) process.board = file.string() + ".board";
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
        std::filesystem::remove(file.string() + ".board"); // if the ranks have not all come
    }
    static void on_gpus_with_board(int gpus, std::function<void(communicator<cuda_space>&)> const& function) {
        on_gpus(gpus, function, std::chrono::minutes(2), true);
    }
    /// Whether each GPU reaches the memory of all others.
    [[nodiscard]] bool all_reach_all() const {
        int reaches = 1;
        for (int from = 0; from < gpus_; ++from)
            for (int to = 0; to < gpus_ && reaches != 0; ++to)
                if (from != to) {
                    EXPECT_EQ(cudaDeviceCanAccessPeer(&reaches, from, to), cudaSuccess);
                }
        return reaches != 0;
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

TEST_F(comm_nccl_on_gpus, one_rank_with_a_board_writes_into_its_own_memory) {
    on_gpus_with_board(1, [](communicator<cuda_space>& self) {
        bool const shared = expect_shared_memory(self);
        EXPECT_EQ(shared, self.shareable_memory() != nullptr);
        if (shared) expect_freed_memory_lives(self);
        expect_every_collective(self);
    });
}

/// Both ways, also where the owner has freed what others still write; and again with new memory.
TEST_F(comm_nccl_on_gpus, ranks_with_a_board_write_into_each_others_memory) {
    if (gpus_ < 2) return end_without(gpus_are_required(2), "there is one GPU");
    bool const expected = all_reach_all();
    for (int round = 0; round < 2; ++round)
        on_gpus_with_board(gpus_, [&](communicator<cuda_space>& self) {
            for (int times = 0; times < 3; ++times) {
                bool const shared = expect_shared_memory(self);
                EXPECT_EQ(shared, expected && self.shareable_memory() != nullptr);
                if (shared) expect_freed_memory_lives(self);
            }
            expect_every_collective(self);
        });
}

/// Large arrays, all of which each rank writes while the others do.
TEST_F(comm_nccl_on_gpus, whole_arrays_arrive_in_the_memory_of_other_ranks) {
    if (gpus_ < 2) return end_without(gpus_are_required(2), "there is one GPU");
    if (!all_reach_all()) return; // the test above expects that ranks say so
    on_gpus_with_board(gpus_, [](communicator<cuda_space>& self) {
        constexpr std::uint64_t words = std::uint64_t{8} << 20; // of each rank for each
        auto const rank = static_cast<std::size_t>(self.rank());
        auto const ranks = static_cast<std::size_t>(self.size());
        exec::buffer<cuda_space, std::uint32_t> written(self.space(), words);
        for (std::uint32_t round = 0; round < 4; ++round) {
            shareable_array<cuda_space> mine(self, words * ranks);
            std::vector<void*> addresses(ranks);
            auto const shared = self.share_memory(mine.data(), true, addresses);
            ASSERT_TRUE(shared.ok()) << shared.result.why();
            if (!shared.value) return;
            written.fill_bytes(static_cast<std::uint8_t>(100 + 16 * round + rank));
            for (std::size_t to = 0; to < ranks; ++to)
                self.space().copy(static_cast<std::uint32_t*>(addresses[to]) + words * rank, written.data(),
                                  words * sizeof(std::uint32_t));
            ASSERT_TRUE(self.follow_all().ok());
            auto const found = mine.to_host();
            for (std::size_t from = 0; from < ranks; ++from) {
                auto const begin = found.begin() + static_cast<std::ptrdiff_t>(words * from);
                std::uint32_t const expected =
                    0x01010101u * static_cast<std::uint32_t>(100 + 16 * round + from);
                EXPECT_EQ(std::count(begin, begin + words, expected), static_cast<std::ptrdiff_t>(words));
            }
            self.forget_memory(addresses);
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

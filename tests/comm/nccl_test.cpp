// SPDX-License-Identifier: Apache-2.0
// The code of the backend `nccl`, over a stand-in for NCCL that works in host memory: every collective,
// errors that NCCL reports, time limits, and what is missing. With a real library: that it loads.
#include "every_collective.hpp"
#include "nccl_ranks.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <latch>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace rhizome::tests {
namespace {

using counts = std::vector<std::uint64_t>;

TEST_F(comm_nccl, collectives_give_what_they_promise) {
    for (int const ranks : {1, 2, 3, 8})
        on_ranks(ranks, [&](communicator<host_space>& self) {
            expect_every_collective(self);
            EXPECT_EQ(self.backend(), "nccl");
        });
}

TEST_F(comm_nccl, the_longest_time_limit_is_none) {
    on_ranks(
        2, [&](communicator<host_space>& self) { expect_every_collective(self); }, milliseconds::max());
}

TEST_F(comm_nccl, nothing_to_send_needs_no_call_but_those_that_connect) {
    on_ranks(2, [](communicator<host_space>& self) {
        counts const none{0, 0};
        std::uint32_t* const nothing = nullptr;
        for (int round = 0; round < 2; ++round)
            EXPECT_TRUE(self.all_to_all(nothing, none, nothing, none).ok());
        EXPECT_TRUE(self.all_gather(nothing, 0, nothing).ok());
        EXPECT_TRUE(self.all_reduce(nothing, nothing, 0, comm::reduction::sum).ok());
        EXPECT_TRUE(self.broadcast(nothing, 0, 1).ok());
        EXPECT_TRUE(self.gather_words({}, {}).ok());
    });
    EXPECT_EQ(fake_nccl_get().calls, 4); // each rank sends and receives one message
    EXPECT_EQ(fake_nccl_get().split, 2);
}

TEST_F(comm_nccl, all_to_all_connects_all_ranks_once) {
    on_ranks(3, [](communicator<host_space>& self) {
        for (std::uint64_t round = 0; round < 3; ++round) { // to the next rank alone
            auto const next = static_cast<std::size_t>(self.rank() + 1) % 3;
            auto const previous = static_cast<std::size_t>(self.rank() + 2) % 3;
            counts sent(3, 0);
            counts received(3, 0);
            sent[next] = received[previous] = 1;
            std::uint64_t const mine = 10 * round + static_cast<std::uint64_t>(self.rank());
            std::uint64_t got = 0;
            ASSERT_TRUE(self.all_to_all(&mine, sent, &got, received).ok());
            ASSERT_TRUE(self.wait().ok());
            EXPECT_EQ(got, 10 * round + previous);
        }
    });
    EXPECT_EQ(fake_nccl_get().split, 3);
    EXPECT_EQ(fake_nccl_get().calls, 3 * 4 + 3 * 3 * 2);
    EXPECT_EQ(fake_nccl_get().destroyed, 6);
    EXPECT_EQ(fake_nccl_get().aborted, 0);
}

TEST_F(comm_nccl,
       a_rank_whose_connection_for_all_to_all_is_refused_fails_and_the_others_do_not_wait_for_ever) {
    plan({.refusal = ncclSystemError, .refused_split_rank = 0});
    on_ranks(
        2,
        [](communicator<host_space>& self) {
            counts const one{1, 1};
            std::array<std::uint64_t, 2> const sent{};
            std::array<std::uint64_t, 2> got{};
            auto const result = self.all_to_all(sent.data(), one, got.data(), one);
            if (self.rank() == 0) {
                EXPECT_EQ(result.kind(), failure::library);
                EXPECT_NE(result.why().find("ncclCommSplit: unhandled system error"), std::string_view::npos)
                    << result.why();
            } else {
                EXPECT_EQ(result.kind(), failure::timed_out) << result.why();
            }
            EXPECT_EQ(self.wait().why(), result.why());
        },
        brief);
    EXPECT_EQ(fake_nccl_get().aborted, 3); // of rank 1 also what NCCL was making
}

/// Ranks gather words also to tell that memory has run out.
TEST_F(comm_nccl, words_are_gathered_without_memory) {
    for (std::size_t const words : {1u, 66u, 126u, 131u, 132u, 1000u})
        on_ranks(3, [&](communicator<host_space>& self) {
            auto& budget = self.space().budget();
            std::uint64_t const rest = budget.available_bytes();
            ASSERT_TRUE(budget.try_charge(rest));
            std::vector<std::uint64_t> mine(words);
            std::vector<std::uint64_t> all(3 * words);
            for (std::size_t i = 0; i < words; ++i)
                mine[i] = 10'000 * static_cast<std::uint64_t>(self.rank()) + i;
            comm_result const result = self.gather_words(mine, all);
            EXPECT_TRUE(result.ok()) << result.why();
            for (std::size_t i = 0; i < all.size(); ++i)
                ASSERT_EQ(all[i], 10'000 * (i / words) + i % words) << words << " words, number " << i;
            budget.refund(rest);
        });
}

/// Each rank of a batch tells a count for each rank and six words more.
TEST_F(comm_nccl, words_of_a_batch_are_gathered_by_one_call) {
    constexpr int ranks = 60;
    on_ranks(ranks, [](communicator<host_space>& self) {
        std::vector<std::uint64_t> const mine(ranks + 6, static_cast<std::uint64_t>(self.rank()));
        std::vector<std::uint64_t> all(mine.size() * ranks);
        EXPECT_TRUE(self.gather_words(mine, all).ok());
        for (std::size_t i = 0; i < all.size(); ++i)
            ASSERT_EQ(all[i], i / mine.size());
    });
    EXPECT_EQ(fake_nccl_get().calls, ranks);
}

TEST_F(comm_nccl, each_communicator_is_finalized_and_destroyed) {
    on_ranks(3, [](communicator<host_space>& self) { EXPECT_TRUE(self.barrier().ok()); });
    EXPECT_EQ(fake_nccl_get().made, 3);
    EXPECT_EQ(fake_nccl_get().finalized, 3);
    EXPECT_EQ(fake_nccl_get().destroyed, 3);
    EXPECT_EQ(fake_nccl_get().aborted, 0);
    EXPECT_FALSE(std::filesystem::exists(id_file_));
}

TEST_F(comm_nccl, an_error_that_nccl_finds_while_it_waits_aborts) {
    std::latch both_have_met(2);
    on_ranks(
        2,
        [&](communicator<host_space>& self) {
            ASSERT_TRUE(self.barrier().ok());
            both_have_met.arrive_and_wait();
            if (self.rank() == 0) { // the other rank does not join, so that the time limit ends the call
                auto const late = self.barrier();
                EXPECT_EQ(late.kind(), failure::timed_out) << late.why();
                return;
            }
            plan({.failed_rank = 1, .failure = ncclRemoteError});
            auto const result = self.wait();
            EXPECT_EQ(result.kind(), failure::peer_left);
            EXPECT_EQ(result.rank(), comm::no_rank);
            EXPECT_NE(result.why().find("remote process exited"), std::string_view::npos) << result.why();
            EXPECT_NE(result.why().find("connection closed by peer"), std::string_view::npos) << result.why();
            EXPECT_EQ(self.vote(true).result.why(), result.why());
            EXPECT_FALSE(self.vote(true).value);
        },
        std::chrono::seconds(2));
    EXPECT_EQ(fake_nccl_get().aborted, 2);
    EXPECT_EQ(fake_nccl_get().destroyed, 0);
}

TEST_F(comm_nccl, a_call_that_nccl_refuses_fails_with_its_text) {
    plan({.refused_rank = 0, .refusal = ncclSystemError});
    on_ranks(1, [](communicator<host_space>& self) {
        std::uint32_t value = 1;
        auto const result = self.all_reduce<std::uint32_t>(&value, &value, 1, comm::reduction::sum);
        EXPECT_EQ(result.kind(), failure::library);
        EXPECT_EQ(result.rank(), 0);
        EXPECT_NE(result.why().find("ncclAllReduce: unhandled system error"), std::string_view::npos)
            << result.why();
        EXPECT_EQ(self.broadcast(&value, 1, 0).why(), result.why());
    });
    EXPECT_EQ(fake_nccl_get().calls, 1);
    EXPECT_EQ(fake_nccl_get().aborted, 1);
}

TEST_F(comm_nccl, a_rank_that_does_not_take_part_ends_every_call_at_the_time_limit) {
    using call = std::function<comm_result(communicator<host_space>&)>;
    static std::array<std::uint64_t, 2> data{};
    counts const one{1, 1};
    std::vector<call> const calls{
        [&](auto& self) {
            return self.all_to_all(static_cast<std::uint64_t const*>(data.data()), one, data.data(), one);
        },
        [](auto& self) {
            return self.all_gather(static_cast<std::uint64_t const*>(data.data()), 1, data.data());
        },
        [](auto& self) {
            return self.template all_reduce<std::uint64_t>(data.data(), data.data(), 1, comm::reduction::sum);
        },
        [](auto& self) { return self.broadcast(data.data(), 1, 1); },
        [](auto& self) { return self.barrier(); },
        [](auto& self) { return self.vote(true).result; },
    };
    for (auto const& each : calls) {
        plan({});
        std::atomic<bool> over{false};
        on_ranks(
            2,
            [&](communicator<host_space>& self) {
                while (self.rank() == 1 && !over.load())
                    std::this_thread::sleep_for(milliseconds(1));
                if (self.rank() == 1) return self.abort("the test is over");
                auto const begin = std::chrono::steady_clock::now();
                auto const result = each(self);
                over.store(true);
                EXPECT_GE(std::chrono::steady_clock::now() - begin, brief);
                EXPECT_EQ(result.kind(), failure::timed_out);
                EXPECT_NE(result.why().find("within 150 ms"), std::string_view::npos) << result.why();
                EXPECT_EQ(self.wait().why(), result.why());
            },
            brief);
        EXPECT_EQ(fake_nccl_get().aborted, 2);
    }
}

TEST_F(comm_nccl, ranks_that_do_not_all_come_are_not_connected) {
    try {
        static_cast<void>(connect(0, 2, brief));
        ADD_FAILURE() << "connected";
    } catch (comm::comm_error const& error) {
        EXPECT_EQ(error.result().kind(), failure::timed_out);
        EXPECT_NE(std::string(error.what()).find("ncclCommInitRankConfig was not done within 150 ms"),
                  std::string::npos)
            << error.what();
    }
    EXPECT_EQ(fake_nccl_get().aborted, 1);
    std::filesystem::remove(id_file_);
    EXPECT_THROW(static_cast<void>(connect(1, 2, brief)), comm::comm_error); // rank 0 wrote no id
    plan({.refuse_id = true});
    EXPECT_THROW(static_cast<void>(connect(0, 2, two_minutes)), comm::comm_error);
    EXPECT_EQ(fake_nccl_get().made, 0);
}

TEST_F(comm_nccl, a_space_without_memory_makes_no_communicator) {
    comm::process_rank const alone;
    auto const exchange = comm::exchange_for(alone);
    EXPECT_THROW(comm::detail::nccl_communicator<host_space>(
                     library_, host_space({.threads = 1, .memory_limit_bytes = 64}), alone, *exchange, {}),
                 exec::out_of_memory);
    EXPECT_EQ(fake_nccl_get().made, 0);
}

void expect_no_library(std::string const& path, std::string const& text) {
    ::setenv("RHIZOME_NCCL_LIBRARY", path.c_str(), 1);
    try {
        comm::detail::nccl_library const library;
        ADD_FAILURE() << path << " was loaded";
    } catch (comm::comm_error const& error) {
        EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
    ::unsetenv("RHIZOME_NCCL_LIBRARY");
}

TEST(comm_nccl_library, says_what_is_missing) {
    expect_no_library("/no/such/libnccl.so.2", "NCCL cannot be used: /no/such/libnccl.so.2: cannot open");
    expect_no_library("libc.so.6", "libc.so.6 has no function ncclGetVersion");
}

TEST(comm_nccl_library, without_an_environment_variable_the_system_decides) {
    std::string const reason = comm::nccl_unusable_because();
    if (!reason.empty()) {
        EXPECT_EQ(reason.find("NCCL cannot be used: "), 0) << reason;
        EXPECT_EQ(comm::nccl_version(), "");
        GTEST_SKIP() << reason;
    }
    EXPECT_EQ(comm::nccl_version().find("2."), 0) << comm::nccl_version();
}

} // namespace
} // namespace rhizome::tests

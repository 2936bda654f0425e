// SPDX-License-Identifier: Apache-2.0
// The backend `nccl` with a board, on which ranks see who is missing: over the stand-in for NCCL.
#include "every_collective.hpp"
#include "nccl_ranks.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <latch>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace rhizome::tests {
namespace {

using counts = std::vector<std::uint64_t>;

/// The same group with a board, on which ranks see who is missing.
class comm_nccl_board : public comm_nccl {
protected:
    using call = std::function<comm_result(communicator<host_space>&)>;

    comm_nccl_board() { board_ = id_file_.string() + ".board"; }
    ~comm_nccl_board() override { std::filesystem::remove(board_); }

    static std::vector<call> const& calls() {
        static std::array<std::uint64_t, 3> data{};
        static counts const one{1, 1, 1};
        static std::vector<call> const all{
            [](auto& self) {
                return self.all_to_all(static_cast<std::uint64_t const*>(data.data()), one, data.data(), one);
            },
            [](auto& self) {
                return self.all_gather(static_cast<std::uint64_t const*>(data.data()), 1, data.data());
            },
            [](auto& self) {
                return self.template all_reduce<std::uint64_t>(data.data(), data.data(), 1,
                                                               comm::reduction::sum);
            },
            [](auto& self) { return self.broadcast(data.data(), 1, 1); },
            [](auto& self) { return self.barrier(); },
            [](auto& self) { return self.vote(true).result; },
        };
        return all;
    }

    /// All ranks have connected for all_to_all, which then has a communicator of NCCL of its own.
    static bool each_has_exchanged(communicator<host_space>& self) {
        counts const one{1, 1, 1};
        std::array<std::uint64_t, 3> const sent{};
        std::array<std::uint64_t, 3> got{};
        return self.all_to_all(sent.data(), one, got.data(), one).ok() && self.barrier().ok();
    }

    /// On rank 1 of three, `culprit` runs in the place of each call. The others expect this failure of it.
    void expect_named(std::function<void(communicator<host_space>&, std::atomic<int>&)> const& culprit,
                      failure kind, std::string const& why, milliseconds limit) {
        for (call const& each : calls()) {
            plan({});
            std::atomic<int> over{0};
            auto const begin = std::chrono::steady_clock::now();
            on_ranks(
                3,
                [&](communicator<host_space>& self) {
                    if (!each_has_exchanged(self)) {
                        over.fetch_add(1); // a rank 1 that hangs waits for the two others
                        FAIL() << "rank " << self.rank() << " is not connected";
                    }
                    if (self.rank() == 1) return culprit(self, over);
                    auto const result = each(self);
                    over.fetch_add(1);
                    EXPECT_EQ(result.kind(), kind) << result.why();
                    EXPECT_EQ(result.rank(), 1) << result.why();
                    EXPECT_NE(result.why().find(why), std::string_view::npos) << result.why();
                    EXPECT_EQ(self.barrier().why(), result.why());
                },
                limit);
            EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
            EXPECT_GE(fake_nccl_get().aborted, 2);
        }
    }
};

TEST_F(comm_nccl_board, collectives_are_as_without_it) {
    on_ranks(3, [](communicator<host_space>& self) { expect_every_collective(self); });
    EXPECT_EQ(fake_nccl_get().destroyed, 6);
    EXPECT_EQ(fake_nccl_get().aborted, 0);
    EXPECT_FALSE(std::filesystem::exists(board_));
}

TEST_F(comm_nccl_board, a_rank_that_leaves_ends_every_call_long_before_the_time_limit) {
    expect_named([](auto&, auto&) {}, failure::peer_left, "rank 1 left the group", two_minutes);
}

TEST_F(comm_nccl_board, a_rank_that_aborts_ends_every_call_with_its_reason) {
    expect_named([](auto& self, auto&) { self.abort("the disk is full"); }, failure::aborted,
                 "rank 1 aborted: the disk is full", two_minutes);
}

TEST_F(comm_nccl_board, a_rank_that_hangs_is_named_at_the_time_limit) {
    expect_named(
        [](auto&, std::atomic<int>& over) {
            while (over.load() < 2)
                std::this_thread::sleep_for(milliseconds(1));
        },
        failure::timed_out, "rank 1 did not take part in ", brief);
}

TEST_F(comm_nccl_board, an_error_of_nccl_is_named_by_the_rank_that_caused_it) {
    std::latch both_have_met(2);
    on_ranks(2, [&](communicator<host_space>& self) {
        ASSERT_TRUE(self.barrier().ok());
        both_have_met.arrive_and_wait();
        if (self.rank() == 1) { // its end breaks the connections of the other
            plan({.failed_rank = 0, .failure = ncclRemoteError});
            return self.abort("out of memory");
        }
        auto const result = self.barrier();
        EXPECT_EQ(result.kind(), failure::aborted);
        EXPECT_EQ(result.why(), "rank 1 aborted: out of memory");
    });
}

TEST_F(comm_nccl_board, a_rank_that_never_comes_is_named) {
    try {
        static_cast<void>(connect(0, 2, brief));
        ADD_FAILURE() << "connected";
    } catch (comm::comm_error const& error) {
        EXPECT_EQ(error.result().kind(), failure::timed_out);
        EXPECT_EQ(error.result().rank(), 1);
        EXPECT_EQ(std::string(error.what()),
                  "rank 1 did not take part in the connection of all ranks within 150 ms");
    }
    EXPECT_EQ(fake_nccl_get().aborted, 1);
}

} // namespace
} // namespace rhizome::tests

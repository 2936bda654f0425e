// SPDX-License-Identifier: Apache-2.0
// Ranks of one machine that write into each other's memory, with the backend `nccl` over the stand-in for
// NCCL. The memory is that of the host, which each rank maps at addresses of its own.
#include "every_collective.hpp"
#include "nccl_ranks.hpp"

#include <rhizome/comm/bootstrap/descriptor_exchange.hpp>
#include <rhizome/comm/decorator.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

using comm::descriptor_exchange;
using comm::detail::host_peers;

class comm_nccl_memory : public comm_nccl {
protected:
    comm_nccl_memory() { board_ = id_file_.string() + ".board"; }
    ~comm_nccl_memory() override { std::filesystem::remove(board_); }

    /// What a rank tells first in share_memory(): it has nothing to show, and receives at this address.
    static std::vector<std::uint64_t> told(std::array<std::uint64_t, descriptor_exchange::words> const& at) {
        std::vector<std::uint64_t> words{1};
        words.insert(words.end(), at.begin(), at.end());
        words.resize(words.size() + host_peers::words, 0);
        return words;
    }
    static comm_result tell(communicator<host_space>& self, std::vector<std::uint64_t> const& words) {
        std::vector<std::uint64_t> all(words.size() * static_cast<std::size_t>(self.size()));
        return self.gather_words(words, all);
    }
    /// Shares an array, and expects this answer.
    static void expect_shared(communicator<host_space>& self, bool expected) {
        std::vector<void*> addresses(static_cast<std::size_t>(self.size()));
        shareable_array<host_space> mine(self, 10);
        auto const shared = self.share_memory(mine.data(), true, addresses);
        EXPECT_TRUE(shared.ok()) << shared.result.why();
        EXPECT_EQ(shared.value, expected);
        for (void* const each : addresses)
            EXPECT_EQ(each != nullptr, expected);
        self.forget_memory(addresses);
    }
    static std::ptrdiff_t open_descriptors() {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                             std::filesystem::directory_iterator());
    }

    /// On rank 1 of three, `culprit` runs in the place of share_memory(). The others expect this failure.
    void expect_named(std::function<void(communicator<host_space>&, std::atomic<int>&)> const& culprit,
                      failure kind, std::string const& why, milliseconds limit) {
        plan({});
        std::atomic<int> over{0};
        auto const begin = std::chrono::steady_clock::now();
        on_ranks(
            3,
            [&](communicator<host_space>& self) {
                if (self.rank() == 1) return culprit(self, over);
                std::vector<void*> addresses(3);
                shareable_array<host_space> mine(self, 10);
                auto const shared = self.share_memory(mine.data(), true, addresses);
                over.fetch_add(1);
                EXPECT_FALSE(shared.value);
                EXPECT_EQ(addresses, std::vector<void*>(3, nullptr));
                EXPECT_EQ(shared.result.kind(), kind) << shared.result.why();
                EXPECT_EQ(shared.result.rank(), 1) << shared.result.why();
                EXPECT_NE(shared.result.why().find(why), std::string_view::npos) << shared.result.why();
            },
            limit);
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
    }
};

/// Until the others have found that this rank is missing.
void hang(std::atomic<int>& over) {
    while (over.load() < 2)
        std::this_thread::sleep_for(milliseconds(1));
}

TEST_F(comm_nccl_memory, ranks_write_into_each_others_memory) {
    for (int const ranks : {1, 2, 3, 8})
        on_ranks(ranks, [&](communicator<host_space>& self) {
            EXPECT_TRUE(self.may_share_memory());
            EXPECT_NE(self.shareable_memory(), nullptr);
            for (int round = 0; round < (ranks < 8 ? 3 : 1); ++round) {
                EXPECT_TRUE(expect_shared_memory(self));
                expect_freed_memory_lives(self);
            }
        });
    EXPECT_GT(host_peers::opens.load(), 0);
    EXPECT_EQ(fake_nccl_get().calls, 0) << "words go over the board";
}

TEST_F(comm_nccl_memory, through_a_decorator_too) {
    on_ranks(3, [](communicator<host_space>& self) {
        comm::communicator_decorator<host_space> decorated(self);
        EXPECT_TRUE(decorated.may_share_memory());
        EXPECT_EQ(decorated.shareable_memory(), self.shareable_memory());
        EXPECT_TRUE(expect_shared_memory(decorated));
        expect_freed_memory_lives(decorated);
    });
}

/// A socket queues few datagrams (net.unix.max_dgram_qlen, often 10).
TEST_F(comm_nccl_memory, more_ranks_than_a_queue_holds_share_memory) {
    on_ranks(14, [](communicator<host_space>& self) { expect_shared(self, true); });
}

TEST_F(comm_nccl_memory, without_a_board_there_is_no_common_machine) {
    std::string const board = std::exchange(board_, "");
    on_ranks(2, [](communicator<host_space>& self) {
        EXPECT_FALSE(self.may_share_memory());
        EXPECT_EQ(self.shareable_memory(), nullptr);
        EXPECT_FALSE(expect_shared_memory(self));
    });
    board_ = board;
    EXPECT_EQ(host_peers::opens.load(), 0);
}

TEST_F(comm_nccl_memory, arrays_from_elsewhere_are_not_shown) {
    on_ranks(2, [](communicator<host_space>& self) {
        std::vector<void*> addresses(2);
        shareable_array<host_space> shareable(self, 10);
        exec::buffer<host_space, std::uint32_t> plain(self.space(), 10);
        for (int const rank : {0, 1}) {
            void* const mine = self.rank() == rank ? plain.data() : shareable.data();
            auto const shared = self.share_memory(mine, true, addresses);
            EXPECT_TRUE(shared.ok()) << shared.result.why();
            EXPECT_FALSE(shared.value);
        }
        expect_shared(self, true);
    });
}

TEST_F(comm_nccl_memory, if_one_rank_has_no_such_memory_none_is_shared) {
    host_peers::has_none = 1;
    on_ranks(3, [](communicator<host_space>& self) { expect_shared(self, false); });
    EXPECT_EQ(host_peers::opens.load(), 0);
}

TEST_F(comm_nccl_memory, if_one_rank_cannot_map_that_of_another_none_is_shared) {
    for (int call = 0; call < 3 * 2; ++call) {
        host_peers::opens_left = call;
        on_ranks(3, [](communicator<host_space>& self) {
            expect_shared(self, false);
            EXPECT_TRUE(self.barrier().ok());
            EXPECT_EQ(host_peers::opened.load(), 0) << "what was opened is closed again";
            EXPECT_TRUE(self.barrier().ok());
            expect_shared(self, true);
        });
    }
}

TEST_F(comm_nccl_memory, no_descriptors_are_left) {
    std::ptrdiff_t before = 0;
    for (int round = 0; round < 2; ++round) { // what is opened once, in the first
        on_ranks(3, [](communicator<host_space>& self) {
            for (int times = 0; times < 20; ++times) {
                expect_shared(self, true);
                std::vector<void*> addresses(3);
                shareable_array<host_space> mine(self, 10);
                EXPECT_FALSE(self.share_memory(mine.data(), self.rank() != times % 3, addresses).value);
            }
        });
        if (round == 0) before = open_descriptors();
    }
    EXPECT_EQ(open_descriptors(), before);
}

TEST_F(comm_nccl_memory, if_the_socket_of_one_rank_is_not_reached_none_is_shared) {
    on_ranks(3, [](communicator<host_space>& self) {
        if (self.rank() != 1) return expect_shared(self, false);
        ASSERT_TRUE(tell(self, told({1, 2, 3, 4})).ok()); // where no rank receives
        EXPECT_TRUE(tell(self, {1}).ok());
    });
    EXPECT_EQ(host_peers::opens.load(), 0);
}

TEST_F(comm_nccl_memory, a_rank_that_leaves_before_it_passes_its_descriptor_is_named) {
    expect_named(
        [](auto& self, auto&) {
            descriptor_exchange const mine(1, 3);
            ASSERT_TRUE(tell(self, told(mine.address())).ok());
        },
        failure::peer_left, "rank 1 left the group", two_minutes);
}

/// It says that it has sent its descriptor, so that the others wait for that.
TEST_F(comm_nccl_memory, a_rank_that_leaves_while_others_wait_for_its_descriptor_is_named) {
    expect_named(
        [](auto& self, auto&) {
            descriptor_exchange const mine(1, 3);
            ASSERT_TRUE(tell(self, told(mine.address())).ok());
            ASSERT_TRUE(tell(self, {1}).ok());
            self.abort("the disk is full");
        },
        failure::aborted, "rank 1 aborted: the disk is full", two_minutes);
}

TEST_F(comm_nccl_memory, a_rank_that_hangs_before_it_passes_its_descriptor_is_named_at_the_time_limit) {
    expect_named(
        [](auto& self, std::atomic<int>& over) {
            descriptor_exchange const mine(1, 3);
            ASSERT_TRUE(tell(self, told(mine.address())).ok());
            hang(over);
        },
        failure::timed_out, "rank 1 did not take part in share_memory within ", brief);
}

TEST_F(comm_nccl_memory, a_rank_whose_descriptor_does_not_come_is_named_at_the_time_limit) {
    expect_named(
        [](auto& self, std::atomic<int>& over) {
            descriptor_exchange const mine(1, 3);
            ASSERT_TRUE(tell(self, told(mine.address())).ok());
            ASSERT_TRUE(tell(self, {1}).ok());
            std::uint32_t* const nothing = nullptr;
            EXPECT_TRUE(self.broadcast(nothing, 0, 0).ok()); // so that it has begun as many calls
            hang(over);
        },
        failure::timed_out, "rank 1 did not take part in share_memory within ", brief);
}

TEST_F(comm_nccl_memory, a_rank_that_leaves_once_it_has_passed_its_descriptor_is_named) {
    expect_named(
        [](auto& self, auto&) {
            // The others receive what this rank sends, but it needs their addresses.
            descriptor_exchange mine(1, 3);
            auto const words = told(mine.address());
            std::vector<std::uint64_t> all(3 * words.size());
            ASSERT_TRUE(self.gather_words(words, all).ok());
            std::vector<std::uint64_t> addresses;
            for (std::size_t rank = 0; rank < 3; ++rank)
                for (std::size_t i = 0; i < descriptor_exchange::words; ++i)
                    addresses.push_back(all[rank * words.size() + 1 + i]);
            mine.begin(comm::descriptor(), addresses);
            mine.step();
            ASSERT_TRUE(mine.has_sent());
            ASSERT_TRUE(tell(self, {1}).ok());
        },
        failure::peer_left, "rank 1 left the group", two_minutes);
}

/// follow_all() waits until all ranks have called it.
TEST_F(comm_nccl_memory, no_rank_reads_before_all_have_written) {
    on_ranks(3, [](communicator<host_space>& self) {
        auto const rank = static_cast<std::uint32_t>(self.rank());
        std::vector<void*> addresses(3);
        shareable_array<host_space> mine(self, 3);
        ASSERT_TRUE(self.share_memory(mine.data(), true, addresses).value);
        for (std::uint32_t round = 0; round < 30; ++round) {
            if (round % 3 == rank) std::this_thread::sleep_for(milliseconds(2));
            write_to_all(self, addresses, 100 * round);
            auto const found = mine.to_host();
            for (std::uint32_t from = 0; from < 3; ++from)
                ASSERT_EQ(found[from], 100 * round + 10 * from + rank);
            ASSERT_TRUE(self.barrier().ok());
        }
        self.forget_memory(addresses);
    });
}

} // namespace
} // namespace rhizome::tests

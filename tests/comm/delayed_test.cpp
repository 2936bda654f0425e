// SPDX-License-Identifier: Apache-2.0
// A communicator with a virtual clock: its results are those of the decorated one, and its times those of the
// messages, counted by hand.
#include "every_collective.hpp"
#include "ranks.hpp"

#include <rhizome/comm/network/delayed_communicator.hpp>
#include <rhizome/exec/host.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::tests {
namespace {

using comm::communicator;
using comm::network;
using exec::host_space;
using delayed = comm::delayed_communicator<host_space>;
using counts = std::vector<std::uint64_t>;

/// 1 byte takes 0.001 us within a host and 0.01 us between hosts.
constexpr network slow{.within = {.latency_us = 3, .gigabytes_per_second = 1},
                       .between = {.latency_us = 20, .gigabytes_per_second = 0.1},
                       .call_us = 7,
                       .words_us = 11};
constexpr network of_hosts_with(int ranks) {
    network net = slow;
    net.ranks_per_host = ranks;
    return net;
}

void on_delayed(int ranks, network const& net, std::function<void(delayed&)> const& function) {
    on_ranks<host_space>(ranks, [&](communicator<host_space>& self) {
        delayed counted(self, net);
        function(counted);
    });
}

/// Every rank sends `bytes` bytes to each other one.
void exchange(communicator<host_space>& self, std::uint64_t bytes) {
    auto const ranks = static_cast<std::size_t>(self.size());
    std::vector<std::uint8_t> const from(ranks * bytes);
    std::vector<std::uint8_t> to(ranks * bytes);
    counts const each(ranks, bytes);
    ASSERT_TRUE(self.all_to_all(from.data(), each, to.data(), each).ok());
}
void gather(communicator<host_space>& self, std::uint64_t bytes) {
    std::vector<std::uint8_t> const from(bytes);
    std::vector<std::uint8_t> to(bytes * static_cast<std::size_t>(self.size()));
    ASSERT_TRUE(self.all_gather(from.data(), bytes, to.data()).ok());
}
void reduce(communicator<host_space>& self, std::uint64_t bytes) {
    std::vector<std::uint64_t> data(bytes / 8);
    std::uint64_t const* const from = data.data();
    ASSERT_TRUE(self.all_reduce(from, data.data(), data.size(), comm::reduction::sum).ok());
}
void broadcast(communicator<host_space>& self, std::uint64_t bytes, int root) {
    std::vector<std::uint8_t> data(bytes);
    ASSERT_TRUE(self.broadcast(data.data(), bytes, root).ok());
}

TEST(comm_delayed, results_are_those_of_the_decorated_communicator) {
    for (int const ranks : {1, 3, 8})
        on_delayed(ranks, of_hosts_with(2), [](delayed& self) {
            expect_every_collective<host_space>(self);
            EXPECT_EQ(self.backend(), "threads");
            EXPECT_GT(self.now_us(), 0);
        });
}

TEST(comm_delayed, an_exchange_sends_one_message_after_the_other) {
    for (int const ranks : {1, 2, 5, 16})
        on_delayed(ranks, slow, [&](delayed& self) {
            exchange(self, 2000);
            double const others = ranks - 1;
            EXPECT_DOUBLE_EQ(self.now_us(), 7 + (ranks == 1 ? 0 : 3 + 2 * others));
            EXPECT_EQ(self.sent(), (comm::sent_messages{static_cast<std::uint64_t>(ranks) - 1,
                                                        2000 * (static_cast<std::uint64_t>(ranks) - 1), 0}));
        });
}

TEST(comm_delayed, an_all_gather_goes_around_the_ring) {
    for (int const ranks : {2, 5, 16})
        on_delayed(ranks, slow, [&](delayed& self) {
            gather(self, 2000);
            EXPECT_NEAR(self.now_us(), 7 + (ranks - 1) * (3 + 2), 1e-9);
        });
}

TEST(comm_delayed, an_all_reduce_takes_the_faster_of_tree_and_ring) {
    on_delayed(8, slow, [&](delayed& self) {
        reduce(self, 8); // up and down a tree of 3 levels, as seen by the farthest rank
        double const tree_us = 7 + 6 * (3 + 0.008);
        EXPECT_LE(self.now_us(), tree_us + 1e-9);
        if (self.rank() == 7) {
            EXPECT_NEAR(self.now_us(), tree_us, 1e-9);
        }
    });
    on_delayed(8, slow, [&](delayed& self) {
        reduce(self, 800'000);
        EXPECT_NEAR(self.now_us(), 7 + 14 * (3 + 100), 1e-9);
        EXPECT_EQ(self.sent().bytes, 1'400'000);
    });
}

TEST(comm_delayed, a_broadcast_goes_along_a_chain_in_pieces) {
    constexpr std::uint64_t piece = comm::broadcast_piece_bytes;
    for (int const root : {0, 2})
        on_delayed(4, slow, [&](delayed& self) {
            broadcast(self, 5 * piece, root);
            double const piece_us = static_cast<double>(piece) / 1000;
            int const place = (self.rank() - root + 4) % 4;
            // The first piece makes `place` hops; four follow. The root has sent them one transfer earlier.
            double const hops = place == 0 ? 0 : place * (3 + piece_us) - piece_us;
            EXPECT_NEAR(self.now_us(), 7 + hops + 5 * piece_us, place == 3 || place == 0 ? 1e-6 : piece_us)
                << "rank " << self.rank();
            EXPECT_EQ(self.sent().messages, place == 3 ? 0u : 5u);
        });
}

TEST(comm_delayed, words_go_around_the_ring_as_well) {
    on_delayed(4, slow, [](delayed& self) {
        EXPECT_TRUE(self.vote(true).value);
        EXPECT_NEAR(self.now_us(), 11 + 3 * (3 + 0.008), 1e-9);
        double const voted_us = self.now_us();
        EXPECT_TRUE(self.exchange_counts(counts(4, 1)).ok());
        EXPECT_NEAR(self.now_us(), voted_us + 11 + 3 * (3 + 0.032), 1e-9);
    });
}

TEST(comm_delayed, messages_between_hosts_take_the_other_link) {
    on_delayed(4, of_hosts_with(2), [](delayed& self) {
        exchange(self, 1000);
        // Two messages to the other host, 10 us each; at the same time one of 1 us within the host.
        EXPECT_DOUBLE_EQ(self.now_us(), 7 + 20 + 2 * 10);
        EXPECT_EQ(self.sent(), (comm::sent_messages{3, 3000, 2000}));
    });
    on_delayed(3, of_hosts_with(2), [](delayed& self) { // the second host has one rank
        exchange(self, 1000);
        // Rank 2 sends to rank 0 first, and receives from both.
        EXPECT_DOUBLE_EQ(self.now_us(), 7 + 20 + (self.rank() == 0 ? 1 : 2) * 10);
        EXPECT_EQ(self.sent().bytes_between_hosts, self.rank() == 2 ? 2000u : 1000u);
    });
    on_delayed(4, of_hosts_with(2), [](delayed& self) {
        gather(self, 1000);
        EXPECT_EQ(self.sent().bytes_between_hosts, self.rank() % 2 == 1 ? 3000u : 0u);
    });
}

TEST(comm_delayed, a_late_rank_delays_those_that_receive_from_it) {
    on_delayed(4, slow, [](delayed& self) {
        if (self.rank() == 2) self.compute(1000);
        counts out(4, 0), in(4, 0); // rank 2 sends to rank 0, and rank 1 to rank 3
        if (self.rank() == 2) out[0] = 500;
        if (self.rank() == 1) out[3] = 500;
        if (self.rank() == 0) in[2] = 500;
        if (self.rank() == 3) in[1] = 500;
        std::vector<std::uint8_t> const from(500);
        std::vector<std::uint8_t> to(500);
        ASSERT_TRUE(self.all_to_all(from.data(), out, to.data(), in).ok());
        std::vector<double> const ends{1000 + 7 + 3.5, 7.5, 1007.5, 7 + 3.5};
        EXPECT_DOUBLE_EQ(self.now_us(), ends[static_cast<std::size_t>(self.rank())]);
        EXPECT_EQ(self.sent().messages, self.rank() == 1 || self.rank() == 2 ? 1u : 0u);
        ASSERT_TRUE(self.barrier().ok());
        EXPECT_GE(self.now_us(), 1007.5 + 11);
    });
}

TEST(comm_delayed, a_failure_of_either_ends_both_and_stops_the_clock) {
    on_ranks<host_space>(3, [](communicator<host_space>& plain) {
        delayed self(plain, slow);
        ASSERT_TRUE(self.barrier().ok());
        double const before_us = self.now_us();
        auto const result = self.rank() == 1 ? self.vote(true).result : [&] {
            int value = 0;
            return self.broadcast(&value, 1, 0);
        }();
        EXPECT_EQ(result.kind(), comm::failure::mismatch);
        EXPECT_NE(result.why().find("rank 1 called gather_words, but rank 0 called broadcast"),
                  std::string_view::npos)
            << result.why();
        EXPECT_EQ(self.state().why(), result.why());
        EXPECT_EQ(plain.state().why(), result.why());
        EXPECT_EQ(self.barrier().why(), result.why());
        EXPECT_EQ(self.now_us(), before_us);
    });
    on_ranks<host_space>(3, [](communicator<host_space>& plain) {
        delayed self(plain, slow);
        ASSERT_TRUE(self.barrier().ok());
        if (self.rank() == 2) self.abort("no more");
        auto const result = self.barrier();
        EXPECT_EQ(result.rank(), 2);
        EXPECT_EQ(result.why(), "rank 2 aborted: no more");
        EXPECT_EQ(plain.barrier().why(), result.why());
    });
}

TEST(comm_delayed, refuses_networks_that_are_none) {
    on_ranks<host_space>(1, [](communicator<host_space>& self) {
        auto const refused = [&](network const& net) {
            EXPECT_THROW(delayed(self, net), std::invalid_argument);
        };
        refused({.within = {.latency_us = -1}});
        refused({.between = {.gigabytes_per_second = 0}});
        refused({.within = {.latency_us = std::numeric_limits<double>::quiet_NaN()}});
        refused({.call_us = -1});
        refused({.words_us = -1});
        refused({.ranks_per_host = -1});
        EXPECT_TRUE(delayed(self, slow).barrier().ok());
    });
}

} // namespace
} // namespace rhizome::tests

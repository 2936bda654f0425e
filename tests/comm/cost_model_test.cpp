// SPDX-License-Identifier: Apache-2.0
// The formulas of the cost model against messages that are counted one by one, by threads with virtual clocks
// and on paper, and against what two GPUs took.
#include "ranks.hpp"

#include <rhizome/comm/network/collective_times.hpp>
#include <rhizome/comm/network/cost_model.hpp>
#include <rhizome/comm/network/delayed_communicator.hpp>
#include <rhizome/comm/network/known_networks.hpp>
#include <rhizome/exec/host.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

using comm::communicator;
using comm::cost_model;
using comm::network;
using exec::host_space;
using delayed = comm::delayed_communicator<host_space>;

constexpr network one_host = [] {
    network net = comm::h200_network;
    net.ranks_per_host = 0;
    return net;
}();
constexpr network slow_between{.ranks_per_host = 8,
                               .within = {.latency_us = 2, .gigabytes_per_second = 400},
                               .between = {.latency_us = 40, .gigabytes_per_second = 2},
                               .call_us = 5,
                               .words_us = 9};

void expect_close(double predicted_us, double counted_us, std::string const& what) {
    EXPECT_NEAR(predicted_us / counted_us, 1, cost_model::greatest_error)
        << what << ": predicted " << predicted_us << ", counted " << counted_us;
}

double last_of(comm::collective_cost const& cost) { return *std::ranges::max_element(cost.ends_us); }

TEST(comm_cost_model, agrees_with_counted_messages_up_to_256_ranks) {
    for (network const& net : {one_host, comm::h200_network, slow_between})
        for (int const ranks : {1, 2, 4, 8, 16, 64, 256})
            for (std::uint64_t const bytes : {8u, 1024u, 65'536u, 8'000'000u}) {
                std::string const what = std::to_string(ranks) + " ranks, " + std::to_string(bytes) +
                                         " bytes, " + std::to_string(net.ranks_per_host) + " a host: ";
                auto const count = static_cast<std::size_t>(ranks);
                cost_model const model(net, ranks);
                std::vector<double> const begins(count, net.call_us);
                std::vector<double> const words_begin(count, 0);
                std::vector<std::uint64_t> const each(count, bytes);
                expect_close(model.exchange_us(static_cast<double>(bytes)),
                             last_of(comm::exchange_cost(net, begins,
                                                         std::vector<std::uint64_t>(count * count, bytes))),
                             what + "exchange");
                expect_close(model.all_gather_us(static_cast<double>(bytes)),
                             last_of(comm::all_gather_cost(net, begins, each)), what + "all_gather");
                expect_close(model.words_us(static_cast<double>(bytes) / 8),
                             last_of(comm::words_cost(net, words_begin, bytes / 8)), what + "words");
                expect_close(model.all_reduce_us(static_cast<double>(bytes)),
                             last_of(comm::all_reduce_cost(net, begins, bytes)), what + "all_reduce");
            }
}

/// What partitioned batches do: counts, an exchange of uneven parts, a vote, and a report of four words.
TEST(comm_cost_model, agrees_with_threads_that_exchange_a_batch_at_8_to_64_ranks) {
    for (int const ranks : {8, 16, 32, 64}) {
        constexpr std::uint64_t arcs = 400;        // about, from each rank to each
        constexpr std::size_t counted_besides = 6; // words beside a count for each rank
        constexpr std::size_t reported = 4;
        std::vector<double> ends(static_cast<std::size_t>(ranks));
        on_ranks<host_space>(ranks, [&](communicator<host_space>& plain) {
            delayed self(plain, comm::h200_network);
            auto const count = static_cast<std::size_t>(ranks);
            std::vector<std::uint64_t> out(count);
            for (std::size_t rank = 0; rank < count; ++rank) // 390 to 410
                out[rank] = arcs - 10 + (rank * 7 + static_cast<std::size_t>(self.rank()) * 5) % 21;
            std::vector<std::uint64_t> told = out;
            told.resize(count + counted_besides);
            std::vector<std::uint64_t> all(told.size() * count);
            ASSERT_TRUE(self.gather_words(told, all).ok());
            std::vector<std::uint64_t> in;
            for (std::size_t rank = 0; rank < count; ++rank)
                in.push_back(all[rank * told.size() + static_cast<std::size_t>(self.rank())]);
            std::vector<std::uint64_t> const from(std::accumulate(out.begin(), out.end(), std::uint64_t{0}));
            std::vector<std::uint64_t> to(std::accumulate(in.begin(), in.end(), std::uint64_t{0}));
            ASSERT_TRUE(self.all_to_all(from.data(), out, to.data(), in).ok());
            ASSERT_TRUE(self.vote(true).value);
            std::vector<std::uint64_t> const report(reported, 1);
            std::vector<std::uint64_t> reports(reported * count);
            ASSERT_TRUE(self.gather_words(report, reports).ok());
            ends[static_cast<std::size_t>(self.rank())] = self.now_us();
        });
        cost_model const model(comm::h200_network, ranks);
        double const predicted_us = model.words_us(ranks + static_cast<double>(counted_besides)) +
                                    model.exchange_us(8 * arcs) + model.words_us(1) +
                                    model.words_us(static_cast<double>(reported));
        expect_close(predicted_us, *std::ranges::max_element(ends), std::to_string(ranks) + " ranks");
    }
}

TEST(comm_cost_model, gives_what_two_gpus_took) {
    cost_model const model(comm::h200_network, 2);
    auto const expect_measured = [](double predicted_us, double measured_ms) {
        EXPECT_NEAR(predicted_us / (measured_ms * 1000), 1, 0.08) << measured_ms;
    };
    expect_measured(model.exchange_us(4e6), 0.042); // half of the 8 MB stays on its rank
    expect_measured(model.exchange_us(40e6), 0.16);
    expect_measured(model.all_gather_us(8e6), 0.054);
    expect_measured(model.all_gather_us(80e6), 0.34);
    expect_measured(model.words_us(1), 0.010);
    network without_memory = comm::h200_network;
    without_memory.shared_words_us = 0;
    expect_measured(cost_model(without_memory, 2).words_us(1), 0.039);
}

TEST(comm_cost_model, refuses_a_network_without_ranks) {
    EXPECT_THROW(cost_model(one_host, 0), std::invalid_argument);
}

} // namespace
} // namespace rhizome::tests

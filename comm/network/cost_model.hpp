// SPDX-License-Identifier: Apache-2.0
// What a collective takes on a network, as formulas: for predictions where messages cannot be counted.
#pragma once

#include <rhizome/comm/network/network.hpp>

namespace rhizome::comm {

/// Predicts collectives of ranks that begin together and have equal shares. The formulas keep only the
/// slowest rank and the busiest link; collective_times.hpp counts every message. Both agree within
/// `greatest_error`, and mostly within 2 % (tests/comm/cost_model_test.cpp: 1 to 256 ranks, one host and
/// hosts of 8).
class cost_model {
public:
    /// The share by which a prediction may be below or above the counted time.
    static constexpr double greatest_error = 0.1;

    /// `ranks` is at least 1.
    cost_model(network const& net, int ranks);

    /// all_to_all, where each rank sends `bytes` bytes to each other rank.
    ///   call + the longer of: latency within + (other ranks of the host) * transfer within,
    ///                         latency between + (ranks of other hosts) * transfer between
    [[nodiscard]] double exchange_us(double bytes) const;
    /// all_gather of `bytes` bytes of each rank, around a ring: the longer of
    /// - a block's way: latency and transfer of each of its ranks - 1 hops,
    /// - the slowest link: its latency, and ranks - 1 transfers.
    [[nodiscard]] double all_gather_us(double bytes) const;
    /// gather_words, vote, barrier, exchange_counts: `words` words of each rank, around the same ring, or
    /// through the memory of the host (network::shares_words()).
    [[nodiscard]] double words_us(double words) const;
    /// all_reduce of `bytes` bytes: the shorter of 2 * (ranks - 1) hops with a share each, and of twice the
    /// levels of a binomial tree with all bytes.
    [[nodiscard]] double all_reduce_us(double bytes) const;

private:
    [[nodiscard]] double ring_us(double bytes) const;

    network net_;
    int ranks_;
    network_link ring_between_;
    double others_within_;  ///< other ranks of a rank's host
    double others_between_; ///< ranks of other hosts
    double hops_between_;   ///< hops to other hosts on the longest way around the ring
    double levels_within_;  ///< of a tree
    double levels_between_;
};

} // namespace rhizome::comm

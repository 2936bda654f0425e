// SPDX-License-Identifier: Apache-2.0
// A network as a few numbers: what a message costs.
#pragma once

#include <cstdint>

namespace rhizome::comm {

/// What a message between two ranks costs: latency_us + bytes / bandwidth.
struct network_link {
    double latency_us = 0;           ///< from the beginning of sending to the first byte at the receiver
    double gigabytes_per_second = 1; ///< 10^9 bytes per second, in each direction

    /// The microseconds that these bytes occupy the link.
    [[nodiscard]] constexpr double transfer_us(double bytes) const {
        return bytes / (gigabytes_per_second * 1000);
    }
};

/// Ranks on one or several hosts. Assumptions:
/// - A rank has two ports, one to its host and one to other hosts. Each sends one message at a time and
///   receives one at a time; both ports, and both directions, do not slow each other.
/// - Links are of the ranks: each rank has links of its own to all others, also to other hosts, and no
///   message slows another rank's.
/// - What goes around a ring or along a chain of all ranks leaves a host through the ports of all its ranks,
///   each with a share, as NCCL's rings do (one for each adapter).
/// - Ranks 0 to ranks_per_host - 1 are on the first host, and so on.
struct network {
    int ranks_per_host = 0; ///< 0: all ranks are on one host
    network_link within{};  ///< between ranks of a host
    network_link between{}; ///< between hosts
    double call_us = 0;     ///< what a collective costs a rank before its first message
    double words_us = 0;    ///< the same of gather_words, vote, barrier and exchange_counts
    /// What those take if all ranks are on one host and exchange the words through its memory; 0: they send
    /// messages there too.
    double shared_words_us = 0;
    /// More words of a rank are sent as messages.
    static constexpr std::uint64_t most_shared_words = 64;

    [[nodiscard]] constexpr int host_of(int rank) const {
        return ranks_per_host == 0 ? 0 : rank / ranks_per_host;
    }
    [[nodiscard]] constexpr network_link const& link_of(int from, int to) const {
        return host_of(from) == host_of(to) ? within : between;
    }
    /// Whether so many words of each rank go through the memory of a host.
    [[nodiscard]] constexpr bool shares_words(int ranks, double words) const {
        return shared_words_us > 0 && words <= static_cast<double>(most_shared_words) &&
               (ranks_per_host == 0 || ranks <= ranks_per_host);
    }
    /// The way between hosts for rings and chains, where the smaller host has `ranks` ranks.
    [[nodiscard]] constexpr network_link ring_between(int ranks) const {
        double const of_all = between.gigabytes_per_second * ranks;
        return {between.latency_us,
                ranks > 1 && of_all > within.gigabytes_per_second ? within.gigabytes_per_second : of_all};
    }
};

} // namespace rhizome::comm

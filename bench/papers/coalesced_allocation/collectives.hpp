// SPDX-License-Identifier: Apache-2.0
// Collective operations as in MPI, with a rank per thread. As in GPU MPI, each message lies in a buffer that
// its sender allocates, and that its receiver reads and frees.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::bench {

enum class collective : std::uint8_t { reduce, broadcast, all_to_all, gather, scatter, allreduce };

/// "reduce", "broadcast", "all-to-all", "gather", "scatter", "allreduce".
[[nodiscard]] std::vector<std::string> const& collective_names();
/// Throws std::invalid_argument for text that names none.
[[nodiscard]] collective collective_of(std::string const& name);

/// Doubles in the buffer that a rank sends from: as many as each message has, or a message for every rank.
[[nodiscard]] RZ_HD constexpr std::uint64_t sent_doubles(collective which, std::uint64_t ranks,
                                                         std::uint64_t doubles) {
    return which == collective::all_to_all || which == collective::scatter ? ranks * doubles : doubles;
}
/// Doubles in the buffer that a rank receives in.
[[nodiscard]] RZ_HD constexpr std::uint64_t received_doubles(collective which, std::uint64_t ranks,
                                                             std::uint64_t doubles) {
    return which == collective::all_to_all || which == collective::gather ? ranks * doubles : doubles;
}
/// Whether the root alone has a buffer to send from, or one to receive in.
[[nodiscard]] constexpr bool root_alone_sends(collective which) { return which == collective::scatter; }
[[nodiscard]] constexpr bool root_alone_receives(collective which) { return which == collective::gather; }
/// Messages that are under way at a time, at most.
[[nodiscard]] constexpr std::uint64_t message_slots(collective which, std::uint64_t ranks) {
    return which == collective::all_to_all ? ranks * ranks : ranks;
}
/// Rounds of a binomial tree over the ranks.
[[nodiscard]] RZ_HD constexpr std::uint32_t tree_rounds(std::uint64_t ranks) {
    std::uint32_t rounds = 0;
    while (std::uint64_t{1} << rounds < ranks)
        ++rounds;
    return rounds;
}
/// Launches of the operation: each needs what all ranks did in the one before.
[[nodiscard]] RZ_HD constexpr std::uint32_t collective_steps(collective which, std::uint64_t ranks) {
    std::uint32_t const tree = tree_rounds(ranks) + 1;
    if (which == collective::reduce || which == collective::broadcast) return tree;
    return which == collective::allreduce ? 2 * tree : 2;
}

/// The i-th double that a rank sends. Sums over a million ranks are exact.
[[nodiscard]] RZ_HD constexpr double sent_value(std::uint64_t rank, std::uint64_t i) {
    return static_cast<double>((rank * 31 + i * 7) % 1021 + 1);
}

} // namespace rhizome::bench

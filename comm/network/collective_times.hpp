// SPDX-License-Identifier: Apache-2.0
// When each rank has finished a collective on a network: each message is counted by itself.
#pragma once

#include <rhizome/comm/network/network.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace rhizome::comm {

/// What a rank has sent to other ranks.
struct sent_messages {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t bytes_between_hosts = 0; ///< part of `bytes`

    friend bool operator==(sent_messages const&, sent_messages const&) = default;
};

/// The outcome of one collective, an entry for each rank.
struct collective_cost {
    std::vector<double> ends_us;
    std::vector<sent_messages> sent;
};

// Each function takes the network and, for each rank, the time at which its first message can start. Ranks
// need not begin together. A message can start before its receiver has begun (NCCL buffers it). Messages
// without bytes are not sent. Host memory and time: a few words and operations per message.

/// all_to_all. Within a host, rank r sends to rank r + 1, then to r + 2, and so on; at the same time, to the
/// ranks of the next host, beginning with the one at its own place, then to the host after that. So equal
/// messages never wait for each other. bytes[r * ranks + s] go from rank r to rank s; what a rank keeps costs
/// nothing. ranks * (ranks - 1) messages.
[[nodiscard]] collective_cost exchange_cost(network const& net, std::span<double const> begins_us,
                                            std::span<std::uint64_t const> bytes);
/// all_gather as a ring: in each of ranks - 1 steps, a rank sends to the next one what it received last.
/// bytes[r] are of rank r.
[[nodiscard]] collective_cost all_gather_cost(network const& net, std::span<double const> begins_us,
                                              std::span<std::uint64_t const> bytes);
/// gather_words and what is built on it: `words` of each rank. As all_gather_cost(), after net.words_us, or
/// through the memory of the host, without messages (network::shares_words()). Begins are those of the call.
[[nodiscard]] collective_cost words_cost(network const& net, std::span<double const> begins_us,
                                         std::uint64_t words);
/// all_reduce: the faster of a ring (2 * (ranks - 1) steps with a share of the bytes) and of a binomial tree
/// (2 * log2(ranks) steps with all bytes).
[[nodiscard]] collective_cost all_reduce_cost(network const& net, std::span<double const> begins_us,
                                              std::uint64_t bytes);
/// broadcast along the chain of ranks that begins at `root`, in pieces of 512 KiB: a rank passes a piece on
/// as soon as it has it.
[[nodiscard]] collective_cost broadcast_cost(network const& net, std::span<double const> begins_us,
                                             std::uint64_t bytes, int root);

/// The pieces of broadcast_cost().
inline constexpr std::uint64_t broadcast_piece_bytes = 512u << 10;

} // namespace rhizome::comm

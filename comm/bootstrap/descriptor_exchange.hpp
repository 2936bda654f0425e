// SPDX-License-Identifier: Apache-2.0
// File descriptors that the ranks of one machine pass to each other, for example of memory that all of them
// map.
#pragma once

#include <rhizome/comm/launch/process.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rhizome::comm {

/// In an exchange, each rank gives one descriptor, or none, to all others. The system passes them between
/// processes (SCM_RIGHTS) by datagrams, to a socket of each rank without a file (abstract name, Linux).
///
/// Nothing waits: one begins an exchange and calls step() until all descriptors are sent and have come. So
/// the caller notices if a rank is gone. A faster rank may begin the next exchange already; what it sends is
/// kept for that. All ranks begin the same exchanges, in the same order.
///
/// Sockets without a file are seen by all processes of the machine. So each rank has a secret number besides
/// its name, which it tells to the ranks alone, and takes datagrams that carry it. It drops others, and
/// closes the descriptors that came with them. Closes all descriptors that the caller has not taken.
class descriptor_exchange {
public:
    /// So many words tell the others where a rank receives: the name and the secret number.
    static constexpr std::size_t words = 4;

    /// Throws comm_error if the system refuses a socket.
    descriptor_exchange(int rank, int ranks);

    /// What the other ranks need: for gather_words().
    [[nodiscard]] std::array<std::uint64_t, words> address() const { return address_; }

    /// Begins the next exchange. This rank gives `mine`, or none (-1), which is closed once it is sent.
    /// `addresses`: those of all ranks, in the order of the ranks. Ends the exchange before.
    void begin(descriptor mine, std::span<std::uint64_t const> addresses);
    /// Sends and receives what is possible at once.
    void step();
    /// Whether all others have been sent this rank's. They may end before they have received it.
    [[nodiscard]] bool has_sent() const;
    /// Whether the system refuses to send to a rank, because that has ended, because it cannot be reached
    /// (another network namespace), or because too many descriptors are under way. This exchange is then
    /// never done.
    [[nodiscard]] bool is_refused() const { return refused_; }
    /// Whether this rank has sent its own and received those of all others.
    [[nodiscard]] bool is_done() const;
    /// The ranks from which nothing has come yet, ascending; none if no exchange is under way.
    [[nodiscard]] std::vector<int> missing() const;
    /// The descriptor of another rank, once. -1: it gave none, or this process has no room for one more.
    [[nodiscard]] descriptor take(int rank);
    /// Ends the exchange, done or not. What still comes for it is dropped.
    void end() noexcept;

private:
    /// What a rank has sent.
    struct arrival {
        bool has_come = false;
        descriptor its;
    };
    struct datagram;
    [[nodiscard]] bool send_to(std::size_t rank);
    [[nodiscard]] bool receive_one();
    void accept(datagram const& message, descriptor its);

    std::size_t rank_;
    std::size_t ranks_;
    descriptor socket_;
    std::array<std::uint64_t, words> address_{};
    std::uint64_t exchanges_ = 0; ///< begun by this rank
    bool under_way_ = false;
    bool refused_ = false;
    descriptor mine_;
    std::vector<std::uint64_t> addresses_; ///< of all ranks
    std::vector<bool> sent_;               ///< to each rank
    std::vector<arrival> come_;            ///< of each rank, in this exchange
    std::vector<arrival> early_;           ///< and in the next one
};

} // namespace rhizome::comm

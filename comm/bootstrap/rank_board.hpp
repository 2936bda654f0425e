// SPDX-License-Identifier: Apache-2.0
// What the ranks of one machine know of each other beside their collectives: who is there, how far each has
// come, and why one has ended; and a few words that they exchange without a GPU.
#pragma once

#include <rhizome/comm/launch/process.hpp>
#include <rhizome/comm/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rhizome::comm {

/// A file that the ranks of one machine map. NCCL does not say which rank is missing; this does, also of a
/// process that was killed: each rank holds a lock of the file, which the system releases when it ends.
///
/// Nothing waits. A call costs a few memory accesses, look() also a call of the system for each other rank.
/// The path must be on storage of this machine, and new for each group: ranks that come later read what the
/// earlier ones wrote.
class rank_board {
public:
    /// Rank `rank` of `ranks` is there. Throws comm_error if the file cannot be used.
    rank_board(std::string const& path, int rank, int ranks);
    rank_board(rank_board const&) = delete;
    rank_board& operator=(rank_board const&) = delete;
    ~rank_board();

    /// This rank begins its next call.
    void begin_call() noexcept;
    /// This rank takes part in no further call.
    void leave() noexcept;
    /// The group has ended for this rank. Other ranks find the same failure.
    void end(comm_result const& why) noexcept;

    /// Ok, or why the group has ended for another rank: the failure that it told with end(); or peer_left, if
    /// its process has ended, or if it has left before a call that this rank has begun.
    [[nodiscard]] comm_result look() const;
    /// So many words fit an exchange.
    static constexpr std::size_t most_words = 64;
    /// Begins the next exchange, in which each rank gives equally many words: this rank gives these.
    /// Precondition: `words` has 1 to most_words elements, and collect() has returned ok and true for the
    /// exchange before.
    void publish(std::span<std::uint64_t const> words) noexcept;
    /// Whether all ranks have given their words. Then `all` gets them, in the order of ranks. A failure names
    /// a rank that has given another number of words.
    struct collected {
        bool complete = false;
        comm_result result;
    };
    [[nodiscard]] collected collect(std::span<std::uint64_t> all) const;

    /// The ranks that have begun fewer calls than this one, or are not there yet; in ascending order.
    [[nodiscard]] std::vector<int> behind() const;

private:
    struct slot;
    [[nodiscard]] slot& of(int rank) const;
    [[nodiscard]] bool is_locked(int rank) const;
    [[nodiscard]] bool has_begun_fewer_calls(int rank) const;

    int rank_;
    int ranks_;
    descriptor file_;
    void* slots_ = nullptr;
    std::uint64_t exchanges_ = 0; ///< begun by this rank
};

} // namespace rhizome::comm

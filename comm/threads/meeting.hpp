// SPDX-License-Identifier: Apache-2.0
// Where the ranks of one process meet: each shows its arrays to the others, and waits for them within a time
// limit.
#pragma once

#include <rhizome/comm/result.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace rhizome::comm::detail {

/// What a rank shows to the others in one call. Pointers and spans stay valid until the rank has left the
/// call.
struct posting {
    char const* call = "";           ///< the name of the call
    std::uint64_t element_bytes = 0; ///< the same on all ranks, as are the next two
    std::uint64_t count = 0;
    std::uint64_t variant = 0; ///< root, or type and reduction
    void const* send = nullptr;
    std::span<std::uint64_t const> send_counts{};    ///< all_to_all: for each rank
    std::span<std::uint64_t const> receive_counts{}; ///< all_to_all, all_gather: from each rank
    std::vector<std::uint64_t> words{};              ///< gather_words
};

/// A collective call has up to two meetings:
/// - arrive(): every rank has posted its arrays; others may read them from now on.
/// - finish(): every rank has read what it needs; the arrays belong to their ranks again.
///
/// Invariants:
/// - Postings of one meeting stay unchanged until all ranks have arrived at the next: two sets alternate.
/// - If arrive() returns ok on one rank, it does so on all, so that no rank leaves a call while another reads
/// its arrays.
/// - finish() has no time limit, because every rank that arrived reaches it after a bounded amount of
/// copying.
class meeting {
public:
    meeting(int ranks, std::chrono::milliseconds time_limit);

    /// Posts, and waits until all ranks have posted. Fails if the calls of the ranks do not match, if a rank
    /// has left, or if a rank is missing after the time limit; the failure names the rank.
    [[nodiscard]] comm_result arrive(int rank, posting mine);
    /// What a rank posted in the last arrive().
    [[nodiscard]] posting const& of(int rank) const;
    /// Waits until all ranks that arrived have called finish(). Returns the failure of a rank in between.
    [[nodiscard]] comm_result finish();

    /// Ends the group, unless it has ended. Wakes ranks that wait in arrive().
    void fail(comm_result const& why);
    /// Ok, or why the group has ended.
    [[nodiscard]] comm_result state() const;

    [[nodiscard]] int ranks() const { return ranks_; }

private:
    /// Ranks mostly meet within microseconds. A rank polls for so long before it sleeps, because a thread
    /// that sleeps takes some 50 us to wake.
    static constexpr std::chrono::microseconds polling_time{200};

    /// Waits until over() is true, which it asks with the lock; false at the deadline.
    template <class Deadline, class Over>
    bool wait(std::unique_lock<std::mutex>& lock, Deadline const& deadline, Over const& over);
    /// Something has changed that others wait for. With the lock.
    void tell();

    [[nodiscard]] comm_result matched() const;
    [[nodiscard]] comm_result missing(char const* call) const;
    void fail_locked(comm_result const& why);

    int ranks_;
    std::chrono::milliseconds time_limit_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<std::uint64_t> changes_{0}; ///< how many there were, for ranks that poll without the lock
    std::uint64_t round_ = 0;               ///< meetings that are complete
    int arrived_ = 0;                       ///< ranks that wait for the next one
    int reading_ = 0;                       ///< ranks between arrive() and finish()
    std::uint64_t finished_rounds_ = 0;
    comm_result finished_with_;
    std::array<std::vector<posting>, 2> postings_; ///< of the meeting under way, and of the last
    std::vector<bool> present_;
    comm_result failure_;
};

} // namespace rhizome::comm::detail

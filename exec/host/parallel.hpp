// SPDX-License-Identifier: Apache-2.0
// The OS threads of a host space, and its loop over a range on them.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace rhizome::exec {

/// Up to `threads()` OS threads, including the caller's, that run loops together. A space makes one team and
/// keeps it: making one for each loop would cost more than most loops of a small batch. Threads start with
/// the first loop that needs them. Several OS threads may start loops at the same time. Uses oneTBB; plain
/// threads under ThreadSanitizer, which cannot see TBB's synchronisation.
class thread_team {
public:
    explicit thread_team(unsigned threads);
    thread_team(thread_team const&) = delete;
    thread_team& operator=(thread_team const&) = delete;
    ~thread_team();

    [[nodiscard]] unsigned threads() const { return threads_; }

    /// Calls body(context, begin, end) for ranges that cover 0 to `count` once each; returns when all are
    /// done. Rethrows the first exception of a body; some ranges may then have been left out. The calling
    /// thread begins alone, and wakes other threads only if the remaining work will take longer than waking
    /// them.
    void for_ranges(std::uint64_t count, void (*body)(void*, std::uint64_t, std::uint64_t), void* context);

private:
    struct workers;

    unsigned threads_;
    std::unique_ptr<workers> workers_; ///< null if the caller is the only thread
};

/// Calls function(item) for the items 0 to `count` - 1.
template <class Function>
void parallel_for(thread_team& team, std::uint64_t count, Function&& function) {
    team.for_ranges(
        count,
        [](void* context, std::uint64_t begin, std::uint64_t end) {
            auto& call = *static_cast<std::remove_reference_t<Function>*>(context);
            for (std::uint64_t item = begin; item < end; ++item)
                call(item);
        },
        const_cast<void*>(static_cast<void const*>(&function)));
}

} // namespace rhizome::exec

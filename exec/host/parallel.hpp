// The OS threads of a host space, and its loop over a range on them.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace rhizome::exec {

/// Up to `threads()` OS threads, the caller's among them, that run loops together. A space makes one team and
/// keeps it: to make one for each loop would cost more than most loops of a small batch. Threads start with
/// the first loop that needs them. Loops may be given from several OS threads at a time.
/// oneTBB; plain threads under ThreadSanitizer, to which TBB's own synchronisation is opaque.
class thread_team {
public:
    explicit thread_team(unsigned threads);
    thread_team(thread_team const&) = delete;
    thread_team& operator=(thread_team const&) = delete;
    ~thread_team();

    [[nodiscard]] unsigned threads() const { return threads_; }

    /// Calls body(context, begin, end) so that the ranges cover 0 to `count` once each; returns when all are
    /// done. The first exception of a body is rethrown; some ranges may then have been left out. The caller
    /// begins alone, and wakes the other threads only where what is left will take longer than to wake them.
    void for_ranges(std::uint64_t count, void (*body)(void*, std::uint64_t, std::uint64_t), void* context);

    /// Calls work(context) where oneTBB's algorithms run on the threads of the team.
    void execute(void (*work)(void*), void* context);

private:
    struct workers;

    unsigned threads_;
    std::unique_ptr<workers> workers_; ///< none where the caller is the only thread
};

/// function(item) for the items 0 to `count` - 1.
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

// SPDX-License-Identifier: Apache-2.0
// How many chunks of a heap are free: permits to take them, and two counters that show reliably when there
// were too few.
//
// Invariants, while nothing runs: count = given - taken = set bits of the mask.
// While threads run: count <= given - taken. A thread that gives chunks back adds to `given` first and to
// `count` last; a thread that takes chunks subtracts from `count` first and adds to `taken` last. So
//   given, read later, minus taken, read earlier, is at least what was free at each moment between
//   count = given - taken, where taken is read before count and given after it: at the moment between, no
//   thread was giving or taking
#pragma once

#include <rhizome/alloc/motion.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Words that the chunk store shares between threads, in the memory of the space.
struct chunk_store_state {
    // Lines of their own for the words that each claim changes: the L2 cache of a GPU serves the accesses to
    // a line one after the other.
    alignas(128) std::uint64_t count; ///< free chunks that no thread has reserved
    /// Chunks that claims have passed, from the low end, wrapping around.
    alignas(128) std::uint64_t chunk_cursor;
    /// Chunks that searches have passed, from the high end, wrapping around.
    alignas(128) std::uint64_t extent_cursor;
    std::uint64_t searches;           ///< that may put chunks back: in progress and ever begun (motion.hpp)
    std::uint64_t segments;           ///< chunks that are segments of queues
    alignas(128) std::uint64_t given; ///< chunks ever put
    alignas(128) std::uint64_t taken; ///< chunks ever taken out of the mask for good
    std::uint64_t spilled_bytes;      ///< of pages that found no chunk for their entries, since the last trim
    std::uint64_t became_whole;       ///< chunks in queues or lists whose last page was marked, ever
    std::uint64_t searched_whole;     ///< `became_whole` before the last search that left none of them
    std::uint64_t whole_search;       ///< 1 while a group searches for such chunks
    /// 1 once a large page was given back (joint_claim.hpp). On a line that is seldom written: most requests
    /// for such pages read it.
    alignas(128) std::uint64_t large_pages_returned;

    /// The state of a new store with that many free chunks.
    [[nodiscard]] static constexpr chunk_store_state of(std::uint64_t chunks) {
        chunk_store_state made{};
        made.count = chunks;
        made.given = chunks;
        return made;
    }
};

class chunk_counts_ref {
public:
    chunk_counts_ref() = default;
    explicit chunk_counts_ref(chunk_store_state* state) : state_(state) {}

    [[nodiscard]] RZ_HD chunk_store_state* state() const { return state_; }
    [[nodiscard]] RZ_HD motion_ref searches() const { return motion_ref(state_->searches); }

    /// Free chunks that no thread has reserved; below zero while a thread undoes a reservation.
    template <class Thread>
    [[nodiscard]] RZ_HD std::int64_t count(Thread const& thread) const {
        return static_cast<std::int64_t>(thread.device(state_->count).load(exec::order::relaxed));
    }

    /// Reserves up to `most` chunks for the caller, with one fetch_sub that undoes itself. The count
    /// guarantees that set bits exist; the bits themselves carry the memory order.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t count_out(Thread const& thread, std::uint64_t most) const {
        auto const count = thread.device(state_->count);
        // relaxed: a first look, which avoids the write where there is nothing
        if (static_cast<std::int64_t>(count.load(exec::order::relaxed)) <= 0) return 0;
        // acquire: pairs with end_giving(), so that the tree over the mask shows what was counted
        auto const held = static_cast<std::int64_t>(count.fetch_sub(most, exec::order::acquire));
        if (held >= static_cast<std::int64_t>(most)) return most;
        std::uint64_t const got = held <= 0 ? 0 : static_cast<std::uint64_t>(held);
        count_back(thread, most - got);
        return got;
    }
    /// Reserves `chunks` chunks or none.
    template <class Thread>
    [[nodiscard]] RZ_HD bool count_out_all(Thread const& thread, std::uint64_t chunks) const {
        std::uint64_t const got = count_out(thread, chunks);
        if (got == chunks) return true;
        count_back(thread, got);
        return false;
    }
    /// Reserves `chunks` chunks if `least` are left then; whether it did. relaxed: the caller looks at bits
    /// that it has not learnt of from other threads.
    template <class Thread>
    [[nodiscard]] RZ_HD bool count_out_of_plenty(Thread const& thread, std::uint64_t chunks,
                                                 std::uint64_t least) const {
        auto const held =
            static_cast<std::int64_t>(thread.device(state_->count).fetch_sub(chunks, exec::order::relaxed));
        if (held >= static_cast<std::int64_t>(chunks + least)) return true;
        count_back(thread, chunks);
        return false;
    }
    /// Undoes count_out(). relaxed: the bits have not changed.
    template <class Thread>
    RZ_HD void count_back(Thread const& thread, std::uint64_t chunks) const {
        if (chunks != 0) thread.device(state_->count).fetch_add(chunks, exec::order::relaxed);
    }
    /// Called after reserved chunks were taken for good. relaxed: it is only a count; a thread that reads it
    /// reads the newest value of the words that belong with it later.
    template <class Thread>
    RZ_HD void note_taken(Thread const& thread, std::uint64_t chunks) const {
        if (chunks != 0) thread.device(state_->taken).fetch_add(chunks, exec::order::relaxed);
    }

    /// Called before and after setting bits of the mask.
    template <class Thread>
    RZ_HD void begin_giving(Thread const& thread, std::uint64_t chunks) const {
        // relaxed: a thread that takes one of the bits acquires this with them
        thread.device(state_->given).fetch_add(chunks, exec::order::relaxed);
    }
    template <class Thread>
    RZ_HD void end_giving(Thread const& thread, std::uint64_t chunks) const {
        // release: a thread that reserves them finds their bits
        thread.device(state_->count).fetch_add(chunks, exec::order::release);
    }

    /// Whether fewer than `chunks` chunks were free at some moment of the call. Chunks that a thread is
    /// putting back, or has reserved and not yet taken, count as free. Cost: two loads; an atomic where there
    /// seem to be fewer.
    template <class Thread>
    [[nodiscard]] RZ_HD bool is_short_of(Thread const& thread, std::uint64_t chunks) const {
        // acquire: `given` is read after it
        std::uint64_t const taken = thread.device(state_->taken).load(exec::order::acquire);
        // relaxed: mostly this suffices, without a write
        if (thread.device(state_->given).load(exec::order::relaxed) - taken >= chunks) return false;
        return given_now(thread) - taken < chunks;
    }

    /// A moment at which no thread was giving, taking or searching, if there was one.
    struct rest {
        bool was_one;
        std::uint64_t given;
        std::uint64_t searches;
    };
    template <class Thread>
    [[nodiscard]] RZ_HD rest look_for_rest(Thread const& thread) const {
        // acquire, all of them: they keep this order, and chunks given before the moment are found after it
        std::uint64_t const taken = thread.device(state_->taken).load(exec::order::acquire);
        std::uint64_t const count = thread.device(state_->count).load(exec::order::acquire);
        std::uint64_t const given = thread.device(state_->given).load(exec::order::acquire);
        std::uint64_t const searching = searches().read(thread);
        return {motion_ref::movers(searching) == 0 && count == given - taken, given, searching};
    }
    /// Whether since `before` no chunk was given, and none taken that may be put back. Then chunks that a
    /// search between did not find were not there at its end.
    template <class Thread>
    [[nodiscard]] RZ_HD bool rested_since(Thread const& thread, rest const& before) const {
        // acquire: after the search
        return before.was_one && thread.device(state_->given).load(exec::order::acquire) == before.given &&
               searches().read(thread) == before.searches;
    }

private:
    /// A read-modify-write reads the newest value. acq_rel: no earlier read moves behind it.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t given_now(Thread const& thread) const {
        return thread.device(state_->given).fetch_or(0, exec::order::acq_rel);
    }

    chunk_store_state* state_ = nullptr;
};

} // namespace rhizome::alloc

// How many chunks of a heap are free: permits to take them, and two counters that tell for certain when there
// were too few.
//
// Invariants, while nothing runs: count = given - taken = set bits of the mask.
// While threads run: count <= given - taken. A thread that gives chunks back adds to `given` first and to `count`
// last; a thread that takes chunks subtracts from `count` first and adds to `taken` last. So
//   given, read later, minus taken, read earlier, is at least what was free at each moment between
//   count = given - taken, with taken read before and given behind it: at the moment between, nobody was
//   giving or taking
#pragma once

#include <rhizome/alloc/motion.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Words that the chunk store shares between threads, in the memory of the space.
struct chunk_store_state {
    std::uint64_t count;         ///< free chunks that no thread has reserved
    std::uint64_t chunk_cursor;  ///< chunks that claims have passed, from the low end, round and round
    std::uint64_t extent_cursor; ///< chunks that searches have passed, from the high end, round and round
    std::uint64_t searches;      ///< that take more than they may keep: under way and ever begun (motion.hpp)
    std::uint64_t segments;      ///< chunks that are segments of queues
    alignas(64) std::uint64_t given; ///< chunks ever put; a line of its own, beside `count`
    std::uint64_t taken;             ///< chunks ever taken out of the mask for good
    std::uint64_t spilled_bytes; ///< of pages for whose entries no chunk could be had, since the last trim

    /// What a store of so many free chunks starts with.
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

    /// Counts up to `most` chunks for the caller: one fetch_sub that undoes itself. The count promises that
    /// bits are there; the bits themselves carry the order.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t count_out(Thread const& thread, std::uint64_t most) const {
        auto const count = thread.device(state_->count);
        // relaxed: a first look, which spares the write where there is nothing
        if (static_cast<std::int64_t>(count.load(exec::order::relaxed)) <= 0) return 0;
        // acquire: pairs with end_giving(), so that the tree over the mask shows what was counted
        auto const held = static_cast<std::int64_t>(count.fetch_sub(most, exec::order::acquire));
        if (held >= static_cast<std::int64_t>(most)) return most;
        std::uint64_t const got = held <= 0 ? 0 : static_cast<std::uint64_t>(held);
        count_back(thread, most - got);
        return got;
    }
    /// Counts `chunks` or none.
    template <class Thread>
    [[nodiscard]] RZ_HD bool count_out_all(Thread const& thread, std::uint64_t chunks) const {
        std::uint64_t const got = count_out(thread, chunks);
        if (got == chunks) return true;
        count_back(thread, got);
        return false;
    }
    /// Undoes count_out(). relaxed: the bits have stayed where they were.
    template <class Thread>
    RZ_HD void count_back(Thread const& thread, std::uint64_t chunks) const {
        if (chunks != 0) thread.device(state_->count).fetch_add(chunks, exec::order::relaxed);
    }
    /// After counted chunks were taken for good. relaxed: a count alone; who reads it reads the newest of
    /// what it belongs with behind it.
    template <class Thread>
    RZ_HD void note_taken(Thread const& thread, std::uint64_t chunks) const {
        if (chunks != 0) thread.device(state_->taken).fetch_add(chunks, exec::order::relaxed);
    }

    /// Around setting bits of the mask.
    template <class Thread>
    RZ_HD void begin_giving(Thread const& thread, std::uint64_t chunks) const {
        // relaxed: who takes one of the bits acquires it with them
        thread.device(state_->given).fetch_add(chunks, exec::order::relaxed);
    }
    template <class Thread>
    RZ_HD void end_giving(Thread const& thread, std::uint64_t chunks) const {
        // release: who counts them finds their bits
        thread.device(state_->count).fetch_add(chunks, exec::order::release);
    }

    /// Whether fewer chunks than `chunks` were free at some moment of the call. Chunks that are being put, or
    /// are counted and not yet taken, pass for free. Cost: two loads; an atomic where there seem to be fewer.
    template <class Thread>
    [[nodiscard]] RZ_HD bool is_short_of(Thread const& thread, std::uint64_t chunks) const {
        // acquire: `given` is read behind it
        std::uint64_t const taken = thread.device(state_->taken).load(exec::order::acquire);
        // relaxed: found out without writing, as a rule
        if (thread.device(state_->given).load(exec::order::relaxed) - taken >= chunks) return false;
        return given_now(thread) - taken < chunks;
    }

    /// A moment at which nobody was giving, taking or searching, if there was one.
    struct rest {
        bool was_one;
        std::uint64_t given;
        std::uint64_t searches;
    };
    template <class Thread>
    [[nodiscard]] RZ_HD rest look_for_rest(Thread const& thread) const {
        // acquire, all of them: in this order; and what was given before the moment is found behind it
        std::uint64_t const taken = thread.device(state_->taken).load(exec::order::acquire);
        std::uint64_t const count = thread.device(state_->count).load(exec::order::acquire);
        std::uint64_t const given = thread.device(state_->given).load(exec::order::acquire);
        std::uint64_t const searching = searches().read(thread);
        return {motion_ref::movers(searching) == 0 && count == given - taken, given, searching};
    }
    /// Whether since `before` nothing was given, and nothing taken that may be put back: what was not found
    /// meanwhile was not there at the end.
    template <class Thread>
    [[nodiscard]] RZ_HD bool rested_since(Thread const& thread, rest const& before) const {
        // acquire: behind the looks
        return before.was_one && thread.device(state_->given).load(exec::order::acquire) == before.given &&
               searches().read(thread) == before.searches;
    }

private:
    /// A read-modify-write reads the newest value. acq_rel: no look before it is made after it.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t given_now(Thread const& thread) const {
        return thread.device(state_->given).fetch_or(0, exec::order::acq_rel);
    }

    chunk_store_state* state_ = nullptr;
};

} // namespace rhizome::alloc

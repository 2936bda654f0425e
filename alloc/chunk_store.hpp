// Chunks of a heap, and extents of whole units: who has which, as a bit mask.
//
// Glossary. Chunk: ChunkBytes of heap. Unit: 8 chunks, one byte of the mask. Word: 64 chunks. Extent: a run
// of units for one large request. Bit set: the chunk is free.
//
// Invariants, while nothing runs (audit in chunk_store_owner.hpp):
//   count = number of set bits
//   a set bit has header 0; a clear one belongs to a chunk or an extent whose first chunk has its header
//   extents cover whole units
//
// While threads run: count + (claims counted but not yet taken from the mask) <= set bits. So who has counted
// a chunk for himself finds one; nobody waits for anybody. The paper hands out new chunks from a counter and
// keeps empty ones in a queue (section 3.2); a mask needs no memory to take a chunk back, gives a warp up to
// 64 chunks with one atomic, and lets extents grow out of freed chunks.
#pragma once

#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Words that the chunk store shares between threads, in the memory of the space.
struct chunk_store_state {
    std::uint64_t count;       ///< chunks that nobody has counted for himself
    std::uint64_t hint;        ///< no word below it is likely to have a free chunk
    std::uint64_t extent_hint; ///< units from it on are likely taken by extents
    std::uint32_t extent_lock; ///< odd while a thread looks for a run of units; each search adds 2
    std::uint32_t padding;
};

/// Chunks out of one word of the mask.
struct chunk_claim {
    std::uint64_t first_chunk; ///< chunk of bit 0
    std::uint64_t bits;        ///< which of the 64
};

namespace detail {
[[nodiscard]] RZ_HD constexpr std::uint32_t count_bits(std::uint64_t bits) {
    std::uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1)
        ++count;
    return count;
}
/// The lowest `wanted` set bits, or all where there are fewer.
[[nodiscard]] RZ_HD constexpr std::uint64_t lowest_bits(std::uint64_t bits, std::uint64_t wanted) {
    std::uint64_t left = bits;
    for (; wanted != 0 && left != 0; --wanted)
        left &= left - 1;
    return bits & ~left;
}
/// The place of set bit number `rank`, counted from the lowest.
[[nodiscard]] RZ_HD constexpr std::uint32_t nth_bit(std::uint64_t bits, std::uint64_t rank) {
    for (; rank != 0; --rank)
        bits &= bits - 1;
    std::uint32_t place = 0;
    for (bits = bits & (0 - bits); bits > 1; bits >>= 1)
        ++place;
    return place;
}
} // namespace detail

class chunk_store_ref {
public:
    chunk_store_ref() = default;
    chunk_store_ref(chunk_store_state* state, std::uint64_t* mask, std::uint64_t words)
        : state_(state), mask_(mask), words_(words) {}

    /// Takes up to `wanted` chunks (1 to 64) out of one word; none only where no chunk is free.
    /// What the former holder did happens before. Cost: two atomics where the hint is good.
    template <class Thread>
    [[nodiscard]] RZ_HD chunk_claim take(Thread const& thread, std::uint32_t wanted) const {
        std::uint64_t counted = count_out(thread, wanted);
        while (counted == 0) {
            // Who looks for an extent counts its chunks first, and gives them back where they are no run:
            // being short beside him says nothing. acquire: pairs with unlock and with his counting.
            std::uint32_t const before = thread.device(state_->extent_lock).load(exec::order::acquire);
            counted = count_out(thread, wanted);
            if (counted != 0) break;
            std::uint32_t const after = thread.device(state_->extent_lock).load(exec::order::acquire);
            if (before == after && before % 2 == 0) return {0, 0};
            if (before == after) thread.relax();
        }
        std::uint64_t word = thread.device(state_->hint).load(exec::order::relaxed);
        for (std::uint64_t looked = 0;; ++looked, ++word) {
            if (word >= words_) word = 0;
            std::uint64_t const seen = thread.device(mask_[word]).load(exec::order::relaxed);
            if (seen == 0) continue;
            std::uint64_t const aim = detail::lowest_bits(seen, counted);
            // acquire: pairs with put's release, so that the former holder's writes come first
            std::uint64_t const taken =
                thread.device(mask_[word]).fetch_and(~aim, exec::order::acquire) & aim;
            if (taken == 0) continue;
            std::uint32_t const got = detail::count_bits(taken);
            if (got < counted) thread.device(state_->count).fetch_add(counted - got, exec::order::relaxed);
            if (looked != 0) thread.device(state_->hint).store(word, exec::order::relaxed);
            return {word * tuning::chunks_per_word, taken};
        }
    }

    /// Gives one chunk back. Its header must be 0 by then.
    template <class Thread>
    RZ_HD void put(Thread const& thread, std::uint64_t chunk) const {
        put_bits(thread, chunk / tuning::chunks_per_word,
                 std::uint64_t{1} << (chunk % tuning::chunks_per_word));
        thread.device(state_->hint).fetch_min(chunk / tuning::chunks_per_word, exec::order::relaxed);
    }

    static constexpr std::uint64_t none = ~std::uint64_t{0};

    /// Takes `units` neighbouring units, from the high end of the heap; the first one's number, or none.
    /// One thread looks at a time. Cost: from the last extent downwards, a load each 8 units.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t take_extent(Thread const& thread, std::uint64_t units) const {
        std::uint64_t const chunks = units * tuning::chunks_per_unit;
        if (chunks > words_ * tuning::chunks_per_word) return none;
        lock(thread);
        if (!count_out_all(thread, chunks)) {
            unlock(thread);
            return none;
        }
        std::uint64_t const all = words_ * tuning::chunks_per_word / tuning::chunks_per_unit;
        std::uint64_t const hint = thread.device(state_->extent_hint).load(exec::order::relaxed);
        std::uint64_t found = find_run(thread, units, hint < all ? hint : all);
        if (found == none && hint < all) found = find_run(thread, units, all);
        if (found != none) thread.device(state_->extent_hint).store(found, exec::order::relaxed);
        if (found == none) thread.device(state_->count).fetch_add(chunks, exec::order::relaxed);
        unlock(thread);
        return found;
    }

    template <class Thread>
    RZ_HD void put_extent(Thread const& thread, std::uint64_t first_unit, std::uint64_t units) const {
        for_each_mask(first_unit, units, [&](std::uint64_t word, std::uint64_t bits) {
            put_bits(thread, word, bits);
            return true;
        });
        thread.device(state_->extent_hint).fetch_max(first_unit + units, exec::order::relaxed);
    }

    [[nodiscard]] RZ_HD std::uint64_t words() const { return words_; }
    [[nodiscard]] RZ_HD std::uint64_t* mask() const { return mask_; }
    [[nodiscard]] RZ_HD chunk_store_state* state() const { return state_; }

private:
    /// Counts up to `most` chunks for the caller: one fetch_sub that undoes itself. Below zero, all that was
    /// there is counted by others.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t count_out(Thread const& thread, std::uint64_t most) const {
        auto const count = thread.device(state_->count);
        // The count promises that bits are there; the bits themselves carry the order. acq_rel: whoever finds
        // himself short sees the refill or the search that took the chunks under way.
        auto const held = static_cast<std::int64_t>(count.fetch_sub(most, exec::order::acq_rel));
        if (held >= static_cast<std::int64_t>(most)) return most;
        std::uint64_t const got = held <= 0 ? 0 : static_cast<std::uint64_t>(held);
        count.fetch_add(most - got, exec::order::relaxed);
        return got;
    }
    /// Counts `chunks` or none, and never below zero: others would take a claim that is undone for a
    /// shortage.
    template <class Thread>
    [[nodiscard]] RZ_HD bool count_out_all(Thread const& thread, std::uint64_t chunks) const {
        auto const count = thread.device(state_->count);
        std::uint64_t held = count.load(exec::order::relaxed);
        while (static_cast<std::int64_t>(held) >= static_cast<std::int64_t>(chunks))
            // acq_rel: as in count_out; the lock is seen by whoever finds himself short
            if (count.compare_exchange(held, held - chunks, exec::order::acq_rel)) return true;
        return false;
    }

    template <class Thread>
    RZ_HD void put_bits(Thread const& thread, std::uint64_t word, std::uint64_t bits) const {
        // release: this thread's use of the chunks comes before their next holder's
        thread.device(mask_[word]).fetch_or(bits, exec::order::release);
        thread.device(state_->count).fetch_add(detail::count_bits(bits), exec::order::relaxed);
    }

    /// Calls function(word, bits) for the bits of a run of units; stops where it returns false.
    template <class Function>
    RZ_HD static void for_each_mask(std::uint64_t first_unit, std::uint64_t units, Function&& function) {
        constexpr std::uint64_t units_per_word = tuning::chunks_per_word / tuning::chunks_per_unit;
        std::uint64_t const end = first_unit + units;
        for (std::uint64_t unit = first_unit; unit < end;) {
            std::uint64_t const word = unit / units_per_word;
            std::uint64_t const begin_bit = unit % units_per_word * tuning::chunks_per_unit;
            std::uint64_t const next = (word + 1) * units_per_word < end ? (word + 1) * units_per_word : end;
            std::uint64_t const bits = (next - unit) * tuning::chunks_per_unit;
            std::uint64_t const mask = (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1)
                                       << begin_bit;
            if (!function(word, mask)) return;
            unit = next;
        }
    }

    /// The highest run of free units that ends at or below `end_unit`, taken; or none.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t find_run(Thread const& thread, std::uint64_t units,
                                               std::uint64_t end_unit) const {
        constexpr std::uint64_t units_per_word = tuning::chunks_per_word / tuning::chunks_per_unit;
        constexpr std::uint64_t whole_unit = (std::uint64_t{1} << tuning::chunks_per_unit) - 1;
        std::uint64_t run = 0;
        std::uint64_t word = none;
        std::uint64_t bits = 0;
        for (std::uint64_t unit = end_unit; unit-- > 0;) {
            if (unit / units_per_word != word) {
                word = unit / units_per_word;
                bits = thread.device(mask_[word]).load(exec::order::relaxed);
            }
            bool const free =
                (bits >> (unit % units_per_word * tuning::chunks_per_unit) & whole_unit) == whole_unit;
            run = free ? run + 1 : 0;
            if (run == units) {
                if (take_run(thread, unit, units)) return unit;
                run = 0; // somebody took a chunk of it meanwhile: look again, a shifted run may do
                word = none;
                unit = end_unit;
            }
        }
        return none;
    }

    /// Takes all bits of the run, or none of them.
    template <class Thread>
    [[nodiscard]] RZ_HD bool take_run(Thread const& thread, std::uint64_t first_unit,
                                      std::uint64_t units) const {
        std::uint64_t failed_word = none;
        for_each_mask(first_unit, units, [&](std::uint64_t word, std::uint64_t bits) {
            // acquire: as in take
            std::uint64_t const taken =
                thread.device(mask_[word]).fetch_and(~bits, exec::order::acquire) & bits;
            if (taken == bits) return true;
            // release: hands on what the former holders released
            thread.device(mask_[word]).fetch_or(taken, exec::order::release);
            failed_word = word;
            return false;
        });
        if (failed_word == none) return true;
        for_each_mask(first_unit, units, [&](std::uint64_t word, std::uint64_t bits) {
            if (word == failed_word) return false;
            thread.device(mask_[word]).fetch_or(bits, exec::order::release);
            return true;
        });
        return false;
    }

    template <class Thread>
    RZ_HD void lock(Thread const& thread) const {
        auto const word = thread.device(state_->extent_lock);
        for (;;) {
            std::uint32_t held = word.load(exec::order::relaxed);
            // acquire / release: the hint's accesses stay inside
            if (held % 2 == 0 && word.compare_exchange(held, held + 1, exec::order::acquire)) return;
            thread.relax();
        }
    }
    template <class Thread>
    RZ_HD void unlock(Thread const& thread) const {
        thread.device(state_->extent_lock).fetch_add(1u, exec::order::release);
    }

    chunk_store_state* state_ = nullptr;
    std::uint64_t* mask_ = nullptr;
    std::uint64_t words_ = 0;
};

} // namespace rhizome::alloc

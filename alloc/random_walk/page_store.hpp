// SPDX-License-Identifier: Apache-2.0
// What the searches of a random walk see of the pages: the words that mark them, which lines of these are
// full, locks, hints, random places.
#pragma once

#include <rhizome/alloc/random_walk/full_lines.hpp>
#include <rhizome/alloc/random_walk/page_marks.hpp>
#include <rhizome/alloc/random_walk/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/random.hpp>

#include <cstdint>
#include <limits>

namespace rhizome::alloc {

/// A uniform number in [0, bound), bound >= 1. Up to 2^40 each number's probability is within 2^-24 of
/// 1 / bound.
[[nodiscard]] RZ_HD constexpr std::uint32_t random_place(exec::random_source& random, std::uint32_t bound) {
    return random.below(bound);
}
[[nodiscard]] RZ_HD constexpr std::uint64_t random_place(exec::random_source& random, std::uint64_t bound) {
    if (bound >> 32 == 0) return random.below(static_cast<std::uint32_t>(bound));
    std::uint64_t const high = random.next_u32();
    std::uint64_t const low = random.next_u32();
    std::uint64_t const bound_low = bound & 0xffff'ffffu;
    std::uint64_t const bound_high = bound >> 32;
    // The highest 64 of 128 bits of a product, without carries from the lowest 64: at most 2 too low.
    return high * bound_high + (high * bound_low >> 32) + (low * bound_high >> 32);
}

/// Whether the words of a store keep marks of full lines beside them.
template <class Marks>
inline constexpr bool has_full_lines = requires {
    Marks::words_per_full_line;
};

/// The words of a store of equal pages, in the memory of a space. Trivially copyable.
template <class Marks>
class page_store_ref {
public:
    using marks = Marks;
    using word = typename Marks::word;
    using page_set = typename Marks::page_set; ///< pages of a word: a bit each
    using index_type = typename Marks::index_type;
    static constexpr std::uint32_t pages_per_word = Marks::pages_per_word;
    /// Words in the 128 bytes that a warp loads at once.
    static constexpr std::uint32_t words_per_line = 128 / sizeof(word);
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    /// count: of the words, at most most_words. full_lines: a word for each full_words_for(), or nullptr
    /// where Marks have no full lines.
    RZ_HD page_store_ref(word* words, std::uint64_t count, std::uint64_t* full_lines, std::uint32_t* locks,
                         std::uint64_t* hints, std::uint64_t hint_mask, std::uint64_t seed)
        : words_(words), count_(static_cast<index_type>(count)), full_lines_(full_lines), locks_(locks),
          hints_(hints), hint_mask_(hint_mask), seed_(seed) {}
    static constexpr std::uint64_t most_words = std::numeric_limits<index_type>::max();

    /// How many words a walk of a lane looks at: `walk_pages` pages, and no more words than there are.
    [[nodiscard]] RZ_HD std::uint32_t walk_steps() const {
        constexpr std::uint32_t most = random_walk_tuning::walk_pages / pages_per_word;
        return count_ < most ? static_cast<std::uint32_t>(count_) : most;
    }
    /// The number of words.
    [[nodiscard]] RZ_HD std::uint64_t words() const { return count_; }
    /// The same, in the type in which searches compute: narrow where that suffices.
    [[nodiscard]] RZ_HD index_type count() const { return count_; }
    /// The word so many words, at most words(), after another one, around the store.
    [[nodiscard]] RZ_HD index_type further(index_type from, index_type distance) const {
        index_type const left = count_ - from; // the sum might be too wide
        return distance < left ? from + distance : distance - left;
    }
    [[nodiscard]] RZ_HD word& word_at(std::uint64_t index) const { return words_[index]; }

    /// The pages of a word that were free a moment ago. relaxed: take() decides.
    template <class Thread>
    [[nodiscard]] RZ_HD page_set free_pages(Thread const& thread, std::uint64_t index) const {
        return Marks::free_pages(load(thread, index));
    }
    /// The same while nothing runs.
    [[nodiscard]] RZ_HD page_set free_at_rest(std::uint64_t index) const {
        return Marks::free_pages(words_[index]);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD word load(Thread const& thread, std::uint64_t index) const {
        return thread.device(words_[index]).load(exec::order::relaxed);
    }
    /// Takes those of `wanted` that are free; returns which. Takes no other page.
    template <class Thread>
    [[nodiscard]] RZ_HD page_set take(Thread const& thread, std::uint64_t index, page_set wanted) const {
        return Marks::take(thread, words_[index], wanted) & wanted;
    }
    /// The same; sets `free` to the word's pages that are free then.
    template <class Thread>
    [[nodiscard]] RZ_HD page_set take(Thread const& thread, std::uint64_t index, page_set wanted,
                                      page_set& free) const {
        page_set const before = Marks::take(thread, words_[index], wanted);
        free = before & ~wanted;
        return before & wanted;
    }
    /// Gives used pages back. Cost: one atomic, and one load after it where there are full lines.
    template <class Thread>
    RZ_HD void give(Thread const& thread, std::uint64_t index, page_set used) const {
        Marks::give(thread, words_[index], used);
        if constexpr (has_full_lines<Marks>) full_lines().reopen(thread, index / Marks::words_per_full_line);
    }

    /// The marks of full lines, their number, and how many of their words are needed for so many words.
    [[nodiscard]] RZ_HD full_lines_ref full_lines() const { return full_lines_ref(full_lines_); }
    [[nodiscard]] RZ_HD index_type lines() const {
        constexpr index_type per_line = Marks::words_per_full_line;
        return count_ / per_line + (count_ % per_line == 0 ? 0 : 1);
    }
    [[nodiscard]] RZ_HD index_type full_words() const {
        constexpr index_type per_word = full_lines_ref::lines_per_word;
        return lines() / per_word + (lines() % per_word == 0 ? 0 : 1);
    }
    /// Those lines of word `index` of the marks that exist and may have free pages.
    [[nodiscard]] RZ_HD std::uint32_t open_lines(full_lines_ref::word bits, index_type index) const {
        index_type const left = lines() - index * full_lines_ref::lines_per_word;
        std::uint32_t const open = full_lines_ref::open_lines(bits);
        return left < full_lines_ref::lines_per_word ? open & ((1u << left) - 1) : open;
    }
    /// Looks at all words of a line. Returns the number of the one with the most free pages, and sets `free`
    /// to these; of equal ones the first after number `turn`, so that threads prefer different ones.
    template <class Thread>
    [[nodiscard]] RZ_HD index_type best_word(Thread const& thread, index_type line, std::uint32_t turn,
                                             page_set& free) const {
        constexpr std::uint32_t per_line = Marks::words_per_full_line;
        constexpr std::uint32_t loads = random_walk_tuning::sweep_loads;
        index_type const first = line * per_line;
        index_type best = first;
        free = 0;
        RZ_NO_UNROLL
        for (std::uint32_t done = 0; done < per_line; done += loads) {
            page_set there[loads];
            RZ_UNROLL
            for (std::uint32_t i = 0; i < loads; ++i) {
                index_type const index = first + (turn + done + i) % per_line;
                there[i] = index - first < count_ - first ? free_pages(thread, index) : 0;
            }
            RZ_UNROLL
            for (std::uint32_t i = 0; i < loads; ++i) {
                if (exec::popcount(there[i]) <= exec::popcount(free)) continue;
                free = there[i];
                best = first + (turn + done + i) % per_line;
            }
        }
        return best;
    }
    /// Marks a line full in which the caller has seen no free page, if it still has none.
    template <class Thread>
    RZ_HD void mark_full(Thread const& thread, index_type line) const {
        index_type const first = line * Marks::words_per_full_line;
        full_lines().mark(thread, line, [&] {
            page_set free = 0;
            RZ_NO_UNROLL
            for (std::uint32_t i = 0; i < Marks::words_per_full_line && i < count_ - first; ++i)
                // release: as full_lines.hpp asks
                free |= Marks::free_pages(Marks::newest(thread, words_[first + i], exec::order::release));
            return free != 0;
        });
    }

    /// Tries to lock a word for a walk: a bit in the second map (LockMap of the paper, section IV-A). A
    /// locked word stays open to give() and to sweeps. acquire, release: a walk that gets the lock sees what
    /// the walk before it took.
    template <class Thread>
    [[nodiscard]] RZ_HD bool try_lock(Thread const& thread, std::uint64_t index) const {
        std::uint32_t const bit = 1u << index % 32;
        return (thread.device(locks_[index / 32]).fetch_or(bit, exec::order::acquire) & bit) == 0;
    }
    template <class Thread>
    RZ_HD void unlock(Thread const& thread, std::uint64_t index) const {
        thread.device(locks_[index / 32]).fetch_and(~(1u << index % 32), exec::order::release);
    }

    /// One more than the place where a thread that shares the caller's hint last found a page; 0: nowhere
    /// yet. A place is a page or a word, as the search chooses. relaxed: any value is right, some are faster.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t hint(Thread const& thread, std::uint64_t owner) const {
        return thread.device(hints_[owner & hint_mask_]).load(exec::order::relaxed);
    }
    template <class Thread>
    RZ_HD void set_hint(Thread const& thread, std::uint64_t owner, std::uint64_t place) const {
        thread.device(hints_[owner & hint_mask_]).store(place + 1, exec::order::relaxed);
    }

    /// Random numbers for a walk of number `stream`. `turn` (a hint) makes the walks of one thread differ.
    [[nodiscard]] RZ_HD exec::random_source random(std::uint64_t stream, std::uint64_t turn) const {
        return {seed_ + turn * 0xd1342543de82ef95ull, stream};
    }
    /// Where threads begin that have no hint: consecutive warps are spread over the words, far from each
    /// other and nearly never at the same one (multiples of the golden ratio, modulo 1).
    [[nodiscard]] RZ_HD index_type home(std::uint64_t rank) const { return home(rank, count_); }
    /// The same over the first `count` words.
    [[nodiscard]] RZ_HD index_type home(std::uint64_t rank, index_type count) const {
        constexpr std::uint64_t golden_by_warp = 0x9e3779b97f4a7c15ull >> 5;
        std::uint64_t const fraction = seed_ + rank * golden_by_warp; // of 2^64
        std::uint64_t const low = count & 0xffff'ffffu;               // the product may be too wide
        std::uint64_t const high = std::uint64_t{count} >> 32;
        std::uint64_t home = (fraction >> 32) * low >> 32;
        if constexpr (sizeof(index_type) > 4)
            home += (fraction >> 32) * high + ((fraction & 0xffff'ffffu) * high >> 32);
        return static_cast<index_type>(home);
    }

private:
    word* words_;
    index_type count_;
    std::uint64_t* full_lines_;
    std::uint32_t* locks_; ///< a bit per word; nullptr if the search locks nothing
    std::uint64_t* hints_;
    std::uint64_t hint_mask_; ///< number of hints - 1, which is a power of two
    std::uint64_t seed_;
};

/// Counts the steps of a walk, for measurements: each look at a word, in a sweep each word that the thread
/// reads; and how often another thread was first to take a page that the caller had seen free. This one
/// counts nothing and costs nothing.
struct no_tally {
    RZ_HD void one_step_more(std::uint64_t = 0) const {}
    RZ_HD void steps_more(std::uint64_t) const {}
    RZ_HD void one_lost_more() const {}
};
/// Counts them. place: the word, of searches whose lanes look at one each.
struct step_tally {
    std::uint64_t steps = 0;
    std::uint64_t lost = 0;
    std::uint64_t first_place = 0;
    RZ_HD void one_step_more(std::uint64_t place = 0) {
        if (steps == 0) first_place = place;
        ++steps;
    }
    RZ_HD void steps_more(std::uint64_t more) { steps += more; }
    RZ_HD void one_lost_more() { ++lost; }
};

} // namespace rhizome::alloc

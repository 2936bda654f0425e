// SPDX-License-Identifier: Apache-2.0
// The words of a store that hands out runs of pages.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// A bit per page, 32 pages per word. Bits 0 to 31: page is used. Bits 32 to 37: runs in motion, which began
/// in this word and of which other words are not yet decided. Bits 38 to 63: how often pages of the word were
/// given back (modulo 2^26). A word of zeros has free pages only.
///
/// A run of several words is taken word by word, from its first word up. While that lasts it is in motion: it
/// may have to be given back. Each run in motion has a page of its first word, so there are at most 32.
struct run_marks {
    using word = std::uint64_t;
    using page_set = std::uint32_t;
    using index_type = std::uint64_t; ///< of words
    static constexpr std::uint32_t pages_per_word = 32;
    static constexpr word all_used = 0xffff'ffffu;
    static constexpr word one_moving = word{1} << 32;
    static constexpr word one_given = word{1} << 38;

    [[nodiscard]] static RZ_HD constexpr std::uint32_t free_pages(word bits) {
        return ~static_cast<std::uint32_t>(bits);
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t times_given(word bits) {
        return static_cast<std::uint32_t>(bits >> 38);
    }
    [[nodiscard]] static RZ_HD constexpr bool is_moving(word bits) { return (bits >> 32 & 63) != 0; }

    /// Takes all pages of `wanted` or none; with `moving`, a run in motion begins. Returns whether it did.
    /// seen: what the caller has read. acquire: pairs with give().
    template <class Thread>
    [[nodiscard]] static RZ_HD bool take_all(Thread const& thread, word& place, word seen,
                                             std::uint32_t wanted, bool moving) {
        auto const at = thread.device(place);
        while ((seen & wanted) == 0)
            if (at.compare_exchange(seen, (seen | wanted) + (moving ? one_moving : 0), exec::order::acquire))
                return true;
        return false;
    }
    /// The order of take(). acquire: as take_all(). release: a search that acquires it finds the run in
    /// motion (run_proof.hpp).
    static constexpr auto take_order = exec::order::acq_rel;
    /// Takes those of `wanted` that are free, after the first word of the run; returns which. The order is
    /// take_order, or what ordered_together(take_order, ...) names.
    template <class Thread, class Order>
    [[nodiscard]] static RZ_HD std::uint32_t take(Thread const& thread, word& place, std::uint32_t wanted,
                                                  Order order) {
        return free_pages(thread.device(place).fetch_or(word{wanted}, order)) & wanted;
    }
    /// The order of give(). release: pairs with take() and take_all().
    static constexpr auto give_order = exec::order::release;
    /// Marks `used` pages free; counts this. The order is give_order, or what ordered_together(give_order,
    /// ...) names.
    template <class Thread, class Order = decltype(exec::order::release)>
    static RZ_HD void give(Thread const& thread, word& place, std::uint32_t used, Order order = {}) {
        thread.device(place).fetch_add(one_given - used, order);
    }
    /// Ends a run in motion that began in this word. relaxed: the run stays used.
    template <class Thread>
    static RZ_HD void settle(Thread const& thread, word& place) {
        thread.device(place).fetch_sub(one_moving, exec::order::relaxed);
    }
    /// Reads the newest value: an atomic that changes nothing reads it, a load may read an older one. The
    /// caller chooses the memory order, and says why.
    template <class Thread, class Order>
    [[nodiscard]] static RZ_HD word newest(Thread const& thread, word& place, Order order) {
        return thread.device(place).fetch_or(0, order);
    }
};

/// The bits of a run in one of its words.
[[nodiscard]] RZ_HD constexpr std::uint32_t run_bits(std::uint64_t first_page, std::uint64_t pages,
                                                     std::uint64_t word) {
    constexpr std::uint64_t per_word = run_marks::pages_per_word;
    std::uint64_t const begin = word * per_word;
    std::uint64_t const end = first_page + pages;
    auto const low = static_cast<std::uint32_t>(first_page > begin ? first_page - begin : 0);
    auto const high = static_cast<std::uint32_t>(end - begin < per_word ? end - begin : per_word);
    return static_cast<std::uint32_t>(exec::bit_range(low, high));
}

/// Those in its first word.
[[nodiscard]] RZ_HD constexpr std::uint32_t first_word_bits(std::uint64_t first_page, std::uint64_t pages) {
    return run_bits(first_page, pages, first_page / run_marks::pages_per_word);
}

/// A lane looks at two words at once.
inline constexpr std::uint32_t pages_per_pair = 2 * run_marks::pages_per_word;

/// The bits of pages [begin, end) in pair `pair` of words.
[[nodiscard]] RZ_HD constexpr std::uint64_t pair_bits(std::uint64_t pair, std::uint64_t begin,
                                                      std::uint64_t end) {
    std::uint64_t const page = pair * pages_per_pair;
    std::uint64_t const from = begin > page ? begin - page : 0;
    std::uint64_t const to = end > page ? end - page : 0;
    if (from >= to || from >= pages_per_pair) return 0;
    return exec::bit_range(static_cast<std::uint32_t>(from),
                           static_cast<std::uint32_t>(to < pages_per_pair ? to : pages_per_pair));
}
/// The free pages of a pair of words.
[[nodiscard]] RZ_HD constexpr std::uint64_t free_of_pair(run_marks::word low, run_marks::word high) {
    return run_marks::free_pages(low) | std::uint64_t{run_marks::free_pages(high)} << 32;
}

/// Whether a run has pages in more than one word.
[[nodiscard]] RZ_HD constexpr bool spans_words(std::uint64_t first_page, std::uint64_t pages) {
    return first_page % run_marks::pages_per_word + pages > run_marks::pages_per_word;
}

/// Calls function(word, bits) for each word of a run of pages, for the words of number `first`, first +
/// `step`, ... counted from the run's first word.
template <class Function>
RZ_HD void for_each_run_word(std::uint64_t first_page, std::uint64_t pages, std::uint64_t first,
                             std::uint64_t step, Function&& function) {
    constexpr std::uint64_t per_word = run_marks::pages_per_word;
    std::uint64_t const end = first_page + pages;
    RZ_NO_UNROLL
    for (std::uint64_t word = first_page / per_word + first; word * per_word < end; word += step)
        function(word, run_bits(first_page, pages, word));
}

} // namespace rhizome::alloc

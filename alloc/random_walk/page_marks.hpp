// SPDX-License-Identifier: Apache-2.0
// How a store marks which of its pages are used: a bit per page, or a flag per page. A word of zeros has free
// pages only.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// A bit per page, set while the page is used: 32 or 64 pages per word, as in the bitmap of the paper.
template <class Word>
struct bitmap_marks_of {
    using word = Word;
    using page_set = Word;            ///< pages of a word: a bit each
    using index_type = std::uint32_t; ///< of words: 2^32 of them mark 4 TiB of the smallest pages, and more
    static constexpr std::uint32_t pages_per_word = 8 * sizeof(Word);
    static constexpr std::uint32_t words_per_full_line = 16; ///< see full_lines.hpp

    [[nodiscard]] static RZ_HD constexpr page_set free_pages(word bits) { return ~bits; }

    /// Takes those of `wanted` that are free, with one atomic; returns all pages that were free before.
    /// acquire: pairs with give(), so that the former holder's use of a page happens before.
    template <class Thread>
    static RZ_HD page_set take(Thread const& thread, word& place, page_set wanted) {
        return ~thread.device(place).fetch_or(wanted, exec::order::acquire);
    }
    /// Marks `used` pages free. release: pairs with take(). acquire: full_lines.hpp says why.
    template <class Thread>
    static RZ_HD void give(Thread const& thread, word& place, page_set used) {
        thread.device(place).fetch_and(~used, exec::order::acq_rel);
    }
    /// Reads the newest value: an atomic that changes nothing reads it, a load may read an older one. The
    /// caller chooses the memory order, and says why.
    template <class Thread, class Order>
    [[nodiscard]] static RZ_HD word newest(Thread const& thread, word& place, Order order) {
        return thread.device(place).fetch_or(0, order);
    }
};
using bitmap_marks = bitmap_marks_of<std::uint32_t>;
using wide_bitmap_marks = bitmap_marks_of<std::uint64_t>;

/// A word per page, as the flag `used` of the paper: 1 while the page is used.
struct flag_marks {
    using word = std::uint32_t;
    using page_set = std::uint32_t;
    using index_type = std::uint64_t; ///< of words: pages
    static constexpr std::uint32_t pages_per_word = 1;
    static constexpr std::uint32_t words_per_full_line = 32;

    [[nodiscard]] static RZ_HD constexpr std::uint32_t free_pages(word bits) { return ~bits & 1u; }

    /// Orders: as in bitmap_marks.
    template <class Thread>
    static RZ_HD std::uint32_t take(Thread const& thread, word& place, std::uint32_t wanted) {
        return free_pages(thread.device(place).fetch_or(wanted, exec::order::acquire));
    }
    template <class Thread>
    static RZ_HD void give(Thread const& thread, word& place, std::uint32_t) {
        thread.device(place).fetch_and(0u, exec::order::acq_rel);
    }
    template <class Thread, class Order>
    [[nodiscard]] static RZ_HD word newest(Thread const& thread, word& place, Order order) {
        return thread.device(place).fetch_or(0, order);
    }
};

} // namespace rhizome::alloc

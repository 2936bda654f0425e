// SPDX-License-Identifier: Apache-2.0
// The words of a store that hands out runs of pages.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// What a thread has read of a word of pages, and of the group of words to which it belongs.
struct run_view {
    std::uint64_t pages;
    std::uint64_t group;
};

/// Two levels of marks: a word for 32 pages, and a group for 32 words. A group has a bit per word, by which
/// a thread takes all pages of the word; so one atomic takes or gives up to 1024 pages. A word has a bit per
/// page, which counts only while the word is split:
///
///     its bit in the group    the word     its pages
///     0                       not split    free
///     1                       not split    used
///     1                       split        used or free, as the word says
///
/// A thread that takes some pages of a free word sets the bit of the group and splits the word. One that
/// gives back some pages of a used word splits it, too. The thread that gives back the last used page of a
/// split word joins the word: it is no longer split, then the bit of the group is cleared. Words and groups
/// of zeros have free pages only.
///
/// Bits 0 to 31: pages (words) that are used. Bits 32 to 37: runs in motion, which have some of them. Bit 38:
/// split. Bit 39: being joined. Bits 40 to 63: how often pages (words) were given back, or became free with
/// other pages of the word when it was split, modulo 2^24.
///
/// A run that needs several atomics is in motion until the thread that takes it knows whether it gets all of
/// them. Each run in motion has a page (word) wherever it is marked, so there are at most 32.
struct run_marks {
    using word = std::uint64_t;
    using page_set = std::uint32_t;
    using index_type = std::uint64_t; ///< of words
    static constexpr std::uint32_t pages_per_word = 32;
    static constexpr std::uint32_t words_per_group = 32;
    static constexpr std::uint32_t all_pages = ~std::uint32_t{0};
    static constexpr word one_moving = word{1} << 32;
    static constexpr word split = word{1} << 38;
    static constexpr word joining = word{1} << 39;
    static constexpr word one_given = word{1} << 40;
    static constexpr word all_used = split | all_pages;

    [[nodiscard]] static RZ_HD constexpr std::uint32_t used(word bits) {
        return static_cast<std::uint32_t>(bits);
    }
    [[nodiscard]] static RZ_HD constexpr bool is_split(word bits) { return (bits & split) != 0; }
    /// The bit of a word in its group.
    [[nodiscard]] static RZ_HD constexpr std::uint32_t bit_in_group(std::uint64_t index) {
        return 1u << index % words_per_group;
    }
    /// The free pages of word `index`. A split word without used pages counts as used: the thread that gave
    /// the last one back is about to join the word, and has not returned.
    [[nodiscard]] static RZ_HD constexpr std::uint32_t free_pages(run_view seen, std::uint64_t index) {
        if ((seen.group & bit_in_group(index)) == 0) return all_pages;
        return is_split(seen.pages) && used(seen.pages) != 0 ? ~used(seen.pages) : 0;
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t times_given(word bits) {
        return static_cast<std::uint32_t>(bits >> 40);
    }
    /// Whether a thread is about to change more: a run is in motion, or a word is being joined.
    [[nodiscard]] static RZ_HD constexpr bool is_moving(word bits) {
        return (bits >> 32 & 63) != 0 || (bits & joining) != 0 || (is_split(bits) && used(bits) == 0);
    }

    /// acquire: pairs with give().
    static constexpr auto take_order = exec::order::acquire;
    /// Takes all pages (words) of `wanted` or none; with `moving`, a run in motion begins. Returns whether it
    /// did. seen: what the caller has read.
    template <class Thread>
    [[nodiscard]] static RZ_HD bool take_all(Thread const& thread, word& place, word seen,
                                             std::uint32_t wanted, bool moving) {
        auto const at = thread.device(place);
        while ((seen & wanted) == 0)
            if (at.compare_exchange(seen, (seen | wanted) + (moving ? one_moving : 0), take_order))
                return true;
        return false;
    }
    /// The order of give(). release: pairs with take_all().
    static constexpr auto give_order = exec::order::release;
    /// Marks `taken` words of a group free; counts this. ends: the motion of a run that began there ends,
    /// too. The order is give_order, or what ordered_together(give_order, ...) names.
    template <class Thread, class Order>
    static RZ_HD void give(Thread const& thread, word& group, std::uint32_t taken, Order order,
                           bool ends = false) {
        thread.device(group).fetch_add(one_given - taken - (ends ? one_moving : 0), order);
    }
    /// Ends the motion of a run in this word or group. relaxed: the run stays used.
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

/// The marks of a run: those of some pages of its first word, of whole words, and of some pages of its last
/// word. Each may be missing.
struct run_parts {
    std::uint64_t whole_begin; ///< the whole words; the first word lies before them
    std::uint64_t whole_end;   ///< the last word
    std::uint32_t first_pages; ///< 0: the run begins with a whole word
    std::uint32_t last_pages;

    RZ_HD constexpr run_parts(std::uint64_t first, std::uint64_t pages)
        : whole_begin((first + per_word - 1) / per_word), whole_end((first + pages) / per_word),
          first_pages(0), last_pages(0) {
        std::uint64_t const end = first + pages;
        if (whole_begin > whole_end) { // all within one word
            first_pages = bits_between(first % per_word, end % per_word);
            whole_end = whole_begin;
            return;
        }
        if (first % per_word != 0) first_pages = bits_between(first % per_word, per_word);
        if (end % per_word != 0) last_pages = bits_between(0, end % per_word);
        if (first_pages == 0 && whole_begin == whole_end) { // the last pages alone
            first_pages = last_pages;
            last_pages = 0;
            whole_end = ++whole_begin;
        }
    }
    [[nodiscard]] RZ_HD constexpr std::uint64_t first_word() const { return whole_begin - 1; }
    [[nodiscard]] RZ_HD constexpr bool has_whole() const { return whole_begin != whole_end; }
    /// The groups of the whole words.
    [[nodiscard]] RZ_HD constexpr std::uint64_t group_begin() const { return whole_begin / per_group; }
    [[nodiscard]] RZ_HD constexpr std::uint64_t group_end() const {
        return has_whole() ? (whole_end - 1) / per_group + 1 : group_begin();
    }
    /// The whole words in one of these groups.
    [[nodiscard]] RZ_HD constexpr std::uint32_t words_in(std::uint64_t group) const {
        std::uint64_t const begin = group * per_group;
        return bits_between(whole_begin > begin ? whole_begin - begin : 0,
                            whole_end - begin < per_group ? whole_end - begin : per_group);
    }
    /// Whether more than one atomic takes the run.
    [[nodiscard]] RZ_HD constexpr bool spans() const {
        return group_end() - group_begin() + (first_pages != 0 ? 1 : 0) + (last_pages != 0 ? 1 : 0) > 1;
    }

private:
    static constexpr std::uint64_t per_word = run_marks::pages_per_word;
    static constexpr std::uint64_t per_group = run_marks::words_per_group;

    [[nodiscard]] static RZ_HD constexpr std::uint32_t bits_between(std::uint64_t begin, std::uint64_t end) {
        return static_cast<std::uint32_t>(
            exec::bit_range(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)));
    }
};

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

} // namespace rhizome::alloc

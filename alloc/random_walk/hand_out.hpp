// SPDX-License-Identifier: Apache-2.0
// The lanes of a group look at words together and share the pages that they take.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/rank_order.hpp>

#include <cstdint>

namespace rhizome::alloc {

namespace detail {
/// exec::nth_bit and exec::lowest_bits; for words of 32 bits in half the instructions, two where all bits are
/// set, or wanted.
[[nodiscard]] RZ_HD constexpr std::uint32_t nth_page(std::uint32_t bits, std::uint32_t rank) {
    if (bits == ~0u) return rank;
    std::uint32_t place = 0;
    for (std::uint32_t half = 16; half != 0; half /= 2) {
        std::uint32_t const lower = exec::popcount(bits & ((1u << half) - 1));
        if (rank < lower) continue;
        rank -= lower;
        bits >>= half;
        place += half;
    }
    return place;
}
[[nodiscard]] RZ_HD constexpr std::uint32_t lowest_pages(std::uint32_t bits, std::uint32_t wanted) {
    if (wanted >= exec::popcount(bits)) return bits;
    return bits & ((1u << nth_page(bits, wanted)) - 1);
}
[[nodiscard]] RZ_HD constexpr std::uint32_t nth_page(std::uint64_t bits, std::uint32_t rank) {
    return exec::nth_bit(bits, rank);
}
[[nodiscard]] RZ_HD constexpr std::uint64_t lowest_pages(std::uint64_t bits, std::uint32_t wanted) {
    return exec::lowest_bits(bits, wanted);
}
} // namespace detail

/// The set bits of all lanes, numbered: those of lower lanes first, and of a lane the lower ones first. All
/// lanes construct it together.
template <class Group, class Bits = std::uint32_t>
class numbered_bits {
public:
    RZ_HD numbered_bits(Group const& group, Bits bits) : group_(group), bits_(bits) {
        std::uint32_t const count = exec::popcount(bits);
        before_ = group.exclusive_scan(count);
        owners_ = group.ballot(count != 0);
        total_ = owners_ == 0 ? 0 : group.shuffle(before_ + count, exec::bit_width(owners_) - 1);
        // Bit n is set if bit number n is the first of its lane. Distinct bits, so their sum is their union.
        firsts_ = group.sum(count != 0 && before_ < 32 ? 1u << before_ : 0u);
    }
    /// How many bits are set; how many of lower lanes.
    [[nodiscard]] RZ_HD std::uint32_t total() const { return total_; }
    [[nodiscard]] RZ_HD std::uint32_t before() const { return before_; }

    /// The lane that has bit number `number`, which is less than 32 and less than total(), and the bit. All
    /// lanes call it; what lanes with another number get means nothing. `owner` is a lane in any case.
    RZ_HD void find(std::uint32_t number, std::uint32_t& owner, std::uint32_t& bit) const {
        std::uint32_t const up_to = firsts_ & ((2u << number) - 1);
        owner = detail::nth_page(owners_, exec::popcount(up_to) - 1);
        Bits const there = group_.shuffle(bits_, owner);
        bit = detail::nth_page(there, number - (exec::bit_width(up_to) - 1));
    }

private:
    Group const& group_;
    Bits bits_;
    std::uint32_t before_;
    std::uint32_t owners_;
    std::uint32_t total_;
    std::uint32_t firsts_;
};

/// Gives the pages that the lanes of a group have taken to the lanes that have none, lowest ranks first. All
/// lanes call it. index, got: the word in which the caller has taken pages, and which; together no more
/// pages than lanes are missing. Returns whether all lanes have a page now.
/// Cost: about twelve shuffles and reductions, no memory. Source: Algorithm 3, lines 10 to 14; there each
/// page is announced to its lane in a loop, here each lane finds its page by itself.
template <class Store, class Group>
[[nodiscard]] RZ_HD bool hand_out(Group const& group, exec::rank_order& lanes,
                                  typename Store::index_type index, typename Store::page_set got,
                                  std::uint64_t& page) {
    std::uint32_t const givers = group.ballot(got != 0);
    if (givers == 0) return false;
    if ((givers & (givers - 1)) == 0) { // one lane has taken pages, as nearly always where pages abound
        std::uint32_t const giver = exec::countr_zero(givers);
        auto const bits = group.shuffle(got, giver);
        std::uint64_t const from = group.shuffle(index, giver);
        std::uint32_t const total = exec::popcount(bits);
        if (lanes.is_next(group, total))
            page = from * Store::pages_per_word + detail::nth_page(bits, lanes.turn(group));
        return lanes.serve(group, total);
    }
    numbered_bits<Group, typename Store::page_set> const pages(group, got);
    bool const served = lanes.is_next(group, pages.total());
    std::uint32_t giver = 0;
    std::uint32_t bit = 0;
    pages.find(served ? lanes.turn(group) : 0, giver, bit);
    std::uint64_t const from = group.shuffle(index, giver);
    if (served) page = from * Store::pages_per_word + bit;
    return lanes.serve(group, pages.total());
}

/// How many pages the caller should take from its word, which has `free` free ones, so that the group takes
/// as many as lanes are missing: all from one word where a word has that many, otherwise lowest ranks first.
template <class Group>
[[nodiscard]] RZ_HD std::uint32_t share_of(Group const& group, exec::rank_order const& lanes,
                                           std::uint32_t free) {
    std::uint32_t const missing = lanes.missing(group);
    std::uint32_t const enough = group.ballot(free >= missing);
    if (enough != 0) return exec::countr_zero(enough) == group.rank() ? missing : 0;
    std::uint32_t const before = group.exclusive_scan(free);
    if (before >= missing) return 0;
    return free < missing - before ? free : missing - before;
}

/// Takes pages for the lanes that have none: each lane from its own word, of which `free` were free, and
/// there the first ones from page `from` on, around the word. All lanes call it. Returns whether all lanes
/// have a page now. free: afterwards the pages of the word that are still free, as far as the caller knows.
/// Cost: one atomic for the group where one word has enough free pages, otherwise at most one per lane, at
/// the same time.
template <class Store, class Thread, class Group>
[[nodiscard]] RZ_HD bool take_together(Store const& store, Thread const& thread, Group const& group,
                                       exec::rank_order& lanes, typename Store::index_type index,
                                       typename Store::page_set& free, std::uint64_t& page,
                                       std::uint32_t from = 0) {
    std::uint32_t const share = share_of(group, lanes, exec::popcount(free));
    typename Store::page_set got = 0;
    if (share != 0) {
        constexpr std::uint32_t width = Store::pages_per_word == 1 ? 32 : Store::pages_per_word;
        if constexpr (Store::pages_per_word == 1) from = 0;
        auto const next = detail::lowest_pages(exec::rotr(free, from), share);
        got = store.take(thread, index, exec::rotr(next, width - from % width), free);
    }
    return hand_out<Store>(group, lanes, index, got, page);
}

/// Words that a group looks at together: word_of() is the caller's. They lie in one or two lines of 128
/// bytes, and the first lane looks at word `start`, so that groups with different starts prefer different
/// words.
template <class Store, class Group>
class word_window {
public:
    using index_type = typename Store::index_type;

    RZ_HD word_window(Store const& store, Group const& group, index_type start) {
        bool const whole = group.size() >= Store::words_per_line;
        auto const line = whole ? static_cast<std::uint32_t>(start % Store::words_per_line) : 0;
        std::uint32_t const turned = line + group.rank(); // less than twice the group's size
        std::uint32_t const offset = turned < group.size() ? turned : turned - group.size();
        looks_ = offset < store.count(); // in a small store two lanes would look at one word
        index_ = looks_ ? store.further(start - line, offset) : 0;
    }
    /// The number of the caller's word; whether it has one.
    [[nodiscard]] RZ_HD index_type index() const { return index_; }
    [[nodiscard]] RZ_HD bool looks() const { return looks_; }

private:
    index_type index_;
    bool looks_;
};

} // namespace rhizome::alloc

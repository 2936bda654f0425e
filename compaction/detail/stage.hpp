// SPDX-License-Identifier: Apache-2.0
// Elements that a warp collects in shared memory, and writes as whole lines.
#pragma once

#include <rhizome/compaction/bit_mask.hpp>
#include <rhizome/compaction/detail/mask_words.hpp>
#include <rhizome/compaction/detail/source.hpp>
#include <rhizome/compaction/selectable.hpp>
#include <rhizome/compaction/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::compaction::detail {

/// Items of a row that fill a stage at most: a power of two.
[[nodiscard]] constexpr std::uint32_t part_items_of(std::size_t element_bytes) {
    std::uint32_t items = row_items;
    while (items * element_bytes > staged_bytes)
        items /= 2;
    return items;
}
template <class Element>
inline constexpr std::uint32_t part_items = part_items_of(sizeof(Element));
template <class Element>
inline constexpr std::uint32_t part_words = part_items<Element> / bits_per_word;
/// Parts in which a row is written.
template <class Element>
inline constexpr std::uint32_t row_parts = row_items / part_items<Element>;

inline constexpr std::uint32_t most_row_parts = row_items / part_items_of(16);

/// A word of a row, and the number of selected items of the row before it.
struct placed_word {
    std::uint32_t bits;
    std::uint32_t before;
};

/// Shared memory of a warp.
struct warp_stage {
    alignas(four_words) unsigned char bytes[line_bytes + staged_bytes];
    placed_word placed[row_words + 1]; ///< one more for the total

    /// Positions of listed items, in the place of the elements.
    [[nodiscard]] RZ_HD std::uint16_t* list() { return reinterpret_cast<std::uint16_t*>(bytes); }
};
static_assert(listed_items * sizeof(std::uint16_t) <= staged_bytes);

/// Where in a line an output begins.
template <class Element>
[[nodiscard]] RZ_HD std::uint32_t skew_of(Element const* out) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(out) % line_bytes);
}

/// Writes the words of a row, of which lanes 0 to 7 hold four each and the others none, beside what is
/// selected before them.
template <class Warp>
RZ_HD void place_words(Warp const& warp, placed_word* placed, four_words const& words) {
    std::uint32_t before = warp.exclusive_scan(words.count());
    std::uint32_t const first = warp.rank() * words_per_load;
    if (first < row_words) {
        RZ_UNROLL
        for (std::uint32_t i = 0; i < words_per_load; ++i) {
            placed[first + i] = {words.word[i], before};
            before += exec::popcount(words.word[i]);
        }
    } else if (first == row_words) {
        placed[row_words].before = before;
    }
}

/// Loads of a lane that are under way together while a part is staged: a power of two.
[[nodiscard]] constexpr std::uint32_t loads_at_once_of(std::uint32_t loads, std::uint32_t load_bytes) {
    while (loads * load_bytes > held_bytes)
        loads /= 2;
    return loads;
}
template <class Element>
inline constexpr std::uint32_t loads_at_once = loads_at_once_of(part_items<Element> /
                                                                    (warp_lanes * load_elements<Element>),
                                                                register_bytes<loaded<Element>>);

/// Copies the selected elements of a part of the row that begins at item `base` to the stage, from byte
/// `skew` on. `first`: how many items of the row are selected before the part. Lanes load neighbouring
/// elements, each of them that of its own bit of a word. No load waits for a count.
template <class Element, class Warp, class Source>
RZ_HD void stage_part(Warp const& warp, warp_stage& stage, Source const& source, bit_mask const& mask,
                      std::uint64_t base, std::uint32_t part, std::uint32_t first, std::uint32_t skew) {
    constexpr std::uint32_t per_load = load_elements<Element>;
    constexpr std::uint32_t per_round = warp_lanes * per_load;
    constexpr std::uint32_t batch = loads_at_once<Element>;
    constexpr std::uint32_t together = batch < 4 ? batch : 4; // words that are read at once
    constexpr std::uint32_t chosen = (std::uint32_t{1} << per_load) - 1;
    std::uint32_t const lane_item = warp.rank() * per_load;
    std::uint32_t const bit = lane_item % bits_per_word;
    std::uint32_t const lower_bits = (std::uint32_t{1} << bit) - 1;
    auto* const elements = reinterpret_cast<Element*>(stage.bytes + skew);
    bool const whole = has_whole_words<Element>(source, base + row_items, mask.bits);
    RZ_NO_UNROLL
    for (std::uint32_t done = 0; done < part_items<Element>; done += batch * per_round) {
        std::uint32_t const in_row = part * part_items<Element> + done + lane_item;
        placed_word const* const placed = stage.placed + in_row / bits_per_word;
        auto const own = source.from(base + in_row);
        loaded<Element> values[batch]{};
        RZ_UNROLL
        for (std::uint32_t i = 0; i < batch; ++i) {
            std::uint32_t const bits = placed[i * per_load].bits >> bit & chosen;
            if (bits != 0) values[i] = load_selected<Element>(own, i * per_round, bits, whole);
        }
        warp.sync(); // the compiler must not store before all loads are under way
        RZ_UNROLL
        for (std::uint32_t i = 0; i < batch; i += together) {
            placed_word word[together];
            RZ_UNROLL
            for (std::uint32_t j = 0; j < together; ++j)
                word[j] = placed[(i + j) * per_load];
            RZ_UNROLL
            for (std::uint32_t j = 0; j < together; ++j) {
                std::uint32_t place = word[j].before - first + exec::popcount(word[j].bits & lower_bits);
                RZ_UNROLL
                for (std::uint32_t k = 0; k < per_load; ++k)
                    if ((word[j].bits >> (bit + k) & 1) != 0)
                        elements[place++] = part_of<Element>(values[i + j], k);
            }
        }
    }
}

/// The same for a part of which all items are selected.
template <class Element, class Warp, class Source>
RZ_HD void stage_full_part(Warp const& warp, warp_stage& stage, Source const& source,
                           std::uint64_t first_item, std::uint32_t skew) {
    constexpr std::uint32_t batch = loads_at_once<Element>;
    auto* const elements = reinterpret_cast<Element*>(stage.bytes + skew) + warp.rank();
    auto const own = source.from(first_item + warp.rank());
    RZ_NO_UNROLL
    for (std::uint32_t done = 0; done < part_items<Element>; done += batch * warp_lanes) {
        Element values[batch];
        RZ_UNROLL
        for (std::uint32_t i = 0; i < batch; ++i)
            values[i] = own(done + i * warp_lanes);
        warp.sync(); // the compiler must not store before all loads are under way
        RZ_UNROLL
        for (std::uint32_t i = 0; i < batch; ++i)
            elements[done + i * warp_lanes] = values[i];
    }
}

template <class Element>
struct find_unit {
    using type = Element;
};
template <std::uint32_t Bytes, std::uint32_t Alignment>
struct find_unit<element<Bytes, Alignment>> {
    using type = typename element<Bytes, Alignment>::word;
};

/// Writes `count` elements from the stage to `out`: 16 bytes per lane and store, but for the ends.
template <class Warp, class Element>
RZ_HD void write_staged(Warp const& warp, warp_stage const& stage, std::uint32_t skew, std::uint32_t count,
                        Element* out) {
    struct [[gnu::may_alias]] unit {
        typename find_unit<Element>::type value;
    };
    constexpr auto store_bytes = static_cast<std::uint32_t>(sizeof(four_words));
    constexpr auto unit_bytes = static_cast<std::uint32_t>(sizeof(unit));
    auto* const bytes = reinterpret_cast<unsigned char*>(out);
    std::uint32_t const end = skew + count * static_cast<std::uint32_t>(sizeof(Element));
    for (std::uint32_t at = warp.rank() * store_bytes; at < end; at += warp_lanes * store_bytes) {
        if (at >= skew && at + store_bytes <= end) {
            *reinterpret_cast<four_words*>(bytes + (at - skew)) =
                *reinterpret_cast<four_words const*>(stage.bytes + at);
        } else {
            RZ_NO_UNROLL
            for (std::uint32_t i = at; i < at + store_bytes; i += unit_bytes)
                if (i >= skew && i < end)
                    *reinterpret_cast<unit*>(bytes + (i - skew)) =
                        *reinterpret_cast<unit const*>(stage.bytes + i);
        }
    }
}

} // namespace rhizome::compaction::detail

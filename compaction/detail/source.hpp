// SPDX-License-Identifier: Apache-2.0
// What is compacted: elements of an array, or the numbers of the items.
#pragma once

#include <rhizome/compaction/selectable.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::compaction::detail {

/// Elements of an array.
template <class Element>
struct array_source {
    Element const* data;
    [[nodiscard]] RZ_HD Element operator()(std::uint64_t item) const { return data[item]; }
    /// The items from number `first` on.
    [[nodiscard]] RZ_HD array_source from(std::uint64_t first) const { return {data + first}; }
};

/// The numbers of the items themselves.
template <class Index>
struct index_source {
    Index first = 0;
    [[nodiscard]] RZ_HD Index operator()(std::uint64_t item) const {
        return static_cast<Index>(first + item);
    }
    [[nodiscard]] RZ_HD index_source from(std::uint64_t item) const {
        return {static_cast<Index>(first + item)};
    }
};

struct [[gnu::may_alias]] packed_word {
    std::uint32_t bits;
};
/// Elements that a lane loads at once: those of 1 or 2 bytes that share 4 aligned bytes, or one.
template <class Element>
inline constexpr std::uint32_t load_elements = 1;
template <>
inline constexpr std::uint32_t load_elements<element<1, 1>> = 4;
template <>
inline constexpr std::uint32_t load_elements<element<2, 2>> = 2;

/// What a lane loads at once.
template <class Element>
using loaded = std::conditional_t<load_elements<Element> == 1, Element, packed_word>;

/// The selected ones of the neighbouring elements from `item` on: bit i of `bits` says whether element i is
/// selected. `whole`: they lie in one aligned word that can be loaded. The others are unspecified.
template <class Element, class Source>
[[nodiscard]] RZ_HD loaded<Element> load_selected(Source const& source, std::uint64_t item,
                                                  std::uint32_t bits, bool whole) {
    if constexpr (load_elements<Element> == 1) {
        return source(item);
    } else {
        if (whole) return *reinterpret_cast<packed_word const*>(source.data + item);
        packed_word found{0};
        for (std::uint32_t i = 0; i < load_elements<Element>; ++i)
            if ((bits >> i & 1) != 0)
                found.bits |= static_cast<std::uint32_t>(source(item + i).words[0])
                              << (8 * sizeof(Element) * i);
        return found;
    }
}

/// Element i of those.
template <class Element>
[[nodiscard]] RZ_HD Element part_of(loaded<Element> const& from, std::uint32_t i) {
    if constexpr (load_elements<Element> == 1) {
        return from;
    } else {
        return {{static_cast<typename Element::word>(from.bits >> (8 * sizeof(Element) * i))}};
    }
}

/// Whether elements [item, end) of the source can be loaded as words.
template <class Element, class Source>
[[nodiscard]] RZ_HD bool has_whole_words(Source const& source, std::uint64_t end, std::uint64_t items) {
    if constexpr (load_elements<Element> == 1) {
        return true;
    } else {
        return end <= items && reinterpret_cast<std::uintptr_t>(source.data) % sizeof(packed_word) == 0;
    }
}

} // namespace rhizome::compaction::detail

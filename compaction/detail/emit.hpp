// How a warp writes selected elements to contiguous memory.
#pragma once

#include <rhizome/compaction/selectable.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

/// Elements of an array.
template <class Element>
struct array_source {
    Element const* data;
    [[nodiscard]] RZ_HD Element operator()(std::uint64_t item) const { return data[item]; }
};

/// The numbers of the items themselves.
template <class Index>
struct index_source {
    [[nodiscard]] RZ_HD Index operator()(std::uint64_t item) const { return static_cast<Index>(item); }
};

struct [[gnu::may_alias]] packed_word {
    std::uint32_t bits;
};
/// Whether several elements lie in an aligned word.
template <class Element>
inline constexpr bool packs = false;
template <>
inline constexpr bool packs<element<1, 1>> = true;
template <>
inline constexpr bool packs<element<2, 2>> = true;

/// out[j] = at(j) for j < count, where elements have 4 bytes or more. All lanes of the warp call it. Rounds
/// of stores begin at multiples of a warp's width, so that full rounds fill whole cache lines; several loads
/// of a lane are under way.
template <class Warp, class Element, class At>
RZ_HD void emit_elements(Warp const& warp, std::uint32_t count, Element* out, At const& at) {
    constexpr std::uint32_t rounds = sizeof(Element) <= 8 ? 4 : 2;
    std::uint32_t const lanes = warp.size();
    auto const skew =
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(out) / sizeof(Element) % lanes);
    std::uint32_t place =
        warp.rank() - skew; // wraps around for lanes before the first element: not below count
    for (std::uint32_t done = 0; done < count + skew; done += rounds * lanes) {
        Element values[rounds]{};
        for (std::uint32_t i = 0; i < rounds; ++i)
            if (place + i * lanes < count) values[i] = at(place + i * lanes);
        for (std::uint32_t i = 0; i < rounds; ++i)
            if (place + i * lanes < count) out[place + i * lanes] = values[i];
        place += rounds * lanes;
    }
}

/// The same for elements of 1 and 2 bytes: a lane writes the elements of 4 aligned bytes with one store.
template <class Warp, class Element, class At>
RZ_HD void emit_packed(Warp const& warp, std::uint32_t count, Element* out, At const& at) {
    constexpr auto bytes = static_cast<std::uint32_t>(sizeof(Element));
    constexpr std::uint32_t packed = sizeof(packed_word) / bytes;
    std::uint32_t const width = warp.size() * packed;
    auto const skew = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(out) / bytes % width);
    for (std::uint32_t done = 0; done < count + skew; done += width) {
        std::uint32_t const first = done + warp.rank() * packed - skew;
        if (first < count && count - first >= packed) {
            packed_word all{0};
            for (std::uint32_t i = 0; i < packed; ++i)
                all.bits |= static_cast<std::uint32_t>(at(first + i).words[0]) << (8 * bytes * i);
            *reinterpret_cast<packed_word*>(out + first) = all;
        } else {
            for (std::uint32_t i = 0; i < packed; ++i)
                if (first + i < count) out[first + i] = at(first + i);
        }
    }
}

template <class Warp, class Element, class At>
RZ_HD void emit(Warp const& warp, std::uint32_t count, Element* out, At const& at) {
    if constexpr (packs<Element>)
        emit_packed(warp, count, out, at);
    else
        emit_elements(warp, count, out, at);
}

} // namespace rhizome::compaction::detail

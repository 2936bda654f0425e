// SPDX-License-Identifier: Apache-2.0
// Elements at listed positions, in the registers of a warp: all are loaded before the first is stored.
#pragma once

#include <rhizome/compaction/selectable.hpp>
#include <rhizome/compaction/tuning.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

/// How many elements a lane holds.
template <class Element>
inline constexpr std::uint32_t held_per_lane =
    listed_items / warp_lanes* register_bytes<Element> <= held_bytes ? listed_items / warp_lanes
                                                                     : held_bytes / register_bytes<Element>;

/// Lane l holds elements l, l + 32, l + 64, ...
template <class Element>
struct held_elements {
    static constexpr std::uint32_t capacity = warp_lanes * held_per_lane<Element>;
    Element values[held_per_lane<Element>];
};

/// Calls body(i, place) for each of the first `count` places of the warp: place is number i of the lane.
template <class Element, class Warp, class Body>
RZ_HD void for_each_held(Warp const& warp, std::uint32_t count, Body const& body) {
    constexpr std::uint32_t together = held_per_lane<Element> < 4 ? 1 : 4;
    RZ_UNROLL
    for (std::uint32_t first = 0; first < held_per_lane<Element>; first += together) {
        if (first * warp_lanes >= count) break; // all lanes
        RZ_UNROLL
        for (std::uint32_t i = first; i < first + together && i < held_per_lane<Element>; ++i) {
            std::uint32_t const place = i * warp_lanes + warp.rank();
            if (place < count) body(i, place);
        }
    }
}

/// Loads the elements at `count` positions of the source, or as many as the warp can hold.
template <class Warp, class Source, class Element>
RZ_HD void gather(Warp const& warp, Source const& source, std::uint16_t const* list, std::uint32_t count,
                  held_elements<Element>& held) {
    for_each_held<Element>(
        warp, count, [&](std::uint32_t i, std::uint32_t place) { held.values[i] = source(list[place]); });
}

/// Stores them to neighbouring places.
template <class Warp, class Element>
RZ_HD void scatter(Warp const& warp, held_elements<Element> const& held, std::uint32_t count, Element* out) {
    for_each_held<Element>(warp, count,
                           [&](std::uint32_t i, std::uint32_t place) { out[place] = held.values[i]; });
}

} // namespace rhizome::compaction::detail

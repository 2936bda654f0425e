// SPDX-License-Identifier: Apache-2.0
// Searching ascending ids by all lanes of a group.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::graph::detail {

struct tile_place {
    std::uint32_t place; ///< how many ids are smaller
    bool present;
};

/// Searches `size` ascending ids. All lanes of the group call this with the same arguments and get the same
/// answer. Each step leaves one of as many parts as the group has lanes, and one.
template <class Group, class Id>
[[nodiscard]] RZ_HD tile_place search_by_lanes(Group const& group, Id const* ids, std::uint32_t size,
                                               Id target) {
    std::uint32_t low = 0;     // all ids before it are smaller
    std::uint32_t high = size; // this one and those behind it are not
    RZ_NO_UNROLL
    while (high - low > group.size()) {
        std::uint32_t const part = (high - low) / (group.size() + 1);
        std::uint32_t const at = low + (group.rank() + 1) * part;
        std::uint32_t const smaller = group.sum(ids[at] < target ? 1u : 0u);
        std::uint32_t const begin = low;
        if (smaller != 0) low = begin + smaller * part + 1;
        if (smaller != group.size()) high = begin + (smaller + 1) * part;
    }
    std::uint32_t const at = low + group.rank();
    bool const has = at < high;
    Id const id = has ? ids[at] : Id{0};
    std::uint32_t const place = low + group.sum(has && id < target ? 1u : 0u);
    bool present = group.any(has && id == target);
    if (place == high && high < size) present = ids[high] == target;
    return {place, present};
}

} // namespace rhizome::graph::detail

// SPDX-License-Identifier: Apache-2.0
// Where a target is, or would be, among ascending neighbours.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::graph {

struct row_position {
    std::uint32_t place; ///< how many neighbours are smaller than the target
    bool present;
};

/// Cost: a binary search.
template <class Id>
[[nodiscard]] RZ_HD row_position find_in_row(Id const* ids, std::uint32_t degree, Id target) {
    std::uint32_t low = 0;
    for (std::uint32_t high = degree; low < high;) {
        std::uint32_t const middle = low + (high - low) / 2;
        if (ids[middle] < target)
            low = middle + 1;
        else
            high = middle;
    }
    return {low, low < degree && ids[low] == target};
}

} // namespace rhizome::graph

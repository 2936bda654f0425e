// SPDX-License-Identifier: Apache-2.0
// Searches ascending arrays, on the host and on the device.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// The first place in [low, high) whose value is not less than `value`, or high.
template <class T>
[[nodiscard]] RZ_HD std::uint64_t first_not_less(T const* values, std::uint64_t low, std::uint64_t high,
                                                 T value) {
    while (low < high) {
        std::uint64_t const middle = low + (high - low) / 2;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

} // namespace rhizome::algorithms::detail

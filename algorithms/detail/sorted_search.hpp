// Searching ascending arrays, on the device as well.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// First place in [low, high) whose value is not less than `value`, or high.
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

/// The same, in steps that double from `low` on: cheap where the place is near, never much dearer.
template <class T>
[[nodiscard]] RZ_HD std::uint64_t gallop_to_not_less(T const* values, std::uint64_t low, std::uint64_t high,
                                                     T value) {
    std::uint64_t step = 1;
    while (low < high) {
        std::uint64_t const probe = step < high - low ? low + step - 1 : high - 1;
        if (!(values[probe] < value)) return first_not_less(values, low, probe, value);
        low = probe + 1;
        step *= 2;
    }
    return high;
}

} // namespace rhizome::algorithms::detail

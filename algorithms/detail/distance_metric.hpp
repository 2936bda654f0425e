// SPDX-License-Identifier: Apache-2.0
// Distances as words that atomic operations order.
#pragma once

#include <rhizome/algorithms/sssp_options.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace rhizome::algorithms::detail {

/// The greatest finite distance. A variable, because device code must not call a function of the host.
template <edge_weight Weight>
inline constexpr distance_of<Weight> greatest_distance = std::numeric_limits<distance_of<Weight>>::max();

/// A distance is not negative, so its bits, taken for an unsigned integer, have the order of distances.
/// `Weight`: an edge_weight; level_view.hpp has the distances of breadth-first search.
template <class Weight>
struct distance_metric {
    using distance_type = distance_of<Weight>;
    using word_type =
        std::conditional_t<sizeof(distance_type) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;

    [[nodiscard]] static RZ_HD word_type word_of(distance_type distance) {
        return exec::bit_cast<word_type>(distance);
    }
    [[nodiscard]] static RZ_HD distance_type distance_at(word_type word) {
        return exec::bit_cast<distance_type>(word);
    }
    [[nodiscard]] static RZ_HD word_type unreached_word() {
        constexpr distance_type unreached = unreached_distance<Weight>;
        return word_of(unreached);
    }

    /// Neither negative nor NaN.
    [[nodiscard]] static RZ_HD bool is_allowed(Weight weight) {
        if constexpr (std::unsigned_integral<Weight>)
            return true;
        else
            return weight >= Weight{0};
    }

    /// The distance at the end of an arc. Sets `overflows` if it is finite and no number of the type.
    [[nodiscard]] static RZ_HD word_type behind(word_type from, Weight weight,
                                                [[maybe_unused]] bool& overflows) {
        if constexpr (std::integral<Weight>) {
            return from + static_cast<word_type>(weight);
        } else {
            constexpr distance_type infinity = unreached_distance<Weight>;
            distance_type const sum = distance_at(from) + weight;
            if (sum == infinity && weight != infinity) overflows = true;
            return word_of(sum);
        }
    }

    /// A limit about `delta` above a distance, and above it in any case unless there is nothing above.
    [[nodiscard]] static RZ_HD word_type raised(word_type from, double delta) {
        word_type const unreached = unreached_word();
        word_type sum = from;
        if constexpr (std::integral<Weight>) {
            auto const room = static_cast<double>(unreached - from);
            // A double that is not below 2^64 has no integer of 64 bits.
            sum = delta < room && delta < 1e19 ? from + static_cast<word_type>(delta) : unreached;
        } else {
            constexpr distance_type most = greatest_distance<Weight>;
            sum = delta < static_cast<double>(most)
                      ? word_of(distance_at(from) + static_cast<distance_type>(delta))
                      : unreached;
        }
        if (sum <= from) sum = from + 1;
        return sum < unreached ? sum : unreached;
    }
};

} // namespace rhizome::algorithms::detail

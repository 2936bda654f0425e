// SPDX-License-Identifier: Apache-2.0
// An order of the vertices that proves their core numbers.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// The place of a vertex: its core number c, and behind it a label that orders the vertices with that core
/// number; of equal keys the less id comes first. If no vertex has more than c neighbours behind it, no core
/// number is greater than c: the first vertex of a (c + 1)-core in this order would have c + 1 of them.
/// (The order of Zhang, Yu, Zhang and Qin, A Fast Order-Based Approach for Core Maintenance, ICDE 2017.)
struct core_key {
    static constexpr unsigned label_bits = 40; ///< leaves 24 bits for core numbers
    static constexpr std::uint64_t labels = std::uint64_t{1} << label_bits;
    /// The first label that is given out; others are less or greater.
    static constexpr std::uint64_t middle = labels / 2;

    [[nodiscard]] static RZ_HD std::uint64_t of(std::uint32_t core, std::uint64_t label) {
        return std::uint64_t{core} << label_bits | label;
    }
    [[nodiscard]] static RZ_HD std::uint32_t core(std::uint64_t key) {
        return static_cast<std::uint32_t>(key >> label_bits);
    }
    /// Whether the first vertex comes before the second one.
    [[nodiscard]] static RZ_HD bool before(std::uint64_t key, graph::vertex_id v, std::uint64_t other_key,
                                           graph::vertex_id other) {
        return key < other_key || (key == other_key && v < other);
    }
};

/// The program keeps no order.
struct no_core_order {
    static constexpr bool kept = false;
};

/// It gives each vertex a key, with labels in the order of the steps, and of the waves in which a block
/// removes vertices. What blocks remove in one step may be ordered otherwise, so that few vertices have too
/// many neighbours behind them.
struct kept_core_order {
    static constexpr bool kept = true;
    /// Labels are less than middle + labels_used.
    static constexpr std::uint64_t labels_used = core_key::labels / 8;

    std::uint64_t* keys; ///< per vertex

    RZ_HD void put(graph::vertex_id v, std::uint32_t core, std::uint64_t step, std::uint32_t wave) const {
        constexpr unsigned wave_bits = 20;
        constexpr std::uint64_t last_wave = (1u << wave_bits) - 1;
        constexpr std::uint64_t last_step = (labels_used >> wave_bits) - 1;
        std::uint64_t const label =
            (step < last_step ? step : last_step) << wave_bits | (wave < last_wave ? wave : last_wave);
        keys[v] = core_key::of(core, core_key::middle + label);
    }
    RZ_HD void put_isolated(graph::vertex_id v) const { keys[v] = core_key::of(0, core_key::middle); }
};

} // namespace rhizome::algorithms::detail

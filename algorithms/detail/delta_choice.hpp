// SPDX-License-Identifier: Apache-2.0
// The width of the ranges in which shortest paths are searched, from a sample of the graph.
#pragma once

#include <rhizome/algorithms/detail/distance_metric.hpp>
#include <rhizome/algorithms/detail/lane_groups.hpp>
#include <rhizome/algorithms/detail/sssp_memory.hpp>
#include <rhizome/algorithms/detail/sssp_state.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Sums over rows, of one lane.
struct sampled_sums {
    std::uint64_t arcs = 0;
    std::uint64_t rows = 0; ///< that are not empty
    std::uint64_t samples = 0;
    double weights = 0;

    void RZ_HD add_row(std::uint64_t degree) {
        arcs += degree;
        rows += degree != 0 ? 1 : 0;
    }
    /// Adds a few weights of the row of v.
    template <class View>
    RZ_HD void add_weights(sssp_memory<View> const& memory, typename View::id_type v) {
        using metric = distance_metric<typename View::value_type>;
        using word_type = typename metric::word_type;
        memory.for_each_arc(lane_group(0, 1), v, 0, tuning::sampled_arcs, [&](auto, auto weight) {
            bool overflows = false;
            word_type const word = metric::is_allowed(weight)
                                       ? metric::behind(metric::word_of({}), weight, overflows)
                                       : metric::unreached_word();
            if (word >= metric::unreached_word()) return;
            weights += static_cast<double>(metric::distance_at(word));
            ++samples;
        });
    }
    /// Adds the sums of all lanes. Called by all threads of the warp.
    template <class Thread>
    RZ_HD void leave(Thread const& thread, sssp_round& left) const {
        auto const device = [&](auto& word) { return thread.device(word); };
        add_by_warp(thread, left.found.near.arcs, arcs, device);
        add_by_warp(thread, left.rows, rows, device);
        add_by_warp(thread, left.samples, samples, device);
        // Relaxed: a sum that is read behind the barrier.
        if (weights != 0) (void)thread.device(left.weights).fetch_add(weights, exec::order::relaxed);
    }
};

/// Every so many rows are sampled for their weights.
[[nodiscard]] RZ_HD inline std::uint64_t sampling_stride(std::uint64_t vertices) {
    return vertices / tuning::sampled_rows + 1;
}

/// By the published rule.
[[nodiscard]] RZ_HD inline double chosen_delta(sssp_round const& sampled) {
    if (sampled.samples == 0) return 1;
    double const mean_weight = sampled.weights / static_cast<double>(sampled.samples);
    double const mean_degree =
        static_cast<double>(sampled.found.near.arcs) / static_cast<double>(sampled.rows);
    return tuning::delta_factor * mean_weight / mean_degree;
}

} // namespace rhizome::algorithms::detail

// SPDX-License-Identifier: Apache-2.0
// A graph whose arcs all have weight 1, so that shortest paths are those of breadth-first search.
#pragma once

#include <rhizome/algorithms/bfs_options.hpp>
#include <rhizome/algorithms/detail/distance_metric.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// The weight of an arc where all weigh 1.
struct unit_weight {};

/// Distances are levels.
template <>
struct distance_metric<unit_weight> {
    using distance_type = std::uint32_t;
    using word_type = std::uint32_t;

    [[nodiscard]] static RZ_HD word_type word_of(distance_type level) { return level; }
    [[nodiscard]] static RZ_HD distance_type distance_at(word_type word) { return word; }
    [[nodiscard]] static RZ_HD word_type unreached_word() { return unreached; }
    [[nodiscard]] static RZ_HD bool is_allowed(unit_weight) { return true; }
    [[nodiscard]] static RZ_HD word_type behind(word_type from, unit_weight, bool&) { return from + 1; }
    [[nodiscard]] static RZ_HD word_type raised(word_type from, double delta) {
        auto const room = static_cast<double>(unreached - from);
        if (!(delta < room)) return unreached;
        auto const levels = static_cast<word_type>(delta);
        return from + (levels == 0 ? 1 : levels);
    }
};

/// A view with such weights, as far as a search needs one.
template <class View>
struct level_view {
    using id_type = typename View::id_type;
    using value_type = unit_weight;

    View view;

    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return view.vertex_count(); }
    [[nodiscard]] RZ_HD bool is_live(id_type v) const { return view.is_live(v); }
    [[nodiscard]] RZ_HD bool symmetric() const { return view.symmetric(); }
    [[nodiscard]] RZ_HD bool has_in_arcs() const { return view.has_in_arcs(); }
    [[nodiscard]] RZ_HD std::uint64_t degree(id_type v) const { return view.degree(v); }
    [[nodiscard]] RZ_HD auto in_neighbours(id_type v) const { return view.in_neighbours(v); }

    template <class Group, class Function>
    RZ_HD void for_each_edge(Group const& group, id_type v, std::uint64_t first, std::uint64_t last,
                             Function&& function) const {
        view.neighbours(v).for_each(group, first, last,
                                    [&](std::uint64_t i, id_type id) { function(i, id, unit_weight{}); });
    }
    template <class Group, class Function>
    RZ_HD void for_each_in_edge(Group const& group, id_type v, std::uint64_t first, std::uint64_t last,
                                Function&& function) const {
        view.in_neighbours(v).for_each(group, first, last,
                                       [&](std::uint64_t i, id_type id) { function(i, id, unit_weight{}); });
    }
};

/// The rows of in-arcs of a view as rows of arcs. Precondition: view.has_in_arcs().
template <class View>
struct reversed_view {
    using id_type = typename View::id_type;
    using value_type = typename View::value_type;

    View view;

    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return view.vertex_count(); }
    [[nodiscard]] RZ_HD std::uint64_t degree(id_type v) const { return view.in_neighbours(v).size(); }

    template <class Group, class Function>
    RZ_HD void for_each_edge(Group const& group, id_type v, std::uint64_t first, std::uint64_t last,
                             Function&& function) const {
        view.for_each_in_edge(group, v, first, last, function);
    }
};

} // namespace rhizome::algorithms::detail

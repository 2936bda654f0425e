// SPDX-License-Identifier: Apache-2.0
// The memory of shortest paths, and what steps do with it.
#pragma once

#include <rhizome/algorithms/detail/distance_metric.hpp>
#include <rhizome/algorithms/detail/frontier_lists.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// frontier_lists, two piles, a stamp and a mark per vertex.
inline constexpr std::uint64_t sssp_words_per_vertex = 8;

/// A view and the words of its vertices.
template <class View>
struct sssp_memory {
    using id_type = typename View::id_type;
    using weight_type = typename View::value_type;
    using word_type = typename distance_metric<weight_type>::word_type;

    View view;
    word_type* words;     ///< distances, one per vertex
    std::uint32_t* lists; ///< sssp_words_per_vertex per vertex

    [[nodiscard]] RZ_HD frontier_lists<id_type> frontiers() const { return {lists, view.vertex_count()}; }
    [[nodiscard]] RZ_HD id_type* pile_of(std::uint32_t parity) const {
        return lists + (4 + parity % 2) * view.vertex_count();
    }
    /// The last step that listed the vertex.
    [[nodiscard]] RZ_HD std::uint32_t* stamps() const { return lists + 6 * view.vertex_count(); }
    /// Whether the vertex is in the pile.
    [[nodiscard]] RZ_HD std::uint32_t* in_pile() const { return lists + 7 * view.vertex_count(); }
    [[nodiscard]] RZ_HD id_type* list_of(std::uint32_t number) const { return frontiers().of(number); }

    /// Calls function(id, weight) for arcs number `begin` to `end` - 1 of v, as far as there are so many.
    template <class Group, class Function>
    RZ_HD void for_each_arc(Group const& group, id_type v, std::uint64_t begin, std::uint64_t end,
                            Function&& function) const {
        std::uint64_t const degree = view.degree(v);
        view.for_each_edge(
            group, v, begin, end < degree ? end : degree,
            [&](std::uint64_t, id_type id, weight_type const& weight) { function(id, weight); });
    }
};

/// Adds the values of all lanes of the warp, with one atomic. Relaxed: read behind a barrier.
template <class Thread, class Access>
RZ_HD void add_by_warp(Thread const& thread, std::uint64_t& total, std::uint64_t value,
                       Access const& access) {
    std::uint64_t const all = thread.warp().sum(value);
    if (thread.warp().rank() == 0 && all != 0) (void)access(total).fetch_add(all, exec::order::relaxed);
}

} // namespace rhizome::algorithms::detail

// SPDX-License-Identifier: Apache-2.0
// Lists of the vertices whose rows a step visits, by the lengths of these rows.
#pragma once

#include <rhizome/algorithms/detail/lane_groups.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Vertices of a frontier by the length of their rows, and the sum of these lengths.
struct frontier_counts {
    /// Listed vertices: with light, heavy and huge rows.
    std::uint32_t listed[3];
    std::uint64_t arcs;

    /// Which rows are for a few lanes, for a block, and for the grid.
    enum : std::uint32_t { light, heavy, huge };
    [[nodiscard]] static RZ_HD std::uint32_t kind_of(std::uint64_t degree) {
        return degree <= tuning::light_degree ? light : degree <= tuning::block_degree ? heavy : huge;
    }
    [[nodiscard]] RZ_HD std::uint64_t vertices() const {
        return std::uint64_t{listed[light]} + listed[heavy] + listed[huge];
    }
};

/// Two sets of lists, so that a step reads one and fills the other. A set holds each vertex at most once.
template <class Id>
struct frontier_lists {
    Id* ids; ///< 4 per vertex
    std::uint64_t vertices;

    /// The set with that parity: light rows from the beginning, heavy ones from the end; huge ones behind.
    [[nodiscard]] RZ_HD Id* of(std::uint32_t parity) const { return ids + parity % 2 * 2 * vertices; }

    /// Puts a vertex into the list for its degree. `access(word)` is the atomic access to a word of `counts`.
    /// `array`: as for take_place(), if lanes may put vertices into several sets at the same time.
    template <class Thread, class Access>
    RZ_HD void put(Thread const& thread, Id v, std::uint64_t degree, Id* list, frontier_counts& counts,
                   Access const& access, std::uint32_t array = 0) const {
        std::uint32_t const kind = frontier_counts::kind_of(degree);
        place(v, kind, take_place(thread, counts.listed, kind, access, array), list);
    }
    /// Writes a vertex to a place of the list of that kind.
    RZ_HD void place(Id v, std::uint32_t kind, std::uint64_t number, Id* list) const {
        list[kind == frontier_counts::light   ? number
             : kind == frontier_counts::heavy ? vertices - 1 - number
                                              : vertices + number] = v;
    }

    /// Listed vertex number i, of all kinds.
    [[nodiscard]] RZ_HD Id at(std::uint64_t i, Id const* list, frontier_counts const& counts) const {
        if (i < counts.listed[frontier_counts::light]) return list[i];
        i -= counts.listed[frontier_counts::light];
        return i < counts.listed[frontier_counts::heavy]
                   ? list[vertices - 1 - i]
                   : list[vertices + i - counts.listed[frontier_counts::heavy]];
    }

    /// Calls visit(group, v, begin, end) for parts of the listed rows, all of which together are the rows;
    /// `end` may lie behind the end of a row. All threads of the grid call this.
    template <class Thread, class View, class Visit>
    RZ_HD void for_each_row(Thread const& thread, View const& view, Id const* list,
                            frontier_counts const& counts, Visit&& visit) const {
        auto const block = thread.block();
        for (std::uint32_t i = 0; i < counts.listed[frontier_counts::huge]; ++i) {
            Id const v = list[vertices + i];
            std::uint64_t const degree = view.degree(v);
            std::uint64_t const parts = (degree + tuning::block_degree - 1) / tuning::block_degree;
            exec::for_each_group_item(block, parts, [&](std::uint64_t part) {
                visit(block, v, part * tuning::block_degree, (part + 1) * tuning::block_degree);
            });
        }
        for_each_heavy_row(thread, counts.listed[frontier_counts::heavy],
                           [&](lane_group const& group, std::uint64_t i) {
                               visit(group, list[vertices - 1 - i], std::uint64_t{0}, tuning::block_degree);
                           });
        for_each_light_row(thread, false, list, counts, visit);
    }

    /// The same for the light rows alone, by the lanes of the grid, or of the calling block if `one_block`.
    template <class Thread, class Visit>
    RZ_HD void for_each_light_row(Thread const& thread, bool one_block, Id const* list,
                                  frontier_counts const& counts, Visit&& visit) const {
        for_each_short_row(thread, one_block, counts.listed[frontier_counts::light], counts.arcs,
                           [&](lane_group const& group, std::uint64_t i) {
                               visit(group, list[i], std::uint64_t{0}, tuning::block_degree);
                           });
    }
};

/// Calls function(id) for neighbours number `begin` to `end` - 1 of v, as far as there are so many.
template <class View, class Group, class Id, class Function>
RZ_HD void for_each_neighbour(View const& view, Group const& group, Id v, std::uint64_t begin,
                              std::uint64_t end, Function&& function) {
    auto const row = view.neighbours(v);
    std::uint64_t const size = row.size();
    row.for_each(group, begin, end < size ? end : size, [&](std::uint64_t, Id id) { function(id); });
}

} // namespace rhizome::algorithms::detail

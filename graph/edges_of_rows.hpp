// Compressed sparse rows as a list of edges: how a graph is built from them.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>

namespace rhizome::graph {

/// In the memory of the space; values[i] belongs to edges[i], or there are none.
template <class Space, class Id, class Value>
struct row_edges {
    exec::buffer<Space, basic_edge<Id>> edges;
    exec::buffer<Space, Value> values;
};

namespace detail {

/// Whether a neighbour is listed: of symmetric rows, each pair of arcs is one edge.
template <class Id>
[[nodiscard]] RZ_HD bool lists_neighbour(bool each_pair_once, std::uint64_t row, Id neighbour) {
    return !each_pair_once || neighbour >= row;
}

template <class Id>
struct count_listed {
    basic_csr_view<Id> rows;
    bool each_pair_once;
    std::uint64_t* counts; ///< vertices + 1; the last is 0

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, rows.vertex_count() + 1, [&](std::uint64_t row) {
            std::uint64_t listed = 0;
            if (row < rows.vertex_count()) {
                auto const neighbours = rows.neighbours(static_cast<Id>(row));
                for (std::uint64_t k = warp.rank(); k < neighbours.size(); k += warp.size())
                    listed += lists_neighbour(each_pair_once, row, neighbours.begin()[k]) ? 1u : 0u;
            }
            listed = warp.sum(listed);
            if (warp.is_leader()) counts[row] = listed;
        });
    }
};

template <class Id, class Value>
struct list_neighbours {
    basic_csr_view<Id> rows;
    bool each_pair_once;
    std::uint64_t const* offsets; ///< in the list, of each row
    basic_edge<Id>* edges;
    Value const* row_values; ///< nullptr: none
    Value* values;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        Id const* const all = rows.vertex_count() == 0 ? nullptr : rows.neighbours(0).begin();
        exec::for_each_group_item(warp, rows.vertex_count(), [&](std::uint64_t row) {
            auto const neighbours = rows.neighbours(static_cast<Id>(row));
            std::uint64_t const first_value = static_cast<std::uint64_t>(neighbours.begin() - all);
            std::uint64_t place = offsets[row];
            for (std::uint64_t first = 0; first < neighbours.size(); first += warp.size()) {
                std::uint64_t const k = first + warp.rank();
                Id const neighbour = k < neighbours.size() ? neighbours.begin()[k] : Id{};
                bool const listed = k < neighbours.size() && lists_neighbour(each_pair_once, row, neighbour);
                std::uint32_t const one = listed ? 1u : 0u;
                std::uint64_t const own = place + warp.exclusive_scan(one);
                if (listed) {
                    edges[own] = {static_cast<Id>(row), neighbour};
                    if (row_values != nullptr) values[own] = row_values[first_value + k];
                }
                place += warp.sum(one);
            }
        });
    }
};

} // namespace detail

/// An edge for each neighbour, row by row; where each pair of arcs counts once, those to smaller ids are left
/// out. `values` has one for each neighbour, or is nullptr. Waits once. Throws out_of_memory. Cost: two
/// passes over the rows, a warp a row, and a scan of the vertices; 8 bytes an edge (16 for wide ids) and 8 a
/// vertex beside its values.
template <class Space, class Id, class Value>
[[nodiscard]] row_edges<Space, Id, Value> edges_of_rows(Space& space, exec::workspace<Space>& scratch,
                                                        basic_csr_view<Id> const& rows, Value const* values,
                                                        bool each_pair_once) {
    std::uint64_t const vertices = rows.vertex_count();
    exec::buffer<Space, std::uint64_t> offsets(space, vertices + 1);
    auto const a_warp_a_row = exec::cover_tiles<32>(space, vertices + 1);
    launch(space, a_warp_a_row, detail::count_listed<Id>{rows, each_pair_once, offsets.data()});
    exclusive_scan(space, scratch, offsets.data(), offsets.data(), vertices + 1);
    std::uint64_t listed = 0;
    space.copy_out(&listed, offsets.data() + vertices, sizeof(listed));
    row_edges<Space, Id, Value> list{exec::buffer<Space, basic_edge<Id>>(space, listed),
                                     exec::buffer<Space, Value>(space, values == nullptr ? 0 : listed)};
    launch(space, a_warp_a_row,
           detail::list_neighbours<Id, Value>{rows, each_pair_once, offsets.data(), list.edges.data(), values,
                                              list.values.data()});
    return list;
}

} // namespace rhizome::graph

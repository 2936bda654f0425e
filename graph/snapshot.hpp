// Copying any view into compressed sparse rows.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/csr.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>

namespace rhizome::graph {

namespace detail {

template <class View>
struct write_degrees {
    View view;
    std::uint64_t* degrees; ///< vertices + 1; the last is 0

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, view.vertex_count() + 1, [&](std::uint64_t v) {
            degrees[v] = v < view.vertex_count() ? view.degree(static_cast<vertex_id>(v)) : 0;
        });
    }
};

template <class View>
struct copy_rows {
    View view;
    std::uint64_t const* offsets;
    vertex_id* targets;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, view.vertex_count(), [&](std::uint64_t v) {
            neighbour_range const row = view.neighbours(static_cast<vertex_id>(v));
            for (std::uint64_t i = tile.rank(); i < row.size(); i += tile.size())
                targets[offsets[v] + i] = row[i];
        });
    }
};

} // namespace detail

/// A copy of the out-adjacency. Throws out_of_memory. Cost: one pass over the arcs and one wait for their
/// number.
template <class Space, class View>
[[nodiscard]] csr<Space> snapshot(Space& space, exec::workspace<Space>& scratch, View const& view) {
    std::uint64_t const vertices = view.vertex_count();
    csr<Space> copy{exec::buffer<Space, std::uint64_t>(space, vertices + 1),
                    exec::buffer<Space, vertex_id>(space), vertices, view.symmetric()};
    launch(space, cover_threads(space, vertices + 1), detail::write_degrees<View>{view, copy.offsets.data()});
    exclusive_scan(space, scratch, copy.offsets.data(), copy.offsets.data(), vertices + 1);
    std::uint64_t arcs = 0;
    space.copy_out(&arcs, copy.offsets.data() + vertices, sizeof(arcs));
    copy.targets.discard_and_resize(arcs);
    launch(space, exec::cover_tiles<tuning::row_tile>(space, vertices),
           detail::copy_rows<View>{view, copy.offsets.data(), copy.targets.data()});
    return copy;
}

} // namespace rhizome::graph

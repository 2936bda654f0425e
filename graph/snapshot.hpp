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
#include <type_traits>

namespace rhizome::graph {

namespace detail {

/// Whether a view has values beside its neighbours.
template <class View>
inline constexpr bool values_of_view = requires(View const view, vertex_id v) {
    view.values(v);
};

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

template <class View, class Value>
struct copy_rows {
    View view;
    std::uint64_t const* offsets;
    vertex_id* targets;
    Value* values; ///< of edges that have any

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, view.vertex_count(), [&](std::uint64_t v) {
            neighbour_range const row = view.neighbours(static_cast<vertex_id>(v));
            std::uint64_t const first = offsets[v];
            for (std::uint64_t i = tile.rank(); i < row.size(); i += tile.size())
                targets[first + i] = row[i];
            if constexpr (values_of_view<View>) {
                Value const* const from = view.values(static_cast<vertex_id>(v));
                for (std::uint64_t i = tile.rank(); i < row.size(); i += tile.size())
                    values[first + i] = from[i];
            }
        });
    }
};

} // namespace detail

/// A copy of the out-adjacency. Throws out_of_memory. Cost: one pass over the arcs and one wait for their
/// number.
template <class EdgeValue = void, class Space, class View>
[[nodiscard]] csr<Space, EdgeValue> snapshot(Space& space, exec::workspace<Space>& scratch,
                                             View const& view) {
    using value_type = typename csr<Space, EdgeValue>::value_type;
    static_assert(std::is_void_v<EdgeValue> || detail::values_of_view<View>, "this view has no values");
    std::uint64_t const vertices = view.vertex_count();
    csr<Space, EdgeValue> copy{exec::buffer<Space, std::uint64_t>(space, vertices + 1),
                               exec::buffer<Space, vertex_id>(space), exec::buffer<Space, value_type>(space),
                               vertices, view.symmetric()};
    launch(space, cover_threads(space, vertices + 1), detail::write_degrees<View>{view, copy.offsets.data()});
    exclusive_scan(space, scratch, copy.offsets.data(), copy.offsets.data(), vertices + 1);
    std::uint64_t arcs = 0;
    space.copy_out(&arcs, copy.offsets.data() + vertices, sizeof(arcs));
    copy.targets.discard_and_resize(arcs);
    if constexpr (!std::is_void_v<EdgeValue>) copy.values.discard_and_resize(arcs);
    launch(space, exec::cover_tiles<tuning::row_tile>(space, vertices),
           detail::copy_rows<View, value_type>{view, copy.offsets.data(), copy.targets.data(),
                                               copy.values.data()});
    return copy;
}

} // namespace rhizome::graph

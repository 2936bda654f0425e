// Triangle counting, exact.
#pragma once

#include <rhizome/algorithms/detail/row_chunks.hpp>
#include <rhizome/algorithms/detail/symmetric_copy.hpp>
#include <rhizome/algorithms/detail/triangle_kernels.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <stdexcept>
#include <utility>

namespace rhizome::algorithms {

struct triangle_options {
    bool symmetrize = false; ///< count a directed graph too, in a symmetric copy; false refuses it
};

/// Counts the triangles of the underlying simple undirected graph: directions and self-loops do not matter.
/// Keeps its scratch between counts: about 8 bytes an edge and 20 a vertex; a symmetric copy 40 an arc more.
template <class Space>
class triangle_counter {
public:
    explicit triangle_counter(Space space)
        : space_(space), chunks_(space), symmetric_(space), kept_(space), offsets_(space), sources_(space),
          targets_(space), primitives_(space), total_(std::move(space), 1) {}

    /// The view is one of this space, without parallel arcs. Throws std::invalid_argument for a view that is
    /// not symmetric unless options.symmetrize, out_of_memory. Cost: O(edges^1.5) at most, spread evenly over
    /// the edges; three waits.
    template <graph::graph_view View>
    [[nodiscard]] std::uint64_t count(View const& view, triangle_options const& options = {}) {
        if (!view.symmetric() && !options.symmetrize)
            throw std::invalid_argument(
                "triangles: the graph is directed; triangles are counted in undirected "
                "graphs, or in a symmetric copy on request");
        if (view.vertex_count() == 0) return 0;
        if constexpr (View::sorted) {
            if (view.symmetric()) return count_symmetric(view);
        }
        return count_symmetric(symmetric_.of(space_, primitives_, chunks_, view));
    }

private:
    /// Precondition: rows ascend strictly; every arc has its reverse.
    template <class View>
    [[nodiscard]] std::uint64_t count_symmetric(View const& view) {
        detail::oriented_arcs const arcs = orient(view);
        total_.fill_bytes(0);
        launch(space_, exec::cover_tiles<tuning::row_tile>(space_, arcs.count),
               detail::intersect_rows{arcs, total_.data()});
        std::uint64_t total = 0;
        space_.copy_out(&total, total_.data(), sizeof(total));
        return total;
    }

    template <class View>
    [[nodiscard]] detail::oriented_arcs orient(View const& view) {
        std::uint64_t const vertices = view.vertex_count();
        detail::chunk_map const chunks =
            chunks_.cut(space_, primitives_, detail::out_rows<View>{view}, vertices);
        auto* const kept = kept_.template at_least_of<std::uint64_t>(chunks.count + 1);
        auto const shape = exec::cover_tiles<tuning::row_tile>(space_, chunks.count);
        launch(space_, shape, detail::count_oriented<View>{view, chunks, kept});
        exclusive_scan(space_, primitives_, kept, kept, chunks.count + 1);
        std::uint64_t count = 0;
        space_.copy_out(&count, kept + chunks.count, sizeof(count));

        detail::oriented_arcs const arcs{offsets_.template at_least_of<std::uint64_t>(vertices + 1),
                                         sources_.template at_least_of<graph::vertex_id>(count),
                                         targets_.template at_least_of<graph::vertex_id>(count), count};
        launch(space_, shape, detail::fill_oriented<View>{view, chunks, kept, arcs});
        return arcs;
    }

    Space space_;
    detail::row_chunks<Space> chunks_;
    detail::symmetric_copy<Space> symmetric_;
    exec::workspace<Space> kept_;
    exec::workspace<Space> offsets_;
    exec::workspace<Space> sources_;
    exec::workspace<Space> targets_;
    exec::workspace<Space> primitives_;
    exec::buffer<Space, std::uint64_t> total_;
};

} // namespace rhizome::algorithms

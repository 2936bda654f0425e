// The rows of a view cut into chunks of bounded length: what work is handed out by where degrees are skewed.
#pragma once

#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::algorithms::detail {

/// The out-adjacency of a view: rows(v).
template <class View>
struct out_rows {
    View view;
    [[nodiscard]] RZ_HD graph::neighbour_range operator()(graph::vertex_id v) const {
        return view.neighbours(v);
    }
};

/// The in-adjacency. Precondition: view.has_in_arcs().
template <class View>
struct in_rows {
    View view;
    [[nodiscard]] RZ_HD graph::neighbour_range operator()(graph::vertex_id v) const {
        return view.in_neighbours(v);
    }
};

/// Neighbours begin to end - 1 of a row.
struct chunk {
    graph::vertex_id row;
    std::uint64_t begin;
};
[[nodiscard]] inline RZ_HD std::uint64_t end_of(chunk const& piece, graph::neighbour_range const& row) {
    std::uint64_t const end = piece.begin + tuning::chunk_arcs;
    return end < row.size() ? end : row.size();
}

/// Which chunk is of which row, in the memory of the space. Chunks follow each other as their arcs do; a row
/// without neighbours has none.
struct chunk_map {
    std::uint64_t const* first;     ///< vertices + 1: first chunk of a row
    graph::vertex_id const* row_of; ///< one a chunk
    std::uint64_t count;

    [[nodiscard]] RZ_HD chunk operator[](std::uint64_t i) const {
        graph::vertex_id const row = row_of[i];
        return {row, (i - first[row]) * tuning::chunk_arcs};
    }
};

template <class Rows>
struct count_chunks {
    Rows rows;
    std::uint64_t vertices;
    std::uint64_t* counts; ///< vertices + 1; the last is 0

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, vertices + 1, [&](std::uint64_t v) {
            std::uint64_t const arcs = v < vertices ? rows(static_cast<graph::vertex_id>(v)).size() : 0;
            counts[v] = (arcs + tuning::chunk_arcs - 1) / tuning::chunk_arcs;
        });
    }
};

struct name_chunks {
    std::uint64_t const* first;
    std::uint64_t vertices;
    graph::vertex_id* row_of;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, vertices, [&](std::uint64_t v) {
            for (std::uint64_t i = first[v] + tile.rank(); i < first[v + 1]; i += tile.size())
                row_of[i] = static_cast<graph::vertex_id>(v);
        });
    }
};

/// Makes chunk maps; keeps their memory between calls.
template <class Space>
class row_chunks {
public:
    explicit row_chunks(Space space) : first_(space), row_of_(std::move(space)) {}

    /// Good until the next cut. Throws out_of_memory. Cost: a pass over the vertices and one wait.
    template <class Rows>
    [[nodiscard]] chunk_map cut(Space& space, exec::workspace<Space>& scratch, Rows const& rows,
                                std::uint64_t vertices) {
        auto* const first = first_.template at_least_of<std::uint64_t>(vertices + 1);
        launch(space, cover_threads(space, vertices + 1), count_chunks<Rows>{rows, vertices, first});
        exclusive_scan(space, scratch, first, first, vertices + 1);
        std::uint64_t chunks = 0;
        space.copy_out(&chunks, first + vertices, sizeof(chunks));
        auto* const row_of = row_of_.template at_least_of<graph::vertex_id>(chunks);
        launch(space, exec::cover_tiles<tuning::row_tile>(space, vertices),
               name_chunks{first, vertices, row_of});
        return {first, row_of, chunks};
    }

private:
    exec::workspace<Space> first_;
    exec::workspace<Space> row_of_;
};

} // namespace rhizome::algorithms::detail

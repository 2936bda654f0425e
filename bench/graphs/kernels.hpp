// SPDX-License-Identifier: Apache-2.0
// The kernels of the graphs' benchmarks. None is measured.
#pragma once

#include <rhizome/bench/graphs/batch_shape.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/format/row_search.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::bench {

/// Compressed sparse rows in the memory of a space.
struct sparse_rows {
    std::uint64_t const* offsets;
    graph::vertex_id const* targets; ///< ascending within a row
    std::uint64_t vertices;
    std::uint64_t arcs;
};

/// Edges of the shape that are no self-loops and that the graph does not have, so that erasing what was
/// inserted brings the graph back. Counts those for which none was found.
struct draw_edges {
    batch_shape shape;
    sparse_rows present;
    graph::edge* edges;
    std::uint64_t* not_found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t missing = 0;
        exec::for_each_item(thread, shape.count, [&](std::uint64_t place) {
            std::uint64_t attempt = 0;
            graph::edge drawn = shape.draw(place, attempt);
            while (unusable(drawn) && ++attempt < batch_shape::tries)
                drawn = shape.draw(place, attempt);
            missing += attempt == batch_shape::tries ? 1 : 0;
            edges[place] = drawn;
        });
        exec::add_to_total(thread, *not_found, missing);
    }

private:
    [[nodiscard]] RZ_HD bool unusable(graph::edge drawn) const {
        if (drawn.source == drawn.target) return true;
        std::uint64_t const first = present.offsets[drawn.source];
        auto const degree = static_cast<std::uint32_t>(present.offsets[drawn.source + 1] - first);
        return graph::find_in_row(present.targets + first, degree, drawn.target).present;
    }
};

/// Counts the places in which two arrays differ.
template <class T>
struct count_differences {
    T const* left;
    T const* right;
    std::uint64_t count;
    std::uint64_t* differences;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t mine = 0;
        exec::for_each_item(thread, count, [&](std::uint64_t i) { mine += left[i] != right[i] ? 1 : 0; });
        exec::add_to_total(thread, *differences, mine);
    }
};

} // namespace rhizome::bench

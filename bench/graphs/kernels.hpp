// The kernels of the graphs' benchmarks. None is measured.
#pragma once

#include <rhizome/bench/graphs/batch_shape.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/layout/row_search.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>

namespace rhizome::bench {

/// Edges of the shape that are no self-loops and that the graph does not have, so that erasing what was
/// inserted brings the graph back. Counts those for which none was found.
struct draw_edges {
    batch_shape shape;
    graph::csr_view present;
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
        auto const row = present.neighbours(drawn.source);
        return graph::find_in_row(row.begin(), static_cast<std::uint32_t>(row.size()), drawn.target).present;
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

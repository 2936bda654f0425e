// SPDX-License-Identifier: Apache-2.0
// The triangles of each vertex in the table of algorithms.
#pragma once

#include <rhizome/algorithms/local_triangles.hpp>
#include <rhizome/algorithms/maintained/triangles.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/runtime/algorithm.hpp>

namespace rhizome::runtime {

struct local_triangles_entry {
    static algorithm_info info() {
        return {.name = "local-triangles",
                .title = "local-triangles",
                .summary = "counts the triangles of each vertex of a graph",
                .details = "Exact, of the underlying simple undirected graph: directions, self-loops and "
                           "weights of\nedges do not count. 'rhizome triangles' is faster where their number "
                           "in the graph is wanted\nalone.\n",
                .examples = "  rhizome local-triangles social.graph --top 20\n"
                            "  rhizome local-triangles social.graph --output triangles.txt",
                .arrays = {{"triangles"}},
                .array_summary = "the number of triangles of each vertex",
                .display = array_display::highest,
                .command_text = "triangles {count} in {ms}",
                .batch_text = "local triangles {ms}, {count} in all",
                .final_text = "{count}",
                .batch_figures = {"count"},
                .stream_option_help = "count the triangles of each vertex"};
    }

    template <class Space>
    struct kept {
        explicit kept(Space const& space) : counter(space), counts(space) {}
        algorithms::local_triangles<Space> counter;
        exec::workspace<Space> counts;
    };

    template <class Space, class View>
    static algorithm_result run(kept<Space>& own, View const& view, algorithm_arguments const&) {
        auto* const counts = own.counts.template at_least_of<std::uint64_t>(view.vertex_count());
        std::uint64_t const total = own.counter.count(view, counts, {.symmetrize = !view.symmetric()});
        return {{{"count", total}}, {{element_type::uint64, counts}}};
    }

    template <class Space, class Value>
    struct maintained {
        maintained(Space const& space, algorithm_arguments const&, algorithms::maintenance way)
            : result(space, way) {}
        [[nodiscard]] algorithm_result found() const {
            return {{{"count", result.total()}}, {{element_type::uint64, result.counts().data()}}};
        }
        algorithms::maintained_triangles<Space> result;
    };
};

} // namespace rhizome::runtime

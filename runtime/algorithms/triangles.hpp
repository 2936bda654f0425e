// SPDX-License-Identifier: Apache-2.0
// Triangle counting in the table of algorithms.
#pragma once

#include <rhizome/algorithms/maintained/triangles.hpp>
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/runtime/algorithm.hpp>

namespace rhizome::runtime {

struct triangles_entry {
    static algorithm_info info() {
        return {.name = "triangles",
                .title = "triangles",
                .summary = "counts the triangles of a graph",
                .details = "Exact, of the underlying simple undirected graph: directions, self-loops and "
                           "weights\nof edges do not count.\n",
                .examples = "  rhizome triangles social.graph.bz2\n  rhizome triangles social.graph --json",
                .over_ranks = true,
                .command_text = "triangles {count} in {ms}",
                .batch_text = "{count:triangle/triangles} in {ms}",
                .final_text = "{count}",
                .batch_figures = {"count"},
                .stream_option_help = "count triangles"};
    }

    template <class Space>
    struct kept {
        explicit kept(Space const& space) : counter(space) {}
        algorithms::triangle_counter<Space> counter;
    };

    template <class Space, class View>
    static algorithm_result run(kept<Space>& own, View const& view, algorithm_arguments const&) {
        return {{{"count", own.counter.count(view, {.symmetrize = !view.symmetric()})}}, {}};
    }

    template <class Space, class Value>
    struct maintained {
        maintained(Space const& space, algorithm_arguments const&, algorithms::maintenance way)
            : result(space, way) {}
        [[nodiscard]] algorithm_result found() const { return {{{"count", result.total()}}, {}}; }
        algorithms::maintained_triangles<Space> result;
    };
};

} // namespace rhizome::runtime

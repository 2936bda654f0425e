// SPDX-License-Identifier: Apache-2.0
// PageRank by weights in the table of algorithms.
#pragma once

#include <rhizome/algorithms/weighted_pagerank.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/runtime/algorithms/pagerank.hpp>

namespace rhizome::runtime {

struct weighted_pagerank_entry {
    static algorithm_info info() {
        algorithm_info info = pagerank_entry::info();
        info.name = "weighted-pagerank";
        info.title = "weighted-pagerank";
        info.summary = "ranks the vertices of a graph by the weights of its edges";
        info.details =
            "As 'rhizome pagerank', but a vertex gives its rank to its out-neighbours in proportion "
            "to the\nweights of the edges to them. No weight may be negative. Vertices whose "
            "out-arcs all weigh 0\ncount as without out-arcs.\n";
        info.examples = "  rhizome weighted-pagerank citations.graph --top 20";
        info.without_weights = "'rhizome pagerank' ranks vertices without weights";
        info.over_ranks = false;
        info.command_text =
            "weighted-pagerank\n{ms}, {iterations:iteration/iterations}, {converged:converged/NOT "
            "converged} (residual {residual:.3g})";
        info.batch_text = "weighted pagerank {ms}, {iterations:iteration/iterations}";
        info.maintained_text = "weighted pagerank {ms}, error at most {error:.2g}";
        info.stream_option_help = "run PageRank by weights";
        info.parameters.pop_back(); // ranks are doubles
        return info;
    }

    template <class Space>
    struct kept {
        explicit kept(Space const& on) : space(on), pagerank(on), start(on) {}
        Space space;
        algorithms::weighted_pagerank<Space> pagerank;
        exec::buffer<Space, double> start;
    };

    template <class Space, algorithms::weighted_view View>
    static algorithm_result run(kept<Space>& own, View const& view, algorithm_arguments const& given) {
        auto const found = own.pagerank.run(view, pagerank_entry::options(given),
                                            pagerank_entry::inputs(own.space, own.start, given));
        return {pagerank_entry::figures(found), {{element_type::float64, found.ranks}}};
    }

    template <class Space, algorithms::edge_weight Value>
    using maintained = pagerank_entry::maintained_ranks<Space, Value>;
};

} // namespace rhizome::runtime

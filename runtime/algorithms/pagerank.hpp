// SPDX-License-Identifier: Apache-2.0
// PageRank in the table of algorithms.
#pragma once

#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/runtime/algorithm.hpp>

namespace rhizome::runtime {

struct pagerank_entry {
    static algorithm_info info() {
        return {.name = "pagerank",
                .title = "pagerank",
                .summary = "ranks the vertices of a graph",
                .details =
                    "rank = (1 - damping)/n + damping * (sum over u -> v of rank(u)/outdegree(u) + "
                    "dangling/n);\n"
                    "the rank of vertices without out-arcs is spread uniformly; ranks sum to 1. Weights "
                    "of edges\nplay no part.\n",
                .examples = "  rhizome pagerank web.graph --top 20\n"
                            "  rhizome pagerank web.graph --output ranks.txt",
                .parameters = {{"damping", 0.85, "X", "PageRank: damping, in [0, 1)", true},
                               {"tolerance", 1e-6, "X",
                                "PageRank: stops when the L1 norm of a step's change is at most this", true},
                               {"max-iterations", std::uint64_t{100}, "N",
                                "PageRank: stops after as many iterations"},
                               {"single-precision", false}},
                .arrays = {{"rank"}},
                .array_summary = "all ranks",
                .display = array_display::highest,
                .over_ranks = true,
                .text = "pagerank  {ms}, {iterations:iteration/iterations}, {converged:converged/NOT "
                        "converged} (residual "
                        "{residual:.3g})",
                .step = "pagerank {ms}, {iterations:iteration/iterations}",
                .last = "{iterations:iteration/iterations}, {converged:converged/NOT converged} (residual "
                        "{residual:.3g})",
                .step_figures = {"iterations", "residual", "converged"},
                .every = "run PageRank",
                .check = [](algorithm_arguments const& given) { options(given).check(); }};
    }

    static algorithms::pagerank_options options(algorithm_arguments const& given) {
        constexpr std::uint64_t most = 0xffff'ffffu;
        std::uint64_t const iterations = given.count("max-iterations");
        return {.damping = given.real("damping"),
                .tolerance = given.real("tolerance"),
                .max_iterations = static_cast<unsigned>(iterations < most ? iterations : most),
                .progress = given.progress};
    }

    template <class Found>
    static std::vector<figure> figures(Found const& found) {
        return {{"iterations", std::uint64_t{found.iterations}},
                {"residual", found.residual},
                {"converged", found.converged}};
    }

    template <class Space>
    struct kept {
        explicit kept(Space const& space) : in_float(space), in_double(space) {}
        algorithms::pagerank<float, Space> in_float;
        algorithms::pagerank<double, Space> in_double;
    };

    template <class Space, class View>
    static algorithm_result run(kept<Space>& own, View const& view, algorithm_arguments const& given) {
        auto const ranked = [&](auto& pagerank, element_type type) -> algorithm_result {
            auto const found = pagerank.run(view, options(given));
            return {figures(found), {{type, found.ranks}}};
        };
        return given.flag("single-precision") ? ranked(own.in_float, element_type::float32)
                                              : ranked(own.in_double, element_type::float64);
    }
};

} // namespace rhizome::runtime

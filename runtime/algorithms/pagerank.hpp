// SPDX-License-Identifier: Apache-2.0
// PageRank in the table of algorithms.
#pragma once

#include <rhizome/algorithms/maintained/pagerank.hpp>
#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/runtime/algorithm.hpp>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

namespace rhizome::runtime {

struct pagerank_entry {
    static algorithm_info info() {
        return {
            .name = "pagerank",
            .title = "pagerank",
            .summary = "ranks the vertices of a graph",
            .details = "rank = (1 - damping)/n + damping * (sum over u -> v of rank(u)/outdegree(u) + "
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
                           // Where it starts and teleports: algorithms::pagerank_inputs, in host memory.
                           {"start", std::vector<double>{}},
                           {"teleport", std::vector<graph::vertex_id>{}},
                           {"teleport-weights", std::vector<double>{}},
                           {"single-precision", false}},
            .arrays = {{"rank"}},
            .array_summary = "all ranks",
            .display = array_display::highest,
            .over_ranks = true,
            .command_text = "pagerank  {ms}, {iterations:iteration/iterations}, {converged:converged/NOT "
                            "converged} (residual "
                            "{residual:.3g})",
            .batch_text = "pagerank {ms}, {iterations:iteration/iterations}",
            .final_text = "{iterations:iteration/iterations}, {converged:converged/NOT converged} (residual "
                          "{residual:.3g})",
            .batch_figures = {"iterations", "residual", "converged"},
            .stream_option_help = "run PageRank",
            .maintained_text = "pagerank {ms}, error at most {error:.2g}",
            .maintained_final_text = "error at most {error:.2g}, {converged:converged/NOT converged}",
            .maintained_figures = {"error", "converged", "rounds"},
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
        explicit kept(Space const& on)
            : space(on), in_float(on), in_double(on), float_start(on), double_start(on) {}
        Space space;
        algorithms::pagerank<float, Space> in_float;
        algorithms::pagerank<double, Space> in_double;
        exec::buffer<Space, float> float_start;
        exec::buffer<Space, double> double_start;
    };

    /// The inputs that were given; `room` holds the start in the space.
    template <class Real, class Space>
    static algorithms::pagerank_inputs<Real> inputs(Space space, exec::buffer<Space, Real>& room,
                                                    algorithm_arguments const& given) {
        std::span<double const> const start = given.reals("start");
        algorithms::pagerank_inputs<Real> inputs{.sources = given.vertices("teleport"),
                                                 .weights = given.reals("teleport-weights")};
        if (start.empty()) return inputs;
        double sum = 0;
        for (double const rank : start) {
            if (!(rank >= 0)) throw std::invalid_argument("pagerank: start ranks must not be negative");
            sum += rank;
        }
        if (!(sum <= 1e300)) throw std::invalid_argument("pagerank: start ranks are too large");
        std::vector<Real> scaled(start.size());
        for (std::size_t v = 0; v < start.size(); ++v)
            scaled[v] = static_cast<Real>(sum == 0 ? 0 : start[v] / sum);
        if (room.size() != scaled.size()) room.discard_and_resize(scaled.size());
        space.copy_in(room.data(), scaled.data(), scaled.size() * sizeof(Real));
        inputs.start = room.data();
        inputs.start_count = scaled.size();
        return inputs;
    }

    template <class Space, class View>
    static algorithm_result run(kept<Space>& own, View const& view, algorithm_arguments const& given) {
        auto const ranked = [&](auto& pagerank, auto& start, element_type type) -> algorithm_result {
            auto const found = pagerank.run(view, options(given), inputs(own.space, start, given));
            return {figures(found), {{type, found.ranks}}};
        };
        return given.flag("single-precision")
                   ? ranked(own.in_float, own.float_start, element_type::float32)
                   : ranked(own.in_double, own.double_start, element_type::float64);
    }

    /// Ranks that follow the graph, by weights if Value is not void.
    template <class Space, class Value>
    struct maintained_ranks {
        maintained_ranks(Space const& space, algorithm_arguments const& given, algorithms::maintenance way)
            : result(space,
                     {.damping = given.real("damping"),
                      .tolerance = given.real("tolerance"),
                      .sources = {given.vertices("teleport").begin(), given.vertices("teleport").end()},
                      .weights = {given.reals("teleport-weights").begin(),
                                  given.reals("teleport-weights").end()}},
                     way) {}
        [[nodiscard]] algorithm_result found() const {
            return {{{"error", result.error()},
                     {"converged", result.converged()},
                     {"rounds", std::uint64_t{result.rounds()}}},
                    {{element_type::float64, result.ranks().data()}}};
        }
        algorithms::maintained_pagerank<Space, Value> result;
    };
    template <class Space, class Value>
    struct maintained : maintained_ranks<Space, void> {
        maintained(Space const& space, algorithm_arguments const& given, algorithms::maintenance way)
            : maintained_ranks<Space, void>(space, given, way) {
            if (given.flag("single-precision"))
                throw std::invalid_argument("pagerank: ranks that follow a graph are doubles");
        }
    };
};

} // namespace rhizome::runtime

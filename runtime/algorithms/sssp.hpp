// SPDX-License-Identifier: Apache-2.0
// Shortest paths in the table of algorithms.
#pragma once

#include <rhizome/algorithms/maintained/sssp.hpp>
#include <rhizome/algorithms/sssp.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/runtime/algorithm.hpp>
#include <rhizome/runtime/algorithms/reached.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>

namespace rhizome::runtime {

struct sssp_entry {
    static algorithm_info info() {
        return {
            .name = "sssp",
            .title = "sssp",
            .summary = "finds shortest paths by the weights of the edges of a graph",
            .details = "The distance of a vertex is the least sum of weights along a path to it from a "
                       "source; edges of\ndirected graphs are followed in their direction. No weight may be "
                       "negative. The parent of a\nvertex is the vertex before it on such a path (of a "
                       "source the source itself).\n"
                       "--delta is the width of the ranges of distances that are searched one after another; "
                       "distances\ndo not depend on it. edges/s counts the edges between vertices that were "
                       "reached, undirected\nones once.\n",
            .examples = "  rhizome sssp USA-road-d.NY.gr.gz --source 0\n"
                        "  rhizome sssp weighted.graph --source 7 --output distances.txt --space host",
            .parameters = {{"source", std::vector<graph::vertex_id>{}, "V[,V...]", "", true},
                           {"delta", 0.0, "X",
                            "shortest paths: width of the ranges of distances; 0: chosen by the weights"},
                           {"parents", true}},
            .arrays = {{"distance", array_info::meaning::number_if_any},
                       {"parent", array_info::meaning::vertex}},
            .array_summary = "distances and parents",
            .without_weights = "'rhizome bfs' finds paths of fewest edges",
            .arcs_are_reached = true,
            .command_text = "sssp      {source}: {reached} of {vertices} reached, the farthest at distance "
                            "{largest_distance}\n"
                            "{ms}, {rate}; delta {delta:.4g}, {rounds:round/rounds}",
            .batch_text = "sssp {ms}, {reached} reached, distance at most {largest_distance}",
            .final_text = "{reached} reached, distance at most {largest_distance}",
            .batch_figures = {"reached", "largest_distance"},
            .stream_option_help = "find shortest paths",
            .maintained_text = "sssp {ms}, {reached} reached",
            .maintained_final_text = "{reached} reached",
            .maintained_figures = {"reached"},
            .add_figures =
                [](algorithm_result& found, std::span<array_on_host const> arrays) {
                    double largest = 0;
                    for (double const distance : std::get<std::vector<double>>(arrays[0]))
                        if (std::isfinite(distance)) largest = std::max(largest, distance);
                    found.figures.insert(found.figures.begin() + 1, {"largest_distance", largest});
                },
            .check =
                [](algorithm_arguments const& given) {
                    algorithms::shortest_paths_options{.delta = given.real("delta")}.check();
                }};
    }

    template <class Space>
    struct kept {
        explicit kept(Space const& space) : paths(space), distances(space), parents(space) {}
        algorithms::shortest_paths<Space> paths;
        exec::workspace<Space> distances;
        exec::workspace<Space> parents;
    };

    template <class Weight>
    static constexpr element_type type_of_distances =
        std::integral<Weight>                                  ? element_type::distance
        : std::same_as<algorithms::distance_of<Weight>, float> ? element_type::float32
                                                               : element_type::float64;

    template <class Space, algorithms::weighted_view View>
    static algorithm_result run(kept<Space>& own, View const& view, algorithm_arguments const& given) {
        using weight = typename View::value_type;
        using distance = algorithms::distance_of<weight>;
        std::uint64_t const vertices = view.vertex_count();
        auto* const distances = own.distances.template at_least_of<distance>(vertices);
        graph::vertex_id* parents = nullptr;
        algorithm_result result;
        result.arrays = {{type_of_distances<weight>, distances}};
        if (given.flag("parents")) {
            parents = own.parents.template at_least_of<graph::vertex_id>(vertices);
            result.arrays.push_back({element_type::uint32, parents});
        }
        auto const found =
            own.paths.run(view, given.vertices("source"), distances, parents, {.delta = given.real("delta")});
        result.figures = {{"reached", found.reached}, {"delta", found.delta}, {"rounds", found.rounds}};
        return result;
    }

    template <class Space, algorithms::edge_weight Value>
    struct maintained {
        maintained(Space const& space, algorithm_arguments const& given, algorithms::maintenance way)
            : reached(space), with_parents(given.flag("parents")),
              result(space, {given.vertices("source").begin(), given.vertices("source").end()}, way, nullptr,
                     {.delta = given.real("delta")}) {}
        [[nodiscard]] algorithm_result found() {
            algorithm_result all{
                {{"reached", reached.count(result.distances(), algorithms::unreached_distance<Value>)}},
                {{type_of_distances<Value>, result.distances().data()}}};
            if (with_parents) all.arrays.push_back({element_type::uint32, result.parents().data()});
            return all;
        }
        reached_counter<Space> reached;
        bool with_parents;
        algorithms::maintained_shortest_paths<Space, Value> result;
    };
};

} // namespace rhizome::runtime

// SPDX-License-Identifier: Apache-2.0
// Breadth-first search in the table of algorithms.
#pragma once

#include <rhizome/algorithms/bfs.hpp>
#include <rhizome/algorithms/maintained/bfs.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/runtime/algorithm.hpp>
#include <rhizome/runtime/algorithms/reached.hpp>

namespace rhizome::runtime {

struct bfs_entry {
    static algorithm_info info() {
        return {.name = "bfs",
                .title = "bfs",
                .summary = "searches a graph breadth-first from one or several vertices",
                .details =
                    "The level of a vertex is the number of edges on a shortest path to it from a source; "
                    "edges of\ndirected graphs are followed in their direction. Weights of edges play no "
                    "part. The parent of a\nvertex is the vertex before it on such a path (of a source "
                    "the source itself).\n"
                    "edges/s counts the edges between vertices that were reached, undirected ones once, "
                    "as Graph500\ndoes. Levels that were searched bottom-up looked at fewer of them.\n",
                .examples = "  rhizome bfs road.graph --source 0\n"
                            "  rhizome bfs web.graph --source 7,1000 --output levels.txt.gz",
                .parameters = {{"source", std::vector<graph::vertex_id>{}, "V[,V...]", "", true},
                               {"parents", true}},
                .arrays = {{"level", array_info::meaning::number_if_any},
                           {"parent", array_info::meaning::vertex}},
                .array_summary = "levels and parents",
                .display = array_display::histogram,
                .display_name = "level",
                .over_ranks = true,
                .arcs_are_reached = true,
                .command_text = "bfs       {source}: {reached} of {vertices} reached, {levels:level/levels} "
                                "({bottom_up_levels} "
                                "bottom-up)\n{ms}, {rate}",
                .batch_text = "bfs {ms}, {reached} reached in {levels:level/levels}",
                .final_text = "{reached} reached in {levels:level/levels}",
                .batch_figures = {"reached", "levels"},
                .stream_option_help = "search breadth-first",
                .maintained_text = "bfs {ms}, {reached} reached",
                .maintained_final_text = "{reached} reached",
                .maintained_figures = {"reached"}};
    }

    template <class Space>
    struct kept {
        explicit kept(Space const& space) : search(space), levels(space), parents(space) {}
        algorithms::breadth_first_search<Space> search;
        exec::workspace<Space> levels;
        exec::workspace<Space> parents;
    };

    static std::vector<figure> figures(algorithms::bfs_report const& found) {
        return {{"reached", found.reached},
                {"levels", std::uint64_t{found.levels}},
                {"bottom_up_levels", std::uint64_t{found.bottom_up}},
                {"arcs", found.arcs}};
    }

    template <class Space, class View>
    static algorithm_result run(kept<Space>& own, View const& view, algorithm_arguments const& given) {
        std::uint64_t const vertices = view.vertex_count();
        auto* const levels = own.levels.template at_least_of<std::uint32_t>(vertices);
        graph::vertex_id* parents = nullptr;
        algorithm_result result;
        result.arrays = {{element_type::uint32, levels}};
        if (given.flag("parents")) {
            parents = own.parents.template at_least_of<graph::vertex_id>(vertices);
            result.arrays.push_back({element_type::uint32, parents});
        }
        result.figures = figures(own.search.run(view, given.vertices("source"), levels, parents));
        return result;
    }

    template <class Space, class Value>
    struct maintained {
        maintained(Space const& space, algorithm_arguments const& given, algorithms::maintenance way)
            : reached(space), with_parents(given.flag("parents")),
              result(space, {given.vertices("source").begin(), given.vertices("source").end()}, way) {}
        [[nodiscard]] algorithm_result found() {
            algorithm_result all{{{"reached", reached.count(result.levels(), algorithms::unreached)}},
                                 {{element_type::uint32, result.levels().data()}}};
            if (with_parents) all.arrays.push_back({element_type::uint32, result.parents().data()});
            return all;
        }
        reached_counter<Space> reached;
        bool with_parents;
        algorithms::maintained_bfs<Space> result;
    };
};

} // namespace rhizome::runtime

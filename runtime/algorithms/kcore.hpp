// SPDX-License-Identifier: Apache-2.0
// Core numbers in the table of algorithms.
#pragma once

#include <rhizome/algorithms/kcore.hpp>
#include <rhizome/algorithms/maintained/core_numbers.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/runtime/algorithm.hpp>

#include <algorithm>

namespace rhizome::runtime {

struct kcore_entry {
    static algorithm_info info() {
        return {
            .name = "kcore",
            .title = "k-cores",
            .summary = "finds the core numbers of the vertices of a graph",
            .details = "The k-core of a graph is its largest part in which every vertex has at least k "
                       "neighbours.\nThe core number of a vertex is the largest k whose k-core contains "
                       "it. Directions, self-loops\nand weights of edges do not count.\n",
            .examples = "  rhizome kcore social.graph\n"
                        "  rhizome kcore social.graph --output cores.txt --json",
            .arrays = {{"core-number"}},
            .array_summary = "the core number of each vertex",
            .display = array_display::histogram,
            .display_name = "core number",
            .command_text =
                "k-cores   the largest core number is {largest}, of {vertices_in_largest:vertex/vertices}\n"
                "{ms}, {rate}",
            .batch_text = "largest core number {largest} in {ms}",
            .final_text = "largest core number {largest}",
            .batch_figures = {"largest"},
            .stream_option_help = "find core numbers",
            .add_figures = [](algorithm_result& found, std::span<array_on_host const> arrays) {
                auto const& cores = std::get<std::vector<std::uint32_t>>(arrays[0]);
                auto const largest = found.get<std::uint64_t>("largest");
                auto const count = std::count(cores.begin(), cores.end(), largest);
                found.figures.push_back({"vertices_in_largest", static_cast<std::uint64_t>(count)});
            }};
    }

    template <class Space>
    struct kept {
        explicit kept(Space const& space) : cores(space), numbers(space) {}
        algorithms::k_core<Space> cores;
        exec::workspace<Space> numbers;
    };

    template <class Space, class View>
    static algorithm_result run(kept<Space>& own, View const& view, algorithm_arguments const&) {
        auto* const numbers = own.numbers.template at_least_of<std::uint32_t>(view.vertex_count());
        auto const found = own.cores.run(view, numbers, {.symmetrize = !view.symmetric()});
        return {{{"largest", std::uint64_t{found.largest}}}, {{element_type::uint32, numbers}}};
    }

    template <class Space, class Value>
    struct maintained {
        maintained(Space const& space, algorithm_arguments const&, algorithms::maintenance way)
            : result(space, way) {}
        [[nodiscard]] algorithm_result found() const {
            return {{{"largest", std::uint64_t{result.largest()}}},
                    {{element_type::uint32, result.core_numbers().data()}}};
        }
        algorithms::maintained_core_numbers<Space> result;
    };
};

} // namespace rhizome::runtime

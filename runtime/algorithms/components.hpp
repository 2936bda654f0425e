// SPDX-License-Identifier: Apache-2.0
// Connected components in the table of algorithms.
#pragma once

#include <rhizome/algorithms/components.hpp>
#include <rhizome/algorithms/maintained/components.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/runtime/algorithm.hpp>

namespace rhizome::runtime {

struct components_entry {
    static algorithm_info info() {
        return {.name = "components",
                .title = "components",
                .summary = "finds the connected components of a graph",
                .details = "Of a directed graph the weakly connected components: directions do not matter, "
                           "nor do weights\nof edges. A component is named by its first vertex, the one with "
                           "the least number. The sizes\nthat follow count components by their vertices.\n",
                .examples = "  rhizome components road.graph\n"
                            "  rhizome components web.graph --top 3 --output components.txt",
                .arrays = {{"component", array_info::meaning::vertex}},
                .array_summary = "the component of each vertex",
                .display = array_display::sizes,
                .display_name = "components",
                .over_ranks = true,
                .command_text = "{count:component/components} in {ms}, {rate}",
                .batch_text = "{count:component/components} in {ms}",
                .final_text = "{count}",
                .batch_figures = {"count"},
                .stream_option_help = "find connected components"};
    }

    template <class Space>
    struct kept {
        explicit kept(Space const& space) : join(space), ids(space) {}
        algorithms::connected_components<Space> join;
        exec::workspace<Space> ids;
    };

    template <class Space, class View>
    static algorithm_result run(kept<Space>& own, View const& view, algorithm_arguments const&) {
        auto* const ids = own.ids.template at_least_of<graph::vertex_id>(view.vertex_count());
        return {{{"count", own.join.run(view, ids)}}, {{element_type::uint32, ids}}};
    }

    template <class Space, class Value>
    struct maintained {
        maintained(Space const& space, algorithm_arguments const&, algorithms::maintenance way)
            : result(space, way) {}
        [[nodiscard]] algorithm_result found() const {
            return {{{"count", result.count()}}, {{element_type::uint32, result.components().data()}}};
        }
        algorithms::maintained_components<Space> result;
    };
};

} // namespace rhizome::runtime

// SPDX-License-Identifier: Apache-2.0
// Core numbers, shortest paths and searches by advance() on the layouts in which rows are unsorted and lie in
// several pages. The values of the edges serve as weights.
#include "cases.hpp"
#include "frontier_search.hpp"
#include "search_oracles.hpp"
#include "weighted_graphs.hpp"

#include <rhizome/algorithms/kcore.hpp>
#include <rhizome/algorithms/sssp.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/exec/simt.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/layout/buckets.hpp>
#include <rhizome/graph/layout/linked_pages.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::tests {
namespace {

/// Rows of one page and of many, with self-loops, and after erasures.
template <class Space, class Layout>
void expect_same_answers() {
    std::uint64_t seed = 0;
    for (auto list : {skewed_edges(60, 800, 2), wheel_with_two_hubs(300)}) {
        SCOPED_TRACE(list.name);
        auto space = make_space<Space>({.seed = ++seed});
        graph::dynamic_graph<Space, Layout, graph::default_allocator<Space>, double> graph(
            space, {.vertices = list.vertices});
        weighing const weigher{40, true};
        insert_weighted(graph, list.edges, weigher);
        std::vector<graph::vertex_id> const gone{7, 30};
        graph.erase_vertices(gone);
        std::erase_if(list.edges, [](graph::edge const& e) {
            return e.source == 7 || e.source == 30 || e.target == 7 || e.target == 30;
        });
        auto const arcs = plain(list.vertices, list.edges, false);

        algorithms::k_core<Space> cores(space);
        exec::buffer<Space, std::uint32_t> found(space, list.vertices);
        (void)cores.run(graph.view(), found.data());
        EXPECT_EQ(found.to_host(), core_numbers_by_boost(arcs));

        algorithms::shortest_paths<Space> paths(space);
        expect_paths(space, paths, graph.view(), weigh<double>(arcs, weigher), {0});
        expect_paths(space, paths, graph.view(), weigh<double>(arcs, weigher), {0}, {.narrow_vertices = 0});

        EXPECT_EQ(levels_by_advance(space, graph, list.vertices, {0, 1}), levels_plainly(arcs, {0, 1}));
        std::vector<graph::vertex_id> const some{0, 5, 1, 7, 0, 59};
        exec::buffer<Space, std::uint32_t> calls(space, std::vector<std::uint32_t>(list.vertices));
        algorithms::frontier<Space> out(space);
        advance(graph, algorithms::frontier<Space>(space, some), out, accept_some{calls.data()});
        EXPECT_EQ(sorted_ids(out), advance_plainly(arcs, some).found);
        EXPECT_EQ(calls.to_host(), advance_plainly(arcs, some).calls);
    }
}

// A graph type takes long to compile, so each layout is tried on one space.
#if RZ_THREAD_SANITIZER
using paged_space = exec::host_space;
#else
using paged_space = exec::simt_space;
#endif
TEST(unsorted_layouts, have_right_answers_in_linked_pages) {
    expect_same_answers<paged_space, graph::linked_pages<128>>();
}
TEST(unsorted_layouts, have_right_answers_in_buckets) {
    expect_same_answers<exec::host_space, graph::buckets<>>();
}

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// Breadth-first search and components of graphs chosen at run time, each type of the catalogue.
#include "chosen_graphs.hpp"

#include <rhizome/runtime/catalogue.hpp>

#include <algorithms/search_oracles.hpp>
#include <graph/edge_list.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

namespace rhizome::tests {
namespace {

using ids = std::vector<graph::vertex_id>;

class searches_test : public testing::TestWithParam<chosen_graph> {
protected:
    static constexpr std::uint64_t vertices = 200;

    void open(bool directed, bool in_arcs) {
        runtime::graph_choice choice = GetParam().with(vertices);
        choice.directed = directed;
        choice.in_arcs = in_arcs;
        graph_ = runtime::open_graph(choice);
    }
    void insert(edge_list const& edges) {
        std::vector<double> const values(edges.size(), 1.5);
        if (GetParam().has_values())
            graph_->insert_edges(edges, values);
        else
            graph_->insert_edges(edges);
    }
    /// Searches from these, and compares with the plain graph of these edges.
    void expect_search(plain_graph const& expected, ids const& sources) {
        runtime::bfs_answer const answer = graph_->bfs(sources);
        EXPECT_EQ(answer.levels, levels_plainly(expected, sources));
        EXPECT_EQ(broken_search_rule(expected, sources, answer.levels, answer.parents), "");
        std::uint64_t const missing = static_cast<std::uint64_t>(
            std::count(answer.levels.begin(), answer.levels.end(), algorithms::unreached));
        EXPECT_EQ(answer.report.reached, vertices - missing);
    }
    void expect_components(plain_graph const& expected) {
        runtime::components_answer const answer = graph_->components();
        ids const plainly = components_plainly(expected);
        EXPECT_EQ(answer.components, plainly);
        EXPECT_EQ(answer.count, std::set<graph::vertex_id>(plainly.begin(), plainly.end()).size());
    }

    std::unique_ptr<runtime::any_graph> graph_;
};

TEST_P(searches_test, of_each_kind_of_graph_agree_with_plain_code) {
    edge_list const edges = random_edges(180, vertices, 5); // so few that there are many components
    for (bool const directed : {false, true})
        for (bool const in_arcs : {false, true}) {
            if (in_arcs && !directed) continue;
            open(directed, in_arcs);
            insert(edges);
            plain_graph const expected = plain(vertices, edges, directed);
            expect_search(expected, {0});
            expect_search(expected, {7, 150, 7, 31});
            expect_search(expected, {});
            expect_components(expected);
        }
}

TEST_P(searches_test, see_a_snapshot_or_the_present_graph) {
    open(false, false);
    edge_list const edges{{0, 1}, {1, 2}, {2, 3}, {5, 6}};
    insert(edges);
    auto const copy = graph_->queries().snapshot();
    graph_->erase_edges(edge_list{{1, 2}});
    ids const sources{0};
    runtime::bfs_run const of_copy = graph_->run_bfs(sources, true, copy.get());
    EXPECT_EQ(of_copy.report.reached, 4u);
    EXPECT_EQ(of_copy.report.levels, 4u);
    EXPECT_EQ(graph_->on_host(of_copy.levels_in_space).at(3), 3u);
    EXPECT_EQ(graph_->on_host(of_copy.parents_in_space).at(3), 2u);
    runtime::bfs_run const live = graph_->run_bfs(sources, false);
    EXPECT_EQ(live.report.reached, 2u);
    EXPECT_EQ(live.parents_in_space, nullptr);
    EXPECT_EQ(graph_->on_host(live.levels_in_space).at(3), algorithms::unreached);

    EXPECT_EQ(graph_->run_components(copy.get()).count, vertices - 4);
    runtime::components_run const run = graph_->run_components();
    EXPECT_EQ(run.count, vertices - 3);
    EXPECT_EQ(graph_->on_host(run.components_in_space).at(3), 2u);
    graph_->release_scratch();
    EXPECT_EQ(graph_->components().count, vertices - 3);
    EXPECT_EQ(graph_->bfs(sources).report.reached, 2u);
}

TEST_P(searches_test, refuse_sources_that_are_no_vertices) {
    open(false, false);
    insert({{0, 1}, {1, 2}});
    EXPECT_THROW((void)graph_->bfs(ids{0, vertices}), std::invalid_argument);
    graph_->erase_vertices(ids{1});
    EXPECT_THROW((void)graph_->bfs(ids{1}), std::invalid_argument);
    EXPECT_EQ(graph_->bfs(ids{0}).report.reached, 1u);
    EXPECT_EQ(graph_->components().components.at(1), graph::no_vertex);
    EXPECT_EQ(graph_->components().count, vertices - 1);
}

TEST_P(searches_test, core_numbers_are_those_of_the_definition) {
    edge_list const edges = random_edges(500, vertices, 8);
    for (bool const directed : {false, true}) {
        open(directed, false);
        insert(edges);
        runtime::k_core_answer const answer = graph_->k_core();
        EXPECT_EQ(answer.cores, core_numbers_by_boost(plain(vertices, edges, directed)));
        EXPECT_EQ(answer.largest, std::ranges::max(answer.cores));
        auto const copy = graph_->queries().snapshot();
        graph_->erase_edges(edges);
        runtime::k_core_run const run = graph_->run_k_core(copy.get());
        EXPECT_EQ(graph_->on_host(run.cores_in_space), answer.cores);
        EXPECT_EQ(graph_->run_k_core().largest, 0u);
    }
}

TEST_P(searches_test, shortest_paths_need_weights) {
    open(false, false);
    edge_list const edges{{0, 1}, {1, 2}, {0, 2}, {2, 3}};
    if (!GetParam().has_values()) {
        graph_->insert_edges(edges);
        EXPECT_THROW((void)graph_->shortest_paths(ids{0}), std::invalid_argument);
        return;
    }
    graph_->insert_edges(edges, std::vector<double>{1, 2.5, 4, 0});
    runtime::shortest_paths_answer const answer = graph_->shortest_paths(ids{3});
    constexpr double far = std::numeric_limits<double>::infinity();
    EXPECT_EQ((std::vector<double>(answer.distances.begin(), answer.distances.begin() + 5)),
              (std::vector<double>{3.5, 2.5, 0, 0, far}));
    EXPECT_EQ((ids(answer.parents.begin(), answer.parents.begin() + 5)), (ids{1, 2, 3, 3, graph::no_vertex}));
    EXPECT_EQ(answer.report.reached, 4u);

    auto const copy = graph_->queries().snapshot();
    graph_->erase_edges(edge_list{{1, 2}});
    auto const of_copy = graph_->run_shortest_paths(ids{3}, true, {}, copy.get());
    EXPECT_EQ(graph_->distances_on_host(of_copy), answer.distances);
    EXPECT_EQ(graph_->on_host(of_copy.parents_in_space), answer.parents);
    auto const live = graph_->run_shortest_paths(ids{3}, false);
    EXPECT_EQ(live.parents_in_space, nullptr);
    EXPECT_EQ(graph_->distances_on_host(live).at(1), 5);
    EXPECT_THROW((void)graph_->shortest_paths(ids{vertices}), std::invalid_argument);
    graph_->insert_edges(edge_list{{3, 4}}, std::vector<double>{-1});
    EXPECT_THROW((void)graph_->shortest_paths(ids{3}), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(all, searches_test, testing::ValuesIn(chosen_graphs()), name_of_chosen);

} // namespace
} // namespace rhizome::tests

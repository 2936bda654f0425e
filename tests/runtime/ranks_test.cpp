// SPDX-License-Identifier: Apache-2.0
// Graphs over ranks behind the interface of a graph: rank 0 runs the program, threads follow.
#include <rhizome/comm/result.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/partition/owners.hpp>
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/runtime/ranks/open_ranks.hpp>
#include <rhizome/runtime/ranks/rank_group.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

namespace rhizome::runtime {
namespace {

constexpr std::uint64_t vertices = 300;

std::vector<graph::edge> random_edges(unsigned seed, std::size_t count) {
    std::mt19937 draw(seed);
    std::vector<graph::edge> edges;
    while (edges.size() < count)
        edges.push_back({static_cast<graph::vertex_id>(draw() % vertices),
                         static_cast<graph::vertex_id>(draw() % vertices)});
    return edges;
}

std::shared_ptr<rank_group> threads(int ranks, rank_options options = {.threads = 2}) {
    return rank_group::lead(host_ranks(ranks, options));
}

void expect_same(any_graph& over_ranks, any_graph& alone) {
    EXPECT_EQ(over_ranks.vertex_count(), alone.vertex_count());
    EXPECT_EQ(over_ranks.edge_count(), alone.edge_count());
    EXPECT_EQ(over_ranks.arc_count(), alone.arc_count());
    EXPECT_EQ(over_ranks.all_edges(), alone.all_edges());
    EXPECT_EQ(over_ranks.all_degrees(), alone.all_degrees());
    EXPECT_EQ(over_ranks.validate(), std::vector<std::string>());
    EXPECT_EQ(over_ranks.memory().edges, alone.edge_count());
    auto const ranks = over_ranks.pagerank({.tolerance = 0, .max_iterations = 7});
    auto const expected = alone.pagerank({.tolerance = 0, .max_iterations = 7});
    EXPECT_EQ(ranks.iterations, 7u);
    ASSERT_EQ(ranks.ranks.size(), expected.ranks.size());
    for (std::size_t v = 0; v < expected.ranks.size(); ++v)
        EXPECT_NEAR(ranks.ranks[v], expected.ranks[v], 1e-12) << v;
    EXPECT_EQ(over_ranks.run_components().count, alone.run_components().count);
    std::vector<graph::vertex_id> const sources{3, 8};
    auto const found = over_ranks.run_bfs(sources, false).report;
    auto const searched = alone.run_bfs(sources, false).report;
    EXPECT_EQ(found.reached, searched.reached);
    EXPECT_EQ(found.levels, searched.levels);
}

TEST(ranks, give_memory_back_and_keep_their_edges) {
    graph_choice const choice{.vertices = vertices, .heap_bytes = 64u << 10};
    auto const over_ranks = open_graph_over_ranks(threads(2), choice);
    auto const alone = open_graph(choice);
    auto const kept = random_edges(1, 2'000);
    auto const passing = random_edges(2, 60'000);
    for (any_graph* const each : {over_ranks.get(), alone.get()}) {
        each->insert_edges(kept);
        each->insert_edges(passing);
        each->erase_edges(passing);
        each->insert_edges(kept);
        EXPECT_TRUE(each->can_compact());
        graph::memory_report const before = each->memory();
        EXPECT_GT(before.compactable_bytes, 0u);
        EXPECT_GT(each->compact().returned_bytes, 0u);
        EXPECT_LT(each->memory().heap_bytes, before.heap_bytes);
    }
    expect_same(*over_ranks, *alone);
}

TEST(ranks, give_what_one_graph_gives) {
    for (bool const directed : {false, true})
        for (int const ranks : {1, 2, 3}) {
            SCOPED_TRACE(std::to_string(ranks) + (directed ? " ranks, directed" : " ranks"));
            graph_choice const choice{
                .space = "host", .vertices = 200, .directed = directed, .in_arcs = directed};
            auto const over_ranks = open_graph_over_ranks(threads(ranks), choice);
            auto const alone = open_graph(choice);
            for (unsigned round = 0; round < 3; ++round) {
                auto const inserted = random_edges(round, 900);
                auto const erased = random_edges(round + 100, 900);
                EXPECT_EQ(over_ranks->insert_edges(inserted), alone->insert_edges(inserted));
                EXPECT_EQ(over_ranks->erase_edges(*over_ranks->stage(erased)), alone->erase_edges(erased));
                expect_same(*over_ranks, *alone);
                if (directed) continue;
                EXPECT_EQ(over_ranks->count_triangles(), alone->count_triangles());
                EXPECT_GT(alone->count_triangles(), 0u);
                over_ranks->add_vertices(30);
                alone->add_vertices(30);
            }
        }
}

TEST(ranks, load_compressed_rows) {
    auto const over_ranks = open_graph_over_ranks(threads(2), {.space = "host", .vertices = 4});
    std::vector<std::uint64_t> const offsets{0, 2, 3, 4, 4};
    std::vector<graph::vertex_id> const targets{1, 2, 0, 0};
    auto const report = over_ranks->insert_rows(
        {.offsets = offsets.data(), .targets = targets.data(), .vertices = 4, .arcs = 4, .symmetric = true});
    EXPECT_EQ(report.applied, 2u);
    EXPECT_EQ(over_ranks->all_edges(), (std::vector<graph::edge>{{0, 1}, {0, 2}}));
}

TEST(ranks, open_graphs_one_after_another) {
    auto const group = threads(2);
    graph_choice const choice{.space = "host", .vertices = 5};
    auto first = open_graph_over_ranks(group, choice);
    EXPECT_THROW((void)open_graph_over_ranks(group, choice), std::logic_error);
    first.reset();
    auto const second = open_graph_over_ranks(group, choice);
    std::vector<graph::edge> const edge{{0, 1}};
    EXPECT_EQ(second->insert_edges(edge).applied, 1u);
}

TEST(ranks, say_what_they_do_not_offer) {
    auto const group = threads(2);
    EXPECT_THROW((void)open_graph_over_ranks(group, {.layout = "buckets"}), std::invalid_argument);
    EXPECT_THROW((void)open_graph_over_ranks(group, {.values = value_type::float64}), std::invalid_argument);
    EXPECT_THROW((void)open_graph_over_ranks(group, {.space = "simt"}), std::invalid_argument);
    auto const graph = open_graph_over_ranks(group, {.space = "host", .vertices = 5, .directed = true});
    EXPECT_THROW((void)graph->run_k_core(), std::invalid_argument);
    EXPECT_THROW((void)graph->components(), std::invalid_argument); // they would have to come to the host
    EXPECT_THROW((void)graph->queries(), std::invalid_argument);
    EXPECT_THROW((void)graph->pagerank({}), std::invalid_argument); // no in-arcs, on all ranks
    std::vector<graph::edge> const edge{{0, 1}};
    EXPECT_EQ(graph->insert_edges(edge).applied, 1u); // the others still follow
}

// The refusal of a rank, for lack of memory, arrives at rank 0 with its text.
TEST(ranks, pass_on_why_one_of_them_refuses) {
    auto const graph = open_graph_over_ranks(threads(3, {.threads = 1, .memory_limit_bytes = 96u << 20}),
                                             {.space = "host", .vertices = 2'700'001});
    graph::hash_owners const owners(3);
    std::vector<std::uint32_t> its; // vertices of rank 1
    for (std::uint32_t v = 0; v < 2'700'001; ++v)
        if (owners.owner(v) == 1) its.push_back(v);
    std::mt19937 random(1);
    auto const any = [&] { return its[random() % its.size()]; };
    std::vector<graph::edge> to_one_rank(400'000);
    std::string said;
    std::uint64_t edges = 0;
    try {
        for (int round = 0; round < 50; ++round) {
            for (auto& each : to_one_rank)
                each = {any(), any()};
            (void)graph->insert_edges(to_one_rank);
            edges = graph->edge_count();
        }
    } catch (exec::out_of_memory const& error) {
        said = error.what();
    }
    EXPECT_NE(said.find("rank 1: "), std::string::npos) << said;
    EXPECT_NE(said.find("needed "), std::string::npos) << said;
    EXPECT_EQ(said.find("needed ", said.find("needed ") + 1), std::string::npos) << said;
    EXPECT_EQ(graph->edge_count(), edges);
    graph->release_scratch();
    std::vector<graph::edge> const few{{0, 2}, {2, 5}};
    EXPECT_EQ(graph->insert_edges(few).applied, 2u);
    EXPECT_EQ(graph->edge_count(), edges + 2);
}

// The time limit of the ranks is shorter than the pause of rank 0.
TEST(ranks, wait_while_rank_0_is_there) {
    using std::chrono::milliseconds;
    auto const group =
        rank_group::lead(host_ranks(2, {.threads = 2, .time_limit = milliseconds(1000)}), milliseconds(100));
    auto const graph = open_graph_over_ranks(group, {.space = "host", .vertices = 5});
    std::this_thread::sleep_for(milliseconds(2500));
    std::vector<graph::edge> const edge{{0, 1}};
    EXPECT_EQ(graph->insert_edges(edge).applied, 1u);
}

TEST(ranks, fail_together_if_one_is_lost) {
    auto all = host_ranks(2, {.threads = 2});
    std::thread lost([self = std::move(all[1])] { (void)self->gather_words(std::vector<std::uint64_t>(6)); });
    auto const group = rank_group::lead(std::move(all[0]));
    EXPECT_THROW((void)open_graph_over_ranks(group, {.space = "host"}), comm::comm_error);
    lost.join();
    EXPECT_THROW((void)open_graph_over_ranks(group, {.space = "host"}), comm::comm_error);
}

} // namespace
} // namespace rhizome::runtime

// SPDX-License-Identifier: Apache-2.0
// The workloads of graphs, on a graph of the standard library: what they do, and that what is wrong makes a
// cell fail.
#include "plain_subject.hpp"

#include <rhizome/bench/graphs/boost_baseline.hpp>
#include <rhizome/bench/graphs/change_rounds.hpp>
#include <rhizome/bench/graphs/input.hpp>
#include <rhizome/bench/graphs/search_checks.hpp>
#include <rhizome/bench/graphs/workloads.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

using namespace rhizome;
using namespace rhizome::bench;
using rhizome::testing::plain_subject;
using rhizome::testing::wrong;

namespace {

using workload = cell_result (*)(graph_subject&, cell const&, graph_input const&);

graph_input const& small_input() {
    static graph_input const input = make_graph_input("rgg", 7, 1);
    return input;
}

cell cell_of(std::vector<std::pair<std::string, std::string>> const& values) {
    cell which{"any",
               {{"graph", "rgg"},
                {"edges", "50"},
                {"pattern", "random"},
                {"direction", "directed"},
                {"iterations", "4"},
                {"baseline", "none"},
                {"order", "random"},
                {"rounds", "2"},
                {"load-batch", "0"},
                {"space", "host"},
                {"warm-up", "1"},
                {"repetitions", "3"},
                {"seed", "1"}}};
    for (auto const& [name, value] : values)
        which.set(name, value);
    return which;
}

cell_result run(workload work, wrong what = wrong::nothing,
                std::vector<std::pair<std::string, std::string>> const& values = {}) {
    cell const which = cell_of(values);
    plain_subject subject(small_input().vertices, is_directed(which), what);
    return work(subject, which, small_input());
}

measure const& find(cell_result const& result, std::string const& name) {
    for (measure const& each : result.measures)
        if (each.name == name) return each;
    throw std::runtime_error("there is no measure " + name);
}

void expect_failure(workload work, wrong what, std::string const& part,
                    std::vector<std::pair<std::string, std::string>> const& values = {}) {
    ASSERT_EQ(run(work, wrong::nothing, values).status, cell_status::ok);
    try {
        (void)run(work, what, values);
        ADD_FAILURE() << "nothing was found: " << part;
    } catch (std::runtime_error const& error) {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

cell_result run_components_kept(graph_subject& subject, cell const& which, graph_input const& input) {
    return run_maintained(subject, which, input,
                          runtime::algorithms()[runtime::algorithm_number("components")]);
}

TEST(graph_workloads, time_results_that_follow_and_compare_them) {
    for (char const* const pattern : {"random", "local", "present"}) {
        SCOPED_TRACE(pattern);
        std::vector<std::pair<std::string, std::string>> const values{{"direction", "undirected"},
                                                                      {"pattern", pattern}};
        cell_result const result = run(run_components_kept, wrong::nothing, values);
        EXPECT_EQ(find(result, "anew").samples, (std::vector<double>{10, 10, 10}));
        EXPECT_EQ(find(result, "insert_repair").samples, (std::vector<double>{2, 2, 2}));
        EXPECT_EQ(find(result, "speedup").samples, (std::vector<double>{5}));
        expect_failure(run_components_kept, wrong::kept_results, "not the one computed anew", values);
    }
}

/// Two edges that come again, and a self-loop less.
graph_input timed_input() {
    io::graph_file file;
    file.vertex_count = 6;
    file.edges = {{4, 3}, {0, 1}, {1, 0}, {2, 2}, {1, 2}, {3, 4}, {5, 0}, {0, 1}, {2, 3}};
    file.edge_times = {9, 1, 2, 3, 4, 5, 6, 6, 8};
    return simple_graph_of(std::move(file));
}

TEST(change_rounds, slide_a_window_over_timed_edges) {
    graph_input const input = timed_input();
    using edges = std::vector<graph::edge>;
    EXPECT_EQ(input.edges, (edges{{0, 1}, {0, 5}, {1, 2}, {2, 3}, {3, 4}}));
    EXPECT_EQ(input.timed_edges, (edges{{0, 1}, {0, 1}, {1, 2}, {3, 4}, {0, 5}, {0, 1}, {2, 3}, {3, 4}}));
    change_rounds rounds(input, "window", 2, 1);
    std::set<graph::edge> present(rounds.start().edges.begin(), rounds.start().edges.end());
    EXPECT_EQ(present, (std::set<graph::edge>{{0, 1}, {1, 2}, {3, 4}}));
    for (std::size_t begin = 2; begin < 40; begin += 2) {
        for (edge_change const& change : rounds.next())
            for (graph::edge const& edge : change.edges)
                EXPECT_EQ(change.erases ? present.erase(edge) : std::size_t{present.insert(edge).second}, 1u);
        std::set<graph::edge> expected;
        for (std::size_t i = begin; i < begin + 4; ++i)
            expected.insert(input.timed_edges[i % 8]);
        EXPECT_EQ(present, expected) << begin;
    }
    EXPECT_THROW(change_rounds(input, "window", 5, 1), std::invalid_argument);
    EXPECT_THROW(change_rounds(small_input(), "window", 1, 1), std::invalid_argument);
}

TEST(change_rounds, draw_edges_that_the_graph_has_or_lacks) {
    std::set<graph::edge> const present(small_input().edges.begin(), small_input().edges.end());
    for (std::string const pattern : {"random", "local", "present"}) {
        change_rounds rounds(small_input(), pattern, 40, 1);
        EXPECT_EQ(rounds.start().edges, small_input().edges);
        auto const round = rounds.next();
        EXPECT_EQ(round[0].erases, pattern == "present");
        EXPECT_EQ(round[1].erases, pattern != "present");
        EXPECT_EQ(round[0].edges, round[1].edges);
        EXPECT_EQ(std::set<graph::edge>(round[0].edges.begin(), round[0].edges.end()).size(), 40u);
        for (graph::edge const& edge : round[0].edges)
            EXPECT_EQ(present.contains(edge), pattern == "present");
        EXPECT_NE(rounds.next()[0].edges, round[0].edges);
    }
    // All of them, which random draws would not find soon.
    change_rounds all(small_input(), "present", small_input().edges.size(), 1);
    auto const drawn = all.next()[0].edges;
    EXPECT_EQ(std::set<graph::edge>(drawn.begin(), drawn.end()), present);
    EXPECT_NE(drawn, small_input().edges); // in another order
    EXPECT_THROW(change_rounds(small_input(), "present", small_input().edges.size() + 1, 1),
                 std::invalid_argument);
}

TEST(graph_workloads, time_results_that_follow_a_window) {
    graph_input const input = timed_input();
    cell const which = cell_of({{"pattern", "window"}, {"edges", "1"}, {"repetitions", "1000"}});
    plain_subject subject(input.vertices, false, wrong::nothing);
    cell_result const result = run_components_kept(subject, which, input);
    EXPECT_LE(find(result, "anew").samples.size(), 100u);
    EXPECT_GE(find(result, "anew").samples.size(), 50u);
    // Some timed edges that come or go change nothing.
    std::size_t const insertions = find(result, "insert_update").samples.size();
    EXPECT_GT(insertions, 400u);
    EXPECT_LT(insertions, 1000u);
    EXPECT_EQ(find(result, "insert_update_p99").samples, std::vector<double>{2});
    EXPECT_EQ(find(result, "over_anew").samples, std::vector<double>{0.2});
    EXPECT_THROW((void)find(result, "insert_update_p99.9"), std::runtime_error);
}

} // namespace

TEST(graph_input, has_the_sizes_of_its_kind) {
    EXPECT_EQ(make_graph_input("rgg", 8, 1).vertices, 256u);
    EXPECT_EQ(make_graph_input("road", 8, 1).edges.size(), 255u + 16);
    EXPECT_EQ(make_graph_input("rmat", 8, 1).vertices, 256u);
    EXPECT_EQ(make_graph_input("mesh", 8, 1).vertices, 6u * 6 * 6);
    EXPECT_EQ(make_graph_input("mesh", 9, 1).vertices, 512u);
    EXPECT_EQ(make_graph_input("mesh", 13, 1).vertices, 20u * 20 * 20);
    EXPECT_THROW((void)make_graph_input("moon", 8, 1), std::invalid_argument);
    EXPECT_NE(make_graph_input("road", 8, 2).edges, make_graph_input("road", 8, 1).edges);
}

TEST(graph_input, knows_its_rows) {
    for (std::string const& kind : graph_kinds()) {
        graph_input const input = make_graph_input(kind, 6, 1);
        std::vector<graph::edge> arcs = input.both_directions();
        ASSERT_EQ(arcs.size(), input.arcs());
        std::sort(arcs.begin(), arcs.end());
        host_rows const rows = input.rows();
        std::vector<graph::edge> listed;
        for (graph::vertex_id v = 0; v < input.vertices; ++v)
            for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + 1]; ++i)
                listed.push_back({v, rows.targets[i]});
        EXPECT_EQ(listed, arcs) << kind;
    }
}

TEST(graph_input, knows_ranks_and_triangles) {
    // A triangle with a tail, and a vertex of its own.
    graph_input const kite{5, {{0, 1}, {0, 2}, {1, 2}, {2, 3}}};
    EXPECT_EQ(count_triangles_plainly(kite), 1u);
    auto const ranks = rank_plainly(kite, 200);
    EXPECT_NEAR(ranks[0] + ranks[1] + ranks[2] + ranks[3] + ranks[4], 1, 1e-9);
    EXPECT_NEAR(ranks[0], ranks[1], 1e-12);
    double const alone = 0.15 / 5 / (1 - 0.85 / 5); // it gets what it gives to all
    EXPECT_NEAR(ranks[4], alone, 1e-9);
    EXPECT_NEAR(ranks[3], alone + 0.85 * ranks[2] / 3, 1e-9);
    // Boost.Graph shares no code with it.
    for (std::string const& kind : graph_kinds()) {
        graph_input const input = make_graph_input(kind, 8, 2);
        EXPECT_EQ(count_triangles_by_boost(input).triangles, count_triangles_plainly(input)) << kind;
        auto const boost = rank_by_boost(input, 300).ranks;
        auto const plain = rank_plainly(input, 300);
        for (std::size_t v = 0; v < plain.size(); ++v)
            ASSERT_NEAR(boost[v], plain[v], 1e-9) << kind << " " << v;
    }
}

TEST(batch_shape, keeps_to_its_pattern_and_seed) {
    batch_shape shape{.count = 5000, .first_source = 100, .source_count = 50, .vertices = 1000, .seed = 3};
    batch_shape other = shape;
    other.seed = 4;
    std::set<graph::vertex_id> sources;
    std::set<graph::vertex_id> targets;
    int same = 0;
    for (std::uint64_t place = 0; place < shape.count; ++place) {
        graph::edge const drawn = shape.draw(place, 0);
        sources.insert(drawn.source);
        targets.insert(drawn.target);
        same += drawn == other.draw(place, 0) ? 1 : 0;
        ASSERT_NE(drawn, shape.draw(place, 1));
    }
    EXPECT_EQ(*sources.begin(), 100u);
    EXPECT_EQ(*sources.rbegin(), 149u);
    EXPECT_EQ(sources.size(), 50u);
    EXPECT_LT(*targets.rbegin(), 1000u);
    EXPECT_GT(targets.size(), 950u);
    EXPECT_LT(same, 10);
}

TEST(updates, inserts_and_erases_batches_of_each_pattern) {
    for (char const* pattern : {"random", "pressure", "hub"}) {
        cell const which = cell_of({{"pattern", pattern}});
        plain_subject subject(small_input().vertices, true);
        auto const result = run_updates(subject, which, small_input());
        EXPECT_EQ(result.status, cell_status::ok);
        EXPECT_EQ(find(result, "insert").samples, (std::vector<double>{1, 1, 1}));
        EXPECT_EQ(find(result, "erase").samples, (std::vector<double>{2, 2, 2}));
        EXPECT_EQ(subject.batches_drawn, 4); // the warm-up too
        EXPECT_EQ(subject.edge_count(), small_input().arcs());
        EXPECT_EQ(subject.last_shape.source_count, std::string(pattern) == "hub" ? 1u : 128u);
        EXPECT_LT(subject.last_shape.first_source, 128u);
    }
}

TEST(updates, fails_where_something_is_wrong) {
    expect_failure(run_updates, wrong::inserts_one_less, "edges after inserting");
    expect_failure(run_updates, wrong::reports_one_more, "report of inserting accounts for");
    expect_failure(run_updates, wrong::erases_one_less, "edges after erasing");
    expect_failure(run_updates, wrong::forgets_an_old_edge, "not what it was");
    expect_failure(run_updates, wrong::breaks_an_invariant, "one = two");
    expect_failure(run_updates, wrong::erases_one_less, "edges after erasing", {{"direction", "undirected"}});
}

TEST(memory, is_told_in_bytes_of_sparse_rows) {
    auto const result = run(run_memory);
    double const csr = static_cast<double>(small_input().csr_bytes());
    EXPECT_DOUBLE_EQ(find(result, "loaded_lasting").samples.at(0), 1.0);
    EXPECT_DOUBLE_EQ(find(result, "churned").samples.at(0), (csr + 1000) / csr);
    EXPECT_DOUBLE_EQ(find(result, "compacted_lasting").samples.at(0),
                     (csr - 2.0 * static_cast<double>(small_input().vertices + 1)) / csr);
    EXPECT_DOUBLE_EQ(find(result, "compaction").samples.at(0), 0.5);
    EXPECT_DOUBLE_EQ(find(result, "csr").samples.at(0), csr * 1e-6);
    EXPECT_DOUBLE_EQ(find(result, "loaded_scratch").samples.at(0), 0.001);
    EXPECT_EQ(run(run_memory, wrong::nothing, {{"load-batch", "7"}, {"rounds", "0"}}).status,
              cell_status::ok);
    expect_failure(run_memory, wrong::leaves_neighbours_behind, "bytes of neighbours");
    expect_failure(run_memory, wrong::forgets_an_old_edge, "not what it was");
}

TEST(build_and_snapshot, are_compared_with_the_edges) {
    EXPECT_EQ(find(run(run_build), "build").samples.size(), 3u);
    EXPECT_EQ(find(run(run_build), "build_from_rows").samples, (std::vector<double>{4, 4, 4}));
    EXPECT_EQ(find(run(run_snapshot), "snapshot").samples, (std::vector<double>{3, 3, 3}));
    EXPECT_EQ(run(run_build, wrong::nothing, {{"direction", "undirected"}}).status, cell_status::ok);
    expect_failure(run_build, wrong::snapshot, "not that of its edges");
    expect_failure(run_build, wrong::builds_from_other_rows, "not that of its edges");
    expect_failure(run_build, wrong::breaks_an_invariant, "one = two");
    expect_failure(run_snapshot, wrong::snapshot, "not the graph that was loaded");
}

TEST(pagerank, is_compared_with_its_definition) {
    std::vector<std::pair<std::string, std::string>> const undirected{{"direction", "undirected"}};
    auto const result = run(run_pagerank, wrong::nothing, undirected);
    EXPECT_EQ(find(result, "live").samples, (std::vector<double>{4, 4, 4})); // an iteration
    EXPECT_EQ(find(result, "live_over_csr").samples, (std::vector<double>{1, 1, 1}));
    expect_failure(run_pagerank, wrong::ranks_live, "live: vertex", undirected);
    expect_failure(run_pagerank, wrong::ranks_snapshot, "snapshot: vertex", undirected);
}

TEST(row_placement, compares_the_lines_of_both_ways_to_request_pages) {
    std::vector<std::pair<std::string, std::string>> const undirected{{"direction", "undirected"}};
    auto const result = run(run_row_placement, wrong::nothing, undirected);
    // 32 rows of 32 bytes: a line and a sector each, or four in a line.
    EXPECT_EQ(find(result, "lane_wise_lines").samples, (std::vector<double>{32, 32, 32}));
    EXPECT_EQ(find(result, "bulk_lines").samples, (std::vector<double>{8, 8, 8}));
    EXPECT_EQ(find(result, "packed_lines").samples, (std::vector<double>{8, 8, 8}));
    EXPECT_EQ(find(result, "lane_wise_sectors").samples, (std::vector<double>{32, 32, 32}));
    EXPECT_EQ(find(result, "lines_ratio").samples, (std::vector<double>{.25, .25, .25}));
    EXPECT_EQ(find(result, "bulk_pagerank").samples, (std::vector<double>{4, 4, 4})); // an iteration
    expect_failure(run_row_placement, wrong::ranks_live, "live: vertex", undirected);
    expect_failure(run_row_placement, wrong::loses_an_edge, "not that of its edges", undirected);
    expect_failure(run_row_placement, wrong::breaks_an_invariant, "one = two", undirected);
}

TEST(triangles, are_counted_three_ways) {
    std::vector<std::pair<std::string, std::string>> const undirected{{"direction", "undirected"}};
    auto const result = run(run_triangles, wrong::nothing, undirected);
    EXPECT_EQ(find(result, "csr").samples, (std::vector<double>{5, 5, 5}));
    EXPECT_EQ(find(result, "triangles").samples.at(0),
              static_cast<double>(count_triangles_plainly(small_input())));
    expect_failure(run_triangles, wrong::triangles_live, "in the snapshot", undirected);
    expect_failure(run_triangles, wrong::triangles_everywhere, "by a plain count", undirected);
}

TEST(graph_input, knows_components_and_rules_of_searches) {
    // A triangle with a tail, and a vertex of its own.
    graph_input const kite{5, {{0, 1}, {0, 2}, {1, 2}, {2, 3}}};
    using ids = std::vector<graph::vertex_id>;
    using levels = std::vector<std::uint32_t>;
    EXPECT_EQ(components_by_union_find(kite), (ids{0, 0, 0, 0, 4}));
    EXPECT_EQ(components_by_union_find({4, {{1, 3}, {2, 3}}}), (ids{0, 1, 1, 1}));
    EXPECT_EQ(source_of("rgg", kite), 0u);
    EXPECT_EQ(source_of("mesh", {4, {{2, 3}}}), 2u);
    EXPECT_EQ(source_of("road", {4, {}}), 0u);
    EXPECT_EQ(source_of("rmat", kite), 2u);
    constexpr std::uint32_t far = algorithms::unreached;
    constexpr graph::vertex_id none = graph::no_vertex;
    auto const broken = [&](levels const& found, ids const& parents) {
        return broken_search_rule(kite, 3, found, parents);
    };
    EXPECT_EQ(broken({2, 2, 1, 0, far}, {2, 2, 3, 3, none}), "");
    EXPECT_NE(broken({2, 2, 1, 0}, {2, 2, 3, 3}), "");
    EXPECT_NE(broken({2, 2, 1, 0, far}, {2, 2, 3, 2, none}).find("the source 3 has the parent 2"),
              std::string::npos);
    EXPECT_NE(broken({2, 2, 1, 0, far}, {2, 1, 3, 3, none}).find("its parent 1 is not one level"),
              std::string::npos);
    EXPECT_NE(broken({1, 2, 1, 0, far}, {3, 2, 3, 3, none}).find("no edge leads from vertex 0"),
              std::string::npos);
    EXPECT_NE(broken({2, far, 1, 0, far}, {2, none, 3, 3, none}).find("the edge 0 - 1"), std::string::npos);
    EXPECT_NE(broken({2, 2, 1, 0, 1}, {2, 2, 3, 3, 3}).find("no edge"), std::string::npos);
    EXPECT_NE(broken({2, 2, 1, 0, 0}, {2, 2, 3, 3, 4}).find("vertex 4 has level 0"), std::string::npos);
    EXPECT_NE(broken({2, 2, 1, 0, far}, {2, 2, 3, 3, 2}).find("a level without a parent"), std::string::npos);
    // A longer way to vertex 1, with a parent one level below.
    graph_input const square{4, {{0, 1}, {0, 3}, {1, 2}, {2, 3}}};
    EXPECT_NE(broken_search_rule(square, 0, {0, 3, 2, 1}, {0, 2, 3, 0}).find("the edge 0 - 1"),
              std::string::npos);
}

TEST(bfs, keeps_the_rules_of_graph500) {
    for (char const* graph : {"rgg", "rmat"}) {
        std::vector<std::pair<std::string, std::string>> const values{{"direction", "undirected"},
                                                                      {"graph", graph}};
        auto const result = run(run_bfs, wrong::nothing, values);
        EXPECT_EQ(find(result, "live").samples, (std::vector<double>{6, 6, 6}));
        EXPECT_EQ(find(result, "csr").samples, (std::vector<double>{6, 6, 6}));
        EXPECT_GT(find(result, "live_rate").samples.at(0), 0);
        EXPECT_GT(find(result, "reached").samples.at(0), 1);
        EXPECT_GT(find(result, "levels").samples.at(0), 1);
        expect_failure(run_bfs, wrong::levels_live, "snapshot: other levels than before", values);
        expect_failure(run_bfs, wrong::levels_everywhere, "not one level below", values);
        expect_failure(run_bfs, wrong::parents_snapshot, "snapshot: vertex", values);
        expect_failure(run_bfs, wrong::counts_of_reached, "vertices reached", values);
    }
}

TEST(components, are_compared_with_union_and_find) {
    std::vector<std::pair<std::string, std::string>> const undirected{{"direction", "undirected"}};
    auto const result = run(run_components, wrong::nothing, undirected);
    EXPECT_EQ(find(result, "live").samples, (std::vector<double>{7, 7, 7}));
    EXPECT_DOUBLE_EQ(find(result, "live_rate").samples.at(0),
                     static_cast<double>(small_input().edges.size()) * 1e-3 / 7);
    expect_failure(run_components, wrong::components_live, "live: vertex", undirected);
    expect_failure(run_components, wrong::counts_of_components, "components", undirected);
}

TEST(graph_input, knows_core_numbers) {
    using cores = std::vector<std::uint32_t>;
    EXPECT_EQ(cores_plainly({0, {}}), cores());
    // A triangle with a tail, and a vertex of its own.
    EXPECT_EQ(cores_plainly({5, {{0, 1}, {0, 2}, {1, 2}, {2, 3}}}), (cores{2, 2, 2, 1, 0}));
    // Two complete graphs of 4 vertices, joined by an edge.
    EXPECT_EQ(cores_plainly({8,
                             {{0, 1},
                              {0, 2},
                              {0, 3},
                              {1, 2},
                              {1, 3},
                              {2, 3},
                              {3, 4},
                              {4, 5},
                              {4, 6},
                              {4, 7},
                              {5, 6},
                              {5, 7},
                              {6, 7}}}),
              cores(8, 3));
    // By the definition: what is left of a graph without the vertices that have fewer than k neighbours.
    for (std::string const& kind : graph_kinds()) {
        graph_input const input = make_graph_input(kind, 7, 3);
        cores const found = cores_plainly(input);
        cores expected(input.vertices);
        std::set<graph::edge> left(input.edges.begin(), input.edges.end());
        for (std::uint32_t k = 1; !left.empty(); ++k) {
            for (bool changed = true; changed;) {
                cores degrees(input.vertices);
                for (graph::edge const each : left) {
                    ++degrees[each.source];
                    ++degrees[each.target];
                }
                changed = std::erase_if(left, [&](graph::edge each) {
                              return degrees[each.source] < k || degrees[each.target] < k;
                          }) != 0;
            }
            for (graph::edge const each : left)
                expected[each.source] = expected[each.target] = k;
        }
        EXPECT_EQ(found, expected) << kind;
    }
}

TEST(kcore, is_compared_with_plain_removal) {
    std::vector<std::pair<std::string, std::string>> const undirected{{"direction", "undirected"}};
    auto const result = run(run_kcore, wrong::nothing, undirected);
    EXPECT_EQ(find(result, "live").samples, (std::vector<double>{8, 8, 8}));
    EXPECT_GT(find(result, "largest").samples.at(0), 1);
    expect_failure(run_kcore, wrong::cores_live, "live: vertex", undirected);
    expect_failure(run_kcore, wrong::largest_core, "largest core number", undirected);
}

TEST(graph_input, knows_weights_and_rules_of_paths) {
    std::set<double> weights;
    for (graph::vertex_id v = 1; v < 5000; ++v) {
        weights.insert(weight_of({0, v}, 1));
        ASSERT_EQ(weight_of({0, v}, 1), weight_of({v, 0}, 1));
    }
    EXPECT_EQ(weights.size(), 255u);
    EXPECT_EQ(*weights.begin(), 1);
    EXPECT_EQ(*weights.rbegin(), 255);
    EXPECT_NE(weight_of({1, 2}, 1) + weight_of({1, 3}, 1), weight_of({1, 2}, 2) + weight_of({1, 3}, 2));

    graph_input const path{4, {{0, 1}, {1, 2}}};
    double const a = weight_of({0, 1}, 1);
    double const b = weight_of({1, 2}, 1);
    double const far = std::numeric_limits<double>::infinity();
    constexpr graph::vertex_id none = graph::no_vertex;
    auto const broken = [&](std::vector<double> const& distances,
                            std::vector<graph::vertex_id> const& parents) {
        return broken_path_rule(path, 1, 0, distances, parents);
    };
    EXPECT_EQ(broken({0, a, a + b, far}, {0, 0, 1, none}), "");
    EXPECT_NE(broken({0, a, a + b}, {0, 0, 1}), "");
    EXPECT_NE(broken({0, a, a + b + 1, far}, {0, 0, 1, none}).find("vertex 2 has distance"),
              std::string::npos);
    EXPECT_NE(broken({0, a, far, far}, {0, 0, none, none}).find("the edge 1 - 2"), std::string::npos);
    EXPECT_NE(broken({0, a, a + b, 1}, {0, 0, 1, 0}).find("no edge leads from vertex 3"), std::string::npos);
    EXPECT_NE(broken({0, a, a + b, far}, {1, 0, 1, none}).find("the source 0"), std::string::npos);
    EXPECT_NE(broken({0, a, a + b, far}, {0, 0, none, none}).find("without a parent"), std::string::npos);
    EXPECT_NE(broken({0, a, a + b, 0}, {0, 0, 1, 3}).find("the source is 0"), std::string::npos);
    // A longer way than by the edge, with parents that fit.
    graph_input const triangle{3, {{0, 1}, {0, 2}, {1, 2}}};
    std::uint64_t seed = 1;
    while (weight_of({0, 2}, seed) >= weight_of({0, 1}, seed) + weight_of({1, 2}, seed))
        ++seed;
    double const there = weight_of({0, 1}, seed);
    EXPECT_NE(broken_path_rule(triangle, seed, 0, {0, there, there + weight_of({1, 2}, seed)}, {0, 0, 1})
                  .find("the edge 0 - 2"),
              std::string::npos);
}

TEST(sssp, keeps_the_rules_of_paths) {
    for (char const* graph : {"rgg", "rmat"}) {
        std::vector<std::pair<std::string, std::string>> const values{{"direction", "undirected"},
                                                                      {"graph", graph}};
        auto const result = run(run_sssp, wrong::nothing, values);
        EXPECT_EQ(find(result, "live").samples, (std::vector<double>{9, 9, 9}));
        EXPECT_GT(find(result, "live_rate").samples.at(0), 0);
        EXPECT_GT(find(result, "reached").samples.at(0), 1);
        expect_failure(run_sssp, wrong::distances_live, "snapshot: other distances than before", values);
        expect_failure(run_sssp, wrong::distances_everywhere, "live: vertex", values);
        expect_failure(run_sssp, wrong::path_parents, "live: no edge leads", values);
        expect_failure(run_sssp, wrong::counts_of_paths, "vertices reached", values);
    }
}

TEST(baseline, is_boost_on_the_host_alone) {
    std::vector<std::pair<std::string, std::string>> values{
        {"direction", "undirected"}, {"baseline", "boost"}, {"iterations", "60"}};
    for (workload const work : {run_pagerank, run_triangles}) {
        auto const result = run(work, wrong::nothing, values);
        EXPECT_GT(find(result, "boost").samples.at(0), 0);
        EXPECT_GT(find(result, "over_boost").samples.at(0), 0);
        EXPECT_TRUE(find(result, "over_boost").more_is_better);
        auto elsewhere = values;
        elsewhere.emplace_back("space", "cuda");
        EXPECT_EQ(run(work, wrong::nothing, elsewhere).status, cell_status::not_served);
    }
}

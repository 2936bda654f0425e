// SPDX-License-Identifier: Apache-2.0
// Graphs loaded with edges that ascend: on the host they are built without a sort. Whatever departs from the
// order, and whatever memory is lacking, gives the graph that a sort would have given, or none.
#include "comparison.hpp"
#include "edge_list.hpp"
#include "hub_graph.hpp"

#include <rhizome/alloc/decorators/counting.hpp>
#include <rhizome/alloc/decorators/failing.hpp>
#include <rhizome/exec/errors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::tests::of_ascending {
namespace {

struct ascending_case {
    std::string name;
    edge_list edges;
};

/// Distinct and ascending, undirected ones with the smaller end first.
edge_list in_order(edge_list edges, bool directed) {
    for (graph::edge& edge : edges)
        if (!directed && edge.source > edge.target) std::swap(edge.source, edge.target);
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

constexpr std::uint32_t vertices = sanitized ? 300 : 900;
constexpr graph::vertex_id erased_vertex = sanitized ? 239 : 789;

/// Hubs with their edges both ways, rows of all sizes, self-loops, the first and the last vertex.
edge_list of_all_sizes(bool directed) {
    edge_list edges = random_edges(sanitized ? 1'600 : 4'000, vertices, 5);
    for (graph::vertex_id v = 0; v < vertices; v += 2) {
        edges.push_back({7, v});
        edges.push_back({v, vertices - 9});
    }
    edges.insert(edges.end(), {{0, 0}, {0, vertices - 1}, {vertices - 1, vertices - 1}});
    std::erase_if(edges, [](graph::edge const& edge) {
        return edge.source == erased_vertex || edge.target == erased_vertex || edge.source / 50 == 3;
    });
    return in_order(std::move(edges), directed);
}

/// In order, and with one thing or another wrong in the middle or at an end.
std::vector<ascending_case> cases(bool directed) {
    edge_list const right = of_all_sizes(directed);
    auto const with = [&](std::size_t place, graph::edge const& edge) {
        edge_list edges = right;
        edges.insert(edges.begin() + static_cast<std::ptrdiff_t>(place), edge);
        return edges;
    };
    std::size_t const middle = right.size() / 2;
    edge_list swapped = right;
    std::swap(swapped[middle], swapped[middle + 1]);
    edge_list shifted = right;
    std::rotate(shifted.begin(), shifted.begin() + 1'024, shifted.end());
    edge_list twice = right; // stretches of both write the beginnings of the same rows
    twice.insert(twice.end(), right.begin(), right.end());
    graph::edge const turned{right[middle].target, right[middle].source};
    edge_list both_ways = right;
    for (graph::edge const& edge : right)
        both_ways.push_back({edge.target, edge.source});
    std::sort(both_ways.begin(), both_ways.end());
    return {{"ascending", right},
            {"repeated", with(middle, right[middle])},
            {"repeated between stretches", with(1'024, right[1'023])},
            {"swapped", swapped},
            {"rotated", shifted},
            {"twice", twice},
            {"turned", with(middle, turned)},
            {"both ways", both_ways},
            {"past the last vertex", with(right.size(), {vertices, 1})},
            {"to past the last vertex", with(right.size(), {vertices - 1, vertices})},
            {"no vertex at the beginning", with(0, {graph::no_vertex, graph::no_vertex})},
            {"of an erased vertex", in_order(with(0, {erased_vertex, erased_vertex + 1}), directed)}};
}

enum class given { as_edges, as_rows };

/// Gives a graph edges as compressed sparse rows. They are in the order of their sources.
template <class Graph>
struct row_giver {
    Graph& graph;

    graph::batch_report insert_edges(std::span<graph::edge const> edges,
                                     std::span<typename Graph::value_type const> values = {}) {
        std::uint64_t const rows = std::max(graph.vertex_count(), edges.back().source + std::uint64_t{1});
        std::vector<std::uint64_t> offsets(rows + 1);
        id_list targets;
        for (graph::edge const& edge : edges) {
            ++offsets[edge.source + std::uint64_t{1}];
            targets.push_back(edge.target);
        }
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
        graph::csr_view const view(offsets.data(), targets.data(), rows, edges.size(), false);
        if constexpr (Graph::has_values)
            return graph.insert_rows_in_space(view, values.data());
        else
            return graph.insert_rows_in_space(view);
    }
    graph::batch_report erase_edges(std::span<graph::edge const> edges) { return graph.erase_edges(edges); }
};

template <class Graph, class Value>
void give(Graph& tested, basic_reference_graph<Value>& reference, edge_list edges, given how) {
    if (how == given::as_edges) return apply_to_both(tested, reference, edges, false);
    std::stable_sort(edges.begin(), edges.end(), [](graph::edge const& left, graph::edge const& right) {
        return left.source < right.source;
    });
    if (edges.back().source > vertices) edges.pop_back(); // no row has that number
    row_giver<Graph> giver{tested};
    apply_to_both(giver, reference, edges, false);
}

template <class Graph, class Value>
void load_all(unsigned threads, given how = given::as_edges) {
    std::size_t number = 0;
    for (graph::graph_options options : kinds_of_graphs(vertices))
        for (ascending_case const& each : cases(options.directed)) {
            ++number;
            for (bool const self_loops : {true, false}) {
                // Checked code would take 20 seconds for both: it takes the one or the other by turns.
                if (sanitized && self_loops == (number % 2 == 0)) continue;
                SCOPED_TRACE(each.name +
                             (options.directed ? options.in_arcs ? ", in arcs" : ", directed" : "") +
                             (self_loops ? ", loops" : "") + ", threads " + std::to_string(threads));
                options.self_loops = self_loops;
                Graph tested(exec::host_space({.threads = threads}), options);
                basic_reference_graph<Value> reference(options);
                std::vector<graph::vertex_id> const gone{erased_vertex};
                EXPECT_EQ(tested.erase_vertices(gone), reference.erase_vertices(gone));
                give(tested, reference, each.edges, how);
                expect_same(tested, reference);
                // What is built grows and shrinks like any other graph, and can be built again.
                apply_to_both(tested, reference, random_edges(300, vertices, 8), false);
                apply_to_both(tested, reference, reference.edge_list(), true);
                EXPECT_EQ(tested.arc_count(), 0u);
                give(tested, reference, each.edges, how);
                expect_same(tested, reference);
                if (::testing::Test::HasFailure()) return;
            }
        }
}

TEST(ascending, edges_make_the_graph_that_a_sort_makes) {
    if (!sanitized) load_all<graph::dynamic_graph<exec::host_space>, void>(1);
    load_all<graph::dynamic_graph<exec::host_space>, void>(4);
}
TEST(ascending, edges_bring_their_values) {
    load_all<graph::dynamic_graph<exec::host_space, graph::contiguous,
                                  graph::default_allocator<exec::host_space>, double>,
             double>(4);
}
TEST(ascending, edges_are_loaded_into_rows_of_several_pages) {
    load_all<graph::dynamic_graph<exec::host_space, graph::buckets<>>, void>(2);
}

TEST(ascending, rows_make_the_graph_that_a_sort_makes) {
    if (!sanitized) load_all<graph::dynamic_graph<exec::host_space>, void>(1, given::as_rows);
    load_all<graph::dynamic_graph<exec::host_space>, void>(4, given::as_rows);
}
TEST(ascending, rows_bring_their_values) {
    load_all<graph::dynamic_graph<exec::host_space, graph::contiguous,
                                  graph::default_allocator<exec::host_space>, double>,
             double>(4, given::as_rows);
}

/// Each vertex and the four behind it: 1,200,000 edges.
edge_list band(std::uint32_t length) {
    edge_list edges;
    for (graph::vertex_id v = 0; v < length; ++v)
        for (graph::vertex_id w = v + 1; w < length && w < v + 5; ++w)
            edges.push_back({v, w});
    return edges;
}

/// A list of the edges would take 9.6 MB more.
TEST(ascending, rows_are_not_listed_edge_by_edge) {
    constexpr std::uint32_t length = 300'000;
    edge_list const edges = band(length);
    exec::host_space space({.threads = 2, .memory_limit_bytes = 24'000'000});
    graph::dynamic_graph<exec::host_space> tested(space, {.vertices = length});
    row_giver<graph::dynamic_graph<exec::host_space>> giver{tested};
    EXPECT_EQ(giver.insert_edges(edges), (graph::batch_report{.applied = edges.size()}));
    EXPECT_EQ(tested.arc_count(), 2u * edges.size());
    expect_valid(tested);
    EXPECT_EQ(tested.neighbours_of(id_list{7}).targets, (id_list{3, 4, 5, 6, 8, 9, 10, 11}));
}

/// 2,400,000 arcs, which take 96 MB to be sorted. Rows of every thread get pages of like size.
TEST(ascending, edges_take_little_scratch) {
    constexpr std::uint32_t length = 300'000;
    edge_list const edges = band(length);
    exec::host_space space({.threads = 2, .memory_limit_bytes = 40'000'000});
    graph::dynamic_graph<exec::host_space> tested(space, {.vertices = length});
    EXPECT_EQ(tested.insert_edges(edges), (graph::batch_report{.applied = edges.size()}));
    EXPECT_EQ(tested.arc_count(), 2u * edges.size());
    expect_valid(tested);
    constexpr std::uint64_t slots_bytes = length * sizeof(std::uint32_t);
    EXPECT_LT(tested.memory().scratch_bytes, slots_bytes + 1'000'000u) << "what it took has gone back";
    auto const present = tested.has_edges(edges);
    EXPECT_EQ(std::count(present.begin(), present.end(), 1), static_cast<std::ptrdiff_t>(edges.size()));
}

using faulty_graph =
    graph::dynamic_graph<exec::host_space, graph::contiguous,
                         alloc::counting<alloc::failing<graph::default_allocator<exec::host_space>>>>;

/// Hubs, whose pages are extents, and rows of three sizes that are given pages by the run.
edge_list of_few_requests() {
    edge_list edges;
    for (graph::vertex_id v = 0; v < 300; ++v)
        for (graph::vertex_id w = v + 1; w < 300 && w < v + 6; ++w)
            edges.push_back({v, w});
    for (graph::vertex_id v = 300; v < 9'000; ++v)
        edges.push_back({0, v});
    return in_order(edges, false);
}

TEST(ascending, edges_need_no_request_in_particular) {
    edge_list const edges = of_few_requests();
    std::uint64_t const step = stride(5);
    for (bool const all_later : {false, true})
        for (std::uint64_t n = 1;; n += step) {
            SCOPED_TRACE("request " + std::to_string(n) + (all_later ? " and all later" : ""));
            graph::graph_options const options{.vertices = 9'000};
            faulty_graph tested(exec::host_space({.threads = 1}), options);
            reference_graph reference(options);
            auto& plan = tested.allocator().base();
            all_later ? plan.fail_from(n) : plan.fail_at(n);
            bool refused = false;
            try {
                apply_to_both(tested, reference, edges, false);
            } catch (exec::out_of_memory const&) {
                refused = true;
                EXPECT_EQ(tested.allocator().counts().live_requests(), 0u) << "something has leaked";
            }
            bool const done = plan.requests_seen() < n;
            EXPECT_FALSE(refused && (done || !all_later));
            plan.fail_never();
            if (refused) {
                reference = reference_graph(options);
                expect_same(tested, reference);
                apply_to_both(tested, reference, edges, false);
            }
            expect_same(tested, reference);
            apply_to_both(tested, reference, edges, true);
            EXPECT_EQ(tested.allocator().counts().live_requests(), 0u) << "something has leaked";
            if (::testing::Test::HasFailure()) return;
            if (done) break;
        }
}

/// Every limit, from one under which an empty graph just fits to one that is enough, in steps smaller than
/// anything that is asked for. A vertex table that grows leaves memory to scratch, so an empty graph needs
/// that as well.
void refuse_whole(given how) {
    edge_list const edges = of_few_requests();
    graph::graph_options const options{.vertices = 9'000, .heap_bytes = 64u << 10};
    std::uint64_t refusals = 0;
    std::uint64_t held_bytes = 0;
    {
        exec::host_space space({.threads = 1});
        graph::dynamic_graph<exec::host_space> const empty(space, options);
        held_bytes = space.budget().held_bytes();
    }
    bool applied = false;
    for (std::uint64_t limit = held_bytes + graph::tuning::least_scratch_bytes; !applied; limit += 2'048) {
        SCOPED_TRACE("limit " + std::to_string(limit));
        exec::host_space space({.threads = 1, .memory_limit_bytes = limit});
        graph::dynamic_graph<exec::host_space> tested(space, options);
        try {
            row_giver<graph::dynamic_graph<exec::host_space>> giver{tested};
            auto const report =
                how == given::as_rows ? giver.insert_edges(edges) : tested.insert_edges(edges);
            EXPECT_EQ(report.applied, edges.size());
            applied = true;
            EXPECT_EQ(tested.edge_count(), edges.size());
        } catch (exec::out_of_memory const&) {
            ++refusals;
            EXPECT_EQ(tested.edge_count(), 0u);
            EXPECT_EQ(tested.allocator().audit().live_bytes, 0u);
        }
        expect_valid(tested);
        if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(refusals, 10u);
}
TEST(ascending, edges_are_refused_whole_whatever_cannot_be_had) { refuse_whole(given::as_edges); }
TEST(ascending, rows_are_refused_whole_whatever_cannot_be_had) { refuse_whole(given::as_rows); }

} // namespace
} // namespace rhizome::tests::of_ascending

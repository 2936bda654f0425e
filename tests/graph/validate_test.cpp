// SPDX-License-Identifier: Apache-2.0
// A validation that never speaks up is worth nothing: each damage, done by hand, must be reported.
#include "comparison.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

using host_graph = graph_over<graph_case<graph::contiguous, ouroboros_default, void, exec::host_space>>;

/// The members of a default_view: the address of the records, which only a test that damages them may write.
struct opened_view {
    host_graph::record_type* rows;
    std::uint64_t vertices;
    graph::dead_vertices dead;
    std::uint32_t stride;
    bool symmetric;
    std::uint64_t arcs;
};
host_graph::record_type& record_of(host_graph const& tested, graph::vertex_id v) {
    auto const opened = std::bit_cast<opened_view>(tested.view());
    return opened.rows[std::uint64_t{v} * opened.stride];
}

/// A graph on the host, to be damaged.
struct damaged_graph {
    explicit damaged_graph(graph::graph_options const& options)
        : tested(exec::host_space({.threads = 1}), options) {
        std::vector<graph::edge> edges;
        for (graph::vertex_id v = 1; v < 40; ++v)
            for (graph::vertex_id w = v + 1; w < 50; w += v)
                edges.push_back({v, w});
        tested.insert_edges(edges);
        EXPECT_EQ(violations(), "");
    }
    std::string violations() {
        std::string all;
        for (std::string const& violation : tested.validate())
            all += violation + "\n";
        return all;
    }
    /// The ids of vertex v's neighbours. The view is for reading: only the test writes.
    graph::vertex_id* neighbours(graph::vertex_id v) {
        return const_cast<graph::vertex_id*>(tested.view().neighbours(v).begin());
    }
    template <class Word>
    void expect_noticed(Word& word, std::type_identity_t<Word> damaged, char const* what) {
        ASSERT_NE(word, damaged) << what;
        Word const before = std::exchange(word, damaged);
        EXPECT_NE(violations(), "") << what;
        word = before;
        EXPECT_EQ(violations(), "") << what;
    }

    host_graph tested;
};

TEST(validate, notices_damaged_neighbours_of_an_undirected_graph) {
    damaged_graph damaged({.vertices = 100});
    graph::vertex_id* const row = damaged.neighbours(1);
    damaged.expect_noticed(row[3], row[2], "twice the same");
    damaged.expect_noticed(row[3], row[5], "out of order");
    damaged.expect_noticed(row[48 - 1], 99, "an arc without its reverse");
    damaged.expect_noticed(row[48 - 1], 100, "a neighbour that is no vertex");
    damaged.expect_noticed(row[48 - 1], graph::no_vertex, "a neighbour that is no vertex");
}

TEST(validate, notices_damaged_in_arcs) {
    damaged_graph damaged({.vertices = 100, .directed = true, .in_arcs = true});
    graph::vertex_id* const out = damaged.neighbours(1);
    damaged.expect_noticed(out[48 - 1], 98, "an arc that its target does not know");
    auto* const in = const_cast<graph::vertex_id*>(damaged.tested.view().in_neighbours(49).begin());
    damaged.expect_noticed(in[0], 0, "an in-arc that its source does not know");
}

TEST(validate, notices_refused_loops) {
    damaged_graph damaged({.vertices = 100, .directed = true, .self_loops = false});
    graph::vertex_id* const row = damaged.neighbours(1);
    damaged.expect_noticed(row[0], 1, "a self-loop");
}

TEST(validate, notices_damaged_records) {
    for (bool const directed : {false, true}) {
        damaged_graph damaged({.vertices = 100, .directed = directed});
        auto const snapshot_before = arcs_of(damaged.tested.snapshot());
        auto& record = record_of(damaged.tested, 1);
        ASSERT_EQ(record.degree, 48u);
        damaged.expect_noticed(record.degree, 47, "a degree that is too small");
        std::uint32_t& capacity = record.ids[2];
        ASSERT_EQ(capacity, record.capacity());
        damaged.expect_noticed(capacity, 40, "more neighbours than room");
        damaged.expect_noticed(capacity, capacity * 2, "a page larger than the allocator's");
        auto& empty = record_of(damaged.tested, 99);
        ASSERT_EQ(empty.degree, 0u);
        damaged.expect_noticed(empty.degree, 2, "neighbours in a record that no batch inserted");
        damaged.expect_noticed(empty.degree, 5, "a page that no batch obtained");
        EXPECT_TRUE(arcs_of(damaged.tested.snapshot()) == snapshot_before);
    }
}

TEST(validate, notices_values_that_differ_between_two_arcs_of_an_edge) {
    using weighted_graph = graph::dynamic_graph<exec::host_space, graph::contiguous,
                                                graph::default_allocator<exec::host_space>, double>;
    weighted_graph damaged(exec::host_space({.threads = 1}), {.vertices = 10});
    std::vector<graph::edge> const edges{{1, 2}, {1, 3}, {2, 3}};
    std::vector<double> const weights{12, 13, 23};
    damaged.insert_edges(edges, weights);
    EXPECT_TRUE(damaged.validate().empty());
    const_cast<double&>(damaged.view().values(2)[1]) = 32;
    EXPECT_FALSE(damaged.validate().empty());
}

TEST(validate, notices_a_damaged_heap) {
    damaged_graph damaged({.vertices = 100});
    damaged.expect_noticed(damaged.tested.allocator().ref().store().state()->count, 3, "the chunk count");
    // A page that no row uses: the allocator cannot know this, but the sum over the rows lacks the page.
    EXPECT_NE(
        damaged.tested.allocator().ref().allocate(exec::host_thread<exec::no_shared>(0, 1, nullptr), 64),
        nullptr);
    EXPECT_NE(damaged.violations(), "");
}

} // namespace
} // namespace rhizome::tests

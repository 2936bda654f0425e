// SPDX-License-Identifier: Apache-2.0
// Parts of a graph: rows of some vertices, with neighbours that are ids of the whole graph.
#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/partition/owners.hpp>
#include <rhizome/graph/partition/routing.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

struct part_case {
    bool directed;
    bool in_arcs;
};

template <class Space>
class graph_parts : public space_test {};
TYPED_TEST_SUITE(graph_parts, all_spaces, space_names);

/// Applies batches to the parts of three owners, and compares rows, and edges counted over the parts, with
/// those of a set.
template <class Space, class Owners>
void expect_parts(Owners const& owners, part_case const& c) {
    constexpr std::uint64_t vertices = 101;
    std::string const where =
        std::string(c.directed ? "directed" : "undirected") + (c.in_arcs ? " with in-arcs" : "");
    using graph_type = graph::dynamic_graph<Space>;
    std::vector<graph_type> parts;
    for (std::uint32_t rank = 0; rank < owners.ranks(); ++rank)
        parts.emplace_back(make_space<Space>(),
                           graph::graph_options{.vertices = owners.rows(rank, vertices),
                                                .directed = c.directed,
                                                .in_arcs = c.in_arcs},
                           graph::batch::part_of_graph{vertices, owners.ids(rank)});
    graph::routing_rules<std::uint32_t, Owners> const rules{owners, vertices, c.directed, c.in_arcs};
    std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
    std::mt19937 random(5);
    for (int round = 0; round < (sanitized ? 4 : 8); ++round) {
        bool const erasing = round % 4 == 3;
        std::size_t const count = round % 2 == 0 ? 2000 : 60; // sorted, or counted
        std::vector<std::vector<graph::edge>> arcs(owners.ranks());
        std::uint64_t changed = 0;
        std::set<std::pair<std::uint32_t, std::uint32_t>> distinct;
        for (std::size_t i = 0; i < count; ++i) {
            graph::edge const e{static_cast<std::uint32_t>(random() % vertices),
                                static_cast<std::uint32_t>(random() % vertices)};
            for (std::uint32_t which = 0; which < rules.arcs_per_edge(); ++which)
                if (rules.has_arc(e, which)) {
                    arcs[owners.owner(rules.vertex_of(e, which))].push_back(rules.arc(e, which));
                }
            auto key = std::pair{e.source, e.target};
            if (!c.directed && key.first > key.second) std::swap(key.first, key.second);
            distinct.insert(key);
            changed += erasing ? expected.erase(key) : expected.insert(key).second ? 1u : 0u;
        }
        graph::batch_report report;
        for (std::uint32_t rank = 0; rank < owners.ranks(); ++rank) {
            exec::buffer<Space, graph::edge> const placed(parts[rank].space(),
                                                          std::span<graph::edge const>(arcs[rank]));
            auto const agree = [] { return true; };
            auto const done = erasing
                                  ? parts[rank].erase_edges_in_space_if(placed.data(), placed.size(), agree)
                                  : parts[rank].insert_edges_in_space_if(placed.data(), placed.size(), agree);
            ASSERT_TRUE(done.has_value());
            report += *done;
            ASSERT_EQ(parts[rank].validate(), std::vector<std::string>()) << where;
        }
        EXPECT_EQ(report,
                  (graph::batch_report{.applied = changed, .without_effect = distinct.size() - changed}))
            << where;
        // Some rows of hash_owners belong to larger ids, and have no neighbours.
        std::vector<std::vector<std::uint32_t>> neighbours(graph::id_scatter::block_ids);
        for (auto const& [source, target] : expected) {
            neighbours[source].push_back(target);
            if (!c.directed && source != target) neighbours[target].push_back(source);
        }
        for (auto& row : neighbours)
            std::sort(row.begin(), row.end());
        std::uint64_t edges = 0;
        for (std::uint32_t rank = 0; rank < owners.ranks(); ++rank) {
            edges += parts[rank].edge_count();
            auto const copy = parts[rank].snapshot();
            auto const offsets = copy.offsets.to_host();
            auto const targets = copy.targets.to_host();
            for (std::uint32_t row = 0; row + 1 < offsets.size(); ++row) {
                auto const v = static_cast<std::uint32_t>(owners.global(rank, row));
                std::vector<std::uint32_t> const found(
                    targets.begin() + static_cast<std::ptrdiff_t>(offsets[row]),
                    targets.begin() + static_cast<std::ptrdiff_t>(offsets[row + 1]));
                ASSERT_EQ(found, neighbours[v]) << where << " vertex " << v;
            }
        }
        EXPECT_EQ(edges, expected.size()) << where;
    }
}

TYPED_TEST(graph_parts, hold_their_rows_and_count_each_edge_once) {
    for (part_case const c : {part_case{false, false}, {true, false}, {true, true}}) {
        expect_parts<TypeParam>(graph::modulo_owners(3), c);
        expect_parts<TypeParam>(graph::range_owners::of(3, 101), c);
        expect_parts<TypeParam>(graph::hash_owners(3), c);
    }
}

TYPED_TEST(graph_parts, refuse_batches_that_are_not_of_arcs) {
    graph::dynamic_graph<TypeParam> part(make_space<TypeParam>(), {.vertices = 5},
                                         graph::batch::part_of_graph{100, {}});
    std::vector<graph::edge> const edges{{1, 2}};
    EXPECT_THROW(part.insert_edges(edges), std::logic_error);
    EXPECT_THROW(part.erase_edges(edges), std::logic_error);
    std::vector<graph::vertex_id> const ids{1};
    EXPECT_THROW(static_cast<void>(part.erase_vertices(ids)), std::logic_error);
    graph::dynamic_graph<TypeParam> whole(part.space(), {.vertices = 5, .directed = true});
    for (bool const empty : {true, false}) {
        if (!empty) whole.insert_edges(edges);
        auto const rows = whole.snapshot();
        EXPECT_THROW(part.insert_rows_in_space(rows.view()), std::logic_error);
    }
    EXPECT_EQ(part.edge_count(), 0u);
}

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// Batches grouped by rank on one rank, for any number of ranks, against a sequential answer.
#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/partition/routing.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstdint>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

namespace rhizome::tests {
namespace {

using routing_edge = graph::basic_edge<std::uint32_t>;
using routing_arc = graph::routed_arc<std::uint32_t>;

constexpr std::uint32_t routing_vertices = 5000;

/// Some edges have an end that is no vertex, some are self-loops, and some come often, in both directions.
std::vector<routing_edge> some_routing_edges(std::uint64_t count) {
    std::mt19937 random(static_cast<std::uint32_t>(count) + 1);
    std::vector<routing_edge> edges;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint32_t const ids = random() % 4 == 0 ? 3 : routing_vertices + 50;
        auto const id = [&] { return static_cast<std::uint32_t>(random() % ids); };
        edges.push_back({id(), id()});
    }
    return edges;
}

/// Arcs, their values, and what else there is to count.
struct routing_answer {
    std::vector<std::vector<routing_arc>> arcs; ///< of each rank
    std::vector<std::vector<double>> values;
    std::uint64_t rejected = 0;
    std::uint64_t self_loops = 0;
};

template <class Rules>
routing_answer expected_routing(Rules const& rules, std::vector<routing_edge> const& edges) {
    routing_answer found;
    found.arcs.resize(rules.owners.ranks());
    found.values.resize(rules.owners.ranks());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        auto const [source, target] = edges[i];
        if (source >= routing_vertices || target >= routing_vertices) {
            ++found.rejected;
            continue;
        }
        if (source == target && !rules.self_loops) {
            ++found.self_loops;
            continue;
        }
        auto const add = [&](std::uint32_t from, std::uint32_t to, std::uint32_t in) {
            auto const row = static_cast<std::uint32_t>(rules.owners.row(from));
            found.arcs[rules.owners.owner(from)].push_back({rules.in_arcs ? 2 * row + in : row, to});
            found.values[rules.owners.owner(from)].push_back(static_cast<double>(i));
        };
        add(source, target, 0);
        if (rules.in_arcs || (!rules.directed && source != target)) add(target, source, 1);
    }
    return found;
}

template <class Space, class Owners>
void expect_routed(Owners const& owners, std::uint64_t count, bool directed, bool in_arcs) {
    auto space = make_space<Space>({.threads = 2});
    graph::routing_rules<std::uint32_t, Owners> const rules{owners, routing_vertices, directed, in_arcs,
                                                            !in_arcs};
    std::uint32_t const ranks = owners.ranks();
    auto const edges = some_routing_edges(count);
    std::vector<double> numbers;
    for (std::size_t i = 0; i < edges.size(); ++i)
        numbers.push_back(static_cast<double>(i));
    exec::buffer<Space, routing_edge> const given(space, std::span<routing_edge const>(edges));
    exec::buffer<Space, double> const values(space, std::span<double const>(numbers));
    auto const want = expected_routing(rules, edges);
    auto const on_host = [&](auto const* data, std::uint64_t items) {
        std::vector<std::remove_cvref_t<decltype(*data)>> copy(items);
        space.copy_out(copy.data(), data, items * sizeof(*data));
        return copy;
    };
    graph::arc_router<Space, std::uint32_t, double> router(space);
    for (std::uint32_t const self : {0u, ranks / 2, ranks - 1}) {
        SCOPED_TRACE(testing::Message() << ranks << " ranks, " << count << " edges, at rank " << self);
        auto const counted = router.count(rules, given.data(), count);
        EXPECT_EQ(counted.rejected, want.rejected);
        EXPECT_EQ(counted.self_loops, want.self_loops);
        ASSERT_EQ(counted.arcs.size(), ranks);
        std::vector<routing_arc> sent;
        std::vector<double> sent_values;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            EXPECT_EQ(counted.arcs[rank], want.arcs[rank].size()) << "for rank " << rank;
            if (rank == self) continue;
            sent.insert(sent.end(), want.arcs[rank].begin(), want.arcs[rank].end());
            sent_values.insert(sent_values.end(), want.values[rank].begin(), want.values[rank].end());
        }
        exec::buffer<Space, routing_arc> own(space, counted.arcs[self]);
        exec::buffer<Space, double> own_values(space, counted.arcs[self]);
        router.make_room_to_send(sent.size(), true);
        std::vector<graph::group_place<std::uint32_t, double>> places(ranks);
        places[self] = {own.data(), own_values.data()};
        auto const placed = router.place(rules, self, given.data(), values.data(), places);
        EXPECT_EQ(own.to_host(), want.arcs[self]);
        EXPECT_EQ(own_values.to_host(), want.values[self]);
        EXPECT_EQ(on_host(placed.arcs, sent.size()), sent);
        EXPECT_EQ(on_host(placed.values, sent.size()), sent_values);
    }
}

template <class Space>
class partition_routing : public space_test {};
TYPED_TEST_SUITE(partition_routing, all_spaces, space_names);

/// A lane of a warp counts for one rank: fewer ranks than lanes, as many, and more.
TYPED_TEST(partition_routing, any_number_of_ranks) {
    for (std::uint32_t const ranks : {1u, 2u, 3u, 31u, 32u, 33u, 70u})
        expect_routed<TypeParam>(graph::modulo_owners(ranks), 3000, false, false);
    for (std::uint32_t const ranks : {2u, 33u}) // one arc per edge
        expect_routed<TypeParam>(graph::modulo_owners(ranks), 3000, true, false);
}

TYPED_TEST(partition_routing, any_length_and_all_kinds_of_arcs) {
    for (std::uint64_t const count : {0u, 1u, 31u, 32u, 33u, 127u, 129u, 9001u}) {
        expect_routed<TypeParam>(graph::hash_owners(5), count, false, false);
        expect_routed<TypeParam>(graph::range_owners(3, 100), count, true, false);
        expect_routed<TypeParam>(graph::hash_owners(2), count, true, true);
    }
}

TYPED_TEST(partition_routing, too_many_edges_or_ranks_are_refused) {
    auto const space = make_space<TypeParam>();
    graph::arc_router<TypeParam, std::uint32_t> router(space);
    auto const refuses = [&](std::uint32_t ranks, std::uint64_t edges) {
        graph::routing_rules<std::uint32_t, graph::modulo_owners> const rules{graph::modulo_owners(ranks),
                                                                              routing_vertices};
        EXPECT_THROW(static_cast<void>(router.count(rules, nullptr, edges)), std::length_error);
    };
    refuses(2, std::uint64_t{1} << 31);
    refuses(decltype(router)::most_ranks + 1, 1);
}

TYPED_TEST(partition_routing, counts_begin_anew_with_more_ranks) {
    auto const space = make_space<TypeParam>();
    auto const edges = some_routing_edges(500);
    exec::buffer<TypeParam, routing_edge> const given(space, std::span<routing_edge const>(edges));
    graph::arc_router<TypeParam, std::uint32_t> router(space);
    for (std::uint32_t const ranks : {2u, 40u, 41u, 60u, 3u}) {
        graph::routing_rules<std::uint32_t, graph::modulo_owners> const rules{graph::modulo_owners(ranks),
                                                                              routing_vertices};
        auto const want = expected_routing(rules, edges);
        auto const counted = router.count(rules, given.data(), edges.size());
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            EXPECT_EQ(counted.arcs[rank], want.arcs[rank].size()) << "rank " << rank << " of " << ranks;
        EXPECT_EQ(counted.rejected, want.rejected);
        EXPECT_EQ(counted.self_loops, want.self_loops);
    }
}

} // namespace
} // namespace rhizome::tests

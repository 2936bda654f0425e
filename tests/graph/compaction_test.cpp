// SPDX-License-Identifier: Apache-2.0
// compact() leaves the edges as they are and gives memory back.
#include "comparison.hpp"
#include "edge_list.hpp"
#include "streams.hpp"

#include <rhizome/alloc/decorators/counting.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace rhizome::tests::of_compaction {
namespace {

template <class Space, class Value, class Id = graph::vertex_id>
using compacted_graph =
    graph::basic_dynamic_graph<Id, Space, graph::contiguous, graph::default_allocator<Space>, Value>;

template <class Space>
class compaction : public space_test {};
TYPED_TEST_SUITE(compaction, all_spaces, space_names);
template <class Space>
class compaction_of_large_graphs : public space_test {};
TYPED_TEST_SUITE(compaction_of_large_graphs, detail::as_types<fast_space_list>::type, space_names);

/// Random batches with compaction between, whole or in pieces, and now and then one after the other.
template <class Graph, class Value>
std::uint64_t moved_in_stream(Graph& tested, graph::graph_options const& options, std::uint64_t batches,
                              std::uint64_t batch_edges, std::uint64_t seed) {
    using id_type = typename Graph::id_type;
    basic_reference_graph<Value, id_type> reference(options);
    basic_update_stream<id_type> stream(seed, options.vertices, batch_edges);
    constexpr std::uint64_t limits[] = {~std::uint64_t{0}, 3'000, 0, 40'000};
    std::uint64_t moved = 0;
    for (std::uint64_t number = 0; number < batches; ++number) {
        auto const batch = stream.next();
        apply_to_both(tested, reference, batch.edges, batch.erasing);
        if (number % 7 == 3) {
            std::vector<id_type> const gone = stream.next_vertices();
            EXPECT_EQ(tested.erase_vertices(gone), reference.erase_vertices(gone));
        }
        if (number % 5 != 0) {
            std::uint64_t const limit = limits[number % 4];
            graph::compaction_report const report = tested.compact(limit);
            EXPECT_LE(report.moved_bytes, limit);
            moved += report.moved_bytes;
        }
        expect_same(tested, reference);
    }
    return moved;
}

/// At least as many as leave something to move.
template <class Space>
std::uint64_t batches_of() {
    return std::max<std::uint64_t>(work<Space>(24, 12), 10);
}

TYPED_TEST(compaction, between_the_batches_of_a_stream_changes_no_edge) {
    std::uint64_t const batches = batches_of<TypeParam>();
    std::uint64_t const size = is_emulated<TypeParam> ? 400 : 3'000;
    graph::graph_options options{.vertices = size / 2, .heap_bytes = 64u << 10, .compacts = false};
    std::uint64_t moved = 0;
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
        compacted_graph<TypeParam, void> tested(make_space<TypeParam>(), options);
        EXPECT_TRUE(tested.can_compact());
        moved +=
            moved_in_stream<compacted_graph<TypeParam, void>, void>(tested, options, batches, size, seed);
        options.directed = true;
        options.in_arcs = true;
    }
    EXPECT_GT(moved, 0u);
}
TYPED_TEST(compaction, keeps_the_values_of_edges) {
    std::uint64_t const batches = batches_of<TypeParam>();
    std::uint64_t const size = is_emulated<TypeParam> ? 300 : 2'000;
    graph::graph_options const options{.vertices = size / 2, .heap_bytes = 64u << 10, .compacts = false};
    compacted_graph<TypeParam, double> tested(make_space<TypeParam>(), options);
    EXPECT_GT(
        (moved_in_stream<compacted_graph<TypeParam, double>, double>(tested, options, batches, size, 5)), 0u);
}
TYPED_TEST(compaction_of_large_graphs, keeps_edges_between_ids_of_64_bits) {
    graph::graph_options const options{.vertices = 800, .heap_bytes = 64u << 10, .compacts = false};
    using graph_type = compacted_graph<TypeParam, void, graph::wide_vertex_id>;
    graph_type tested(make_space<TypeParam>(), options);
    EXPECT_GT((moved_in_stream<graph_type, void>(tested, options, batches_of<TypeParam>(), 2'000, 7)), 0u);
}

/// Edges of a graph whose rows have very different lengths, some of several chunks.
edge_list skewed_edges(std::uint64_t count, std::uint64_t vertices, std::uint64_t seed) {
    edge_list edges = random_edges(count, vertices, seed);
    for (std::size_t i = 0; i < edges.size(); i += 3)
        edges[i].source = static_cast<graph::vertex_id>(i / 3 % 11);
    return edges;
}

TYPED_TEST(compaction_of_large_graphs, gives_back_what_batches_that_came_and_went_have_left) {
    constexpr std::uint64_t scale = is_gpu<TypeParam> ? 16 : 1; // whose tables have steps of 2 MiB
    std::uint64_t const vertices = scale * 10'000;
    graph::graph_options const options{.vertices = vertices, .heap_bytes = 64u << 10, .compacts = false};
    for (bool const skewed : {false, true}) {
        SCOPED_TRACE(skewed ? "skewed" : "even");
        auto space = make_space<TypeParam>();
        auto const edges = [&](std::uint64_t seed) {
            return skewed ? skewed_edges(scale * 80'000, vertices, seed)
                          : random_edges(scale * 80'000, vertices, seed);
        };
        compacted_graph<TypeParam, void> loaded(make_space<TypeParam>(), options);
        loaded.insert_edges(edges(1));
        compacted_graph<TypeParam, void> tested(space, options);
        for (std::uint64_t seed = 2; seed < 5; ++seed) {
            edge_list const passing = edges(seed);
            tested.insert_edges(passing);
            tested.insert_edges(edges(1));
            tested.erase_edges(passing);
        }
        tested.insert_edges(edges(1));
        tested.release_scratch();
        graph::memory_report const before = tested.memory();
        std::uint64_t const held_before = space.budget().held_bytes();

        graph::compaction_report const report = tested.compact();
        graph::memory_report const after = tested.memory();
        EXPECT_GT(report.moved_bytes, 0u);
        EXPECT_EQ(held_before - space.budget().held_bytes(), report.returned_bytes);
        EXPECT_EQ(before.total_bytes() - after.total_bytes(), report.returned_bytes);
        EXPECT_GE(report.returned_bytes, before.compactable_bytes);
        EXPECT_EQ(after.adjacency_bytes, before.adjacency_bytes);
        EXPECT_LE(after.slack_bytes, after.adjacency_bytes / 4);
        std::uint64_t const steps = is_gpu<TypeParam> ? 4u << 20 : 256u << 10;
        EXPECT_LE(after.free_bytes, after.heap_bytes / 12 + steps);
        EXPECT_GT(before.free_bytes + before.slack_bytes, after.heap_bytes / 2) << "there was little to gain";
        expect_valid(tested);
        EXPECT_TRUE(arcs_elsewhere(space, tested.view()) == arcs_elsewhere(loaded.space(), loaded.view()));

        graph::compaction_report const again = tested.compact();
        EXPECT_EQ(again.moved_bytes, 0u);
        EXPECT_EQ(again.returned_bytes, 0u);
        tested.insert_edges(edges(9));
        loaded.insert_edges(edges(9));
        expect_valid(tested);
        EXPECT_TRUE(arcs_elsewhere(space, tested.view()) == arcs_elsewhere(loaded.space(), loaded.view()));
    }
}
/// A batch that is much larger than the graph comes and goes: the graph gives its memory back by itself.
TYPED_TEST(compaction_of_large_graphs, comes_by_itself_if_the_options_allow_it) {
    constexpr std::uint64_t scale = is_gpu<TypeParam> ? 16 : 1;
    std::uint64_t const vertices = scale * 15'000;
    edge_list const kept = random_edges(scale * 100'000, vertices, 1);
    edge_list const passing = random_edges(scale * 900'000, vertices, 2);
    auto const times_rows = [&](bool compacts) {
        compacted_graph<TypeParam, void> tested(
            make_space<TypeParam>(), {.vertices = vertices, .heap_bytes = 64u << 10, .compacts = compacts});
        tested.insert_edges(kept);
        tested.insert_edges(passing);
        tested.erase_edges(passing);
        expect_valid(tested);
        graph::memory_report const memory = tested.memory();
        return static_cast<double>(memory.heap_bytes + memory.vertex_table_bytes) /
               static_cast<double>(8 * (vertices + 1) + 4 * tested.arc_count());
    };
    EXPECT_LE(times_rows(true), 2.0);
    EXPECT_GT(times_rows(false), 2.0);
}

/// Refuses every compaction for lack of memory, and counts them.
template <class Space>
class refuses_to_withhold : public alloc::counting<graph::default_allocator<Space>> {
    using base = alloc::counting<graph::default_allocator<Space>>;

public:
    using base::base;
    [[nodiscard]] std::uint64_t withhold_sparse_chunks(std::uint64_t) { return refuse(); }
    [[nodiscard]] std::uint64_t withhold_sparse_chunks(std::uint64_t, std::uint64_t) { return refuse(); }
    std::uint64_t attempts = 0;

private:
    std::uint64_t refuse() {
        ++attempts;
        throw exec::out_of_memory("by plan", 1, 0);
    }
};
TYPED_TEST(compaction_of_large_graphs, that_come_by_themselves_become_rare_where_memory_is_lacking) {
    constexpr std::uint64_t vertices = 2'000;
    graph::basic_dynamic_graph<graph::vertex_id, TypeParam, graph::contiguous, refuses_to_withhold<TypeParam>,
                               void>
        tested(make_space<TypeParam>(), {.vertices = vertices, .heap_bytes = 64u << 10, .compacts = true});
    tested.allocator().grow_to(9u << 20);
    edge_list const batch = random_edges(80'000, vertices, 1); // more than 1/16 of the heap
    constexpr int batches = 33;
    for (int number = 0; number < batches; ++number) {
        if (number % 2 == 0)
            tested.insert_edges(batch);
        else
            tested.erase_edges(batch);
    }
    EXPECT_EQ(tested.allocator().attempts, 5u) << "after batches 1, 3, 7, 15 and 31";
    EXPECT_FALSE(tested.broken());
    expect_valid(tested);
    EXPECT_THROW(tested.compact(), exec::out_of_memory);
    expect_valid(tested);
}

TYPED_TEST(compaction_of_large_graphs, ends_in_pieces_where_it_ends_at_once) {
    constexpr std::uint64_t vertices = 20'000;
    auto const churned = [&](auto& tested) {
        tested.insert_edges(random_edges(100'000, vertices, 1));
        edge_list const passing = random_edges(200'000, vertices, 2);
        tested.insert_edges(passing);
        tested.erase_edges(passing);
    };
    graph::graph_options const options{.vertices = vertices, .heap_bytes = 64u << 10, .compacts = false};
    compacted_graph<TypeParam, void> at_once(make_space<TypeParam>(), options);
    compacted_graph<TypeParam, void> in_pieces(make_space<TypeParam>(), options);
    churned(at_once);
    churned(in_pieces);
    static_cast<void>(at_once.compact());
    constexpr std::uint64_t limit = 50'000;
    std::uint64_t pieces = 0;
    for (;; ++pieces) {
        ASSERT_LT(pieces, 200u) << "it does not end";
        graph::compaction_report const report = in_pieces.compact(limit);
        EXPECT_LE(report.moved_bytes, limit);
        expect_valid(in_pieces);
        if (report.moved_bytes == 0) break;
    }
    EXPECT_GT(pieces, 2u);
    EXPECT_LE(static_cast<double>(in_pieces.memory().heap_bytes),
              1.1 * static_cast<double>(at_once.memory().heap_bytes) + (is_gpu<TypeParam> ? 4e6 : 1e5));
    EXPECT_TRUE(arcs_elsewhere(at_once.space(), at_once.view()) ==
                arcs_elsewhere(in_pieces.space(), in_pieces.view()));
}

TYPED_TEST(compaction, of_a_graph_without_edges_or_vertices) {
    compacted_graph<TypeParam, void> empty(make_space<TypeParam>(),
                                           {.heap_bytes = 64u << 10, .compacts = false});
    EXPECT_EQ(empty.compact().moved_bytes, 0u);
    expect_valid(empty);
    empty.add_vertices(10);
    EXPECT_EQ(empty.compact().moved_bytes, 0u);
    empty.insert_edges(edge_list{{1, 2}, {3, 4}});
    EXPECT_EQ(empty.compact().moved_bytes, 0u) << "all neighbours are in the vertex table";
    expect_valid(empty);
    EXPECT_EQ(empty.edge_count(), 2u);
}

TYPED_TEST(compaction, under_a_limit_needs_little_and_loses_nothing) {
    // On the GPU a heap grows and shrinks in pieces of 2 MiB: this one has some of them.
    std::uint64_t const size = is_emulated<TypeParam> ? 600 : is_gpu<TypeParam> ? 16'000 : 2'000;
    auto space = make_space<TypeParam>({.memory_limit_bytes = (is_gpu<TypeParam> ? 512u : 24u) << 20});
    graph::graph_options const options{.vertices = size, .heap_bytes = 64u << 10, .compacts = false};
    compacted_graph<TypeParam, void> tested(space, options);
    reference_graph reference(options);
    apply_to_both(tested, reference, random_edges(8 * size, size, 1), false);
    apply_to_both(tested, reference, random_edges(30 * size, size, 2), false);
    apply_to_both(tested, reference, random_edges(30 * size, size, 2), true);
    std::uint64_t refused = 0;
    std::uint64_t moved = 0;
    std::uint64_t returned = 0;
    for (std::uint64_t const left : {0u, 100u, 2'000u, 8'000u, 64'000u}) {
        std::optional<exec::buffer<TypeParam, std::byte>> rest;
        rest.emplace(space, space.budget().available_bytes() - left);
        try {
            graph::compaction_report const report = tested.compact();
            moved += report.moved_bytes;
            returned += report.returned_bytes;
        } catch (exec::out_of_memory const& error) {
            ++refused;
            EXPECT_GT(error.needed_bytes(), error.available_bytes()) << error.what();
        }
        rest.reset();
        expect_same(tested, reference);
    }
    EXPECT_GT(refused, 0u);
    EXPECT_GT(returned, 0u);
    // On the GPU the attempts that were refused may have moved all rows that had to move.
    if (!is_gpu<TypeParam>) {
        EXPECT_GT(moved, 0u);
    }
    apply_to_both(tested, reference, random_edges(size, size, 3), false);
    expect_same(tested, reference);
}

} // namespace
} // namespace rhizome::tests::of_compaction

// SPDX-License-Identifier: Apache-2.0
// What every graph promises, of those with this layout.
#include "cases.hpp"

namespace rhizome::tests {
using tested_layout = graph::contiguous;
} // namespace rhizome::tests

#include "behaviour_suite.hpp"
#include "loading_suite.hpp"
#include "memory_suite.hpp"
#include "page_requests_suite.hpp"
#include "queries_suite.hpp"
#include "values_suite.hpp"
#include "views_suite.hpp" // of graphs that these suites have compiled already

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

namespace rhizome::tests {
namespace {

/// Rows that ascend are checked where they lie; others in a sorted copy.
TYPED_TEST(graph_memory, checking_sorted_rows_needs_none) {
    using space_type = typename TypeParam::space;
    graph::graph_options const options{.vertices = 1000};
    auto space = make_space<space_type>({.memory_limit_bytes = 64u << 20});
    graph_over<TypeParam> tested(space, options);
    reference_graph reference(options);
    auto const edges = random_edges(5000, 1000, 1);
    apply_to_both(tested, reference, edges, false);
    exec::buffer<space_type, std::byte> const rest(space, space.budget().available_bytes());
    ASSERT_EQ(space.budget().available_bytes(), 0u);
    expect_same(tested, reference);
    EXPECT_EQ(tested.memory().heap_bytes, tested.allocator().heap_bytes());
    apply_to_both(tested, reference, std::span(edges).first(2500), true);
    expect_same(tested, reference);
}

template <class Case>
class graph_hubs : public space_test {};
TYPED_TEST_SUITE(graph_hubs, planned_cases<graph::contiguous>, named_types);

/// That a row has more arcs than a block sorts is found on the way, once: the next batch expects it.
TYPED_TEST(graph_hubs, make_a_second_batch_wait_no_longer_than_another) {
    auto space = make_space<typename TypeParam::space>();
    std::uint32_t const arcs = graph::tuning::block_sort_bytes / sizeof(graph::vertex_id) + 100;
    graph_over<TypeParam> tested(space, {.vertices = arcs, .directed = true, .heap_bytes = 8u << 20});
    tested.insert_edges(edge_list{{0, 1}}); // the first arcs of a graph take another way
    edge_list star;
    for (graph::vertex_id v = 0; v < arcs; ++v)
        star.push_back({7, v});
    EXPECT_EQ(tested.insert_edges(star).applied, arcs);
    std::uint64_t const waits = space.waits();
    EXPECT_EQ(tested.erase_edges(star).applied, arcs);
    EXPECT_EQ(space.waits(), waits + 1);
    EXPECT_EQ(tested.insert_edges(edge_list{{7, 3}, {7, 3}, {0, 1}}), (graph::batch_report{1, 1, 1}));
    EXPECT_EQ(arcs_of(tested.snapshot()), (edge_list{{0, 1}, {7, 3}}));
    expect_valid(tested);
}

/// Batches with very many arcs in one bin of rows are tried again without bins.
TYPED_TEST(graph_hubs, take_skewed_batches_among_even_ones) {
    using space_type = typename TypeParam::space;
    std::uint64_t const many = work<space_type>(400'000, 2 * graph::tuning::large_bin_arcs);
    auto const sources = static_cast<graph::vertex_id>(work<space_type>(500, 50)); // in one bin
    for (std::uint64_t const vertices : {many, many / 4}) {
        graph::graph_options const options{.vertices = vertices, .heap_bytes = 32u << 20};
        graph_over<TypeParam> tested(make_space<space_type>(), options);
        reference_graph reference(options);
        apply_to_both(tested, reference, random_edges(many / 2, vertices, 1), false);
        edge_list const even = random_edges(many, vertices, 2);
        edge_list skewed = random_edges(many, vertices, 3);
        for (std::size_t i = 0; i < skewed.size(); ++i)
            if (i % 8 != 0) skewed[i].source = 512 + skewed[i].source % sources;
        for (bool const erasing : {false, true}) { // before a skewed batch
            apply_to_both(tested, reference, even, erasing);
            expect_same(tested, reference);
        }
        for (bool const erasing : {false, true})
            for (auto const& batch : {even, skewed, even}) {
                apply_to_both(tested, reference, batch, erasing);
                expect_same(tested, reference);
            }
    }
}

/// What is sorted because a hub came before, and could be counted, is counted where memory is short.
TYPED_TEST(graph_hubs, have_no_batch_refused_that_could_be_counted) {
    using space_type = typename TypeParam::space;
    std::uint32_t const arcs = graph::tuning::block_sort_bytes / sizeof(graph::vertex_id) + 100;
    std::uint64_t const many = work<space_type>(200'000, 20'000);
    graph::graph_options const options{.vertices = many, .directed = true, .heap_bytes = 32u << 20};
    edge_list const spread = random_edges(many, many, 3);
    edge_list star;
    for (graph::vertex_id v = 0; v < arcs; ++v)
        star.push_back({7, v});
    std::uint64_t counting_bytes = 0;
    {
        auto space = make_space<space_type>();
        graph_over<TypeParam> tested(space, options);
        tested.insert_edges(edge_list{{0, 1}});
        tested.insert_edges(spread);
        counting_bytes = space.budget().held_bytes();
    }
    auto space = make_space<space_type>({.memory_limit_bytes = counting_bytes + (64u << 10)});
    graph_over<TypeParam> tested(space, options);
    reference_graph reference(options);
    apply_to_both(tested, reference, edge_list{{0, 1}}, false);
    apply_to_both(tested, reference, star, false);
    apply_to_both(tested, reference, star, true);
    tested.release_scratch();
    apply_to_both(tested, reference, spread, false);
    expect_same(tested, reference);
}

template <class Case>
class graph_merges : public space_test {};
TYPED_TEST_SUITE(graph_merges, planned_cases<graph::contiguous>, named_types);

/// Up to 4 and 16 arcs are what one thread merges into a row of up to 32 neighbours. Batches of 1 and 3 arcs
/// per row are small, others list their requests of pages, and those of 4 arcs and more have twice as many as
/// rows.
TYPED_TEST(graph_merges, change_rows_of_any_length_by_any_number_of_arcs) {
    constexpr std::uint32_t vertices = 300;
    for (bool const directed : {true, false}) {
        graph::graph_options const options{.vertices = vertices, .directed = directed};
        graph_over<TypeParam> tested(make_space<typename TypeParam::space>(), options);
        reference_graph reference(options);
        apply_to_both(tested, reference, edge_list{{0, 1}}, false); // the first arcs take another way
        std::mt19937 random(11);
        edge_list former;
        for (std::uint32_t const arcs : {1u, 3u, 4u, 5u, 16u, 17u, 8u}) {
            edge_list batch;
            for (graph::vertex_id v = 0; v < vertices; v += 1 + v % 2)
                for (std::uint32_t i = 0; i < arcs; ++i)
                    batch.push_back({v, static_cast<graph::vertex_id>(random() % (vertices / 4) * 4)});
            apply_to_both(tested, reference, batch, false);
            expect_same(tested, reference);
            former.insert(former.end(), batch.begin(), batch.end());
            std::shuffle(former.begin(), former.end(), random);
            std::size_t const gone = std::min(former.size(), batch.size() - batch.size() / 8);
            apply_to_both(tested, reference, std::span(former).first(gone), true);
            former.erase(former.begin(), former.begin() + static_cast<std::ptrdiff_t>(gone));
            expect_same(tested, reference);
            if (::testing::Test::HasFailure()) return;
        }
        apply_to_both(tested, reference, former, true); // rows give their pages back
        expect_same(tested, reference);
    }
}

/// Blocks merge them, in batches that count their arcs.
TYPED_TEST(graph_merges, move_long_rows) {
    constexpr std::uint32_t vertices = 6000;
    graph::graph_options const options{.vertices = vertices, .directed = true};
    graph_over<TypeParam> tested(make_space<typename TypeParam::space>(), options);
    reference_graph reference(options);
    apply_to_both(tested, reference, edge_list{{0, 1}}, false);
    std::mt19937 random(12);
    for (bool const erasing : {false, false, true, false, true, true}) {
        edge_list batch;
        while (batch.size() < 2000)
            batch.push_back({static_cast<graph::vertex_id>(batch.size() % 8 == 0 ? 9 : 7),
                             static_cast<graph::vertex_id>(random() % (erasing ? vertices : vertices / 2))});
        apply_to_both(tested, reference, batch, erasing);
        expect_same(tested, reference);
    }
}

} // namespace
} // namespace rhizome::tests

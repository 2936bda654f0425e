// SPDX-License-Identifier: Apache-2.0
// Graphs that grow, that run into a limit, and that say where their bytes are.
#pragma once

#include "comparison.hpp"
#include "edge_list.hpp"
#include "streams.hpp"

#include <rhizome/exec/errors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Case>
class graph_memory : public space_test {};
TYPED_TEST_SUITE(graph_memory, planned_cases<tested_layout>, named_types);

template <class Case>
class graph_limits : public space_test {};
TYPED_TEST_SUITE(graph_limits, bounded_planned_cases<tested_layout>, named_types);

/// Elsewhere the heap grows as long as something is inserted.
template <class Case>
class graph_memory_reuse : public space_test {};
TYPED_TEST_SUITE(graph_memory_reuse, recycling_planned_cases<tested_layout>, named_types);

TYPED_TEST(graph_memory, a_small_heap_grows_to_what_a_large_one_holds) {
    using space_type = typename TypeParam::space;
    std::uint64_t const vertices = is_emulated<space_type> ? 3'000 : 8'000; // fewer would not fill 2 MiB
    graph_over<TypeParam> small(make_space<space_type>(), {.vertices = vertices, .heap_bytes = 2u << 20});
    graph_over<TypeParam> large(make_space<space_type>(), {.vertices = vertices, .heap_bytes = 256u << 20});
    for (std::uint64_t batch = 0; batch < (sanitized || is_emulated<space_type> ? 4 : 6); ++batch) {
        auto const edges = random_edges(vertices * 25, vertices, batch);
        EXPECT_EQ(small.insert_edges(edges), large.insert_edges(edges));
        auto const erased = random_edges(vertices, vertices, batch / 2);
        EXPECT_EQ(small.erase_edges(erased), large.erase_edges(erased));
        expect_valid(small);
    }
    if (TypeParam::traits::bounded) {
        EXPECT_GT(small.allocator().heap_bytes(), 2u << 20) << "nothing grew: too few edges for this test";
        EXPECT_EQ(large.allocator().heap_bytes(), 256u << 20);
    }
    EXPECT_EQ(small.edge_count(), large.edge_count());
    EXPECT_TRUE(arcs_of(small.snapshot()) == arcs_of(large.snapshot()));
}

TYPED_TEST(graph_memory, scratch_goes_back_on_request) {
    using space_type = typename TypeParam::space;
    std::uint64_t const vertices = 200;
    graph_over<TypeParam> graph(make_space<space_type>(), {.vertices = vertices});
    auto const edges = random_edges(3'000, vertices, 1);
    graph.insert_edges(edges);
    (void)graph.has_edges(edges);
    std::uint64_t const held_bytes = graph.space().budget().held_bytes();
    std::uint64_t const scratch_bytes = graph.memory().scratch_bytes;
    graph.release_scratch();
    std::uint64_t const left_bytes = graph.memory().scratch_bytes;
    EXPECT_LT(left_bytes, 4096) << "of " << scratch_bytes;
    EXPECT_EQ(held_bytes - graph.space().budget().held_bytes(), scratch_bytes - left_bytes);
    std::uint64_t const present = graph.edge_count();
    EXPECT_EQ(graph.erase_edges(edges).applied, present);
    EXPECT_EQ(graph.edge_count(), 0);
    expect_valid(graph);
}

TYPED_TEST(graph_memory, a_single_row_may_be_larger_than_the_starting_heap) {
    using space_type = typename TypeParam::space;
    std::uint64_t const vertices = is_emulated<space_type> ? 30'000 : 900'000; // 3.6 MB of neighbours
    graph::graph_options const options{.vertices = vertices, .directed = true, .heap_bytes = 64u << 10};
    graph_over<TypeParam> tested(make_space<space_type>(), options);
    edge_list star;
    for (std::uint64_t v = vertices; v-- > 0;)
        star.push_back({5, static_cast<graph::vertex_id>(v)});
    auto const [even, odd] = [&] {
        std::pair<edge_list, edge_list> halves;
        for (graph::edge const& edge : star)
            (edge.target % 2 == 0 ? halves.first : halves.second).push_back(edge);
        return halves;
    }();
    EXPECT_EQ(tested.insert_edges(even).applied, even.size());
    EXPECT_EQ(tested.insert_edges(star).applied, odd.size());
    EXPECT_EQ(tested.insert_edges(star).without_effect, star.size());
    expect_valid(tested);
    EXPECT_EQ(tested.erase_edges(even).applied, even.size());
    expect_valid(tested);
    std::sort(star.begin(), star.end());
    std::erase_if(star, [](graph::edge const& edge) { return edge.target % 2 == 0; });
    EXPECT_TRUE(arcs_of(tested.snapshot()) == star);
    EXPECT_EQ(tested.erase_edges(star).applied, star.size());
    EXPECT_EQ(tested.arc_count(), 0u);
    expect_valid(tested);
}

TYPED_TEST(graph_limits, past_the_limit_a_batch_is_refused_whole_and_the_graph_lives_on) {
    using space_type = typename TypeParam::space;
    // A GPU commits memory in steps of 2 MiB, the other spaces in steps of 64 KiB.
    // Before a batch is refused it is tried in many pieces, which takes sanitizers long.
    bool const slow = sanitized || is_emulated<space_type>;
    bool const half = !slow && scale_from_environment() < 1;
    std::uint64_t const limit = is_gpu<space_type> ? 32u << 20 : slow ? 1u << 20 : half ? 3u << 20 : 6u << 20;
    std::uint64_t const batch_edges = is_gpu<space_type> ? 100'000 : slow ? 1'000 : half ? 5'000 : 10'000;
    // What does not ascend is checked in a sorted copy: room that the graph does not get.
    std::uint64_t const for_checks = TypeParam::layout::sorted ? 0 : 4 * limit;
    graph::graph_options const options{.vertices = slow ? 1000u : 8000u, .heap_bytes = limit / 6};
    auto const space = make_space<space_type>({.memory_limit_bytes = limit + for_checks});
    memory_reserve<space_type> reserve(space, for_checks);
    graph_over<TypeParam> tested(space, options);
    reference_graph reference(options);
    auto const expect_same_as_reference = [&] {
        reserve.lend([&] { expect_valid(tested); });
        expect_equal_arcs(tested, reference);
    };
    edge_list refused;
    for (std::uint64_t round = 0; refused.empty(); ++round) {
        ASSERT_LT(round, 1000u) << "nothing was refused";
        auto const batch = random_edges(batch_edges, options.vertices, round);
        try {
            tested.insert_edges(batch);
            reference.apply(batch, false);
        } catch (exec::out_of_memory const& error) {
            refused = batch;
            std::string const what = error.what();
            EXPECT_NE(what.find("batch of " + std::to_string(batch_edges) + " edges refused"),
                      std::string::npos)
                << what;
            EXPECT_GT(error.needed_bytes(), 0u);
            EXPECT_NE(what.find("needed " + std::to_string(error.needed_bytes())), std::string::npos) << what;
            EXPECT_NE(what.find("available " + std::to_string(error.available_bytes())), std::string::npos)
                << what;
        }
    }
    EXPECT_LE(tested.space().budget().held_bytes(), limit + for_checks);
    expect_same_as_reference();

    // The same batch again is refused again, and changes nothing again; or, since pages lie differently now
    // and it may have missed by a little, it is applied, whole.
    try {
        tested.insert_edges(refused);
        reference.apply(refused, false);
    } catch (exec::out_of_memory const&) {
    }
    expect_same_as_reference();

    if (TypeParam::traits::reuses) { // what a refused batch had taken is free again: a smaller one succeeds
        std::uint64_t edges = batch_edges / 2;
        for (bool applied = false; !applied; edges /= 2) {
            ASSERT_GT(edges, 0u) << "not even one edge";
            try {
                auto const part = std::span(refused).first(edges);
                tested.insert_edges(part);
                reference.apply(part, false);
                applied = true;
            } catch (exec::out_of_memory const&) {
                expect_same_as_reference();
            }
        }
        expect_same_as_reference();
    }
    for (std::uint64_t round = 0; round < 3; ++round) { // erasing needs no memory
        apply_to_both(tested, reference, random_edges(batch_edges, options.vertices, round), true);
        expect_same_as_reference();
    }
    if (!TypeParam::traits::reuses) return;
    edge_list const rest = reference.edge_list();
    for (std::size_t begin = 0; begin < rest.size(); begin += batch_edges) {
        std::size_t const count = std::min<std::size_t>(batch_edges, rest.size() - begin);
        apply_to_both(tested, reference, std::span(rest).subspan(begin, count), true);
    }
    expect_same_as_reference();
    apply_to_both(tested, reference, refused, false);
    expect_same_as_reference();
}

TYPED_TEST(graph_memory, vertices_that_cannot_be_erased_stay_whole) {
    using space_type = typename TypeParam::space;
    graph::graph_options const options{.vertices = 1000};
    auto space = make_space<space_type>({.memory_limit_bytes = 64u << 20});
    graph_over<TypeParam> tested(space, options);
    reference_graph reference(options);
    apply_to_both(tested, reference, random_edges(5000, 1000, 1), false);
    std::vector<graph::vertex_id> all(1000);
    std::iota(all.begin(), all.end(), 0u);
    {
        exec::buffer<space_type, std::byte> const rest(space, space.budget().available_bytes());
        EXPECT_THROW(tested.erase_vertices(all), exec::out_of_memory);
    }
    expect_same(tested, reference);
    EXPECT_EQ(tested.erase_vertices(all), reference.erase_vertices(all));
    expect_same(tested, reference);
}

TYPED_TEST(graph_memory, the_parts_of_the_report_add_up) {
    using space_type = typename TypeParam::space;
    auto space = make_space<space_type>();
    for (bool const in_arcs : {false, true}) {
        graph::graph_options const options{.vertices = 3000, .directed = in_arcs, .in_arcs = in_arcs};
        graph_over<TypeParam> tested(space, options);
        auto const look = [&](std::uint64_t arcs) {
            graph::memory_report const report = tested.memory();
            EXPECT_EQ(report.adjacency_bytes + report.inline_bytes, arcs * sizeof(graph::vertex_id));
            EXPECT_EQ(report.inline_bytes == 0, arcs == 0 || !TypeParam::layout::sorted);
            EXPECT_EQ(report.heap_bytes, report.adjacency_bytes + report.slack_bytes + report.free_bytes);
            EXPECT_LE(report.slack_bytes, report.heap_bytes);
            EXPECT_LE(report.free_bytes, report.heap_bytes);
            EXPECT_GE(report.vertex_table_bytes, 3000 * 16);
            EXPECT_EQ(report.edges, tested.edge_count());
            double const edges = static_cast<double>(arcs == 0 ? 1 : tested.edge_count());
            EXPECT_EQ(report.bytes_per_edge(),
                      arcs == 0 ? 0.0 : static_cast<double>(report.total_bytes()) / edges);
            if (TypeParam::traits::bounded) {
                EXPECT_EQ(report.total_bytes(), space.budget().held_bytes());
            }
        };
        look(0);
        auto edges = random_edges(work<space_type>(400'000, 20'000), 2900, 7);
        edges.push_back({2998, 2999}); // two short rows
        tested.insert_edges(edges);
        look(in_arcs ? 2 * tested.edge_count() : tested.arc_count());
        tested.erase_edges(std::span(edges).first(edges.size() / 2));
        look(in_arcs ? 2 * tested.edge_count() : tested.arc_count());
    }
    EXPECT_EQ(space.budget().held_bytes(), 0u) << "a graph that is gone holds nothing";
}

TYPED_TEST(graph_memory, a_graph_that_cannot_be_had_throws_and_holds_nothing) {
    using space_type = typename TypeParam::space;
    auto space = make_space<space_type>({.memory_limit_bytes = 8u << 20});
    graph::graph_options const too_many{.vertices = 1'000'000, .heap_bytes = 1u << 20};
    EXPECT_THROW((graph_over<TypeParam>(space, too_many)), exec::out_of_memory);
    EXPECT_EQ(space.budget().held_bytes(), 0u);
}

TYPED_TEST(graph_memory, vertices_that_cannot_be_had_leave_the_graph_as_it_was) {
    using space_type = typename TypeParam::space;
    graph::graph_options const options{.vertices = 500};
    graph_over<TypeParam> tested(make_space<space_type>({.memory_limit_bytes = 64u << 20}), options);
    reference_graph reference(options);
    apply_to_both(tested, reference, random_edges(2000, 500, 1), false);
    EXPECT_THROW(tested.add_vertices(10'000'000), exec::out_of_memory);
    EXPECT_THROW(tested.add_vertices(0xffff'ffffull), std::length_error);
    expect_same(tested, reference);
}

TYPED_TEST(graph_memory, a_batch_that_cannot_be_staged_leaves_the_graph_as_it_was) {
    using space_type = typename TypeParam::space;
    graph::graph_options const options{.vertices = 500};
    auto space = make_space<space_type>({.memory_limit_bytes = 64u << 20});
    graph_over<TypeParam> tested(space, options);
    reference_graph reference(options);
    apply_to_both(tested, reference, random_edges(2000, 500, 1), false);
    auto const batch = random_edges(3000, 500, 2);
    {
        exec::buffer<space_type, std::byte> const rest(space, space.budget().available_bytes());
        EXPECT_THROW(static_cast<void>(tested.stage(batch)), exec::out_of_memory);
        expect_equal_arcs(tested, reference);
    }
    expect_valid(tested);
    graph::staged_batch const one = tested.stage(batch); // what was refused has left both places free
    graph::staged_batch const two = tested.stage(batch);
    EXPECT_EQ(tested.insert_edges(one), reference.apply(batch, false));
    EXPECT_EQ(tested.erase_edges(two), reference.apply(batch, true));
    expect_same(tested, reference);
}

TYPED_TEST(graph_memory, places_without_a_batch_are_given_back_before_one_is_refused) {
    using space_type = typename TypeParam::space;
    auto space = make_space<space_type>({.memory_limit_bytes = 64u << 20});
    graph_over<TypeParam> tested(space, {.vertices = 500});
    auto const large = random_edges(50'000, 500, 1);
    {
        graph::staged_batch const one = tested.stage(large);
        graph::staged_batch const two = tested.stage(large);
    }
    auto const small = random_edges(200, 500, 2);
    exec::buffer<space_type, std::byte> const rest(space, space.budget().available_bytes());
    ASSERT_EQ(space.budget().available_bytes(), 0u);
    graph::batch_report const report = tested.insert_edges(small);
    EXPECT_GT(report.applied, 100u);
    EXPECT_GT(space.budget().available_bytes(), large.size() * sizeof(graph::edge));
    expect_valid(tested);
}

/// What batches make the host wait, and the space allocate, once they have been seen before.
template <class Graph, class Work>
void expect_steady(Graph& tested, std::uint64_t batches_a_round, Work const& round) {
    for (unsigned warming = 0; warming < 4; ++warming)
        round();
    auto& space = tested.space();
    std::uint64_t const charges = space.budget().charges();
    std::uint64_t const held = space.budget().held_bytes();
    std::uint64_t const waits = space.waits();
    constexpr unsigned rounds = 5;
    for (unsigned number = 0; number < rounds; ++number)
        round();
    EXPECT_EQ(space.waits() - waits, rounds * batches_a_round)
        << "each batch waits for its report, and for nothing else";
    EXPECT_EQ(space.budget().charges() - charges, 0u);
    EXPECT_EQ(space.budget().held_bytes(), held);
}

TYPED_TEST(graph_memory_reuse, a_steady_stream_allocates_nothing_and_waits_once_a_batch) {
    using space_type = typename TypeParam::space;
    // At least 40: vertices that are erased have edges to those from 20 on.
    std::uint64_t const vertices = std::max<std::uint64_t>(work<space_type>(5'000, 400), 40);
    for (std::uint64_t const batch_edges : {vertices / 2, vertices * 3}) { // counted, sorted
        SCOPED_TRACE(std::to_string(batch_edges) + " edges a batch");
        // Room enough that how the pages of a round happen to lie makes no difference.
        graph::graph_options const options{.vertices = vertices, .heap_bytes = 64u << 20};
        // A tiny batch whose blocks do not run at once waits twice.
        graph_over<TypeParam> tested(make_space<space_type>({.whole_grids = true}), options);
        tested.insert_edges(random_edges(vertices * 4, vertices, 1));
        auto const present = random_edges(batch_edges, vertices, 2);
        auto const next = random_edges(batch_edges, vertices, 3);
        expect_steady(tested, 2, [&] {
            tested.insert_edges(present);
            tested.erase_edges(present);
        });
        expect_steady(tested, 4, [&] {
            graph::staged_batch const staged = tested.stage(present);
            graph::staged_batch const ahead = tested.stage(next);
            tested.insert_edges(staged);
            tested.insert_edges(ahead);
            tested.erase_edges(staged);
            tested.erase_edges(ahead);
        });
        exec::buffer<space_type, graph::edge> const there(tested.space(), next);
        expect_steady(tested, 2, [&] {
            tested.insert_edges_in_space(there.data(), there.size());
            tested.erase_edges_in_space(there.data(), there.size());
        });
        // Vertices come and go with their edges: erasing them waits for how many edges these are as well.
        std::vector<graph::vertex_id> const gone{3, 7, 11};
        std::vector<graph::edge> theirs;
        for (graph::vertex_id target = 20; target < vertices; target += 2)
            theirs.push_back({gone[target % 3], target});
        expect_steady(tested, 3, [&] {
            tested.insert_edges(theirs);
            EXPECT_EQ(tested.erase_vertices(gone).erased, gone.size());
            EXPECT_EQ(tested.insert_vertices(gone.size()), gone);
        });
        expect_valid(tested);
    }
}

TYPED_TEST(graph_memory_reuse, a_steady_stream_of_edges_that_are_there_waits_once_a_batch) {
    using space_type = typename TypeParam::space;
    // More arcs than the heap has room for, if they were new: the batch is measured, but not for ever.
    std::uint64_t const batch_edges = is_gpu<space_type> ? 400'000 : 20'000;
    graph_over<TypeParam> tested(make_space<space_type>(), {.vertices = 200, .heap_bytes = 64u << 10});
    auto const repeated = random_edges(batch_edges, 200, 1);
    std::uint64_t const waits = tested.space().waits();
    tested.insert_edges(repeated);
    tested.insert_edges(repeated);
    if (TypeParam::traits::bounded) {
        EXPECT_GT(tested.space().waits() - waits, 2u) << "too few for this test: nothing was measured";
    }
    expect_steady(tested, 1, [&] { tested.insert_edges(repeated); });
    expect_valid(tested);
}

} // namespace
} // namespace rhizome::tests

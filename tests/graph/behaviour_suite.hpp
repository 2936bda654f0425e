// SPDX-License-Identifier: Apache-2.0
// What a graph promises beside streams: vertices, empty batches, hubs, snapshots, views.
#pragma once

#include "comparison.hpp"
#include "edge_list.hpp"
#include "hub_graph.hpp"
#include "last_loops.hpp"
#include "streams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Case>
class graph_behaviour : public space_test {
protected:
    static graph_over<Case> make(graph::graph_options const& options) {
        return graph_over<Case>(make_space<typename Case::space>(), options);
    }
};
TYPED_TEST_SUITE(graph_behaviour, planned_cases<tested_layout>, named_types);

TYPED_TEST(graph_behaviour, an_empty_graph_and_empty_batches) {
    auto nothing = this->make({});
    EXPECT_EQ(nothing.vertex_count(), 0u);
    EXPECT_EQ(nothing.insert_edges({}), graph::batch_report{});
    EXPECT_EQ(nothing.erase_edges({}), graph::batch_report{});
    edge_list const some = {{0, 0}, {0, 1}};
    EXPECT_EQ(nothing.insert_edges(some).rejected, 2u);
    EXPECT_EQ(nothing.erase_edges(some).rejected, 2u);
    EXPECT_TRUE(arcs_of(nothing.snapshot()).empty());
    expect_valid(nothing);

    graph::graph_options const options{.vertices = 3};
    auto tested = this->make(options);
    reference_graph reference(options);
    apply_and_list(tested, reference, edge_list{{0, 1}}, false);
    apply_and_list(tested, reference, {}, false);
    apply_and_list(tested, reference, {}, true);
    expect_same(tested, reference);
}

TYPED_TEST(graph_behaviour, each_fate_of_an_edge_is_counted_once) {
    graph::graph_options options{.vertices = 4, .self_loops = false};
    edge_list const batch = {{0, 1}, {1, 0}, {2, 2}, {3, 4}, {graph::no_vertex, 0}, {2, 3}, {2, 3}, {2, 3}};
    auto undirected = this->make(options);
    EXPECT_EQ(undirected.insert_edges(batch), (graph::batch_report{2, 0, 3, 1, 2}));
    EXPECT_EQ(undirected.insert_edges(batch), (graph::batch_report{0, 2, 3, 1, 2}));
    EXPECT_EQ(undirected.arc_count(), 4u);
    EXPECT_EQ(undirected.erase_edges(edge_list{{1, 0}, {1, 2}}), (graph::batch_report{1, 1, 0, 0, 0}));

    options.directed = true;
    auto directed = this->make(options);
    EXPECT_EQ(directed.insert_edges(batch), (graph::batch_report{3, 0, 2, 1, 2}));
    EXPECT_EQ(directed.erase_edges(edge_list{{3, 2}, {2, 3}}), (graph::batch_report{1, 1, 0, 0, 0}));

    options.self_loops = true;
    auto loops = this->make(options);
    EXPECT_EQ(loops.insert_edges(batch), (graph::batch_report{4, 0, 2, 0, 2}));
    EXPECT_EQ(arcs_of(loops.snapshot()), (edge_list{{0, 1}, {1, 0}, {2, 2}, {2, 3}}));
}

TYPED_TEST(graph_behaviour, what_is_rejected_is_not_taken_for_a_loop_at_the_last_vertex) {
    expect_last_loops_apart<void>([&](graph::graph_options const& options) { return this->make(options); });
}

TYPED_TEST(graph_behaviour, refuses_unknown_ids_whole_if_asked_to) {
    for (bool const directed : {false, true}) {
        graph::graph_options const options{
            .vertices = 200, .directed = directed, .in_arcs = directed, .refuses_unknown_ids = true};
        auto tested = this->make(options);
        reference_graph reference(options);
        auto const refused = [&](edge_list const& edges, bool erasing) {
            try {
                static_cast<void>(erasing ? tested.erase_edges(edges) : tested.insert_edges(edges));
            } catch (std::out_of_range const& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        EXPECT_NE(refused({{0, 200}}, false), ""); // into a graph without edges, too
        for (int round = 0; round < 4; ++round) {
            auto const seed = static_cast<std::uint64_t>(round);
            apply_and_list(tested, reference, random_edges(2000, 200, seed), round % 3 == 2);
            // One wrong edge of few, and two of many: sorted and counted batches.
            edge_list few = {{1, 2}, {3, 200}};
            EXPECT_NE(refused(few, round % 2 == 1).find("1 of them name ids of no live vertex"),
                      std::string::npos);
            edge_list many = random_edges(2000, 200, seed + 100);
            many.insert(many.begin() + static_cast<std::ptrdiff_t>(many.size() / 2),
                        {{graph::no_vertex, 5}, {7, 1'000'000}});
            EXPECT_NE(refused(many, round % 2 == 0).find("2 of them"), std::string::npos);
            expect_same(tested, reference);
            expect_valid(tested);
        }
        static_cast<void>(tested.erase_vertices(std::vector<graph::vertex_id>{9}));
        std::uint64_t const before = tested.edge_count();
        EXPECT_NE(refused({{1, 2}, {9, 10}}, false), "");
        EXPECT_NE(refused({{1, 2}, {10, 9}}, true), "");
        EXPECT_EQ(tested.edge_count(), before);
        expect_valid(tested);
    }
}

TYPED_TEST(graph_behaviour, lists_changes_of_several_batches_and_sorts_them) {
    for (bool const directed : {false, true}) {
        auto tested = this->make({.vertices = 300, .directed = directed});
        typename decltype(tested)::changes_type changes(tested.space());
        std::uint64_t inserted = 0;
        for (std::uint64_t seed = 0; seed < 3; ++seed)
            inserted += tested.insert_edges(random_edges(500, 300, seed), &changes).applied;
        std::uint64_t const erased = tested.erase_edges(random_edges(400, 300, 1), &changes).applied;
        tested.erase_edges(random_edges(400, 300, 0)); // not asked for
        EXPECT_EQ(changes.size(), inserted + erased);
        auto listed = list_on_host(tested.space(), changes.inserted());
        std::sort(listed.begin(), listed.end());
        tested.sort_changes(changes);
        EXPECT_EQ(list_on_host(tested.space(), changes.inserted()), listed);
        auto const gone = list_on_host(tested.space(), changes.erased());
        EXPECT_EQ(gone.size(), erased);
        EXPECT_TRUE(std::is_sorted(gone.begin(), gone.end()));
        changes.release();
        std::uint64_t const again = tested.insert_edges(random_edges(100, 300, 0), &changes).applied;
        EXPECT_EQ(changes.size(), again);
    }
}

TYPED_TEST(graph_behaviour, vertices_may_be_added_between_batches) {
    for (bool const in_arcs : {false, true}) {
        graph::graph_options const options{.vertices = 10, .directed = in_arcs, .in_arcs = in_arcs};
        auto tested = this->make(options);
        reference_graph reference(options);
        std::uint64_t vertices = 10;
        for (std::uint64_t round = 0; round < 8; ++round) {
            apply_and_list(tested, reference, edge_list{{9, static_cast<graph::vertex_id>(vertices)}}, false);
            update_stream stream(round, vertices, 200);
            for (int batch = 0; batch < 3; ++batch) {
                auto const next = stream.next();
                apply_and_list(tested, reference, next.edges, next.erasing);
            }
            expect_same(tested, reference);
            tested.add_vertices(vertices);
            reference.add_vertices(vertices);
            vertices *= 2;
            expect_same(tested, reference);
        }
        tested.add_vertices(0);
        expect_same(tested, reference);
    }
}

TYPED_TEST(graph_behaviour, erased_vertices_take_their_edges_along_and_leave_their_names) {
    using names = std::vector<graph::vertex_id>;
    for (graph::graph_options const& options :
         {graph::graph_options{.vertices = 6}, graph::graph_options{.vertices = 6, .directed = true},
          graph::graph_options{.vertices = 6, .directed = true, .in_arcs = true}}) {
        auto tested = this->make(options);
        EXPECT_EQ(tested.erase_vertices(names{}), graph::vertex_report{});
        tested.insert_edges(edge_list{{0, 1}, {1, 2}, {2, 0}, {2, 2}, {3, 2}, {3, 4}, {2, 4}, {4, 2}});
        graph::vertex_report const report = tested.erase_vertices(names{2, 5, 2, 6, graph::no_vertex});
        EXPECT_EQ(report.erased, 2u);
        EXPECT_EQ(report.duplicates, 1u);
        EXPECT_EQ(report.absent, 2u);
        EXPECT_EQ(report.edges, options.directed ? 6u : 5u); // {2, 4} and {4, 2} are one edge or two
        EXPECT_EQ(tested.edge_count(), 2u);
        EXPECT_EQ(tested.vertex_count(), 6u);
        EXPECT_EQ(tested.live_vertex_count(), 4u);
        expect_valid(tested);
        EXPECT_EQ(tested.erase_vertices(names{2}), (graph::vertex_report{0, 1, 0, 0}));
        EXPECT_EQ(tested.insert_edges(edge_list{{2, 0}, {0, 2}, {0, 5}, {0, 3}}).rejected, 3u);

        auto const copy = tested.snapshot();
        EXPECT_EQ(copy.view().live_vertex_count(), 4u);
        EXPECT_EQ(copy.dead_bits.to_host(), (std::vector<std::uint32_t>{1u << 2 | 1u << 5}));

        // Free names first, then new ones; they come without edges.
        names made = tested.insert_vertices(3);
        std::sort(made.begin(), made.end());
        EXPECT_EQ(made, (names{2, 5, 6}));
        EXPECT_EQ(tested.vertex_count(), 7u);
        EXPECT_EQ(tested.live_vertex_count(), 7u);
        EXPECT_EQ(arcs_of(tested.snapshot()).size(), tested.arc_count());
        EXPECT_EQ(tested.insert_edges(edge_list{{2, 6}, {5, 2}}).applied, 2u);
        expect_valid(tested);

        EXPECT_EQ(tested.erase_vertices(names{0, 1, 2, 3, 4, 5, 6}).erased, 7u);
        EXPECT_EQ(tested.edge_count(), 0u);
        EXPECT_EQ(tested.live_vertex_count(), 0u);
        expect_valid(tested);
        tested.add_vertices(40); // new names, whatever is free
        EXPECT_EQ(tested.vertex_count(), 47u);
        EXPECT_EQ(tested.live_vertex_count(), 40u);
        EXPECT_EQ(tested.insert_edges(edge_list{{7, 46}, {6, 7}}), (graph::batch_report{1, 0, 0, 0, 1}));
        expect_valid(tested);
    }
}

TYPED_TEST(graph_behaviour, a_hub_may_be_erased) {
    using space_type = typename TypeParam::space;
    auto const vertices = static_cast<graph::vertex_id>(work<space_type>(20'000, 3'000));
    graph::graph_options const each[] = {{.vertices = vertices},
                                         {.vertices = vertices, .directed = true},
                                         {.vertices = vertices, .directed = true, .in_arcs = true}};
    for (graph::graph_options const& options : each) {
        auto tested = this->make(options);
        reference_graph reference(options);
        edge_list star;
        for (graph::vertex_id v = 0; v < vertices; ++v)
            star.push_back(v % 2 == 0 ? graph::edge{3, v} : graph::edge{v, 3});
        star.push_back({1, 2});
        apply_and_list(tested, reference, star, false);
        std::vector<graph::vertex_id> const hub = {3};
        EXPECT_EQ(tested.erase_vertices(hub), reference.erase_vertices(hub));
        expect_same(tested, reference);
        EXPECT_EQ(tested.edge_count(), 1u);
    }
}

TYPED_TEST(graph_behaviour, a_batch_may_touch_one_hub_only) {
    using space_type = typename TypeParam::space;
    auto const vertices = static_cast<graph::vertex_id>(work<space_type>(30'000, 4'000));
    graph::graph_options const options{.vertices = vertices, .directed = true};
    auto tested = this->make(options);
    reference_graph reference(options);
    for (graph::vertex_id const step : {7u, 3u, 2u, 1u}) { // each lands between what is there
        edge_list star;
        for (graph::vertex_id v = vertices; v-- > 0;)
            if (v % step == 0) star.push_back({1, v});
        apply_and_list(tested, reference, star, false);
        expect_same(tested, reference);
    }
    for (graph::vertex_id const step : {5u, 3u, 2u, 1u}) {
        edge_list star;
        for (graph::vertex_id v = 0; v < vertices; v += step)
            star.push_back({1, v});
        apply_and_list(tested, reference, star, true);
        expect_same(tested, reference);
    }
    EXPECT_EQ(tested.edge_count(), 0u);
}

TYPED_TEST(graph_behaviour, rows_around_the_border_of_light_and_heavy) {
    graph::graph_options const options{.vertices = 3000, .directed = true};
    auto tested = this->make(options);
    reference_graph reference(options);
    constexpr std::uint32_t border = graph::tuning::heavy_degree;
    edge_list batch;
    for (graph::vertex_id row = 0; row < 6; ++row)
        for (graph::vertex_id i = 0; i < border - 3 + row; ++i)
            batch.push_back({row, i * 5 + row});
    apply_and_list(tested, reference, batch, false);
    expect_same(tested, reference);
    for (bool const erasing : {false, true, false}) {
        edge_list next;
        for (graph::vertex_id row = 0; row < 6; ++row)
            for (graph::vertex_id i = 0; i < 40; ++i)
                next.push_back({row, i * 70 + (erasing ? 0 : 1)});
        apply_and_list(tested, reference, next, erasing);
        expect_same(tested, reference);
    }
}

TYPED_TEST(graph_behaviour, a_snapshot_is_the_graph_and_stays_as_it_was) {
    graph::graph_options const options{.vertices = 500};
    auto tested = this->make(options);
    reference_graph reference(options);
    update_stream stream(3, 500, 2000);
    auto const first = stream.next();
    apply_and_list(tested, reference, first.edges, false);
    auto const copy = tested.snapshot();
    edge_list const arcs = arcs_of(copy);
    EXPECT_EQ(copy.vertices, 500u);
    EXPECT_TRUE(copy.symmetric);
    EXPECT_EQ(arcs.size(), tested.arc_count());
    EXPECT_TRUE(arcs == arcs_elsewhere(tested.space(), tested.view()));
    EXPECT_TRUE(arcs == arcs_elsewhere(tested.space(), copy.view()));
    tested.erase_edges(first.edges);
    EXPECT_EQ(tested.edge_count(), 0u);
    EXPECT_TRUE(arcs_of(copy) == arcs);
}

TYPED_TEST(graph_behaviour, views_say_what_they_have) {
    EXPECT_TRUE(this->make({.vertices = 1}).view().symmetric());
    EXPECT_TRUE(this->make({.vertices = 1}).view().has_in_arcs());
    EXPECT_FALSE(this->make({.vertices = 1, .directed = true}).view().symmetric());
    EXPECT_FALSE(this->make({.vertices = 1, .directed = true}).view().has_in_arcs());
    EXPECT_TRUE(this->make({.vertices = 1, .directed = true, .in_arcs = true}).view().has_in_arcs());
    EXPECT_THROW(this->make({.vertices = 1, .in_arcs = true}), std::invalid_argument);
    EXPECT_THROW(this->make({.vertices = 0xffff'ffffull}), std::length_error);
    EXPECT_THROW(this->make({.vertices = 1ull << 31, .directed = true, .in_arcs = true}), std::length_error)
        << "two rows a vertex: an arc's key would need more than 64 bits";
}

TYPED_TEST(graph_behaviour, a_graph_may_be_moved) {
    graph::graph_options const options{.vertices = 100};
    auto first = this->make(options);
    reference_graph reference(options);
    apply_and_list(first, reference, edge_list{{1, 2}, {3, 4}, {5, 5}}, false);
    auto second = std::move(first);
    expect_same(second, reference);
    apply_and_list(second, reference, edge_list{{1, 2}, {6, 7}}, true);
    apply_and_list(second, reference, edge_list{{8, 9}}, false);
    expect_same(second, reference);
}

TYPED_TEST(graph_behaviour, edges_may_lie_in_the_space_already) {
    using space_type = typename TypeParam::space;
    graph::graph_options const options{.vertices = 100};
    auto tested = this->make(options);
    edge_list const batch = {{1, 2}, {3, 4}, {1, 2}};
    exec::buffer<space_type, graph::edge> const there(tested.space(), batch);
    EXPECT_EQ(tested.insert_edges_in_space(there.data(), 3).applied, 2u);
    EXPECT_EQ(tested.erase_edges_in_space(there.data(), 1).applied, 1u);
    EXPECT_EQ(arcs_of(tested.snapshot()), (edge_list{{3, 4}, {4, 3}}));
}

TYPED_TEST(graph_behaviour, batches_staged_ahead_do_what_others_do) {
    using space_type = typename TypeParam::space;
    graph::graph_options const options{.vertices = 500};
    auto tested = this->make(options);
    reference_graph reference(options);
    update_stream stream(3, options.vertices, work<space_type>(3'000, 400));
    auto present = stream.next();
    edge_list source = present.edges;
    graph::staged_batch staged = tested.stage(source);
    for (unsigned number = 0; number < 12; ++number) {
        auto const next = stream.next();
        source = next.edges;
        graph::staged_batch ahead = tested.stage(source);
        std::fill(source.begin(), source.end(), graph::edge{0, 1}); // the caller's memory is free again
        EXPECT_EQ(ahead.size(), next.edges.size());
        graph::batch_report const report =
            present.erasing ? tested.erase_edges(staged) : tested.insert_edges(staged);
        EXPECT_EQ(report, reference.apply(present.edges, present.erasing)) << number;
        if (number % 4 == 3) { // plain ones in between
            auto const plain = stream.next();
            apply_and_list(tested, reference, plain.edges, plain.erasing);
        }
        expect_same(tested, reference);
        staged = std::move(ahead);
        present = next;
    }
}

TYPED_TEST(graph_behaviour, a_staged_batch_may_be_applied_again_or_never) {
    graph::graph_options const options{.vertices = 100};
    auto first = this->make(options);
    edge_list const some = {{1, 2}, {3, 4}};
    { graph::staged_batch const never = first.stage(edge_list{{5, 6}}); }
    graph::staged_batch kept = first.stage(some);
    EXPECT_EQ(first.insert_edges(kept).applied, 2u);
    EXPECT_EQ(first.insert_edges(kept).without_effect, 2u);
    EXPECT_EQ(first.erase_edges(kept).applied, 2u);
    EXPECT_EQ(first.insert_edges(first.stage({})), graph::batch_report{});

    auto second = std::move(first); // the batch goes with it
    EXPECT_EQ(second.insert_edges(kept).applied, 2u);
    graph::staged_batch moved = std::move(kept);
    EXPECT_EQ(second.erase_edges(moved).applied, 2u);
    EXPECT_THROW(second.insert_edges(kept), std::invalid_argument) << "it was moved from";
    auto other = this->make(options);
    EXPECT_THROW(other.insert_edges(moved), std::invalid_argument) << "it is not this graph's";
    EXPECT_EQ(second.edge_count() + other.edge_count(), 0u);
    expect_valid(second);
}

TYPED_TEST(graph_behaviour, two_batches_are_staged_at_most) {
    auto tested = std::make_unique<graph_over<TypeParam>>(this->make({.vertices = 100}));
    graph::staged_batch one = tested->stage(edge_list{{1, 2}});
    {
        graph::staged_batch const two = tested->stage(edge_list{{3, 4}});
        EXPECT_THROW(static_cast<void>(tested->stage(edge_list{{5, 6}})), std::logic_error);
        EXPECT_EQ(tested->stage({}).size(), 0u) << "an empty one needs no place";
        EXPECT_EQ(tested->insert_edges(edge_list{{7, 8}}).applied, 1u) << "nor do plain ones";
        EXPECT_EQ(tested->insert_edges(two).applied, 1u);
    }
    {
        graph::staged_batch const three = tested->stage(edge_list{{5, 6}});
        EXPECT_EQ(tested->insert_edges(three).applied, 1u);
        EXPECT_EQ(tested->insert_edges(one).applied, 1u) << "the others left it alone";
        EXPECT_THROW(static_cast<void>(tested->stage(edge_list{{5, 6}})), std::logic_error);
    }
    one = tested->stage(edge_list{{9, 10}, {11, 12}});
    EXPECT_EQ(tested->insert_edges(one).applied, 2u);
    EXPECT_EQ(tested->edge_count(), 6u);
    expect_valid(*tested);
    tested.reset(); // the batch outlives its graph
}

template <class Case>
class graph_threads : public space_test {};
TYPED_TEST_SUITE(graph_threads, fast_planned_cases<tested_layout>, named_types);

TYPED_TEST(graph_threads, another_thread_may_stage_the_next_batch) {
    graph::graph_options const options{.vertices = 500};
    graph_over<TypeParam> tested(make_space<typename TypeParam::space>(), options);
    reference_graph reference(options);
    update_stream stream(5, options.vertices, scaled(2'000));
    auto present = stream.next();
    graph::staged_batch staged = tested.stage(present.edges);
    for (unsigned number = 0; number < 20; ++number) {
        auto next = stream.next();
        auto ahead = std::async(std::launch::async, [&] { return tested.stage(next.edges); });
        graph::batch_report const report =
            present.erasing ? tested.erase_edges(staged) : tested.insert_edges(staged);
        EXPECT_EQ(report, reference.apply(present.edges, present.erasing)) << number;
        staged = ahead.get();
        present = std::move(next);
    }
    expect_same(tested, reference);
}

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// Graphs chosen at run time do what a sequential reference does, each type of the catalogue.
#include "chosen_graphs.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/runtime/catalogue.hpp>

#include <graph/edge_list.hpp>
#include <graph/reference.hpp>
#include <graph/streams.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

using runtime::any_graph;
using reference = basic_reference_graph<double>;

/// A graph and its reference, changed together.
class any_graph_test : public testing::TestWithParam<chosen_graph> {
protected:
    static constexpr std::uint64_t vertices = 200;

    void open(runtime::graph_choice const& choice) {
        graph_ = runtime::open_graph(choice);
        reference_.emplace(graph::graph_options{.vertices = choice.vertices,
                                                .directed = choice.directed,
                                                .in_arcs = choice.in_arcs,
                                                .self_loops = choice.self_loops});
    }
    /// Values count up, so that each insertion is told from those before.
    [[nodiscard]] std::vector<double> new_values(std::uint64_t count) {
        std::vector<double> values(count);
        std::iota(values.begin(), values.end(), next_value_);
        next_value_ += static_cast<double>(count);
        return values;
    }
    void insert(std::span<graph::edge const> edges) {
        std::vector<double> const values = new_values(edges.size());
        if (GetParam().has_values())
            expect_report(graph_->insert_edges(edges, values), reference_->apply(edges, false, values));
        else
            expect_report(graph_->insert_edges(edges), reference_->apply(edges, false, values));
    }
    void erase(std::span<graph::edge const> edges) {
        expect_report(graph_->erase_edges(edges), reference_->apply(edges, true));
    }
    void expect_report(graph::batch_report const& got, graph::batch_report expected) const {
        if (!GetParam().has_values()) expected.without_effect += std::exchange(expected.updated, 0);
        EXPECT_EQ(got, expected);
    }
    void expect_same() const {
        EXPECT_EQ(graph_->edge_count(), reference_->edges().size());
        EXPECT_EQ(graph_->all_edges(), reference_->edge_list());
        if (GetParam().has_values()) {
            std::vector<double> expected;
            for (auto const& [edge, value] : reference_->edges())
                expected.push_back(value);
            EXPECT_EQ(graph_->all_values().take<double>(), expected);
        } else {
            EXPECT_EQ(graph_->all_values().type(), runtime::value_type::none);
        }
        EXPECT_EQ(graph_->arc_count(), reference_->arcs().size());
        std::vector<std::uint32_t> degrees(reference_->vertices());
        for (auto const& [arc, value] : reference_->arcs())
            ++degrees[arc.source];
        EXPECT_EQ(graph_->all_degrees(), degrees);
        EXPECT_EQ(graph_->validate(), std::vector<std::string>());
    }

    std::unique_ptr<any_graph> graph_;
    std::optional<reference> reference_;
    double next_value_ = 1;
};

TEST_P(any_graph_test, streams_leave_what_the_reference_has) {
    if (GetParam().type.allocator == "bump" && GetParam().space == "simt") return; // never reuses: slow there
    for (bool const directed : {false, true}) {
        runtime::graph_choice choice = GetParam().with(vertices);
        choice.directed = choice.in_arcs = directed;
        choice.self_loops = !directed;
        open(choice);
        EXPECT_EQ(graph_->directed(), directed);
        basic_update_stream<graph::vertex_id> stream(1, vertices, 300);
        for (unsigned batch = 0; batch < 12; ++batch) {
            auto const next = stream.next();
            next.erasing ? erase(next.edges) : insert(next.edges);
        }
        expect_same();
    }
}

TEST_P(any_graph_test, staged_batches_do_what_others_do) {
    open(GetParam().with(vertices));
    auto const first = random_edges(400, vertices, 1);
    auto const second = random_edges(400, vertices, 2);
    std::vector<double> const values = new_values(first.size());
    runtime::values_view const given =
        GetParam().has_values() ? runtime::values_view(values) : runtime::values_view();
    auto const inserted = graph_->stage(first, given);
    auto const erased = graph_->stage(second);
    expect_report(graph_->insert_edges(*inserted), reference_->apply(first, false, values));
    expect_report(graph_->erase_edges(*erased), reference_->apply(second, true));
    expect_same();
    auto const other = runtime::open_graph(GetParam().with(vertices));
    EXPECT_THROW(other->erase_edges(*erased), std::invalid_argument);
}

/// Edges as columns of 32 or of 64 bits.
template <class Column>
struct column_pair {
    std::vector<Column> sources;
    std::vector<Column> targets;

    explicit column_pair(std::span<graph::edge const> edges) {
        for (graph::edge const edge : edges) {
            sources.push_back(edge.source);
            targets.push_back(edge.target);
        }
    }
    [[nodiscard]] graph::edge_columns<Column> view() const { return {sources, targets}; }
};

TEST_P(any_graph_test, net_effects_of_updates_do_what_these_do_one_by_one) {
    if (GetParam().has_values()) return; // updates have none
    open(GetParam().with(vertices));
    std::vector<graph::edge> const edges = random_edges(500, vertices, 21);
    std::vector<graph::update> updates;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        updates.push_back({graph::operation::insert, edges[i]});
        if (i % 3 == 0) updates.push_back({graph::operation::erase, edges[i / 2]});
    }
    std::size_t const half = updates.size() / 2;
    auto first = graph_->stage_updates(std::span(updates).first(half));
    auto second = graph_->stage_updates(std::span(updates).subspan(half));
    EXPECT_THROW((void)graph_->stage_updates(updates), std::logic_error);
    std::uint64_t counted = 0;
    for (auto const* const batch : {&first, &second}) {
        graph::net_edges const net = graph_->net_effect(**batch);
        counted += net.insertion_count + net.deletion_count + net.superseded;
        (void)graph_->insert_edges_in_space(net.insertions, net.insertion_count);
        (void)graph_->erase_edges_in_space(net.deletions, net.deletion_count);
    }
    EXPECT_EQ(counted, updates.size());
    for (graph::update const& each : updates)
        (void)reference_->apply(std::span(&each.edge, 1), each.operation == graph::operation::erase);
    expect_same();
    second.reset();
    auto const again = graph_->stage_updates(std::span(updates).first(1));
    EXPECT_EQ(graph_->net_effect(*again).insertion_count, 1u);
    EXPECT_THROW((void)graph_->net_effect(*graph_->stage(edges)), std::invalid_argument);
}

TEST_P(any_graph_test, columns_in_host_memory_do_what_pairs_do) {
    open(GetParam().with(vertices));
    auto const run = [&]<class Column>(Column, std::uint64_t seed) {
        auto const edges = random_edges(500, vertices + 3, seed);
        std::vector<double> const values = new_values(edges.size());
        runtime::values_view const given =
            GetParam().has_values() ? runtime::values_view(values) : runtime::values_view();
        column_pair<Column> const columns(edges);
        expect_report(graph_->insert_edges(columns.view(), given), reference_->apply(edges, false, values));
        expect_same();
        auto const some = random_edges(300, vertices + 3, seed + 1);
        expect_report(graph_->erase_edges(column_pair<Column>(some).view()), reference_->apply(some, true));
        expect_same();

        std::vector<double> const newer = new_values(edges.size());
        auto const inserted = graph_->stage(
            columns.view(), GetParam().has_values() ? runtime::values_view(newer) : runtime::values_view());
        auto const erased = graph_->stage(column_pair<Column>(some).view());
        expect_report(graph_->insert_edges(*inserted), reference_->apply(edges, false, newer));
        expect_report(graph_->erase_edges(*erased), reference_->apply(some, true));
        expect_same();
    };
    run(std::uint32_t{}, 11);
    run(std::uint64_t{}, 13);

    std::uint64_t const beyond = std::uint64_t{1} << 32;
    std::vector<std::uint64_t> const sources{beyond + 1, 2};
    std::vector<std::uint64_t> const targets{2, beyond + 3};
    EXPECT_EQ(graph_->erase_edges(graph::edge_columns<std::uint64_t>{sources, targets}),
              (graph::batch_report{.rejected = 2}));
    expect_same();
}

/// The columns are arrays of a snapshot, which lie in the memory of the space whatever the space is.
TEST_P(any_graph_test, columns_in_the_space_do_what_pairs_do) {
    open(GetParam().with(vertices));
    insert(random_edges(600, vertices, 15));
    auto const copy = graph_->queries().snapshot();
    runtime::rows_in_space const rows = copy->rows();
    EXPECT_EQ(graph_->erase_edges(graph_->all_edges()).applied, reference_->edges().size());
    reference_->apply(reference_->edge_list(), true);

    auto const run = [&](auto const& on_host, auto const* in_space) {
        using column = std::remove_cvref_t<decltype(on_host[0])>;
        std::size_t const count = on_host.size() - 1;
        ASSERT_GT(count, 100u);
        std::vector<graph::edge> edges;
        for (std::size_t i = 0; i < count; ++i)
            edges.push_back(
                {static_cast<graph::vertex_id>(on_host[i]), static_cast<graph::vertex_id>(on_host[i + 1])});
        auto const first = [&](std::size_t size) {
            return graph::edge_columns<column>{{in_space, size}, {in_space + 1, size}};
        };
        std::vector<double> values; // those of the first arcs of the snapshot
        if (GetParam().has_values()) values = copy->values_on_host().template take<double>();
        values.resize(count);
        auto const report = graph_->insert_edges_in_space(first(count), rows.values);
        EXPECT_GT(report.applied, 0u);
        expect_report(report, reference_->apply(edges, false, values));
        expect_same();
        expect_report(graph_->erase_edges_in_space(first(count / 3)),
                      reference_->apply(std::span(edges).first(count / 3), true));
        expect_same();
    };
    run(copy->targets_on_host(), rows.targets);
    run(copy->offsets_on_host(), rows.offsets);
}

TEST_P(any_graph_test, columns_that_do_not_fit_are_refused) {
    open(GetParam().with(vertices));
    auto const run = [&]<class Column>(Column) {
        std::vector<Column> const two{1, 2};
        std::vector<Column> const three{1, 2, 3};
        graph::edge_columns<Column> const unequal{two, three};
        graph::edge_columns<Column> const equal{two, two};
        std::vector<double> const values{1, 2};
        std::vector<std::int32_t> const integers{1, 2};
        bool const has_values = GetParam().has_values();
        runtime::values_view const given = has_values ? runtime::values_view(values) : runtime::values_view();
        EXPECT_THROW(graph_->insert_edges(unequal, given), std::invalid_argument);
        EXPECT_THROW(graph_->erase_edges(unequal), std::invalid_argument);
        EXPECT_THROW(graph_->insert_edges_in_space(unequal, has_values ? values.data() : nullptr),
                     std::invalid_argument);
        EXPECT_THROW(graph_->erase_edges_in_space(unequal), std::invalid_argument);
        EXPECT_THROW(static_cast<void>(graph_->stage(unequal, given)), std::invalid_argument);
        EXPECT_THROW(static_cast<void>(graph_->stage(equal, integers)), std::invalid_argument);
        EXPECT_THROW(graph_->insert_edges(equal, integers), std::invalid_argument);
        EXPECT_THROW(graph_->insert_edges(equal, has_values ? runtime::values_view() : values),
                     std::invalid_argument);
        EXPECT_THROW(graph_->insert_edges_in_space(equal, has_values ? nullptr : values.data()),
                     std::invalid_argument);
    };
    run(std::uint32_t{});
    run(std::uint64_t{});
    expect_same();
}

TEST_P(any_graph_test, vertices_come_and_go) {
    open(GetParam().with(vertices));
    insert(random_edges(500, vertices, 3));
    id_list const gone{3, 5, 3, 999};
    EXPECT_EQ(graph_->erase_vertices(gone), reference_->erase_vertices(gone));
    EXPECT_EQ(graph_->live_vertex_count(), vertices - 2);
    EXPECT_EQ(graph_->erase_vertices(id_list{3}).absent, 1u);
    EXPECT_EQ(graph_->insert_vertices(3), (id_list{3, 5, static_cast<graph::vertex_id>(vertices)}));
    reference_->insert_vertices(id_list{3, 5, static_cast<graph::vertex_id>(vertices)});
    graph_->add_vertices(7);
    reference_->add_vertices(7);
    EXPECT_EQ(graph_->vertex_count(), vertices + 8);
    insert(random_edges(300, vertices + 8, 4));
    expect_same();
}

TEST_P(any_graph_test, queries_answer_as_the_reference_does) {
    open(GetParam().with(vertices));
    insert(random_edges(600, vertices, 5));
    auto const asked = random_edges(500, vertices + 3, 6);
    std::vector<std::uint8_t> const present = graph_->queries().has_edges(asked);
    ASSERT_EQ(present.size(), asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
        auto const [low, high] = std::minmax(asked[i].source, asked[i].target);
        bool const expected = reference_->edges().contains({low, high});
        EXPECT_EQ(present[i] != 0, expected) << asked[i].source << " " << asked[i].target;
    }
    id_list const ids{7, 0, 7, 199};
    auto const lists = graph_->queries().neighbours_of(ids);
    auto const degrees = graph_->queries().degrees(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        std::map<graph::vertex_id, double> expected;
        for (auto const& [arc, value] : reference_->arcs())
            if (arc.source == ids[i]) expected[arc.target] = value;
        EXPECT_EQ(degrees[i], expected.size());
        std::map<graph::vertex_id, double> got;
        auto const values = lists.values.view().as<double>();
        EXPECT_EQ(values.size(), GetParam().has_values() ? lists.targets.size() : 0u);
        for (std::uint64_t k = lists.offsets[i]; k < lists.offsets[i + 1]; ++k)
            got[lists.targets[k]] = values.empty() ? expected[lists.targets[k]] : values[k];
        EXPECT_EQ(got, expected);
    }
    if (!GetParam().has_values()) {
        EXPECT_THROW((void)graph_->queries().edge_values(asked), std::invalid_argument);
        return;
    }
    auto const found = graph_->queries().edge_values(asked);
    EXPECT_EQ(found.present, present);
    auto const values = found.values.view().as<double>();
    for (std::size_t i = 0; i < asked.size(); ++i) {
        auto const [low, high] = std::minmax(asked[i].source, asked[i].target);
        auto const edge = reference_->edges().find({low, high});
        EXPECT_EQ(values[i], edge == reference_->edges().end() ? 0.0 : edge->second);
    }
}

TEST_P(any_graph_test, snapshots_can_be_read_and_inserted_again) {
    open(GetParam().with(vertices));
    insert(random_edges(600, vertices, 8));
    auto const copy = graph_->queries().snapshot();
    auto const offsets = copy->offsets_on_host();
    auto const targets = copy->targets_on_host();
    EXPECT_EQ(copy->rows().arcs, graph_->arc_count());
    std::vector<graph::edge> arcs;
    for (graph::vertex_id v = 0; v < vertices; ++v)
        for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i)
            arcs.push_back({v, targets[i]});
    std::vector<graph::edge> expected;
    for (auto const& [arc, value] : reference_->arcs())
        expected.push_back(arc);
    EXPECT_EQ(arcs, expected);
    EXPECT_EQ(copy->values_on_host().size(), GetParam().has_values() ? arcs.size() : 0u);

    auto const again = runtime::open_graph(GetParam().with(vertices));
    EXPECT_EQ(again->insert_rows_in_space(copy->rows()).applied, graph_->edge_count());
    EXPECT_EQ(again->all_edges(), graph_->all_edges());
    EXPECT_EQ(again->erase_edges(graph_->all_edges()).applied, graph_->edge_count());
    EXPECT_EQ(again->edge_count(), 0u);

    auto const values = copy->values_on_host();
    runtime::rows_in_space on_host = copy->rows();
    on_host.offsets = offsets.data();
    on_host.targets = targets.data();
    on_host.values = GetParam().has_values() ? values.view().data() : nullptr;
    EXPECT_EQ(again->insert_rows(on_host).applied, graph_->edge_count());
    EXPECT_EQ(again->all_edges(), graph_->all_edges());
    EXPECT_EQ(again->all_values(), graph_->all_values());

    // The algorithms see the snapshot, not what came after it.
    std::uint64_t const triangles = graph_->count_triangles();
    auto const ranks = graph_->pagerank({.max_iterations = 20});
    EXPECT_EQ(graph_->erase_edges(graph_->all_edges()).applied, reference_->edges().size());
    EXPECT_EQ(graph_->count_triangles(copy.get()), triangles);
    EXPECT_EQ(graph_->count_triangles(), 0u);
    auto const of_copy =
        graph_->run_pagerank({.max_iterations = 20}, runtime::rank_type::float32, copy.get());
    EXPECT_EQ(of_copy.iterations, ranks.iterations);
    EXPECT_NEAR(of_copy.residual, ranks.residual, 1e-4);
}

TEST_P(any_graph_test, ranks_and_triangles_of_a_small_graph) {
    open(GetParam().with(5));
    insert(edge_list{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 3}});
    EXPECT_EQ(graph_->count_triangles(), 1u);
    auto const answer = graph_->pagerank({.tolerance = 1e-12, .max_iterations = 500});
    ASSERT_EQ(answer.ranks.size(), 5u);
    EXPECT_TRUE(answer.converged);
    EXPECT_NEAR(std::accumulate(answer.ranks.begin(), answer.ranks.end(), 0.0), 1.0, 1e-9);
    EXPECT_NEAR(answer.ranks[0], answer.ranks[1], 1e-9);
    EXPECT_GT(answer.ranks[2], answer.ranks[0]);
    EXPECT_LT(answer.ranks[4], answer.ranks[3]);
    graph_->release_scratch();
    EXPECT_EQ(graph_->count_triangles(), 1u);
}

TEST_P(any_graph_test, values_of_the_wrong_type_are_refused) {
    open(GetParam().with(vertices));
    edge_list const edges{{1, 2}};
    std::vector<std::int32_t> const integers{7};
    EXPECT_THROW(graph_->insert_edges(edges, integers), std::invalid_argument);
    EXPECT_THROW((void)graph_->stage(edges, integers), std::invalid_argument);
    if (GetParam().has_values())
        EXPECT_THROW(graph_->insert_edges(edges), std::invalid_argument);
    else
        EXPECT_THROW(graph_->insert_edges(edges, std::vector<double>{1}), std::invalid_argument);
    expect_same();
}

TEST_P(any_graph_test, what_does_not_fit_is_refused_and_the_graph_stays) {
    if (GetParam().type.allocator == "device-malloc") return; // its memory is not the space's
    runtime::graph_choice choice = GetParam().with(vertices);
    choice.memory_limit_bytes = 64u << 20;
    open(choice);
    insert(random_edges(400, vertices, 9));
    EXPECT_THROW(graph_->add_vertices(100'000'000), exec::out_of_memory);
    expect_same();
}

INSTANTIATE_TEST_SUITE_P(all, any_graph_test, testing::ValuesIn(chosen_graphs()), name_of_chosen);

} // namespace
} // namespace rhizome::tests

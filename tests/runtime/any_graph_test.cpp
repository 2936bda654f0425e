// Graphs chosen at run time do what a sequential reference does, each type of the catalogue.
#include "chosen_graphs.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/runtime/catalogue.hpp>

#include <graph/edge_list.hpp>
#include <graph/reference.hpp>
#include <graph/streams.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <numeric>
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
    runtime::values_view const given = GetParam().has_values() ? runtime::values_view(values)
                                                               : runtime::values_view();
    auto const inserted = graph_->stage(first, given);
    auto const erased = graph_->stage(second);
    expect_report(graph_->insert_edges(*inserted), reference_->apply(first, false, values));
    expect_report(graph_->erase_edges(*erased), reference_->apply(second, true));
    expect_same();
    auto const other = runtime::open_graph(GetParam().with(vertices));
    EXPECT_THROW(other->erase_edges(*erased), std::invalid_argument);
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
    std::vector<std::uint8_t> const present = graph_->has_edges(asked);
    ASSERT_EQ(present.size(), asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
        auto const [low, high] = std::minmax(asked[i].source, asked[i].target);
        bool const expected = reference_->edges().contains({low, high});
        EXPECT_EQ(present[i] != 0, expected) << asked[i].source << " " << asked[i].target;
    }
    id_list const ids{7, 0, 7, 199};
    auto const lists = graph_->neighbours_of(ids);
    auto const degrees = graph_->degrees(ids);
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
        EXPECT_THROW((void)graph_->edge_values(asked), std::invalid_argument);
        return;
    }
    auto const found = graph_->edge_values(asked);
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
    auto const copy = graph_->snapshot();
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

    // The algorithms see the snapshot, not what came after it.
    std::uint64_t const triangles = graph_->count_triangles();
    auto const ranks = graph_->pagerank({.max_iterations = 20});
    EXPECT_EQ(graph_->erase_edges(graph_->all_edges()).applied, reference_->edges().size());
    EXPECT_EQ(graph_->count_triangles(copy.get()), triangles);
    EXPECT_EQ(graph_->count_triangles(), 0u);
    auto const of_copy = graph_->run_pagerank({.max_iterations = 20}, runtime::rank_type::float32, copy.get());
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

// SPDX-License-Identifier: Apache-2.0
// Results that follow graphs chosen at run time, against runs of the same algorithms.
#include <rhizome/runtime/catalogue.hpp>

#include <graph/edge_list.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

using runtime::value_type;

/// A graph, and results that follow it.
class kept_results : public testing::TestWithParam<value_type> {
protected:
    static constexpr std::uint64_t vertices = 60;

    void open(std::string const& space) {
        graph_ = runtime::open_graph({.space = space, .values = GetParam(), .vertices = vertices});
        change(false, 150);
        for (runtime::algorithm_info const& info : runtime::algorithms())
            if (info.is_maintained && (!info.needs_weights() || has_values()))
                kept_.push_back({&info, graph_->results().maintain(info.name, given(info))});
    }
    [[nodiscard]] static bool has_values() { return GetParam() != value_type::none; }
    [[nodiscard]] static runtime::algorithm_arguments given(runtime::algorithm_info const& info) {
        runtime::algorithm_arguments arguments;
        for (runtime::parameter const& each : info.parameters)
            if (each.name == "source") arguments.set("source", std::vector<graph::vertex_id>{0});
        return arguments;
    }
    [[nodiscard]] edge_list some_edges(std::uint64_t count) {
        edge_list edges(count);
        for (graph::edge& e : edges)
            e = {static_cast<graph::vertex_id>(random_() % vertices),
                 static_cast<graph::vertex_id>(random_() % vertices)};
        return edges;
    }
    void change(bool erase, std::uint64_t count) {
        edge_list const edges = some_edges(count);
        if (erase)
            graph_->erase_edges(edges);
        else
            insert(edges);
    }
    void insert(edge_list const& edges) {
        if (!has_values()) {
            graph_->insert_edges(edges);
            return;
        }
        std::vector<int> values(edges.size());
        for (int& value : values)
            value = 1 + static_cast<int>(random_() % 9);
        auto const insert_as = [&](auto example) {
            graph_->insert_edges(edges, std::vector<decltype(example)>(values.begin(), values.end()));
        };
        if (GetParam() == value_type::float32)
            insert_as(float{});
        else if (GetParam() == value_type::int32)
            insert_as(std::int32_t{});
        else
            insert_as(double{});
    }
    void expect_current() {
        for (auto const& [info, number] : kept_) {
            SCOPED_TRACE(info->name);
            auto const found = graph_->results().update(number).found;
            std::vector<runtime::array_on_host> const arrays = graph_->on_host(found);
            auto const anew = graph_->run(info->name, given(*info));
            for (std::size_t i = 0; i < arrays.size(); ++i)
                if (info->arrays[i].name != "parent") expect_same(arrays[i], graph_->on_host(anew.arrays[i]));
            for (runtime::figure const& each : anew.figures)
                for (std::string_view const compared : info->maintained_figures)
                    if (each.name == compared) {
                        EXPECT_EQ(found.at(each.name), each.value) << each.name;
                    }
        }
    }
    static void expect_same(runtime::array_on_host const& kept, runtime::array_on_host const& anew) {
        auto const* const numbers = std::get_if<std::vector<double>>(&kept);
        if (numbers == nullptr) {
            EXPECT_EQ(kept, anew);
            return;
        }
        auto const& others = std::get<std::vector<double>>(anew);
        ASSERT_EQ(numbers->size(), others.size());
        for (std::size_t v = 0; v < others.size(); ++v)
            if ((*numbers)[v] != others[v]) { // infinite distances are equal
                EXPECT_NEAR((*numbers)[v], others[v], 1e-5) << v;
            }
    }

    struct kept {
        runtime::algorithm_info const* info;
        std::size_t number;
    };
    std::unique_ptr<runtime::any_graph> graph_;
    std::vector<kept> kept_;
    std::mt19937_64 random_{1};
};

TEST_P(kept_results, are_those_of_runs_whatever_changes_come_between) {
    for (runtime::named_choice const& space : runtime::spaces()) {
        if (space.name == "simt" || (space.name == "cuda" && !runtime::cuda_unusable_because().empty()))
            continue;
        SCOPED_TRACE(space.name);
        kept_.clear();
        open(space.name);
        ASSERT_GE(kept_.size(), 3u);
        expect_current(); // the first time
        for (int round = 0; round < 20 && !HasFailure(); ++round) {
            SCOPED_TRACE(round);
            // Several changes, whose notes contradict each other.
            edge_list const edges = some_edges(20);
            insert(edges);
            graph_->erase_edges(edges);
            if (round % 2 == 0) insert(edges);
            if (round % 3 == 0) change(true, 10);
            if (round % 5 == 0) graph_->add_vertices(2);
            if (round % 7 == 3) {
                graph_->erase_vertices(
                    std::vector<graph::vertex_id>{static_cast<graph::vertex_id>(round + 1)});
                graph_->insert_vertices(1);
            }
            if (round % 4 == 1) {
                graph_->erase_edges(*graph_->stage(some_edges(30)));
                expect_current();
            }
            if (round % 4 == 2) { // no edge twice
                edge_list const gone = some_edges(1);
                graph_->begin_disjoint_changes();
                graph_->erase_edges(gone);
                graph::vertex_id const other = gone[0].source == 0 ? 1 : 0;
                if (gone[0].target != other) insert(edge_list{{other, other}});
                graph_->end_disjoint_changes();
            }
            expect_current();
            expect_current(); // nothing has changed
        }
        EXPECT_EQ(graph_->validate(), std::vector<std::string>());
    }
}
INSTANTIATE_TEST_SUITE_P(, kept_results,
                         testing::Values(value_type::none, value_type::float64, value_type::float32,
                                         value_type::int32),
                         [](auto const& each) { return std::string(runtime::name_of(each.param)); });

TEST(results, that_were_stopped_or_are_not_offered_are_refused) {
    auto const graph = runtime::open_graph({.space = "host", .vertices = 4});
    auto& results = graph->results();
    EXPECT_THROW((void)results.update(0), std::out_of_range);
    EXPECT_THROW((void)results.maintain("triangles", {{"damping", 0.5}}), std::invalid_argument);
    EXPECT_THROW((void)results.maintain("nothing"), std::invalid_argument);
    std::size_t const first = results.maintain("triangles");
    std::size_t const second = results.maintain("components");
    graph->insert_edges(edge_list{{0, 1}, {1, 2}, {2, 0}});
    EXPECT_EQ(results.update(first).found.get<std::uint64_t>("count"), 1u);
    results.stop(first);
    EXPECT_THROW((void)results.update(first), std::out_of_range);
    EXPECT_THROW(results.stop(first), std::out_of_range);
    EXPECT_EQ(results.update(second).found.get<std::uint64_t>("count"), 2u);
    auto const pages = runtime::open_graph({.space = "host", .layout = "linked-pages", .vertices = 4});
    EXPECT_THROW((void)pages->results().maintain("triangles"), std::invalid_argument);
}

TEST(results, that_cannot_follow_a_change_say_so_when_asked) {
    auto const graph = runtime::open_graph({.space = "host", .vertices = 4, .directed = true});
    std::size_t const triangles = graph->results().maintain("triangles");
    graph->insert_edges(edge_list{{0, 1}});
    graph->insert_edges(edge_list{{1, 2}}); // the change succeeds all the same
    EXPECT_THROW((void)graph->results().update(triangles), std::invalid_argument);
    EXPECT_EQ(graph->edge_count(), 2u);
}

} // namespace
} // namespace rhizome::tests

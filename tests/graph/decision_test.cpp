// SPDX-License-Identifier: Apache-2.0
// Batches in two phases: they reserve their pages, ask the caller, and are applied only if the caller agrees.
#include "cases.hpp"
#include "memory_reserve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Layout, class Value>
struct decided {
    using layout = Layout;
    using value = Value;
};
template <class Plan, class Space>
struct decided_on : graph_case<typename Plan::layout, ouroboros_default, typename Plan::value, Space> {};
using decided_cases =
    cross_types<decided_on,
                type_list<decided<graph::contiguous, void>, decided<graph::contiguous, double>,
                          decided<small_buckets, double>>,
                space_list>;

using arc_values = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;

template <class Graph>
arc_values arcs_now(Graph& graph) {
    auto const copy = graph.snapshot();
    auto const offsets = copy.offsets.to_host();
    auto const targets = copy.targets.to_host();
    std::vector<double> values(targets.size(), 0);
    if constexpr (Graph::has_values) values = copy.values.to_host();
    arc_values found;
    for (std::uint32_t v = 0; v + 1 < offsets.size(); ++v)
        for (auto i = offsets[v]; i < offsets[v + 1]; ++i)
            found[{v, targets[i]}] = values[i];
    return found;
}

template <class Case>
class graph_decisions : public space_test {};
TYPED_TEST_SUITE(graph_decisions, decided_cases, named_types);

TYPED_TEST(graph_decisions, a_batch_is_applied_only_if_the_caller_agrees) {
    using space_type = typename TypeParam::space;
    using graph_type = graph_over<TypeParam>;
    for (bool const directed : {false, true}) {
        constexpr std::uint32_t vertices = 200;
        auto space = make_space<space_type>();
        graph_type tested(space, {.vertices = vertices, .directed = directed});
        arc_values expected;
        std::mt19937 random(7);
        // The first batches are refused, so that a graph without arcs is refused its first ones too.
        for (int round = 0; round < 24; ++round) {
            bool const agrees = round % 3 == 2;
            bool const erasing = round > 8 && random() % 2 == 0;
            // Few are counted, many are sorted.
            std::size_t const count = round % 5 == 0 ? 3000 : round % 5 == 1 ? 0 : random() % 100 + 1;
            std::vector<graph::edge> edges;
            std::vector<double> values;
            for (std::size_t i = 0; i < count; ++i) {
                edges.push_back({static_cast<std::uint32_t>(random() % vertices),
                                 static_cast<std::uint32_t>(random() % vertices)});
                values.push_back(graph_type::has_values ? static_cast<double>(random() % 1000) : 0);
            }
            exec::buffer<space_type, graph::edge> const placed(space, std::span<graph::edge const>(edges));
            exec::buffer<space_type, double> const placed_values(space, std::span<double const>(values));
            int asked = 0;
            auto const decide = [&] {
                ++asked;
                return agrees;
            };
            std::optional<graph::batch_report> report;
            if (erasing) {
                report = tested.erase_edges_in_space_if(placed.data(), count, decide);
            } else if constexpr (graph_type::has_values) {
                report = tested.insert_edges_in_space_if(placed.data(), placed_values.data(), count, decide);
            } else {
                report = tested.insert_edges_in_space_if(placed.data(), count, decide);
            }
            std::string const where = "round " + std::to_string(round);
            ASSERT_EQ(asked, 1) << where;
            ASSERT_EQ(report.has_value(), agrees) << where;
            if (agrees) {
                EXPECT_EQ(report->total(), count) << where;
                for (std::size_t i = 0; i < count; ++i)
                    for (bool const back : {false, true}) {
                        if (back && directed) continue;
                        auto const [u, v] = edges[i];
                        auto const arc = back ? std::pair{v, u} : std::pair{u, v};
                        if (erasing)
                            expected.erase(arc);
                        else
                            expected[arc] = values[i];
                    }
            }
            ASSERT_EQ(arcs_now(tested), expected) << where;
            ASSERT_EQ(tested.validate(), std::vector<std::string>()) << where;
        }
        EXPECT_FALSE(expected.empty());
    }
}

TYPED_TEST(graph_decisions, a_decision_that_throws_leaves_the_graph_unchanged) {
    using space_type = typename TypeParam::space;
    using graph_type = graph_over<TypeParam>;
    auto space = make_space<space_type>();
    for (bool const erasing : {false, true}) {
        graph_type tested(space, {.vertices = 100});
        std::vector<graph::edge> edges;
        for (std::uint32_t v = 0; v < 40; ++v)
            edges.push_back({v, v + 50});
        std::vector<double> const values(edges.size(), 1);
        exec::buffer<space_type, graph::edge> const placed(space, std::span<graph::edge const>(edges));
        exec::buffer<space_type, double> const placed_values(space, std::span<double const>(values));
        auto const change = [&](std::function<bool()> const& decide) {
            if (erasing) return tested.erase_edges_in_space_if(placed.data(), edges.size(), decide);
            if constexpr (graph_type::has_values)
                return tested.insert_edges_in_space_if(placed.data(), placed_values.data(), edges.size(),
                                                       decide);
            else
                return tested.insert_edges_in_space_if(placed.data(), edges.size(), decide);
        };
        if (erasing) {
            if constexpr (graph_type::has_values)
                tested.insert_edges(edges, values);
            else
                tested.insert_edges(edges);
        }
        int asked = 0;
        auto const fail = [&]() -> bool {
            ++asked;
            throw exec::out_of_memory("memory of the decision", 1, 0);
        };
        EXPECT_THROW(static_cast<void>(change(fail)), exec::out_of_memory);
        EXPECT_EQ(asked, 1);
        EXPECT_EQ(tested.validate(), std::vector<std::string>());
        EXPECT_EQ(tested.edge_count(), erasing ? edges.size() : 0u);
        auto const report = change([] { return true; });
        ASSERT_TRUE(report.has_value());
        EXPECT_EQ(report->applied, edges.size());
        EXPECT_EQ(tested.validate(), std::vector<std::string>());
    }
}

TYPED_TEST(graph_decisions, a_batch_without_memory_does_not_ask) {
    using space_type = typename TypeParam::space;
    using graph_type = graph_over<TypeParam>;
    auto space = make_space<space_type>({.memory_limit_bytes = 64u << 20});
    graph_type tested(space, {.vertices = 1000, .directed = true, .heap_bytes = 64u << 10});
    // One MiB is left: less than the keys of the batch take.
    memory_reserve<space_type> reserve(space, space.budget().available_bytes() - (1u << 20));
    std::vector<graph::edge> edges;
    std::vector<double> values;
    for (std::uint32_t i = 0; i < 200'000; ++i) {
        edges.push_back({i % 1000, (i / 1000 * 7 + i) % 1000});
        values.push_back(1);
    }
    // The edges lie outside of the budget, as memory of the caller's own does.
    auto other = make_space<space_type>();
    exec::buffer<space_type, graph::edge> const placed(other, std::span<graph::edge const>(edges));
    exec::buffer<space_type, double> const placed_values(other, std::span<double const>(values));
    int asked = 0;
    auto const decide = [&] {
        ++asked;
        return true;
    };
    auto const insert = [&](std::uint64_t count) {
        if constexpr (graph_type::has_values)
            return tested.insert_edges_in_space_if(placed.data(), placed_values.data(), count, decide);
        else
            return tested.insert_edges_in_space_if(placed.data(), count, decide);
    };
    EXPECT_THROW(static_cast<void>(insert(edges.size())), exec::out_of_memory);
    EXPECT_EQ(asked, 0);
    EXPECT_EQ(tested.edge_count(), 0u);
    reserve.lend([&] {
        EXPECT_EQ(tested.validate(), std::vector<std::string>());
        EXPECT_TRUE(insert(100).has_value());
    });
    EXPECT_EQ(asked, 1);
}

} // namespace
} // namespace rhizome::tests

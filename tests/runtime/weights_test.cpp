// SPDX-License-Identifier: Apache-2.0
// Graphs chosen at run time whose values are not doubles.
#include <rhizome/runtime/catalogue.hpp>

#include <graph/edge_list.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Value>
void expect_weights(std::string const& space) {
    std::unique_ptr<runtime::any_graph> const graph = runtime::open_graph(
        {.space = space, .values = runtime::value_type_for<Value>(), .vertices = 5, .directed = true});
    ASSERT_EQ(graph->value_type(), runtime::value_type_for<Value>());
    edge_list const edges{{0, 1}, {1, 2}, {2, 3}, {0, 3}};
    std::vector<Value> const weights{1, 2, 3, 9};
    EXPECT_EQ(graph->insert_edges(edges, weights).applied, 4u);
    EXPECT_EQ(graph->insert_edges(edge_list{{0, 3}}, std::vector<Value>{7}).updated, 1u);
    EXPECT_EQ(graph->all_values().take<Value>(), (std::vector<Value>{1, 7, 2, 3}));
    auto found = graph->queries().edge_values(edge_list{{2, 3}, {3, 2}});
    EXPECT_EQ(std::move(found.values).take<Value>(), (std::vector<Value>{3, 0}));
    EXPECT_EQ(found.present, (std::vector<std::uint8_t>{1, 0}));
    auto const paths = graph->shortest_paths(std::vector<graph::vertex_id>{0});
    EXPECT_EQ((std::vector<double>(paths.distances.begin(), paths.distances.begin() + 4)),
              (std::vector<double>{0, 1, 3, 6}));
    EXPECT_EQ(graph->validate(), std::vector<std::string>());
}

TEST(weights, of_every_type_are_kept_and_searched) {
    for (runtime::named_choice const& space : runtime::spaces()) {
        if (space.name == "cuda" && !runtime::cuda_unusable_because().empty()) continue;
        SCOPED_TRACE(space.name);
        expect_weights<double>(space.name);
        if (space.name == "simt") continue; // as the next test says
        expect_weights<float>(space.name);
        expect_weights<std::int32_t>(space.name);
    }
}
TEST(weights, of_four_bytes_are_refused_on_the_emulator) {
    for (runtime::value_type const type : {runtime::value_type::float32, runtime::value_type::int32}) {
        std::string message;
        try {
            (void)runtime::open_graph({.space = "simt", .values = type});
        } catch (std::invalid_argument const& error) {
            message = error.what();
        }
        EXPECT_EQ(message, "the space simt has no graph of layout contiguous with values of type " +
                               std::string(runtime::name_of(type)));
    }
}

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// A space that fails between two programs of a batch: the contents of the graph are then undefined, and the
// graph reports that it is broken.
#include <rhizome/exec/simt.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace rhizome::tests {
namespace {

TEST(broken_batch, is_followed_by_no_other) {
    graph::dynamic_graph<exec::simt_space> tested(exec::simt_space({.step_limit = 10'000}),
                                                  {.vertices = 1000});
    std::vector<graph::edge> const few{{1, 2}, {3, 4}};
    EXPECT_EQ(tested.insert_edges(few).applied, 2u);
    std::vector<graph::edge> many;
    for (graph::vertex_id v = 0; v < 1000; ++v)
        for (graph::vertex_id w = 0; w < 10; ++w)
            many.push_back({v, (v + w) % 1000});
    EXPECT_THROW(tested.insert_edges(many), exec::step_limit_exceeded);
    EXPECT_THROW(tested.insert_edges(few), std::logic_error);
    EXPECT_THROW(tested.erase_edges(few), std::logic_error);
    EXPECT_THROW(tested.erase_vertices(std::vector<graph::vertex_id>{1}), std::logic_error);
    EXPECT_THROW(tested.erase_vertices(std::vector<graph::vertex_id>{5000}), std::logic_error)
        << "even one that is not there";
    EXPECT_EQ(tested.validate().size(), 1u);
}

} // namespace
} // namespace rhizome::tests

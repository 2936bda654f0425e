// SPDX-License-Identifier: Apache-2.0
// What is in the catalogue, and what is said of what is not.
#include "chosen_graphs.hpp"

#include <rhizome/runtime/catalogue.hpp>

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

namespace rhizome::tests {
namespace {

std::string refusal_of(runtime::graph_choice const& choice) {
    try {
        (void)runtime::open_graph(choice);
    } catch (std::invalid_argument const& error) {
        return error.what();
    }
    return "nothing was refused";
}

TEST(catalogue, defaults_are_the_first_of_each_list) {
    auto const graph = runtime::open_graph({.space = "host", .vertices = 3});
    EXPECT_EQ(graph->names().space, "host");
    EXPECT_EQ(graph->names().layout, runtime::layouts().front().name);
    EXPECT_EQ(graph->names().allocator, runtime::allocators().front().name);
    EXPECT_EQ(graph->value_type(), runtime::value_type::none);
    EXPECT_EQ(graph->vertex_count(), 3u);
}
TEST(catalogue, a_layout_alone_chooses_an_allocator_that_goes_with_it) {
    auto const graph = runtime::open_graph({.space = "host", .layout = "linked-pages"});
    EXPECT_EQ(graph->names().allocator, "page-queue");
    auto const of_64 = runtime::open_graph({.space = "host", .layout = "linked-pages-64"});
    EXPECT_EQ(of_64->names().allocator, "page-queue-64");
}
TEST(catalogue, refusals_list_what_there_is) {
    EXPECT_EQ(refusal_of({.space = "host", .layout = "rows"}),
              "there is no layout 'rows'; there are: contiguous, linked-pages, linked-pages-64, buckets");
    EXPECT_NE(refusal_of({.space = "host", .allocator = "none"}).find("there is no allocator 'none'"),
              std::string::npos);
    EXPECT_NE(refusal_of({.space = "moon"}).find("there is no space 'moon'"), std::string::npos);
    EXPECT_EQ(refusal_of({.space = "host", .layout = "buckets", .allocator = "bump"}),
              "layout buckets with values of type none does not go with allocator bump; it goes with "
              "ouroboros-page-virtual-array");
    EXPECT_EQ(refusal_of({.space = "host", .layout = "buckets", .values = runtime::value_type::int64}),
              "this build has no graph of layout buckets with values of type int64");
}
TEST(catalogue, cuda_without_a_gpu_says_why) {
    if (runtime::cuda_unusable_because().empty()) return;
    try {
        (void)runtime::open_graph({.space = "cuda"});
        FAIL();
    } catch (std::runtime_error const& error) {
        EXPECT_EQ(error.what(), "space cuda: " + runtime::cuda_unusable_because());
    }
}
TEST(catalogue, every_type_has_a_name_of_its_own_and_is_listed) {
    std::set<std::string> names;
    for (chosen_graph const& chosen : chosen_graphs())
        EXPECT_TRUE(names.insert(chosen.name()).second) << chosen;
    std::set<std::string> layouts;
    for (auto const& layout : runtime::layouts())
        layouts.insert(layout.name);
    std::set<std::string> allocators;
    for (auto const& allocator : runtime::allocators())
        allocators.insert(allocator.name);
    for (auto const& type : runtime::graph_types()) {
        EXPECT_TRUE(layouts.contains(type.layout)) << type.layout;
        EXPECT_TRUE(allocators.contains(type.allocator)) << type.allocator;
    }
}

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// Scratch of algorithms from memory that the caller lends: all of it comes from there and goes back, results
// are the same, and a resource that has none left refuses a run with out_of_memory.
#include "cases.hpp"
#include "scattered_view.hpp"

#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/exec/errors.hpp>

#include <counting_resource.hpp>
#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Space>
class scratch_of_algorithms : public space_test {};
TYPED_TEST_SUITE(scratch_of_algorithms, all_spaces, space_names);

/// Rows that are cut into pieces, and few vertices with most of the arcs.
[[nodiscard]] std::vector<named_edges> lists() {
    return {wheel_with_two_hubs(300), core_and_leaves(20, 100)};
}

constexpr algorithms::pagerank_options three_iterations{.tolerance = 0, .max_iterations = 3};

void expect_near(std::vector<double> const& found, std::vector<double> const& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t v = 0; v < found.size(); ++v)
        ASSERT_NEAR(found[v], expected[v], 1e-12) << v; // pushing adds in any order
}

/// Calls check(view, direction) for the live view of each list in each direction, and for one of scattered
/// rows.
template <class Space, class Check>
void for_each_view(Space& space, Check const& check) {
    for (auto const& list : lists()) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto const graph = build(space, list, way);
            check(graph.view(), way);
            scattered_graph<Space> const scattered(space, plain(list.vertices, list.edges, way.directed), 5,
                                                   !way.directed, way.in_arcs);
            check(scattered.view(), way);
        }
    }
}

TYPED_TEST(scratch_of_algorithms, of_pagerank_comes_from_the_resource_and_goes_back) {
    auto space = make_space<TypeParam>();
    for_each_view(space, [&](auto const& view, direction const&) {
        algorithms::pagerank<double, TypeParam> plain_ranks(space);
        auto const expected = plain_ranks.run(view, three_iterations).ranks_on_host();
        std::uint64_t const charged = space.budget().held_bytes();
        counting_resource resource;
        {
            algorithms::pagerank<double, TypeParam> tested(space, &resource);
            expect_near(tested.run(view, three_iterations).ranks_on_host(), expected);
            EXPECT_GT(resource.held_bytes(), 3 * sizeof(double) * view.vertex_count());
            EXPECT_EQ(space.budget().held_bytes(), charged + resource.held_bytes())
                << "all scratch is lent, and the budget counts it";
            std::uint64_t const calls = resource.calls();
            expect_near(tested.run(view, three_iterations).ranks_on_host(), expected);
            EXPECT_EQ(resource.calls(), calls) << "a second run allocates nothing";
        }
        EXPECT_EQ(resource.held_bytes(), 0u);
        EXPECT_EQ(space.budget().held_bytes(), charged);
    });
}

TYPED_TEST(scratch_of_algorithms, of_triangle_counting_comes_from_the_resource_and_goes_back) {
    auto space = make_space<TypeParam>();
    for_each_view(space, [&](auto const& view, direction const& way) {
        algorithms::triangle_options const options{.symmetrize = way.directed};
        algorithms::triangle_counter<TypeParam> plain_counter(space);
        std::uint64_t const expected = plain_counter.count(view, options);
        std::uint64_t const charged = space.budget().held_bytes();
        counting_resource resource;
        {
            algorithms::triangle_counter<TypeParam> tested(space, &resource);
            EXPECT_EQ(tested.count(view, options), expected);
            EXPECT_GT(resource.held_bytes(), 0u);
            EXPECT_EQ(space.budget().held_bytes(), charged + resource.held_bytes())
                << "all scratch is lent, and the budget counts it";
            std::uint64_t const calls = resource.calls();
            EXPECT_EQ(tested.count(view, options), expected);
            EXPECT_EQ(resource.calls(), calls) << "a second count allocates nothing";
        }
        EXPECT_EQ(resource.held_bytes(), 0u);
        EXPECT_EQ(space.budget().held_bytes(), charged);
    });
}

/// Refuses each call of the resource in turn, and all after it. `run(algorithm)` checks the result.
template <class Algorithm, class Space, class Run>
void refuse_each_call(Space& space, refusal how, Run const& run) {
    std::uint64_t const charged = space.budget().held_bytes();
    for (std::uint64_t from = 1;; ++from) {
        SCOPED_TRACE(::testing::Message() << "from call " << from);
        counting_resource resource;
        resource.refuse_from(from, how);
        {
            std::optional<Algorithm> tested;
            try {
                tested.emplace(space, &resource);
                run(*tested);
            } catch (exec::out_of_memory const& error) {
                EXPECT_GT(error.needed_bytes(), error.available_bytes());
                EXPECT_GT(resource.refused(), 0u);
            }
            if (resource.refused() == 0) {
                EXPECT_GT(from, 3u) << "several calls were refused before";
                break;
            }
            EXPECT_EQ(space.budget().held_bytes(), charged + resource.held_bytes());
            resource.refuse_no_more();
            if (tested) run(*tested); // the memory is there again
        }
        EXPECT_EQ(resource.held_bytes(), 0u);
        EXPECT_EQ(space.budget().held_bytes(), charged);
    }
}

TYPED_TEST(scratch_of_algorithms, that_is_refused_makes_out_of_memory_and_a_later_run_succeeds) {
    auto space = make_space<TypeParam>();
    for (refusal const how : {refusal::bad_alloc, refusal::null_pointer, refusal::out_of_memory}) {
        if (sanitized && is_emulated<TypeParam> && how != refusal::null_pointer) continue;
        for_each_view(space, [&](auto const& view, direction const&) {
            using ranks_type = algorithms::pagerank<double, TypeParam>;
            ranks_type plain_ranks(space);
            auto const ranks = plain_ranks.run(view, three_iterations).ranks_on_host();
            refuse_each_call<ranks_type>(space, how, [&](ranks_type& tested) {
                expect_near(tested.run(view, three_iterations).ranks_on_host(), ranks);
            });
        });
        auto const list = wheel_with_two_hubs(300);
        for (auto const& way : directions()) {
            auto const graph = build(space, list, way);
            using counter_type = algorithms::triangle_counter<TypeParam>;
            algorithms::triangle_options const options{.symmetrize = way.directed};
            counter_type plain_counter(space);
            std::uint64_t const triangles = plain_counter.count(graph.view(), options);
            refuse_each_call<counter_type>(space, how, [&](counter_type& tested) {
                EXPECT_EQ(tested.count(graph.view(), options), triangles);
            });
        }
    }
}

} // namespace
} // namespace rhizome::tests

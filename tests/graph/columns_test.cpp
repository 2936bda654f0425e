// SPDX-License-Identifier: Apache-2.0
// Batches of two columns, of 32 or 64 bits: what they do is what the same edges do as pairs.
#include "cases.hpp"
#include "comparison.hpp"
#include "edge_list.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/core/pair_columns.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

/// Ids of a graph, and of columns.
template <class Space, class Id, class Column>
struct column_case {
    using space = Space;
    using id = Id;
    using column = Column;
    static std::string name() {
        return "ids_of_" + std::to_string(8 * sizeof(Id)) + "_columns_of_" +
               std::to_string(8 * sizeof(Column)) + "_on_" + std::string(Space::name);
    }
};
#if defined(__CUDACC__)
using column_cases = ::testing::Types<column_case<exec::cuda_space, graph::vertex_id, std::uint64_t>>;
#else
using column_cases = ::testing::Types<column_case<exec::host_space, graph::vertex_id, std::uint32_t>,
                                      column_case<exec::host_space, graph::vertex_id, std::uint64_t>,
                                      column_case<exec::host_space, graph::wide_vertex_id, std::uint32_t>,
                                      column_case<exec::simt_space, graph::vertex_id, std::uint32_t>,
                                      column_case<exec::simt_space, graph::vertex_id, std::uint64_t>,
                                      column_case<exec::simt_space, graph::wide_vertex_id, std::uint64_t>>;
#endif

template <class Case>
class edge_columns : public space_test {
protected:
    using space_type = typename Case::space;
    using id_type = typename Case::id;
    using column_type = typename Case::column;
    using edge_type = graph::basic_edge<id_type>;
    using allocator_type = graph::default_allocator<space_type>;
    template <class Value>
    using graph_type =
        graph::basic_dynamic_graph<id_type, space_type, graph::contiguous, allocator_type, Value>;

    struct made_columns {
        std::vector<column_type> sources;
        std::vector<column_type> targets;

        explicit made_columns(std::vector<edge_type> const& edges) {
            for (edge_type const& edge : edges) {
                sources.push_back(static_cast<column_type>(edge.source));
                targets.push_back(static_cast<column_type>(edge.target));
            }
        }
        [[nodiscard]] graph::edge_columns<column_type> view() const {
            return graph::edge_columns{sources, targets};
        }
    };
    /// With repeats, self-loops and, for some, an end that is no vertex.
    static std::vector<edge_type> edges(std::uint64_t count, std::uint64_t vertices, std::uint64_t seed) {
        std::vector<edge_type> all;
        for (graph::edge const& edge : random_edges(count, vertices + 3, seed))
            all.push_back({edge.source, edge.target});
        return all;
    }
    template <class Graph>
    static void expect_same(Graph& left, Graph& right) {
        auto const of_left = left.snapshot();
        auto const of_right = right.snapshot();
        EXPECT_TRUE(of_left.offsets.to_host() == of_right.offsets.to_host());
        EXPECT_TRUE(of_left.targets.to_host() == of_right.targets.to_host());
        EXPECT_TRUE(of_left.values.to_host() == of_right.values.to_host());
        EXPECT_EQ(left.edge_count(), right.edge_count());
        expect_valid(left);
    }
};
TYPED_TEST_SUITE(edge_columns, column_cases, named_types);

TYPED_TEST(edge_columns, from_host_memory_do_what_pairs_do) {
    using tested_type = typename TestFixture::template graph_type<void>;
    auto space = make_space<typename TestFixture::space_type>();
    for (bool const directed : {false, true}) {
        tested_type in_columns(space, {.vertices = 50, .directed = directed});
        tested_type in_pairs(space, {.vertices = 50, .directed = directed});
        for (std::uint64_t const seed : {1u, 2u, 3u}) {
            auto const edges = TestFixture::edges(400, 50, seed);
            typename TestFixture::made_columns const columns(edges);
            auto const report = in_columns.insert_edges(columns.view());
            EXPECT_EQ(report, in_pairs.insert_edges(edges));
            EXPECT_GT(report.applied, 0u);
            EXPECT_GT(report.rejected, 0u);
            auto const some = std::vector(edges.begin(), edges.begin() + 150);
            EXPECT_EQ(in_columns.erase_edges(typename TestFixture::made_columns(some).view()),
                      in_pairs.erase_edges(some));
        }
        this->expect_same(in_columns, in_pairs);
    }
}

TYPED_TEST(edge_columns, from_the_space_do_what_pairs_do) {
    using tested_type = typename TestFixture::template graph_type<void>;
    using column = typename TypeParam::column;
    auto space = make_space<typename TestFixture::space_type>();
    tested_type in_columns(space, {.vertices = 50});
    tested_type in_pairs(space, {.vertices = 50});
    auto const edges = TestFixture::edges(400, 50, 7);
    typename TestFixture::made_columns const made(edges);
    exec::buffer<typename TestFixture::space_type, column> const sources(space, made.sources);
    exec::buffer<typename TestFixture::space_type, column> const targets(space, made.targets);
    auto const first = [&](std::uint64_t count) {
        return graph::edge_columns<column>{{sources.data(), count}, {targets.data(), count}};
    };
    EXPECT_EQ(in_columns.insert_edges_in_space(first(400)), in_pairs.insert_edges(edges));
    EXPECT_EQ(in_columns.erase_edges_in_space(first(150)),
              in_pairs.erase_edges(std::vector(edges.begin(), edges.begin() + 150)));
    EXPECT_EQ(in_columns.insert_edges_in_space(first(0)), graph::batch_report{});
    this->expect_same(in_columns, in_pairs);
}

TYPED_TEST(edge_columns, bring_values) {
    using tested_type = typename TestFixture::template graph_type<float>;
    using space_of_case = typename TypeParam::space;
    auto space = make_space<space_of_case>();
    tested_type in_columns(space, {.vertices = 50});
    tested_type in_pairs(space, {.vertices = 50});
    auto const edges = TestFixture::edges(300, 50, 9);
    typename TestFixture::made_columns const made(edges);
    std::vector<float> values;
    for (std::size_t i = 0; i < edges.size(); ++i)
        values.push_back(static_cast<float>(i));
    EXPECT_EQ(in_columns.insert_edges(made.view(), values), in_pairs.insert_edges(edges, values));
    this->expect_same(in_columns, in_pairs);

    values.assign(values.size(), 0.5f); // which all edges have now
    exec::buffer<space_of_case, typename TestFixture::column_type> const sources(space, made.sources);
    exec::buffer<space_of_case, typename TestFixture::column_type> const targets(space, made.targets);
    exec::buffer<space_of_case, float> const placed(space, values);
    auto const updated = in_columns.insert_edges_in_space(
        graph::edge_columns<typename TestFixture::column_type>{{sources.data(), sources.size()},
                                                               {targets.data(), targets.size()}},
        placed.data());
    EXPECT_EQ(updated.updated, in_columns.edge_count());
    for (float const value : in_columns.snapshot().values.to_host())
        ASSERT_EQ(value, 0.5f);
    EXPECT_THROW(in_columns.insert_edges(made.view(), std::span<float const>(values).first(7)),
                 std::invalid_argument);
}

TYPED_TEST(edge_columns, that_are_staged_do_what_pairs_do) {
    using tested_type = typename TestFixture::template graph_type<void>;
    using space_of_case = typename TypeParam::space;
    auto space = make_space<space_of_case>();
    for (bool const directed : {false, true}) {
        tested_type in_columns(space, {.vertices = 1000, .directed = directed});
        tested_type in_pairs(space, {.vertices = 1000, .directed = directed});
        // More than the pinned memory of CUDA holds, and several parts on the emulator.
        auto const first = TestFixture::edges(is_gpu<space_of_case> ? 600'000 : 1'300, 1000, 21);
        auto const second = TestFixture::edges(400, 1000, 22);
        typename TestFixture::made_columns columns(first);
        graph::staged_batch const inserted = in_columns.stage(columns.view());
        std::fill(columns.sources.begin(), columns.sources.end(), 7u); // the caller's memory is free again
        std::fill(columns.targets.begin(), columns.targets.end(), 8u);
        graph::staged_batch const erased =
            in_columns.stage(typename TestFixture::made_columns(second).view());
        EXPECT_EQ(inserted.size(), first.size());
        auto const report = in_columns.insert_edges(inserted);
        EXPECT_EQ(report, in_pairs.insert_edges(first));
        EXPECT_GT(report.applied, 0u);
        EXPECT_GT(report.rejected, 0u);
        EXPECT_EQ(in_columns.erase_edges(erased), in_pairs.erase_edges(second));
        this->expect_same(in_columns, in_pairs);
        EXPECT_EQ(in_columns.insert_edges(inserted), in_pairs.insert_edges(first)) << "it stays staged";
        this->expect_same(in_columns, in_pairs);
    }
}

TYPED_TEST(edge_columns, that_are_staged_bring_values) {
    using tested_type = typename TestFixture::template graph_type<float>;
    auto space = make_space<typename TypeParam::space>();
    tested_type in_columns(space, {.vertices = 50});
    tested_type in_pairs(space, {.vertices = 50});
    auto const edges = TestFixture::edges(301, 50, 23);
    typename TestFixture::made_columns const made(edges);
    std::vector<float> values;
    for (std::size_t i = 0; i < edges.size(); ++i)
        values.push_back(static_cast<float>(i));
    std::vector<float> given = values;
    {
        graph::staged_batch const staged = in_columns.stage(made.view(), given);
        std::fill(given.begin(), given.end(), -1.0f); // the caller's memory is free again
        EXPECT_EQ(in_columns.insert_edges(staged), in_pairs.insert_edges(edges, values));
        this->expect_same(in_columns, in_pairs);
    }
    graph::staged_batch const plain = in_columns.stage(made.view());
    EXPECT_THROW(in_columns.insert_edges(plain), std::invalid_argument) << "it has no values";
    EXPECT_EQ(in_columns.erase_edges(plain), in_pairs.erase_edges(edges));
    EXPECT_EQ(in_columns.edge_count(), 0u);
    EXPECT_THROW(static_cast<void>(in_columns.stage(made.view(), std::span<float const>(values).first(7))),
                 std::invalid_argument);
}

TYPED_TEST(edge_columns, that_find_no_memory_to_be_staged_leave_the_graph_as_it_was) {
    using tested_type = typename TestFixture::template graph_type<void>;
    using space_of_case = typename TypeParam::space;
    auto space = make_space<space_of_case>({.memory_limit_bytes = 64u << 20});
    tested_type in_columns(space, {.vertices = 50});
    tested_type in_pairs(make_space<space_of_case>(), {.vertices = 50});
    auto const edges = TestFixture::edges(300, 50, 25);
    EXPECT_EQ(in_columns.insert_edges(edges), in_pairs.insert_edges(edges));
    auto const more = TestFixture::edges(2'000, 50, 26);
    typename TestFixture::made_columns const made(more);
    {
        exec::buffer<space_of_case, std::byte> const rest(space, space.budget().available_bytes());
        EXPECT_THROW(static_cast<void>(in_columns.stage(made.view())), exec::out_of_memory);
    }
    this->expect_same(in_columns, in_pairs);
    graph::staged_batch const one = in_columns.stage(made.view()); // both places are free
    graph::staged_batch const two = in_columns.stage(made.view());
    EXPECT_THROW(static_cast<void>(in_columns.stage(made.view())), std::logic_error);
    EXPECT_EQ(in_columns.insert_edges(one), in_pairs.insert_edges(more));
    EXPECT_EQ(in_columns.erase_edges(two), in_pairs.erase_edges(more));
    this->expect_same(in_columns, in_pairs);
}

TYPED_TEST(edge_columns, of_different_lengths_are_refused) {
    using tested_type = typename TestFixture::template graph_type<void>;
    tested_type graph(make_space<typename TestFixture::space_type>(), {.vertices = 5});
    std::vector<typename TestFixture::column_type> const two{1, 2};
    std::vector<typename TestFixture::column_type> const three{1, 2, 3};
    EXPECT_THROW(graph.insert_edges(graph::edge_columns{two, three}), std::invalid_argument);
    EXPECT_THROW(graph.erase_edges(graph::edge_columns{three, two}), std::invalid_argument);
    EXPECT_THROW(graph.insert_edges_in_space(graph::edge_columns{two, three}), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(graph.stage(graph::edge_columns{two, three})), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(graph.stage(graph::edge_columns{three, two})), std::invalid_argument);
    EXPECT_EQ(graph.edge_count(), 0u);
}

TYPED_TEST(edge_columns, are_copied_part_by_part) {
    using space_of_case = typename TypeParam::space;
    using column = typename TypeParam::column;
    using edge = typename TestFixture::edge_type;
    auto space = make_space<space_of_case>();
    exec::copy_lane<space_of_case> lane(space);
    for (std::uint64_t const count : {0u, 1u, 63u, 64u, 65u, 128u, 200u}) {
        auto const edges = TestFixture::edges(count, 1000, count);
        typename TestFixture::made_columns const made(edges);
        exec::workspace<space_of_case> scratch(space);
        exec::buffer<space_of_case, edge> pairs(space, count);
        pairs.fill_bytes(0xff);
        graph::batch::pair_from_host(space, lane, scratch, made.view(), pairs.data(), 64);
        EXPECT_LE(scratch.held_bytes(), 2 * 64 * sizeof(column));
        EXPECT_TRUE(pairs.to_host() == edges) << count;
    }
}

template <class Space>
class columns_wider_than_ids : public space_test {};
TYPED_TEST_SUITE(columns_wider_than_ids, all_spaces, space_names);

TYPED_TEST(columns_wider_than_ids, have_numbers_that_are_rejected_and_not_cut_short) {
    graph::dynamic_graph<TypeParam> tested(make_space<TypeParam>(), {.vertices = 5});
    std::uint64_t const beyond = std::uint64_t{1} << 32;
    std::vector<std::uint64_t> const sources{1, beyond + 1, 2, 0xffff'ffffu, ~std::uint64_t{0}};
    std::vector<std::uint64_t> const targets{2, 3, beyond + 4, 1, 1};
    EXPECT_EQ(tested.insert_edges(graph::edge_columns{sources, targets}),
              (graph::batch_report{.applied = 1, .rejected = 4}));
    EXPECT_EQ(tested.edge_count(), 1u);
    EXPECT_EQ(tested.erase_edges(tested.stage(graph::edge_columns{sources, targets})),
              (graph::batch_report{.applied = 1, .rejected = 4}));
    EXPECT_EQ(tested.edge_count(), 0u);
}

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// Values of types that a graph does not know: it stores them as bytes of their size
// (graph/format/stored_value.hpp).
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>
#include <type_names.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

struct twelve_bytes {
    std::uint32_t words[3];
};
struct alignas(16) wide_alignment {
    std::uint64_t words[2];
};

template <class Value>
struct value_case {
    using value = Value;
    static std::string name() {
        if constexpr (std::is_same_v<Value, std::complex<double>>) return "complex";
        if constexpr (std::is_same_v<Value, twelve_bytes>) return "twelve_bytes";
        if constexpr (std::is_same_v<Value, wide_alignment>) return "wide_alignment";
        std::string const kind = std::is_floating_point_v<Value> ? "real"
                                 : std::is_signed_v<Value>       ? "integer"
                                                                 : "natural";
        return kind + "_of_" + std::to_string(sizeof(Value)) + "_bytes";
    }
};

template <class Case>
class values_of_type : public ::testing::Test {
protected:
    using Value = typename Case::value;

    /// Differs in all of its bytes from others.
    static Value numbered(std::uint64_t number) {
        std::array<std::uint8_t, sizeof(Value)> bytes;
        for (std::size_t i = 0; i < sizeof(Value); ++i)
            bytes[i] =
                static_cast<std::uint8_t>((number + 1) * 0x9e37'79b9'7f4a'7c15ull >> (8 * (i % 7)) & 0x3f);
        Value value;
        std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof(Value));
        return value;
    }
    static bool equal(Value const& left, Value const& right) {
        return std::memcmp(&left, &right, sizeof(Value)) == 0;
    }
};
// Sanitized, where each size takes half a minute to compile: sizes that the library has, and 4 bytes.
using value_types = std::conditional_t<
    sanitized,
    ::testing::Types<value_case<double>, value_case<std::uint64_t>, value_case<float>,
                     value_case<std::int32_t>>,
    ::testing::Types<value_case<double>, value_case<std::uint64_t>, value_case<float>,
                     value_case<std::int32_t>, value_case<std::complex<double>>, value_case<std::uint8_t>,
                     value_case<std::int16_t>, value_case<twelve_bytes>, value_case<wide_alignment>>>;
TYPED_TEST_SUITE(values_of_type, value_types, named_types);

struct lone_lane {
    static std::uint32_t rank() { return 0; }
    static std::uint32_t size() { return 1; }
};

TYPED_TEST(values_of_type, come_back_from_every_query) {
    using value = typename TypeParam::value;
    using space_type = exec::host_space;
    using graph_type =
        graph::dynamic_graph<space_type, graph::contiguous, graph::default_allocator<space_type>, value>;
    static_assert(std::is_same_v<typename graph_type::value_type, value>);
    space_type space;
    constexpr std::uint32_t vertices = 40;
    graph_type tested(space, {.vertices = vertices, .directed = true, .in_arcs = true});
    std::map<std::pair<std::uint32_t, std::uint32_t>, value> expected;
    std::mt19937 random(7);
    std::uint64_t number = 0;
    for (int round = 0; round < 12; ++round) {
        std::vector<graph::edge> edges;
        std::vector<value> values;
        for (int i = 0; i < 150; ++i) {
            edges.push_back({static_cast<std::uint32_t>(random() % vertices),
                             static_cast<std::uint32_t>(random() % vertices)});
            values.push_back(this->numbered(++number));
        }
        std::vector<std::uint32_t> sources, targets;
        for (graph::edge const& each : edges) {
            sources.push_back(each.source);
            targets.push_back(each.target);
        }
        graph::edge_columns const columns{sources, targets};
        bool const erases = round % 4 == 3;
        if (erases)
            tested.erase_edges(edges);
        else if (round % 4 == 0)
            tested.insert_edges(edges, values);
        else if (round % 4 == 1)
            tested.insert_edges(tested.stage(edges, values));
        else
            tested.insert_edges(columns, values);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (erases)
                expected.erase({edges[i].source, edges[i].target});
            else
                expected[{edges[i].source, edges[i].target}] = values[i];
        }
    }
    ASSERT_EQ(tested.edge_count(), expected.size());
    EXPECT_TRUE(tested.validate().empty());

    std::vector<graph::edge> asked;
    for (auto const& [ends, unused] : expected)
        asked.push_back({ends.first, ends.second});
    asked.push_back({vertices, 0});
    auto const found = tested.edge_values(asked);
    for (std::size_t i = 0; i + 1 < asked.size(); ++i) {
        ASSERT_EQ(found.present[i], 1);
        ASSERT_TRUE(this->equal(found.values[i], expected[{asked[i].source, asked[i].target}]));
    }
    EXPECT_EQ(found.present.back(), 0);
    EXPECT_TRUE(this->equal(found.values.back(), value{}));

    std::vector<graph::vertex_id> all(vertices);
    for (std::uint32_t v = 0; v < vertices; ++v)
        all[v] = v;
    auto const lists = tested.neighbours_of(all);
    auto const copy = tested.snapshot();
    auto const view = tested.view();
    std::size_t visited = 0;
    std::size_t in_edges = 0;
    auto const next = [&, each = expected.begin()](std::uint32_t v, std::uint32_t target,
                                                   value const& of) mutable {
        ++visited;
        ASSERT_NE(each, expected.end());
        ASSERT_EQ(each->first, std::pair(v, target));
        ASSERT_TRUE(this->equal(each->second, of));
        ++each;
    };
    auto of_lists = next;
    auto of_view = next;
    auto of_copy = next;
    std::vector<value> const copied = copy.values.to_host();
    for (std::uint32_t v = 0; v < vertices; ++v) {
        std::span<graph::vertex_id const> const targets = lists.of(v);
        std::span<value const> const values = lists.values_of(v);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            of_lists(v, targets[i], values[i]);
            of_copy(v, targets[i], copied[lists.offsets[v] + i]);
        }
        view.for_each_edge(lone_lane{}, v, [&](std::uint64_t, graph::vertex_id target, value const& of) {
            of_view(v, target, of);
        });
        view.for_each_in_edge(lone_lane{}, v, [&](std::uint64_t, graph::vertex_id source, value const& of) {
            ++in_edges;
            EXPECT_TRUE(this->equal(of, expected[{source, v}]));
        });
    }
    EXPECT_EQ(visited, 3 * expected.size());
    EXPECT_EQ(in_edges, expected.size());

    graph_type rebuilt(space, {.vertices = vertices, .directed = true});
    rebuilt.insert_rows_in_space(copy.view());
    EXPECT_EQ(rebuilt.edge_count(), expected.size());
    auto const again = rebuilt.edge_values(asked);
    for (std::size_t i = 0; i + 1 < asked.size(); ++i)
        ASSERT_TRUE(this->equal(again.values[i], found.values[i]));
}

TEST(stored_values, have_the_shape_of_what_they_store) {
    static_assert(std::is_same_v<graph::stored_for<float>, graph::stored_for<std::int32_t>>);
    static_assert(std::is_same_v<graph::stored_for<double>, graph::stored_for<std::int64_t>>);
    static_assert(std::is_same_v<graph::stored_for<std::complex<double>>, graph::stored_value<16, 8>>);
    static_assert(
        !std::is_same_v<graph::stored_for<wide_alignment>, graph::stored_for<std::complex<double>>>);
    static_assert(sizeof(graph::stored_for<twelve_bytes>) == 12 &&
                  alignof(graph::stored_for<twelve_bytes>) == 4);
    static_assert(std::is_void_v<graph::stored_for<void>>);
}

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// PageRank by pulling gives the same bits: for every schedule of its threads, on host for every number of
// them.
#include "cases.hpp"
#include "oracles.hpp"
#include "scattered_view.hpp"
#include "wide_rows.hpp"

#include <rhizome/algorithms/pagerank.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Space>
class pagerank_bits_on : public space_test {};
TYPED_TEST_SUITE(pagerank_bits_on, all_spaces, space_names);

/// A ring, and vertices whose in-degrees go from one more than light rows have up to the whole ring: rows of
/// one piece and of several. Two of three of them have no out-arcs. They lie anywhere among the ids, so that
/// no warp lists the pieces of many.
named_edges ring_into_long_rows(graph::vertex_id ring, graph::vertex_id long_rows) {
    graph::vertex_id const vertices = ring + long_rows;
    auto const id = [&](graph::vertex_id v) { return v * 211 % vertices; }; // no common factor
    named_edges made{"ring into long rows", vertices, {}};
    for (graph::vertex_id v = 0; v < ring; ++v)
        made.edges.push_back({id(v), id((v + 1) % ring)});
    auto const shortest = static_cast<graph::vertex_id>(algorithms::tuning::light_degree + 1);
    for (graph::vertex_id row = 0; row < long_rows; ++row) {
        graph::vertex_id const arcs = shortest + (ring - shortest) * row / (long_rows - 1);
        for (graph::vertex_id i = 0; i < arcs; ++i) // 7 has no factor in common with the ring
            made.edges.push_back({id((7 * i + 13 * row) % ring), id(ring + row)});
        if (row % 3 == 2) made.edges.push_back({id(ring + row), id(row)});
    }
    return made;
}

template <class Real>
struct outcome {
    std::vector<Real> ranks;
    double residual;
    unsigned iterations;

    [[nodiscard]] bool operator==(outcome const& other) const {
        return ranks.size() == other.ranks.size() &&
               std::memcmp(ranks.data(), other.ranks.data(), ranks.size() * sizeof(Real)) == 0 &&
               std::memcmp(&residual, &other.residual, sizeof(residual)) == 0 &&
               iterations == other.iterations;
    }
};

/// Calls run(space) with spaces whose threads run in many orders, and on host in many numbers.
template <class Space, class Run>
void on_many_schedules(Run const& run) {
    if constexpr (is_emulated<Space>) {
        for (std::uint64_t seed = 1; seed <= std::max<std::uint64_t>(2, tests::scaled(16)); ++seed)
            run(make_space<Space>({.seed = seed}));
    } else {
        for (unsigned const threads : {1u, 2u, 3u, 5u, 8u}) {
            auto const space = make_space<Space>({.threads = threads});
            for (std::uint64_t again = 0;
                 again < std::max<std::uint64_t>(2, tests::scaled(tests::is_gpu<Space> ? 20 : 3)); ++again)
                run(space);
        }
    }
}

template <class Real, class Space, class Rows>
void expect_same_bits(Rows const& rows_on) {
    for (double const tolerance : {0.0, 1e-4}) {
        SCOPED_TRACE(tolerance);
        std::optional<outcome<Real>> first;
        std::uint64_t runs = 0;
        std::uint64_t others = 0;
        on_many_schedules<Space>([&](Space const& space) {
            auto const rows = rows_on(space);
            algorithms::pagerank<Real, Space> pagerank(space);
            auto const result = pagerank.run(rows.view(), {.tolerance = tolerance, .max_iterations = 5});
            outcome<Real> const now{result.ranks_on_host(), result.residual, result.iterations};
            ASSERT_EQ(now.ranks.size(), rows.view().vertex_count());
            if (!first) first = now;
            ++runs;
            others += now == *first ? 0 : 1;
        });
        ASSERT_GT(runs, 1u);
        EXPECT_EQ(others, 0u) << "of " << runs << " runs";
    }
}

template <class Space>
[[nodiscard]] plain_graph long_in_rows(bool directed) {
    auto const list = is_emulated<Space> ? ring_into_long_rows(601, 12) : ring_into_long_rows(5003, 40);
    return plain(list.vertices, list.edges, directed);
}

TYPED_TEST(pagerank_bits_on, neighbours_side_by_side) {
    auto const graph = long_in_rows<TypeParam>(true);
    auto const rows_on = [&](TypeParam const& space) {
        return wide_rows<TypeParam>(space, graph, false, true);
    };
    expect_same_bits<double, TypeParam>(rows_on);
    expect_same_bits<float, TypeParam>(rows_on);
}

TYPED_TEST(pagerank_bits_on, scattered_neighbours_and_dead_vertices) {
    auto const graph = long_in_rows<TypeParam>(true);
    auto const rows_on = [&](TypeParam const& space) {
        return scattered_graph<TypeParam>(space, graph, 7, false, true);
    };
    expect_same_bits<double, TypeParam>(rows_on);
    expect_same_bits<float, TypeParam>(rows_on);
}

/// Nothing dangles: only the residual adds long rows up.
TYPED_TEST(pagerank_bits_on, symmetric_graphs) {
    auto const graph = long_in_rows<TypeParam>(false);
    expect_same_bits<double, TypeParam>(
        [&](TypeParam const& space) { return wide_rows<TypeParam>(space, graph, true, false); });
}

} // namespace
} // namespace rhizome::tests

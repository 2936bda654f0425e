// SPDX-License-Identifier: Apache-2.0
// What the tests of partitioned graphs share: shares of batches, and the comparison with a sequential graph.
#pragma once

#include "sequential_graph.hpp"

#include <rhizome/comm/decorator.hpp>
#include <rhizome/comm/threads.hpp>
#include <rhizome/graph/partition/partitioned_graph.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::tests {

template <class Space>
[[nodiscard]] std::vector<Space> rank_spaces(int ranks, std::uint64_t memory_limit_bytes = 0) {
    return spaces_of_ranks<Space>(ranks, {.threads = 2, .memory_limit_bytes = memory_limit_bytes});
}

/// Which elements of a batch a rank passes.
template <class T>
[[nodiscard]] std::span<T const> share_of(std::vector<T> const& all, std::vector<std::size_t> const& cuts,
                                          std::uint32_t rank) {
    return std::span<T const>(all).subspan(cuts[rank], cuts[rank + 1] - cuts[rank]);
}
/// Where the shares of a batch begin. `how`: 0: all on one rank; 1: on all; 2: random, so that some are
/// empty.
[[nodiscard]] inline std::vector<std::size_t> random_cuts(std::mt19937& random, std::size_t count,
                                                          std::uint32_t ranks, unsigned how) {
    std::vector<std::size_t> cuts(ranks + 1, 0);
    std::uint32_t const alone = static_cast<std::uint32_t>(random()) % ranks;
    for (std::uint32_t rank = 1; rank <= ranks; ++rank)
        cuts[rank] = how == 0 ? (rank > alone ? count : 0) : count * rank / ranks;
    if (how == 2) {
        for (std::uint32_t rank = 1; rank < ranks; ++rank)
            cuts[rank] = count == 0 ? 0 : random() % (count + 1);
        std::sort(cuts.begin(), cuts.end());
    }
    return cuts;
}

/// Compares counts, rows and, with in-arcs, rows of in-neighbours of this rank's vertices.
template <class Graph>
void expect_same(Graph& tested, sequential_graph const& expected, std::string const& where) {
    ASSERT_EQ(tested.vertex_count(), expected.vertex_count()) << where;
    ASSERT_EQ(tested.live_vertex_count(), expected.live_vertex_count()) << where;
    ASSERT_EQ(tested.edge_count(), expected.edge_count()) << where;
    auto const rows = expected.rows();
    auto const copy = tested.snapshot();
    auto const offsets = copy.offsets.to_host();
    auto const targets = copy.targets.to_host();
    auto const values = copy.values.to_host();
    auto const view = tested.view();
    ASSERT_EQ(offsets.size(), view.row_count() + 1) << where;
    std::uint64_t owned = 0;
    for (std::uint64_t row = 0; row < view.row_count(); ++row) {
        std::vector<std::pair<std::uint32_t, double>> found;
        for (std::uint64_t i = offsets[row]; i < offsets[row + 1]; ++i) {
            double value = 0;
            if constexpr (Graph::has_values) value = values[i];
            found.push_back({targets[i], value});
        }
        if (!view.is_used(row)) {
            ASSERT_TRUE(found.empty()) << where;
            continue;
        }
        ++owned;
        ASSERT_EQ(found, rows[view.id_of(row)]) << where << ", vertex " << view.id_of(row);
    }
    std::uint64_t expected_owned = 0;
    for (std::uint64_t v = 0; v < expected.vertex_count(); ++v)
        expected_owned += tested.owns(static_cast<std::uint32_t>(v)) ? 1 : 0;
    ASSERT_EQ(owned, expected_owned) << where;
}

/// Ranks that do not reach each other's memory.
template <class Space>
class apart_ranks : public comm::communicator_decorator<Space> {
public:
    using comm::communicator_decorator<Space>::communicator_decorator;
    [[nodiscard]] bool may_share_memory() const override { return false; }
};

} // namespace rhizome::tests

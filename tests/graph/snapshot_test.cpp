// SPDX-License-Identifier: Apache-2.0
// Copies of unsorted rows are sorted a piece at a time: a copy in pieces is the copy at once.
#include <rhizome/graph/snapshot.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

/// Rows in the host's memory, in no order; the value of an arc is its number.
struct unsorted_view {
    static constexpr bool sorted = false;
    using id_type = graph::vertex_id;

    std::uint64_t const* offsets;
    id_type const* targets;
    std::int32_t const* all_values;
    std::uint64_t vertices;

    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return vertices; }
    [[nodiscard]] RZ_HD std::uint64_t live_vertex_count() const { return vertices; }
    [[nodiscard]] RZ_HD bool is_live(id_type) const { return true; }
    [[nodiscard]] RZ_HD bool symmetric() const { return false; }
    [[nodiscard]] RZ_HD std::uint64_t degree(id_type v) const { return offsets[v + 1] - offsets[v]; }
    [[nodiscard]] RZ_HD graph::basic_neighbour_range<id_type> neighbours(id_type v) const {
        return {targets + offsets[v], static_cast<std::uint32_t>(degree(v))};
    }
    [[nodiscard]] RZ_HD std::int32_t const* values(id_type v) const { return all_values + offsets[v]; }
};

template <class Space>
class snapshot_pieces : public space_test {};
using host_spaces = ::testing::Types<exec::host_space, exec::simt_space>;
TYPED_TEST_SUITE(snapshot_pieces, host_spaces, space_names);

TYPED_TEST(snapshot_pieces, are_sorted_one_after_the_other) {
    constexpr std::uint64_t vertices = 60;
    std::mt19937 random(1);
    std::vector<std::uint64_t> offsets{0};
    std::vector<graph::vertex_id> targets;
    for (std::uint64_t v = 0; v < vertices; ++v) {
        // Rows without neighbours, several side by side; one row longer than a piece.
        std::uint64_t const degree = v % 7 < 2 ? 0 : v == 30 ? 50 : random() % 20;
        std::vector<graph::vertex_id> row(vertices);
        std::iota(row.begin(), row.end(), 0u);
        std::shuffle(row.begin(), row.end(), random);
        targets.insert(targets.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(degree));
        offsets.push_back(targets.size());
    }
    std::vector<std::int32_t> values(targets.size());
    std::iota(values.begin(), values.end(), 0);
    std::vector<std::pair<graph::vertex_id, std::int32_t>> expected;
    for (std::uint64_t v = 0; v < vertices; ++v) {
        for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i)
            expected.push_back({targets[i], values[i]});
        std::sort(expected.begin() + static_cast<std::ptrdiff_t>(offsets[v]), expected.end());
    }

    auto space = make_space<TypeParam>();
    exec::workspace<TypeParam> scratch(space);
    unsorted_view const view{offsets.data(), targets.data(), values.data(), vertices};
    for (std::uint64_t const arcs_at_once : {std::uint64_t{1}, std::uint64_t{25}, targets.size() - 1}) {
        auto copy = graph::snapshot<std::int32_t>(space, scratch, view);
        auto const pieces =
            graph::detail::cut_rows(space, copy.offsets.data(), vertices, targets.size(), arcs_at_once);
        EXPECT_GT(pieces.size(), 1u);
        for (auto const& piece : pieces)
            EXPECT_TRUE(piece.arcs <= arcs_at_once ||
                        offsets[piece.first_row + piece.rows] - offsets[piece.first_row + piece.rows - 1] ==
                            piece.arcs)
                << "several rows, and too many arcs";
        // As it was before it was sorted.
        space.copy_in(copy.values.data(), values.data(), values.size() * sizeof(values[0]));
        copy.targets.fill_bytes(0xff);
        graph::detail::sort_rows<true>(space, scratch, view, copy, arcs_at_once);
        auto const got_targets = copy.targets.to_host();
        auto const got_values = copy.values.to_host();
        ASSERT_EQ(got_targets.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(got_targets[i], expected[i].first) << i;
            EXPECT_EQ(got_values[i], expected[i].second) << i;
        }
    }
}

} // namespace
} // namespace rhizome::tests

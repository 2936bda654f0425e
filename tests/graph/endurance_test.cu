// SPDX-License-Identifier: Apache-2.0
// A hundred million random updates on the GPU, against a matrix of bits on the host: how many each batch
// changes, and at the end every edge, with compactions between. RHIZOME_TEST_SCALE multiplies them.
#include "comparison.hpp"

#include <rhizome/exec/cuda.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests::of_endurance {
namespace {

constexpr std::uint64_t vertices = 1u << 15;

/// A bit a pair of vertices; of an undirected edge the smaller end first.
class bit_matrix {
public:
    explicit bit_matrix(bool directed) : words_(vertices * vertices / 64), directed_(directed) {}

    /// Whether it changes anything.
    bool set(graph::edge edge, bool present) {
        if (!directed_ && edge.source > edge.target) std::swap(edge.source, edge.target);
        std::uint64_t const bit = std::uint64_t{edge.source} * vertices + edge.target;
        std::uint64_t const before = words_[bit / 64];
        std::uint64_t const mask = std::uint64_t{1} << (bit % 64);
        words_[bit / 64] = present ? before | mask : before & ~mask;
        return words_[bit / 64] != before;
    }
    [[nodiscard]] bool has(graph::edge edge) const {
        if (!directed_ && edge.source > edge.target) std::swap(edge.source, edge.target);
        std::uint64_t const bit = std::uint64_t{edge.source} * vertices + edge.target;
        return (words_[bit / 64] >> (bit % 64) & 1) != 0;
    }
    std::uint64_t erase_vertex(graph::vertex_id v) {
        std::uint64_t erased = 0;
        for (graph::vertex_id other = 0; other < vertices; ++other) {
            erased += set({v, other}, false) ? 1 : 0;
            erased += set({other, v}, false) ? 1 : 0;
        }
        return erased;
    }

private:
    std::vector<std::uint64_t> words_;
    bool directed_;
};

template <class Layout>
class endurance : public space_test {};
using layouts = ::testing::Types<graph::contiguous, small_pages, small_buckets>;
TYPED_TEST_SUITE(endurance, layouts, layout_names);

TYPED_TEST(endurance, a_hundred_million_random_updates) {
    using graph_type = graph::dynamic_graph<exec::cuda_space, TypeParam>;
    bool const directed = std::is_same_v<TypeParam, small_pages>;
    graph_type tested(exec::cuda_space(), {.vertices = vertices, .directed = directed});
    bit_matrix model(directed);
    std::mt19937_64 random(7);
    std::vector<graph::edge> batch;
    std::uint64_t edges = 0;
    std::uint64_t const updates = scaled(100'000'000);
    constexpr std::uint64_t most_moved_bytes = 4u << 20; // of a compaction in pieces
    for (std::uint64_t done = 0, number = 0; done < updates; ++number) {
        SCOPED_TRACE("batch " + std::to_string(number));
        // Small ones are counted, large ones sorted; every fifth is of few rows.
        std::uint64_t const size = number % 4 == 0 ? 4'000'000 : number % 4 == 1 ? 10'000 : 1'000'000;
        std::uint64_t const sources = number % 5 == 0 ? 64 : vertices;
        bool const erasing = number % 2 == 1;
        batch.resize(size);
        for (graph::edge& edge : batch) {
            std::uint64_t const word = random();
            edge = {static_cast<graph::vertex_id>((word >> 32) % sources),
                    static_cast<graph::vertex_id>(word % vertices)};
        }
        auto const report = erasing ? tested.erase_edges(batch) : tested.insert_edges(batch);
        std::uint64_t changed = 0;
        for (graph::edge const& edge : batch)
            changed += model.set(edge, !erasing) ? 1 : 0;
        ASSERT_EQ(report.applied, changed);
        edges += erasing ? -changed : changed;
        if (number % 8 == 7) {
            std::vector<graph::vertex_id> const gone = {static_cast<graph::vertex_id>(random() % vertices)};
            std::uint64_t const erased = model.erase_vertex(gone[0]);
            ASSERT_EQ(tested.erase_vertices(gone).edges, erased);
            ASSERT_EQ(tested.insert_vertices(1), gone);
            edges -= erased;
        }
        if (number % 6 == 5) static_cast<void>(tested.compact(number % 4 == 1 ? most_moved_bytes : ~0ull));
        ASSERT_EQ(tested.edge_count(), edges);
        done += size;
    }
    expect_valid(tested);
    auto const copy = tested.snapshot();
    auto const arcs = arcs_of(copy);
    EXPECT_EQ(arcs.size(), tested.arc_count()); // all different: rows ascend strictly, which was validated
    std::uint64_t foreign = 0;
    for (graph::edge const& arc : arcs)
        foreign += model.has(arc) ? 0 : 1;
    EXPECT_EQ(foreign, 0u);
    std::printf("%s: %llu updates, %llu edges left\n", TypeParam::name,
                static_cast<unsigned long long>(updates), static_cast<unsigned long long>(edges));
}

} // namespace
} // namespace rhizome::tests::of_endurance

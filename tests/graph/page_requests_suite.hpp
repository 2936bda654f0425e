// SPDX-License-Identifier: Apache-2.0
// How batches request pages: in bulk or lane by lane. Either way the graph is the same; in bulk, the pages of
// neighbouring rows lie side by side.
#pragma once

#include "comparison.hpp"
#include "edge_list.hpp"

#include <rhizome/alloc/abilities.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::tests {
namespace {

using graph::page_requests;

/// Where the row of each vertex begins.
template <class View>
struct note_row_addresses {
    View view;
    std::uint64_t* addresses;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t v) {
            auto const row = view.neighbours(static_cast<graph::vertex_id>(v));
            addresses[v] = reinterpret_cast<std::uint64_t>(row.begin());
        });
    }
};
template <class Graph>
std::vector<std::uint64_t> row_addresses(Graph& tested) {
    auto& space = tested.space();
    exec::buffer<std::remove_cvref_t<decltype(space)>, std::uint64_t> found(space, tested.vertex_count());
    launch(space, cover_threads(space, tested.vertex_count()),
           note_row_addresses<typename Graph::view_type>{tested.view(), found.data()});
    return found.to_host();
}

/// Edges from each vertex to its next ones, number `first` to `last` - 1 of them, in any order.
edge_list next_neighbours(std::uint64_t vertices, std::uint64_t first, std::uint64_t last) {
    edge_list edges;
    for (std::uint64_t v = 0; v < vertices; ++v)
        for (std::uint64_t i = first; i < last; ++i)
            edges.push_back(
                {static_cast<graph::vertex_id>(v), static_cast<graph::vertex_id>((v + i + 1) % vertices)});
    std::shuffle(edges.begin(), edges.end(), std::mt19937_64(5));
    return edges;
}

template <class Case>
class graph_page_requests : public space_test {
protected:
    using space_type = typename Case::space;
    using graph_type = graph_over<Case>;
    static constexpr bool has_runs = alloc::gives_runs<typename Case::owner::ref_type>;

    /// Enough for a batch of so many arcs per row to be a large one, and for its pages to fill several
    /// chunks.
    static std::uint64_t rows_of(space_type const& space, std::uint64_t arcs_per_row) {
        return std::max<std::uint64_t>(700, space.concurrency() / arcs_per_row);
    }
    static graph::graph_options options_for(std::uint64_t vertices, page_requests pages) {
        return {.vertices = vertices,
                .directed = true,
                .heap_bytes = vertices * 2048 + (4u << 20),
                .pages = pages};
    }
};
TYPED_TEST_SUITE(graph_page_requests, planned_cases<tested_layout>, named_types);

TYPED_TEST(graph_page_requests, make_no_difference_to_edges_and_are_counted) {
    for (auto const pages : {page_requests::lane_wise, page_requests::bulk_loads, page_requests::bulk})
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            SCOPED_TRACE("pages " + std::to_string(static_cast<int>(pages)) + ", seed " +
                         std::to_string(seed));
            auto space = make_space<typename TypeParam::space>({.seed = seed});
            // The host's copy of the graph takes most of the time.
            std::uint64_t const rows = this->rows_of(space, 12);
            auto options = this->options_for(rows, pages);
            options.directed = seed != 2;
            options.in_arcs = seed == 3;
            typename TestFixture::graph_type tested(space, options);
            reference_graph reference(options);
            graph::bulk_requests load;
            graph::bulk_requests later;
            auto const apply = [&](edge_list const& batch, bool erasing) {
                auto const report = erasing ? tested.erase_edges(batch) : tested.insert_edges(batch);
                EXPECT_EQ(report, reference.apply(batch, erasing, {}));
                expect_same(tested, reference);
                return report.bulk;
            };
            load += apply(next_neighbours(rows, 0, 12), false);
            later += apply(next_neighbours(rows, 12, 13), false); // counted, if edges have one arc
            later += apply(next_neighbours(rows, 13, 28), false); // sorted
            later += apply(next_neighbours(rows, 2, 18), true);   // sorted
            later += apply(next_neighbours(rows, 26, 27), true);
            later += apply(random_edges(rows, rows, seed), false);
            later += apply(random_edges(4 * rows, rows + 3, seed + 7), false); // some of no vertex
            if (!this->has_runs || pages == page_requests::lane_wise) {
                EXPECT_EQ(load, graph::bulk_requests{});
            } else {
                EXPECT_GT(load.served, 0u);
                EXPECT_GE(load.pages, rows) << "one per row";
                EXPECT_EQ(load.refused, 0u);
            }
            if (!this->has_runs || pages != page_requests::bulk) {
                EXPECT_EQ(later, graph::bulk_requests{});
            } else {
                EXPECT_GE(later.served, 2u);
                EXPECT_GE(later.pages, 2 * rows) << "rows that grow, and rows that shrink";
            }
            if (::testing::Test::HasFailure()) return;
        }
}

TYPED_TEST(graph_page_requests, in_bulk_give_the_rows_of_a_batch_ascending_pages) {
    using tested_space = typename TypeParam::space;
    if constexpr (!TestFixture::has_runs) {
        GTEST_SKIP() << "the allocator gives no runs";
    } else {
        // One batch for all rows; or a second one, which is counted, and outgrows the pages of the first.
        for (bool const counted : {false, true})
            for (auto const pages : {page_requests::bulk, page_requests::lane_wise}) {
                SCOPED_TRACE(counted ? "counted" : "sorted");
                auto space = make_space<tested_space>({.seed = 3});
                std::uint64_t const rows = this->rows_of(space, 1);
                typename TestFixture::graph_type tested(space, this->options_for(rows, pages));
                std::uint64_t const before = counted ? 16 : 1; // these fill their pages
                tested.insert_edges(next_neighbours(rows, 0, before));
                std::uint64_t const after = before + (counted ? 1 : 11);
                auto const report = tested.insert_edges(next_neighbours(rows, before, after));
                EXPECT_EQ(report.applied, rows * (after - before));
                auto const at = row_addresses(tested);
                bool const ascending = std::is_sorted(at.begin(), at.end());
                if (pages == page_requests::bulk) {
                    EXPECT_TRUE(ascending);
                    EXPECT_EQ(report.bulk, (graph::bulk_requests{1, rows, 0, 0}));
                    // Nothing lies between them except what the end of a chunk leaves.
                    EXPECT_LT(at.back() - at.front(), rows * 128);
                } else if constexpr (!exec::threads_take_runs<tested_space>) {
                    EXPECT_FALSE(ascending) << "this test would see nothing";
                }
                expect_valid(tested);
            }
    }
}

TYPED_TEST(graph_page_requests, of_few_pages_go_lane_by_lane) {
    auto space = make_space<typename TypeParam::space>();
    std::uint64_t const rows = 100; // of 64 bytes: less than several chunks
    typename TestFixture::graph_type tested(space, this->options_for(rows, page_requests::bulk));
    EXPECT_EQ(tested.insert_edges(next_neighbours(rows, 0, 12)).bulk, graph::bulk_requests{});
    expect_valid(tested);
}

} // namespace
} // namespace rhizome::tests

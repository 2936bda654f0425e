// SPDX-License-Identifier: Apache-2.0
// What a layout demands of its allocator is what the longest row that a graph promises takes.
#include <rhizome/alloc/page_queue/page_queue.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/default_allocator.hpp>
#include <rhizome/graph/layout/buckets.hpp>
#include <rhizome/graph/layout/contiguous.hpp>
#include <rhizome/graph/layout/linked_pages.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace rhizome::tests {
namespace {

using graph::vertex_id;
using graph::wide_vertex_id;

/// An allocator whose largest blocks have 4 GiB.
struct four_gib_allocator {
    struct ref_type {
        struct traits {
            static constexpr std::uint64_t largest_bytes = std::uint64_t{1} << 32;
        };
    };
};

template <class Layout, class Id, class Value>
constexpr std::uint64_t demanded = Layout::template largest_request_bytes<Id, Value>;

TEST(layout_fits, an_allocator_that_has_blocks_for_the_longest_row) {
    std::uint64_t const most = graph::most_neighbours<vertex_id>;
    EXPECT_EQ((demanded<graph::contiguous, vertex_id, void>), most * 4);
    EXPECT_EQ((demanded<graph::contiguous, vertex_id, float>), most * 8);
    EXPECT_EQ((demanded<graph::contiguous, wide_vertex_id, double>), most * 16);
    // Buckets double from four on: the last of 2^31 places is the one that a row of 2^32 - 2^16 needs.
    std::uint64_t const last = std::uint64_t{1} << 31;
    EXPECT_GE((demanded<graph::buckets<>, vertex_id, void>), last * 4);
    EXPECT_LT((demanded<graph::buckets<>, vertex_id, void>), last * 4 + 1024);
    EXPECT_GE((demanded<graph::buckets<>, wide_vertex_id, double>), last * 16);

    using allocator = graph::default_allocator<exec::host_space>;
    static_assert(graph::layout_fits<graph::contiguous, allocator>);
    static_assert(graph::layout_fits<graph::contiguous, allocator, wide_vertex_id, double>);
    static_assert(graph::layout_fits<graph::buckets<>, allocator, wide_vertex_id, double>);
    static_assert(graph::layout_fits<graph::contiguous, allocator, vertex_id, std::array<double, 64>>,
                  "more than a device has memory for is not asked for");
    static_assert(!graph::layout_fits<graph::contiguous, four_gib_allocator>);
    static_assert(!graph::layout_fits<graph::buckets<>, four_gib_allocator>);
    static_assert(graph::layout_fits<graph::linked_pages<128>, alloc::page_queue<exec::host_space, 128>>);
    static_assert(!graph::layout_fits<graph::contiguous, alloc::page_queue<exec::host_space, 128>>);
}

} // namespace
} // namespace rhizome::tests

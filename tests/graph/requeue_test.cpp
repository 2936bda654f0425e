// SPDX-License-Identifier: Apache-2.0
// Free pages lie where the next batch finds them soonest: after a batch that had its heap trimmed, and after
// one whose pages found no room in the queues of a heap that is full.
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace rhizome::tests {
namespace {

/// Says in which order it was asked.
struct observed_host_allocator : graph::default_allocator<exec::host_space> {
    using base = graph::default_allocator<exec::host_space>;
    using base::base;

    void trim() {
        waits_for_requeue = true;
        ++trims;
        base::trim();
    }
    [[nodiscard]] bool requeue() {
        waits_for_requeue = false;
        return base::requeue();
    }
    unsigned trims = 0;
    bool waits_for_requeue = false;
};

TEST(requeue, follows_every_batch_that_trimmed) {
    graph::dynamic_graph<exec::host_space, graph::contiguous, observed_host_allocator> tested(
        exec::host_space({.threads = 2}), {.vertices = 4000, .heap_bytes = 256u << 10});
    std::mt19937_64 random(1);
    for (int batch = 0; batch < 8; ++batch) {
        std::vector<graph::edge> edges(20'000);
        for (graph::edge& edge : edges)
            edge = {static_cast<graph::vertex_id>(random() % 4000),
                    static_cast<graph::vertex_id>(random() % 4000)};
        tested.insert_edges(edges);
        EXPECT_FALSE(tested.allocator().waits_for_requeue) << "batch " << batch;
    }
    EXPECT_GT(tested.allocator().trims, 0u) << "nothing was trimmed: too few edges for this test";
}

/// What was trimmed for a batch is of use to others, also where that batch is refused.
TEST(requeue, follows_a_refused_batch_that_trimmed) {
    constexpr graph::vertex_id vertices = 4000;
    graph::dynamic_graph<exec::host_space, graph::contiguous, observed_host_allocator> tested(
        exec::host_space({.threads = 1}),
        {.vertices = vertices, .directed = true, .heap_bytes = 256u << 10, .reserve_bytes = 256u << 10});
    std::vector<graph::edge> few;
    for (graph::vertex_id v = 0; v < vertices; v += 2)
        for (graph::vertex_id i = 1; i <= 6; ++i)
            few.push_back({v, (v + i) % vertices});
    EXPECT_EQ(tested.insert_edges(few).applied, few.size());
    // Free pages, side by side with others.
    std::erase_if(few, [](graph::edge const& edge) { return edge.source % 4 == 0; });
    EXPECT_EQ(tested.erase_edges(few).applied, few.size());
    std::vector<graph::edge> many;
    for (graph::vertex_id v = 0; v < vertices; ++v)
        for (graph::vertex_id i = 0; i < 40; ++i)
            many.push_back({v, (v + 7 * i) % vertices});
    unsigned const trims = tested.allocator().trims;
    EXPECT_THROW(tested.insert_edges(many), exec::out_of_memory);
    EXPECT_GT(tested.allocator().trims, trims) << "nothing was trimmed for it";
    EXPECT_FALSE(tested.allocator().waits_for_requeue);
    EXPECT_EQ(tested.insert_edges(few).applied, few.size());
    EXPECT_TRUE(tested.validate().empty());
}

/// Rows that leave their records for the smallest pages, and come back: those pages' entries take half as
/// much memory as they do. The heap grows for them once, and from then on a round is like the other.
TEST(requeue, is_not_needed_once_small_pages_have_room_for_their_entries) {
    constexpr graph::vertex_id vertices = 40'000;
    graph::dynamic_graph<exec::host_space, graph::contiguous, observed_host_allocator> tested(
        exec::host_space({.threads = 2}), {.vertices = vertices, .directed = true, .heap_bytes = 64u << 10});
    std::vector<graph::edge> inside;
    std::vector<graph::edge> beyond;
    for (graph::vertex_id v = 0; v < vertices; ++v) {
        for (graph::vertex_id i = 1; i <= 3; ++i)
            inside.push_back({v, (v + i) % vertices});
        beyond.push_back({v, (v + 4) % vertices});
    }
    tested.insert_edges(inside);
    std::uint64_t heap_bytes = 0;
    unsigned trims = 0;
    for (int round = 0; round < 8; ++round) {
        EXPECT_EQ(tested.insert_edges(beyond).applied, vertices);
        EXPECT_EQ(tested.erase_edges(beyond).applied, vertices);
        if (round == 3) {
            heap_bytes = tested.allocator().heap_bytes();
            trims = tested.allocator().trims;
        }
        if (round < 3) continue;
        EXPECT_LT(tested.allocator().audit().marked_bytes, heap_bytes / 16) << "round " << round;
        EXPECT_EQ(tested.allocator().heap_bytes(), heap_bytes) << "round " << round;
        EXPECT_EQ(tested.allocator().trims, trims) << "round " << round;
    }
    EXPECT_TRUE(tested.validate().empty());
}

} // namespace
} // namespace rhizome::tests

// A batch that had its heap trimmed leaves free pages where the next batch finds them soonest.
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace rhizome::tests {
namespace {

/// Says in which order it was asked.
struct observed_allocator : graph::default_allocator<exec::host> {
    using base = graph::default_allocator<exec::host>;
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
    graph::dynamic_graph<exec::host, graph::contiguous, observed_allocator> tested(
        exec::host({.threads = 2}), {.vertices = 4000, .heap_bytes = 256u << 10});
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

} // namespace
} // namespace rhizome::tests

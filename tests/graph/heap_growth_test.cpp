// SPDX-License-Identifier: Apache-2.0
// What is done for the time of the batches to come: pages are brought beside small ones, and the heap grows
// before these have used its chunks up.
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/exec/simt.hpp>
#include <rhizome/graph/batch/heap_growth.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <gtest/gtest.h>
#include <scale.hpp>
#include <type_names.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

using exec::simt_space;

/// A heap that does nothing but say what it was asked for.
struct plain_heap {
    struct ref_type {
        static constexpr std::uint32_t base_bytes = 8192;
    };
    std::uint64_t bytes = 64u << 20;
    unsigned requeues = 0;

    [[nodiscard]] std::uint64_t heap_bytes() const { return bytes; }
    void grow_to(std::uint64_t more) { bytes = more; }
    bool has_chunks = true;

    [[nodiscard]] bool requeue() {
        ++requeues;
        return has_chunks;
    }
};

class growth_ahead : public ::testing::Test {
protected:
    void after(std::uint64_t free_chunks, bool small = true, graph::heap_change changed = {}) {
        graph::batch::outcome found{};
        found.free_chunks = free_chunks;
        growth_.after_batch(heap_, 0, found, changed, small);
    }
    void before(bool small = true) { growth_.before_batch(heap_, 0, small); }
    /// As many reports as restocking may have had a part in.
    void after_some() {
        for (int i = 0; i < 4; ++i)
            after(1000);
    }

    plain_heap heap_;
    std::uint64_t const first_bytes_ = heap_.bytes;
    graph::heap_growth<simt_space, plain_heap> growth_{simt_space()};
};

TEST_F(growth_ahead, comes_before_two_more_batches_use_all_chunks) {
    after_some();
    after(700); // 300 a batch: two more leave 100
    EXPECT_EQ(heap_.bytes, first_bytes_);
    after(400);
    EXPECT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / 4);
    EXPECT_EQ(heap_.requeues, 0u);
}
TEST_F(growth_ahead, comes_where_few_chunks_are_left) {
    after(600);
    after(512);
    EXPECT_EQ(heap_.bytes, first_bytes_);
    after(511); // of 8192; also while restocking goes on
    EXPECT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / 8);
    EXPECT_EQ(heap_.requeues, 0u);
}
TEST_F(growth_ahead, knows_how_many_chunks_are_ample_in_a_large_heap) {
    heap_.bytes = std::uint64_t{1} << 30;
    after(1100);
    after(1024);
    EXPECT_EQ(heap_.bytes, std::uint64_t{1} << 30);
    after(1023);
    EXPECT_EQ(heap_.bytes, std::uint64_t{9} << 27);
}
TEST_F(growth_ahead, is_not_for_the_few_chunks_of_a_small_heap) {
    heap_.bytes = 15u << 20; // a refill takes 1/256 of the chunks ahead
    after(100);
    after(99);
    EXPECT_EQ(heap_.bytes, 15u << 20);
}
TEST_F(growth_ahead, is_not_for_batches_that_take_no_chunk) {
    after(100);
    for (int i = 0; i < 6; ++i)
        after(100);
    after(101);
    EXPECT_EQ(heap_.bytes, first_bytes_);
    growth_.after_compaction();
    after(90);
    EXPECT_EQ(heap_.bytes, first_bytes_) << "a compacted heap is meant to be small";
    after(89);
    EXPECT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / 8);
}
/// Tiny batches do not look whether it is due.
TEST_F(growth_ahead, is_not_due_any_more_once_it_has_come) {
    after(600);
    after(590, false, {.grown = true});
    growth_.after_load({.grown = true});
    after(511);
    EXPECT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / 8);
    before();
    EXPECT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / 8);
    EXPECT_EQ(heap_.requeues, 1u) << "after the load";

    heap_.has_chunks = false;
    after(1000, false, {.trimmed = true});
    EXPECT_EQ(heap_.requeues, 2u);
    after(500);
    EXPECT_EQ(heap_.requeues, 3u) << "with the new chunks";
}
TEST_F(growth_ahead, is_not_for_large_batches) {
    after_some();
    after(100, false);
    after(100, false);
    EXPECT_EQ(heap_.bytes, first_bytes_);
}
TEST_F(growth_ahead, takes_restocking_for_no_batch) {
    after(2000);
    after(800); // of the queues, once
    after(790);
    after(780);
    EXPECT_EQ(heap_.bytes, first_bytes_);
    after_some();
    after(100);
    ASSERT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / 4);
    after(2000);
    after(700);
    EXPECT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / 4);
}
TEST_F(growth_ahead, knows_counts_below_zero) {
    after_some();
    after(~std::uint64_t{0} - 5); // others count chunks at that moment
    ASSERT_GT(heap_.bytes, first_bytes_) << "as none";
    std::uint64_t const held = heap_.bytes;
    after_some();
    EXPECT_EQ(heap_.bytes, held);
}

/// A stream whose insertions each find the heap used up, and do with a trim.
TEST_F(growth_ahead, comes_where_batches_trim_often) {
    after_some();
    after(500, true, {.trimmed = true});
    EXPECT_EQ(heap_.bytes, first_bytes_) << "once";
    EXPECT_EQ(heap_.requeues, 1u);
    before();
    after(600); // erases
    before();
    after(500, true, {.trimmed = true});
    EXPECT_EQ(heap_.bytes, first_bytes_) << "another batch may not come";
    before();
    EXPECT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / 4);
    EXPECT_EQ(heap_.requeues, 2u);
    before();
    EXPECT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / 4) << "once";
}
TEST_F(growth_ahead, comes_with_the_batch_after_one_that_left_hardly_a_chunk) {
    heap_.has_chunks = false;
    after(0, false, {.grown = true});
    EXPECT_EQ(heap_.bytes, first_bytes_) << "another batch may not come";
    before();
    EXPECT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / 4);
    EXPECT_EQ(heap_.requeues, 2u) << "with the new chunks";
    after(0, false, {.grown = true});
    growth_.after_compaction();
    before();
    EXPECT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / 4) << "a compacted heap is meant to be small";
}
TEST_F(growth_ahead, comes_with_the_first_batch_after_a_load) {
    for (bool const has_chunks : {true, false}) {
        SCOPED_TRACE(has_chunks);
        heap_ = {.bytes = first_bytes_, .has_chunks = has_chunks};
        after(500, false, {.grown = true});
        growth_.after_load({.grown = true});
        EXPECT_EQ(heap_.bytes, first_bytes_) << "another batch may not come";
        for (int batch = 0; batch < 2; ++batch) {
            before();
            EXPECT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / 8) << "once";
            after(1000);
        }
        EXPECT_EQ(heap_.requeues, 1u) << "after the load";
    }
}
/// It needs old and new pages of many rows at a time.
TEST_F(growth_ahead, is_more_where_a_large_batch_is_the_first_one_after_a_load) {
    for (bool const has_chunks : {true, false}) {
        SCOPED_TRACE(has_chunks);
        heap_ = {.bytes = first_bytes_, .has_chunks = has_chunks};
        after(500, false, {.grown = true});
        growth_.after_load({.grown = true});
        before(false);
        EXPECT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / (has_chunks ? 8 : 4));
        EXPECT_EQ(heap_.requeues, has_chunks ? 1u : 2u) << "with the new chunks";
        before(false);
        EXPECT_EQ(heap_.bytes, first_bytes_ + first_bytes_ / (has_chunks ? 8 : 4)) << "once";
    }
}
TEST_F(growth_ahead, is_not_for_batches_that_trim_now_and_then) {
    for (int round = 0; round < 5; ++round) {
        for (std::uint64_t i = 0; i < graph::tuning::trims_apart; ++i)
            after(600);
        after(500, true, {.trimmed = true});
        before();
    }
    EXPECT_EQ(heap_.bytes, first_bytes_);
}
TEST_F(growth_ahead, does_not_come_twice_for_one_batch) {
    after(500, true, {.trimmed = true});
    after(500, true, {.trimmed = true, .grown = true});
    before();
    EXPECT_EQ(heap_.bytes, first_bytes_);
}

/// Counts how often it is asked to restock.
struct observed_allocator : graph::default_allocator<simt_space> {
    using base = graph::default_allocator<simt_space>;
    using base::base;

    void restock(std::uint64_t requests) {
        asked.push_back(requests);
        base::restock(requests);
    }
    std::vector<std::uint64_t> asked;
};

TEST(restocking, goes_on_beside_small_insertions_alone) {
    simt_space space;
    graph::dynamic_graph<simt_space, graph::contiguous, observed_allocator> tested(
        space, {.vertices = 2000, .directed = true});
    std::vector<graph::edge> edges;
    for (graph::vertex_id v = 0; v < 2000; ++v)
        edges.push_back({v, (v + 1) % 2000});
    ASSERT_GE(edges.size(), space.concurrency());
    tested.insert_edges(edges);
    EXPECT_TRUE(tested.allocator().asked.empty());
    edges.resize(200);
    for (graph::edge& each : edges)
        each.target += 7;
    tested.insert_edges(edges);
    EXPECT_EQ(tested.allocator().asked, std::vector<std::uint64_t>{200});
    tested.erase_edges(edges);
    EXPECT_EQ(tested.allocator().asked.size(), 1u);
    edges.resize(100);
    for (graph::edge& each : edges)
        each.target += 7;
    tested.insert_edges(edges);
    EXPECT_EQ(tested.allocator().asked.size(), 1u) << "one launch more would take a tiny batch longer";
    EXPECT_TRUE(tested.validate().empty());
}

/// Counts how often it is trimmed.
struct trimmed_allocator : graph::default_allocator<simt_space> {
    using base = graph::default_allocator<simt_space>;
    using base::base;

    void trim() {
        ++trims;
        base::trim();
    }
    unsigned trims = 0;
};

/// A graph of rows with 16 neighbours each, in a heap that has no pages for as many again: a batch of many
/// arcs per row, counted, does not know which of them are present.
class dense_batches : public ::testing::Test {
protected:
    using graph_type = graph::dynamic_graph<simt_space, graph::contiguous, trimmed_allocator>;
    static constexpr graph::vertex_id vertices = 4000;
    static constexpr graph::vertex_id degree = 16;
    static constexpr std::uint64_t heap_bytes = 320u << 10;

    /// From each vertex to its next ones, number `first` to `last` - 1 of them.
    static std::vector<graph::edge> next_neighbours(graph::vertex_id first, graph::vertex_id last) {
        std::vector<graph::edge> edges;
        for (graph::vertex_id i = first; i < last; ++i)
            for (graph::vertex_id v = 0; v < vertices; ++v)
                edges.push_back({v, (v + i + 1) % vertices});
        return edges;
    }
    dense_batches() {
        EXPECT_EQ(tested_.insert_edges(next_neighbours(0, degree)).applied, vertices * degree);
        EXPECT_EQ(tested_.allocator().heap_bytes(), heap_bytes);
        EXPECT_EQ(tested_.allocator().trims, 0u);
        tested_.release_scratch();
    }

    simt_space space_{{.memory_limit_bytes = 64u << 20}};
    graph_type tested_{space_, {.vertices = vertices, .directed = true, .heap_bytes = heap_bytes}};
    std::vector<graph::edge> const present_ = next_neighbours(3, 13);
};

TEST_F(dense_batches, have_the_heap_grown_for_the_most_while_most_memory_is_unused) {
    EXPECT_EQ(tested_.insert_edges(present_).without_effect, present_.size());
    EXPECT_EQ(tested_.edge_count(), vertices * degree);
    EXPECT_GT(tested_.allocator().heap_bytes(), heap_bytes);
    EXPECT_EQ(tested_.allocator().trims, 0u) << "it asked for pages that the heap did not have";
    EXPECT_TRUE(tested_.validate().empty());
}

TEST_F(dense_batches, are_sorted_where_little_memory_is_left) {
    // Too little for four times what the heap would grow by, enough for the scratch of the batch.
    exec::buffer<simt_space, std::byte> const rest(space_,
                                                   space_.budget().available_bytes() - (1'400u << 10));
    EXPECT_EQ(tested_.insert_edges(present_).without_effect, present_.size());
    EXPECT_EQ(tested_.edge_count(), vertices * degree);
    EXPECT_EQ(tested_.allocator().heap_bytes(), heap_bytes) << "for edges that were present";
    EXPECT_EQ(tested_.allocator().trims, 0u) << "it asked for pages that the heap did not have";
    EXPECT_EQ(tested_.insert_edges(next_neighbours(8, 18)).applied, 2 * vertices);
    EXPECT_EQ(tested_.edge_count(), vertices * (degree + 2));
    EXPECT_TRUE(tested_.validate().empty());
}

/// A compacted heap has more bytes than the arcs take, but hardly a free page.
template <class Value>
class compacted_heap : public ::testing::Test {
protected:
    using graph_type = graph::dynamic_graph<simt_space, graph::contiguous, trimmed_allocator, Value>;
    static constexpr graph::vertex_id vertices = 1500;
    static constexpr graph::vertex_id degree = 110; // a few more neighbours need another page
    static constexpr graph::vertex_id more = 11;
    static constexpr std::uint64_t heap_bytes = 9u << 20;

    /// `count` edges from each vertex, to the next ones from the `first` on.
    static std::vector<graph::edge> next_neighbours(graph::vertex_id first, graph::vertex_id count) {
        std::vector<graph::edge> edges;
        for (graph::vertex_id i = 0; i < count; ++i)
            for (graph::vertex_id v = 0; v < vertices; ++v)
                edges.push_back({v, (v + first + i) % vertices});
        return edges;
    }
    static graph::batch_report insert(graph_type& into, graph::vertex_id first, graph::vertex_id count) {
        std::vector<graph::edge> const edges = next_neighbours(first, count);
        if constexpr (graph_type::has_values)
            return into.insert_edges(edges, std::vector<double>(edges.size(), 1.5));
        else
            return into.insert_edges(edges);
    }
    static graph_type make(std::uint64_t first_heap_bytes, bool compacts) {
        graph_type made(
            simt_space(),
            {.vertices = vertices, .directed = true, .heap_bytes = first_heap_bytes, .compacts = compacts});
        made.allocator().grow_to(heap_bytes);
        EXPECT_EQ(insert(made, 1, degree).applied, degree * vertices);
        return made;
    }
};
using arc_values = ::testing::Types<void, double>; // batches of the one are counted, of the other sorted
TYPED_TEST_SUITE(compacted_heap, arc_values, value_names);

TYPED_TEST(compacted_heap, grows_before_a_large_batch_finds_no_pages) {
    for (bool const by_itself : {true, false}) {
        auto tested = this->make(64u << 10, by_itself);
        if (!by_itself) static_cast<void>(tested.compact());
        std::uint64_t const compacted_bytes = tested.allocator().heap_bytes();
        ASSERT_LT(compacted_bytes, this->heap_bytes / 2) << "it was not compacted";
        tested.allocator().trims = 0;
        EXPECT_EQ(this->insert(tested, this->degree + 1, this->more).applied, this->more * this->vertices);
        EXPECT_EQ(tested.allocator().trims, 0u) << "it asked for pages that the heap did not have";
        EXPECT_GT(tested.allocator().heap_bytes(), compacted_bytes);
        EXPECT_TRUE(tested.validate().empty());
    }
}

TYPED_TEST(compacted_heap, does_not_grow_if_it_could_not_shrink) {
    auto tested = this->make(this->heap_bytes, false);
    static_cast<void>(tested.compact());
    EXPECT_EQ(this->insert(tested, this->degree + 1, this->more).applied, this->more * this->vertices);
    EXPECT_EQ(tested.allocator().heap_bytes(), this->heap_bytes);
    EXPECT_TRUE(tested.validate().empty());
}

TYPED_TEST(compacted_heap, does_not_grow_for_what_the_batch_before_has_freed) {
    auto tested = this->make(64u << 10, false);
    static_cast<void>(tested.compact());
    std::uint64_t const compacted_bytes = tested.allocator().heap_bytes();
    tested.erase_edges(this->next_neighbours(1, this->degree));
    EXPECT_EQ(this->insert(tested, 1, this->more).applied, this->more * this->vertices);
    EXPECT_EQ(tested.allocator().heap_bytes(), compacted_bytes);
    EXPECT_TRUE(tested.validate().empty());
}

/// The last batches of a stream. They move over the vertices, so that other rows have edges all the time.
template <class Space>
void expect_steady_memory(std::uint64_t window_edges) {
    constexpr std::uint64_t window = 10; // batches
    constexpr std::uint64_t lap = 50;
    constexpr std::uint64_t steps = 200;
    constexpr graph::vertex_id vertices = 5000;
    graph::dynamic_graph<Space> tested(Space(),
                                       {.vertices = vertices, .directed = true, .heap_bytes = 64u << 10});
    auto const batch = [&](std::uint64_t step) {
        std::mt19937_64 random(step);
        std::vector<graph::edge> edges(window_edges / window);
        for (graph::edge& edge : edges) {
            edge.source =
                static_cast<graph::vertex_id>((random() % 600 + step % lap * (vertices / lap)) % vertices);
            edge.target = static_cast<graph::vertex_id>(random() % vertices);
        }
        return edges;
    };
    std::vector<double> bytes;
    for (std::uint64_t step = 0; step < 2 * lap + steps; ++step) {
        tested.insert_edges(batch(step));
        if (step >= window) tested.erase_edges(batch(step - window));
        if (step >= 2 * lap) bytes.push_back(static_cast<double>(tested.memory().total_bytes()));
    }
    double const mean = std::accumulate(bytes.begin(), bytes.end(), 0.0) / static_cast<double>(steps);
    auto const [least, most] = std::minmax_element(bytes.begin(), bytes.end());
    EXPECT_GE(*least, 0.95 * mean);
    EXPECT_LE(*most, 1.05 * mean);
    EXPECT_TRUE(tested.validate().empty());
}

TEST(sliding_window, keeps_its_memory) {
    constexpr std::uint64_t share = sanitized ? sanitizer_share : 1;
    expect_steady_memory<exec::host_space>(100'000 / share);
    expect_steady_memory<simt_space>(4'000 / share);
}

/// A graph that is loaded at once has little more than its pages, in whatever order its edges come.
TEST(heap_of_a_loaded_graph, has_little_to_spare) {
    constexpr graph::vertex_id vertices = 150'000;
    for (graph::vertex_id const degree : {13u, 45u}) {
        for (bool const ascends : {true, false}) {
            SCOPED_TRACE(std::to_string(degree) + (ascends ? ", ascending" : ""));
            std::vector<graph::edge> edges;
            for (graph::vertex_id v = 0; v < vertices; ++v)
                for (graph::vertex_id i = 1; i <= degree; ++i)
                    if (v + i < vertices) edges.push_back({v, v + i});
            if (!ascends) std::reverse(edges.begin(), edges.end());
            graph::dynamic_graph<exec::host_space> tested(exec::host_space({.threads = 2}),
                                                          {.vertices = vertices});
            EXPECT_EQ(tested.insert_edges(edges).applied, edges.size());
            graph::memory_report const memory = tested.memory();
            std::uint64_t const pages_bytes = memory.adjacency_bytes + memory.slack_bytes;
            EXPECT_LE(memory.free_bytes, pages_bytes / 32 + (640u << 10));
            EXPECT_TRUE(tested.validate().empty());
        }
    }
}

/// Whether a heap that cannot grow has pages for `rows` of 100 new neighbours each, beside a hub, sorted; the
/// hub has room for a new one itself.
bool fits_beside_a_hub(graph::vertex_id rows, bool hub_changes) {
    constexpr graph::vertex_id vertices = 3100;
    constexpr graph::vertex_id hub_degree = 3000;
    graph::dynamic_graph<exec::host_space> tested(
        exec::host_space({.threads = 1}),
        {.vertices = vertices, .directed = true, .heap_bytes = 128u << 10, .reserve_bytes = 128u << 10});
    std::vector<graph::edge> batch;
    for (graph::vertex_id v = 0; v < hub_degree; ++v)
        batch.push_back({0, v});
    EXPECT_EQ(tested.insert_edges(batch).applied, hub_degree);
    while (batch.size() < 2 * vertices) // as many as are sorted
        batch.push_back({0, static_cast<graph::vertex_id>(batch.size() % hub_degree)});
    for (graph::vertex_id row = 1; row <= rows; ++row)
        for (graph::vertex_id v = 0; v < 100; ++v)
            batch.push_back({row, v});
    if (hub_changes) batch.push_back({0, hub_degree + 1});
    try {
        EXPECT_EQ(tested.insert_edges(batch).applied, 100 * rows + (hub_changes ? 1 : 0));
    } catch (exec::out_of_memory const&) {
        return false;
    }
    EXPECT_TRUE(tested.validate().empty());
    return true;
}

TEST(pages_of_use, are_not_taken_where_others_are_needed) {
    graph::vertex_id rows = 0;
    while (fits_beside_a_hub(rows + 1, false))
        ++rows;
    ASSERT_GT(rows, 50u);
    EXPECT_TRUE(fits_beside_a_hub(rows, true)) << rows;
}

} // namespace
} // namespace rhizome::tests

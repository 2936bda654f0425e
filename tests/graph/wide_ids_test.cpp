// SPDX-License-Identifier: Apache-2.0
// Graphs whose vertices have names of 64 bits: random streams against the reference; names that 32 bits do
// not hold, and keys of two of them that 64 do not; the longest row.
#include "stream_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#if !defined(__CUDACC__)
#include <sys/mman.h>
#endif

namespace rhizome::tests {
namespace {

using wide_id_list = std::vector<graph::wide_vertex_id>;
using wide_edge_list = std::vector<graph::wide_edge>;

template <class Layout, class Allocator, class Value, class Space>
struct wide_case : graph_case<Layout, Allocator, Value, Space, graph::wide_vertex_id> {
    static std::string name() { return "wide_" + graph_case<Layout, Allocator, Value, Space>::name(); }
};

// Each layout, with values and without; where the compiler is slow, what differs most.
#if defined(__CUDACC__)
using wide_cases =
    ::testing::Types<wide_case<graph::contiguous, catalogued::ouroboros_page_array, void, exec::cuda_space>,
                     wide_case<small_buckets, catalogued::ouroboros_page_array, double, exec::cuda_space>>;
#else
static_assert(std::is_same_v<graph::wide_dynamic_graph<exec::host_space>::id_type, graph::wide_vertex_id>);
using plain_case = wide_case<graph::contiguous, catalogued::ouroboros_page_array, void, exec::host_space>;
using wide_cases = std::conditional_t<
    sanitized, ::testing::Types<plain_case>,
    ::testing::Types<plain_case, //
                     wide_case<graph::contiguous, catalogued::ouroboros_page_array, void, exec::simt_space>,
                     wide_case<graph::contiguous, catalogued::ouroboros_page_array, double, exec::simt_space>,
                     wide_case<small_pages, catalogued::page_queue, std::int32_t, exec::host_space>,
                     wide_case<small_buckets, catalogued::ouroboros_page_array, void, exec::simt_space>>>;
#endif

template <class Case>
class wide_ids : public update_streams<Case> {
protected:
    using space_type = typename Case::space;

    /// Small graphs, whose batches are sorted; and larger ones, where they are counted.
    static void run(graph::graph_options options) {
        for (std::uint64_t const vertices : {300u, 6'000u}) {
            options.vertices = vertices;
            update_streams<Case>::run(options, work<space_type>(9'000, 2'500),
                                      is_emulated<space_type> ? 800 : 3'000, 1);
        }
    }
};
TYPED_TEST_SUITE(wide_ids, wide_cases, named_types);

TYPED_TEST(wide_ids, of_undirected_graphs) { this->run({}); }
TYPED_TEST(wide_ids, of_directed_graphs) { this->run({.directed = true, .self_loops = false}); }
TYPED_TEST(wide_ids, of_directed_graphs_with_in_arcs) { this->run({.directed = true, .in_arcs = true}); }

/// A batch of edges, with values that name their ends where edges have any.
template <class Graph>
graph::batch_report insert(Graph& tested, wide_edge_list const& edges) {
    if constexpr (Graph::has_values) {
        std::vector<typename Graph::value_type> values;
        for (graph::wide_edge const& edge : edges)
            values.push_back(static_cast<typename Graph::value_type>((edge.source ^ edge.target) % 1000));
        return tested.insert_edges(edges, values);
    } else {
        return tested.insert_edges(edges);
    }
}

/// The graph has these edges, reports each of them present, and has none of those.
template <class Graph>
void expect_edges(Graph& tested, wide_edge_list const& present, wide_edge_list const& absent) {
    EXPECT_TRUE(tested.has_edges(present) == std::vector<std::uint8_t>(present.size(), 1));
    EXPECT_TRUE(tested.has_edges(absent) == std::vector<std::uint8_t>(absent.size(), 0));
    if constexpr (Graph::has_values) {
        auto const found = tested.edge_values(present);
        for (std::size_t i = 0; i < present.size(); ++i)
            ASSERT_EQ(found.values[i], static_cast<typename Graph::value_type>(
                                           (present[i].source ^ present[i].target) % 1000));
    }
}

TYPED_TEST(wide_ids, may_be_more_than_32_bits_hold) {
    using graph_type = graph_over<TypeParam>;
    using space_of_case = typename TypeParam::space;
    // Where fresh memory is 0, vertices that no edge names take none: 2^33 of them. On a GPU all of the table
    // is written: 2^32 of them in 86 GB.
    constexpr bool all_in_memory = !exec::region<space_of_case>::starts_as_zeros;
    constexpr std::uint64_t vertices = (std::uint64_t{1} << (all_in_memory ? 32 : 33)) + 10'000;
    auto const space = make_space<space_of_case>();
    if (all_in_memory && space.memory_bytes() < 22 * vertices)
        return end_without(gpu_memory_is_required(),
                           "the device has less memory than 2^32 vertices take: 94 GB");
    {
        graph_type tested(space, {.vertices = vertices});
        EXPECT_EQ(tested.vertex_count(), vertices);

        // Few rows, and ids beyond 32 bits: code that cuts one off, or loses it in a key, shows.
        graph::wide_vertex_id const hub = vertices - 1;
        graph::wide_vertex_id const low = hub % (std::uint64_t{1} << 32);
        graph::wide_vertex_id const first = (std::uint64_t{1} << 32) - 3'000;
        wide_edge_list const some = {{hub, low}, {low + (hub - low) / 2, low}, {hub, hub - 1}, {1, 2}};
        EXPECT_EQ(insert(tested, some).applied, some.size()); // counted
        EXPECT_EQ(tested.degrees(wide_id_list{hub, low, low + (hub - low) / 2, 1, hub - 1}),
                  (std::vector<std::uint32_t>{2, 2, 1, 1, 1}));
        EXPECT_EQ(insert(tested, {{hub, vertices}, {hub, graph::no_vertex_of<std::uint64_t>}}).rejected, 2u);

        // More arcs of a row than a block sorts: the batch is sorted over the device.
        constexpr std::uint64_t many = graph::tuning::block_sort_bytes / sizeof(graph::wide_vertex_id) + 368;
        wide_edge_list star;
        for (std::uint64_t i = 0; i < many; ++i)
            star.push_back(i % 2 == 0 ? graph::wide_edge{hub, first + i} : graph::wide_edge{first + i, hub});
        EXPECT_EQ(insert(tested, star).applied, many);
        EXPECT_EQ(tested.edge_count(), some.size() + many);
        expect_edges(tested, some, {{low, first}, {first, low}, {hub - 1, first}, {low, low}, {2, hub}});
        expect_edges(tested, star, {{hub, first + many}, {hub, first - 1}});

        wide_id_list expected = {low, hub - 1};
        for (graph::wide_edge const& edge : star)
            expected.push_back(std::min(edge.source, edge.target));
        std::sort(expected.begin(), expected.end());
        wide_id_list found = tested.neighbours_of(wide_id_list{hub}).targets;
        std::sort(found.begin(), found.end());
        EXPECT_TRUE(found == expected);
        EXPECT_EQ(tested.neighbours_of(wide_id_list{first + 7}).targets, wide_id_list{hub});

        if constexpr (all_in_memory) { // passes over all vertices, which would take memory elsewhere
            if constexpr (TypeParam::layout::sorted) expect_valid(tested); // a sorted copy has no room
            wide_id_list const gone = {low, hub - 1, vertices};
            EXPECT_EQ(tested.erase_vertices(gone), (graph::vertex_report{2, 1, 0, 3}));
            EXPECT_EQ(tested.live_vertex_count(), vertices - 2);
            EXPECT_EQ(insert(tested, some).rejected, 3u);
            wide_id_list back = tested.insert_vertices(2);
            std::sort(back.begin(), back.end());
            EXPECT_EQ(back, (wide_id_list{low, hub - 1}));
            EXPECT_EQ(tested.degrees(back), (std::vector<std::uint32_t>{0, 0}));
            EXPECT_EQ(insert(tested, some).applied, 3u);
            if constexpr (TypeParam::layout::sorted) expect_valid(tested);
        }

        EXPECT_EQ(tested.erase_edges(star).applied, many); // sorted as well
        EXPECT_EQ(tested.degrees(wide_id_list{hub, first}), (std::vector<std::uint32_t>{2, 0}));
        EXPECT_EQ(tested.erase_edges(some).applied, some.size());
        EXPECT_EQ(tested.arc_count(), 0u);
    }
}

TYPED_TEST(wide_ids, are_limited_by_the_table) {
    using graph_type = graph_over<TypeParam>;
    auto const space = make_space<typename TypeParam::space>();
    EXPECT_THROW(graph_type(space, {.vertices = (std::uint64_t{1} << 35) + 1}), std::length_error);
    EXPECT_THROW(
        graph_type(space, {.vertices = (std::uint64_t{1} << 34) + 1, .directed = true, .in_arcs = true}),
        std::length_error);
}

TEST(wide_keys, keep_the_order_of_row_and_target) {
    using keys = graph::batch::packed_keys<graph::wide_vertex_id>;
    constexpr std::uint64_t vertices = graph::most_rows<graph::wide_vertex_id> / 2;
    keys const packing = keys::of({vertices, nullptr, 2, true, true, false}, true);
    EXPECT_EQ(packing.bits(), 34u + 36u);
    EXPECT_EQ(packing.bits(true), 34u + 35u) << "no key says that an arc was dropped";
    wide_edge_list arcs; // row, target
    for (std::uint64_t const row : {std::uint64_t{0}, std::uint64_t{1} << 32, vertices, 2 * vertices - 1})
        for (std::uint64_t const target : {std::uint64_t{0}, std::uint64_t{1} << 32, vertices - 1})
            arcs.push_back({row, target});
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        auto const key = packing.make(arcs[i].source, arcs[i].target);
        EXPECT_EQ(packing.row_of(key), arcs[i].source);
        EXPECT_EQ(packing.target_of(key), arcs[i].target);
        EXPECT_TRUE(i == 0 || packing.make(arcs[i - 1].source, arcs[i - 1].target) < key) << i;
        EXPECT_TRUE(key < packing.dropped()) << i;
    }
}

#if !defined(__CUDACC__)

/// 32 GiB of zeros that take no memory, for a row that would take too long to build.
class zeros {
public:
    explicit zeros(std::uint64_t bytes)
        : bytes_(bytes),
          place_(::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
    zeros(zeros const&) = delete;
    zeros& operator=(zeros const&) = delete;
    ~zeros() {
        if (there()) ::munmap(place_, bytes_);
    }
    [[nodiscard]] bool there() const { return place_ != MAP_FAILED; }
    [[nodiscard]] std::uint64_t* ids() const { return static_cast<std::uint64_t*>(place_); }

private:
    std::uint64_t bytes_;
    void* place_;
};

TEST(wide_rows, end_where_their_degree_does) {
    using graph_type = graph_over<plain_case>;
    using record_type = graph_type::record_type;
    struct opened_view {
        record_type* rows;
        std::uint64_t vertices;
        graph::dead_vertices dead;
        std::uint32_t stride;
        bool symmetric;
        std::uint64_t arcs;
    };
    constexpr std::uint32_t most = graph::most_neighbours<graph::wide_vertex_id>;
    zeros const page(std::uint64_t{most} * sizeof(graph::wide_vertex_id));
    ASSERT_TRUE(page.there());
    graph_type tested(exec::host_space({.threads = 1}), {.vertices = 10, .directed = true});
    ASSERT_EQ(tested.insert_edges(wide_edge_list{{8, 9}}).applied,
              1u); // the first arcs of a graph look at no row
    auto& record = std::bit_cast<opened_view>(tested.view()).rows[3];
    record = record_type::of(page.ids(), most, most - 2);

    EXPECT_THROW(tested.insert_edges(wide_edge_list{{3, 5}, {3, 6}, {3, 7}, {4, 5}}), std::length_error);
    EXPECT_EQ(tested.degrees(wide_id_list{3, 4}), (std::vector<std::uint32_t>{most - 2, 0}));
    EXPECT_EQ(tested.edge_count(), 1u);
    // It is there already, however often it is named: nothing is too much.
    graph::batch_report const report = tested.insert_edges(wide_edge_list{{3, 0}, {3, 0}, {3, 0}, {4, 5}});
    EXPECT_EQ(report, (graph::batch_report{1, 1, 2}));
    EXPECT_EQ(tested.degrees(wide_id_list{3, 4}), (std::vector<std::uint32_t>{most - 2, 1}));
    record = record_type{};
    expect_valid(tested);
}

/// Rows in several pages are walked, which would take too long: what is left to do once they were.
TEST(wide_rows, end_there_in_several_pages) {
    using format = small_buckets::format<graph::wide_vertex_id, void>;
    constexpr std::uint32_t most = graph::most_neighbours<graph::wide_vertex_id>;
    for (std::uint32_t const changes : {2u, 3u}) {
        auto record = format::record_type::of(nullptr, graph::pages_of_row<format>(most - 2), most - 2);
        graph::batch::tallies all{};
        all.now.cursor = std::uint64_t{1} << 32 | changes;
        graph::batch::chain_slice slice{0, 0, changes, changes, 0, 0, graph::batch::merger::block};
        graph::batch::chain_context<format> context{};
        context.rows = &record;
        context.a.all = &all;
        context.slices = &slice;
        exec::host_space space({.threads = 1});
        launch(space, {1, 1}, graph::batch::list_pages<format, false>{context});
        EXPECT_EQ(all.now.unsorted, changes == 2 ? 0u : graph::batch::progress::overflowing);
        EXPECT_EQ(all.now.pages, 0u);
    }
}

#endif

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// Graphs saved and loaded: every kind and layout, on every space, with and without values.
#include "scratch_folder.hpp"
#include "spaces.hpp"
#include "type_names.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/layout/buckets.hpp>
#include <rhizome/graph/layout/linked_pages.hpp>
#include <rhizome/io/graph_store.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace rhizome;
using namespace rhizome::testing;

template <class Space, class Value, class Layout = graph::contiguous>
using graph_with = graph::dynamic_graph<Space, Layout, graph::default_allocator<Space>, Value>;

template <class Space>
Space small_space(std::uint64_t memory_limit_bytes = 0) {
    return tests::make_space<Space>({.threads = 2, .memory_limit_bytes = memory_limit_bytes, .seed = 3});
}

/// A hub, repeated and absent edges, loops: `count` draws.
std::vector<graph::edge> random_edges(std::uint64_t count, std::uint64_t vertices) {
    std::mt19937_64 random(count);
    std::vector<graph::edge> edges(count);
    for (graph::edge& edge : edges)
        edge = {static_cast<graph::vertex_id>(random() % 5 == 0 ? 1 : random() % (vertices - 9)),
                static_cast<graph::vertex_id>(random() % (vertices - 9))};
    return edges;
}

template <class Graph>
void fill(Graph& graph, std::vector<graph::edge> const& edges) {
    if constexpr (Graph::has_values) {
        std::vector<typename Graph::value_type> values;
        for (std::size_t i = 0; i < edges.size(); ++i) // large ones need every bit of 64
            values.push_back(static_cast<typename Graph::value_type>(static_cast<double>(i) * -1.5e12 + 0.1));
        graph.insert_edges(edges, values);
    } else {
        graph.insert_edges(edges);
    }
}

template <class Graph>
void expect_equal(Graph& a, Graph& b) {
    EXPECT_EQ(a.vertex_count(), b.vertex_count());
    EXPECT_EQ(a.live_vertex_count(), b.live_vertex_count());
    EXPECT_EQ(a.edge_count(), b.edge_count());
    EXPECT_EQ(a.arc_count(), b.arc_count());
    EXPECT_EQ(a.options().directed, b.options().directed);
    EXPECT_EQ(a.options().in_arcs, b.options().in_arcs);
    EXPECT_EQ(a.options().self_loops, b.options().self_loops);
    auto const copy_of_a = a.snapshot();
    auto const copy_of_b = b.snapshot();
    EXPECT_TRUE(copy_of_a.offsets.to_host() == copy_of_b.offsets.to_host());
    EXPECT_TRUE(copy_of_a.targets.to_host() == copy_of_b.targets.to_host());
    EXPECT_TRUE(copy_of_a.values.to_host() == copy_of_b.values.to_host());
    for (std::string const& broken : b.validate())
        ADD_FAILURE() << broken;
}

template <class Space, class Value, class Layout = graph::contiguous>
struct stored_case {
    using space = Space;
    using graph_type = graph_with<Space, Value, Layout>;
    static std::string name() {
        return tests::layout_name<Layout>() + "_" + tests::value_name<Value>() + "_on_" +
               std::string(Space::name);
    }
};
template <class Case>
class graph_store : public tests::space_test {
protected:
    scratch_folder folder;
    std::string path = folder.path("graph.rhz");
};
#if defined(__CUDACC__)
using stored_cases = ::testing::Types<stored_case<exec::cuda_space, void>,
                                      stored_case<exec::cuda_space, float, graph::linked_pages<128>>,
                                      stored_case<exec::cuda_space, std::int64_t, graph::buckets<>>>;
#else
using stored_cases =
    ::testing::Types<stored_case<exec::host_space, void>,
                     stored_case<exec::host_space, float, graph::linked_pages<128>>,
                     stored_case<exec::host_space, std::int64_t, graph::buckets<>>,
                     stored_case<exec::simt_space, void>, stored_case<exec::simt_space, double>>;
#endif
TYPED_TEST_SUITE(graph_store, stored_cases, tests::named_types);

TYPED_TEST(graph_store, gives_back_every_kind_of_graph) {
    using space_type = typename TypeParam::space;
    using graph_type = typename TypeParam::graph_type;
    std::uint64_t const vertices = 400;
    for (graph::graph_options const& options :
         {graph::graph_options{.vertices = vertices},
          graph::graph_options{.vertices = vertices, .directed = true},
          graph::graph_options{.vertices = vertices, .self_loops = false},
          graph::graph_options{
              .vertices = vertices, .directed = true, .in_arcs = true, .self_loops = false}}) {
        SCOPED_TRACE((options.directed ? "directed" : "undirected") +
                     std::string(options.in_arcs ? ", in" : ""));
        graph_type saved(small_space<space_type>(), options);
        fill(saved, random_edges(3'000, vertices));
        if (options.directed) saved.erase_vertices(std::vector<graph::vertex_id>{2, 399, 0});
        // Pieces much smaller than the graph, and than its hub.
        double last = 0;
        io::save_graph(saved, this->path, {.piece_arcs = 100, .progress = [&](double share) {
                                               EXPECT_GE(share, last);
                                               last = share;
                                           }});
        EXPECT_EQ(last, 1.0);
        auto loaded = io::load_stored_graph<graph_type>(
            small_space<space_type>(), this->path,
            {.batch_edges = 333, .progress = [&](double share) { last = share - 1; }});
        EXPECT_EQ(last, 0.0);
        expect_equal(saved, loaded);
        // As a whole, where the graph can be built so.
        auto whole = io::load_stored_graph<graph_type>(small_space<space_type>(), this->path,
                                                       {.progress = [&](double share) { last = share; }});
        EXPECT_EQ(last, 1.0);
        expect_equal(saved, whole);
        std::string const first = text_of(this->path);
        io::save_graph(loaded, this->path);
        EXPECT_TRUE(text_of(this->path) == first) << "the loaded graph is saved otherwise";
        // It lives on.
        fill(saved, random_edges(500, vertices));
        fill(loaded, random_edges(500, vertices));
        expect_equal(saved, loaded);
    }
    for (std::uint64_t const few : {0u, 1u, 3u}) {
        graph_type saved(small_space<space_type>(), {.vertices = few});
        io::save_graph(saved, this->path);
        auto loaded = io::load_stored_graph<graph_type>(small_space<space_type>(), this->path);
        expect_equal(saved, loaded);
    }
}

TYPED_TEST(graph_store, needs_the_memory_of_the_graph) {
    using space_type = typename TypeParam::space;
    using graph_type = typename TypeParam::graph_type;
    graph_type saved(small_space<space_type>(), {.vertices = 60'000, .directed = true});
    io::save_graph(saved, this->path);
    EXPECT_THROW((void)io::load_stored_graph<graph_type>(small_space<space_type>(1u << 20), this->path),
                 exec::out_of_memory);
    space_type tight = small_space<space_type>(32u << 20);
    graph_type large(tight, {.vertices = 60'000, .directed = true});
    fill(large, random_edges(1'000, 60'000));
    std::string const old = text_of(this->path);
    exec::buffer<space_type, std::byte> const rest(tight, tight.budget().available_bytes() - 1'000);
    EXPECT_THROW(io::save_graph(large, this->path), exec::out_of_memory);
    EXPECT_TRUE(text_of(this->path) == old);
    EXPECT_EQ(this->folder.file_count(), 1);
}

#if !defined(__CUDACC__) // files alone
TEST(graph_store_values, are_of_the_type_that_was_saved) {
    scratch_folder const folder;
    std::string const path = folder.path("graph.rhz");
    graph_with<exec::host_space, float> saved(small_space<exec::host_space>(), {.vertices = 10});
    fill(saved, random_edges(20, 20));
    io::save_graph(saved, path);
    auto const refusal = [&]<class Value>(std::type_identity<Value>) {
        return message_of<io::store_error>([&] {
            (void)io::load_stored_graph<graph_with<exec::host_space, Value>>(small_space<exec::host_space>(),
                                                                             path);
        });
    };
    EXPECT_EQ(refusal(std::type_identity<void>{}),
              path + ": at byte 48: found values of type 'float32' of 4 bytes, expected no values of edges");
    EXPECT_EQ(refusal(std::type_identity<std::int32_t>{}),
              path + ": at byte 48: found values of type 'float32' of 4 bytes, expected values of type "
                     "'int32' of 4 bytes");
    EXPECT_EQ(refusal(std::type_identity<float>{}), "");
}

/// However little memory is free, a load gives the graph or refuses it. If there is no memory to build the
/// rows, they are inserted as batches: a load that chooses needs no more memory than one that is told to.
TEST(graph_store_memory, is_that_of_the_graph) {
    scratch_folder const folder;
    std::string const path = folder.path("graph.rhz");
    using graph_type = graph_with<exec::host_space, void>;
    graph_type saved(small_space<exec::host_space>(), {.vertices = 20'000});
    fill(saved, random_edges(100'000, 20'000));
    io::save_graph(saved, path);
    auto const least_room = [&](io::load_options const& options) {
        constexpr std::uint64_t limit = 64u << 20; // of which the rows are less than an eighth
        for (std::uint64_t room = 1'000'000;; room += tests::sanitized ? 100'000 : 20'000) {
            exec::host_space space({.threads = 1, .memory_limit_bytes = limit});
            exec::buffer<exec::host_space, std::byte> const rest(space, limit - room);
            try {
                auto loaded = io::load_stored_graph<graph_type>(space, path, options);
                EXPECT_EQ(loaded.edge_count(), saved.edge_count());
                for (std::string const& broken : loaded.validate())
                    ADD_FAILURE() << broken;
                return room;
            } catch (exec::out_of_memory const&) {
                continue;
            }
        }
    };
    std::uint64_t const least = least_room({});
    EXPECT_GT(least, 1'000'000u);
    EXPECT_LE(least, least_room({.batch_edges = saved.edge_count()}));
    EXPECT_LE(least, least_room({.batch_edges = 1'000}));
}

TEST(graph_store_memory, is_compact_after_a_load_in_batches) {
    scratch_folder const folder;
    std::string const path = folder.path("graph.rhz");
    using graph_type = graph_with<exec::host_space, void>;
    graph_type saved(exec::host_space({.threads = 2}), {.vertices = 20'000});
    saved.insert_edges(random_edges(400'000, 20'000));
    io::save_graph(saved, path);
    auto loaded = io::load_stored_graph<graph_type>(exec::host_space({.threads = 2}), path,
                                                    {.batch_edges = 30'000, .heap_bytes = 64u << 10});
    EXPECT_EQ(loaded.edge_count(), saved.edge_count());
    graph::memory_report const memory = loaded.memory();
    EXPECT_LE(memory.free_bytes, memory.heap_bytes / 32 + (256u << 10));
    EXPECT_TRUE(loaded.validate().empty());
}

/// Rows that do not ascend, as other layouts have them.
struct unsorted_graph {
    struct view_type {
        static constexpr bool sorted = false;
    };
    using value_type = float;
    using id_type = graph::vertex_id;
    static constexpr bool has_values = true;

    [[nodiscard]] static graph::graph_options options() { return {.vertices = 4, .directed = true}; }
    [[nodiscard]] static bool directed() { return true; }
    [[nodiscard]] static std::uint64_t vertex_count() { return 4; }
    [[nodiscard]] static std::uint64_t live_vertex_count() { return 3; }
    [[nodiscard]] static std::uint64_t edge_count() { return 4; }
    [[nodiscard]] static std::vector<std::uint32_t> degrees(std::span<graph::vertex_id const> ids) {
        EXPECT_EQ(ids.size(), 4u);
        return {3, graph::no_degree, 1, 0};
    }
    [[nodiscard]] graph::neighbour_lists<graph::vertex_id, float>
    neighbours_of(std::span<graph::vertex_id const> ids) {
        asked.push_back(ids.size());
        if (ids.size() == 4) return {{0, 3, 3, 4, 4}, {3, 0, 2, 0}, {2.5f, 0.5f, 1.5f, 3.5f}};
        if (ids[0] == 0) return {{0, 3, 3}, {3, 0, 2}, {2.5f, 0.5f, 1.5f}};
        return {{0, 1, 1}, {0}, {3.5f}};
    }
    std::vector<std::size_t> asked;
};

TEST(graph_store_rows, ascend_in_the_file_and_are_fetched_in_pieces) {
    scratch_folder const folder;
    unsorted_graph graph;
    for (std::uint64_t const piece_arcs : {100u, 3u}) {
        graph.asked.clear();
        io::save_graph(graph, folder.path("graph.rhz"), {.piece_arcs = piece_arcs});
        // Once for targets, once for values.
        EXPECT_EQ(graph.asked, piece_arcs == 3 ? (std::vector<std::size_t>{2, 2, 2, 2})
                                               : (std::vector<std::size_t>{4, 4}));
        io::store_reader reader(folder.path("graph.rhz"));
        std::vector<graph::edge> edges(9);
        std::vector<float> values(9);
        ASSERT_EQ(reader.next_edges(edges, values.data()), 4u);
        EXPECT_EQ(reader.erased(), std::vector<graph::vertex_id>{1});
        edges.resize(4);
        values.resize(4);
        EXPECT_EQ(edges, (std::vector<graph::edge>{{0, 0}, {0, 2}, {0, 3}, {2, 0}}));
        EXPECT_EQ(values, (std::vector<float>{0.5f, 1.5f, 2.5f, 3.5f}));
        EXPECT_EQ(reader.next_edges(edges, values.data()), 0u);
    }
}

/// A graph that cannot be built from rows for lack of memory.
struct short_of_memory {
    using value_type = std::uint8_t;
    static constexpr bool has_values = false;
    static constexpr bool builds_rows = true;

    exec::host_space host{exec::host_options{.threads = 1}};
    bool is_broken;

    [[nodiscard]] exec::host_space& space() { return host; }
    [[nodiscard]] bool broken() const { return is_broken; }
    [[noreturn]] graph::batch_report insert_rows_in_space(graph::csr_view const&) {
        throw exec::out_of_memory("rows", 1, 0);
    }
};

TEST(graph_store_rows, leave_the_graph_to_batches_only_if_it_is_whole) {
    scratch_folder const folder;
    std::string const path = folder.path("graph.rhz");
    graph_with<exec::host_space, void> saved(small_space<exec::host_space>(), {.vertices = 10});
    fill(saved, {{0, 1}, {3, 2}});
    io::save_graph(saved, path);
    io::store_reader reader(path);
    short_of_memory whole{.is_broken = false};
    EXPECT_FALSE(io::detail::insert_stored_rows(whole, reader, {}));
    short_of_memory broken{.is_broken = true};
    EXPECT_THROW((void)io::detail::insert_stored_rows(broken, reader, {}), exec::out_of_memory);
}
#endif

} // namespace

// SPDX-License-Identifier: Apache-2.0
// Graphs in less memory than a batch would like to have: batches are applied in pieces, rows are moved
// together, and what does not fit even so is refused whole, with a reason.
#include "comparison.hpp"
#include "edge_list.hpp"
#include "streams.hpp"

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Space, class Value = void>
using scarce_graph = graph::dynamic_graph<Space, graph::contiguous, graph::default_allocator<Space>, Value>;

template <class Space>
class scarce_memory : public space_test {};
TYPED_TEST_SUITE(scarce_memory, all_spaces, space_names);

template <class Space>
class scarce_memory_filled : public space_test {};
TYPED_TEST_SUITE(scarce_memory_filled, detail::as_types<fast_space_list>::type, space_names);

/// Batches until one is refused; the share of the limit that neighbours in pages take then. What is said of
/// each refusal must make sense.
template <class Space, class Batch>
double share_of_limit_when_full(std::uint64_t limit_bytes, std::uint64_t vertices, Batch const& batch) {
    auto space = make_space<Space>({.threads = 1, .memory_limit_bytes = limit_bytes});
    scarce_graph<Space> tested(space, {.vertices = vertices});
    for (std::uint64_t number = 0; number < 10'000; ++number) {
        auto const edges = batch(number);
        try {
            tested.insert_edges(edges);
        } catch (exec::out_of_memory const& error) {
            EXPECT_GT(error.needed_bytes(), error.available_bytes()) << error.what();
            EXPECT_LE(error.available_bytes(), limit_bytes);
            EXPECT_LE(space.budget().held_bytes(), limit_bytes);
            expect_valid(tested);
            return static_cast<double>(tested.memory().adjacency_bytes) / static_cast<double>(limit_bytes);
        }
    }
    ADD_FAILURE() << "nothing was refused";
    return 0;
}

/// Edges of an R-MAT graph (Chakrabarti, Zhan, Faloutsos, SDM 2004), a = .57, b = c = .19.
edge_list power_law_edges(std::uint64_t count, unsigned scale, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    edge_list edges(count);
    for (graph::edge& edge : edges) {
        edge = {0, 0};
        for (unsigned level = 0; level < scale; ++level) {
            std::uint64_t const dice = random() % 100;
            edge.source = edge.source * 2 + (dice >= 76 ? 1 : 0);
            edge.target = edge.target * 2 + (dice >= 95 || (dice >= 57 && dice < 76) ? 1 : 0);
        }
    }
    return edges;
}

// In the small what users have: 256 MiB or 2 GiB, a million vertices, batches of a million. Steps of memory
// are 2 MiB on a GPU.
TYPED_TEST(scarce_memory_filled, short_rows_fill_more_than_half_of_a_limit) {
    std::uint64_t const scale = is_gpu<TypeParam> ? 16 : 1;
    std::uint64_t const vertices = scale * 32'000;
    std::vector<std::uint64_t> sizes{scale * 128'000};
    if (!sanitized) sizes.insert(sizes.end(), {scale * 3'200, scale * 32'000}); // checked code takes a minute
    for (std::uint64_t const batch_edges : sizes)
        EXPECT_GE(share_of_limit_when_full<TypeParam>(
                      scale << 23, vertices,
                      [&](std::uint64_t number) { return random_edges(batch_edges, vertices, number); }),
                  .55)
            << batch_edges << " edges a batch";
}
TYPED_TEST(scarce_memory_filled, long_rows_fill_four_fifths_of_a_limit) {
    double const share = is_gpu<TypeParam> ? .75 : .8; // .8 of a GPU's 2 GiB: below
    std::uint64_t const scale = is_gpu<TypeParam> ? 16 : 1;
    std::uint64_t const vertices = scale * 3'600; // whose longest rows just fit into pages of 2 KiB
    EXPECT_GE(share_of_limit_when_full<TypeParam>(
                  scale << 23, vertices,
                  [&](std::uint64_t number) { return random_edges(scale * 4'000, vertices, number); }),
              share);
}
TYPED_TEST(scarce_memory_filled, rows_of_all_lengths_fill_more_than_half_of_a_limit) {
    unsigned const scale = is_gpu<TypeParam> ? 4 : 0;
    EXPECT_GE(share_of_limit_when_full<TypeParam>(std::uint64_t{8} << (20 + scale), 32'768u << scale,
                                                  [&](std::uint64_t number) {
                                                      return power_law_edges(32'000u << scale, 15 + scale,
                                                                             number);
                                                  }),
              .55);
}

#if defined(__CUDACC__) // it takes a few cores minutes
TYPED_TEST(scarce_memory_filled, a_million_vertices_fill_limits_of_256_mebibytes_and_2_gibibytes) {
    constexpr std::uint64_t million = 1'000'000;
    auto const batch = [](std::uint64_t number) { return random_edges(million, million, number); };
    double const small = share_of_limit_when_full<TypeParam>(256u << 20, million, batch);
    double const large = share_of_limit_when_full<TypeParam>(2048ull << 20, million, batch);
    EXPECT_GE(small, .55);
    EXPECT_GE(large, .8);
    this->RecordProperty("share_of_256_MiB", std::to_string(small));
    this->RecordProperty("share_of_2_GiB", std::to_string(large));
    std::printf("neighbours take %.3f of 256 MiB, %.3f of 2 GiB\n", small, large);
}
#endif

/// What is left of a space's memory, but for so many bytes.
template <class Space>
exec::buffer<Space, std::byte> all_but(Space& space, std::uint64_t bytes) {
    return {space, space.budget().available_bytes() - bytes};
}

/// A batch with everything in it that reports tell apart: what is there, repeats, mirrors, self-loops, ends
/// that are no vertex.
edge_list mixed_edges(std::uint64_t count, std::uint64_t vertices, std::uint64_t seed) {
    edge_list edges = random_edges(count, vertices, seed);
    for (std::size_t i = 16; i < edges.size(); i += 16) {
        edges[i - 1] = edges[i - 9];
        edges[i - 2] = {edges[i - 10].target, edges[i - 10].source};
        edges[i - 3].source = edges[i - 3].target;
        if (i % 64 == 0) edges[i - 4].target = static_cast<graph::vertex_id>(vertices + i);
    }
    return edges;
}

/// Batches whose scratch does not fit, though their pages do.
template <class Space, class Value>
void expect_same_in_pieces(graph::graph_options options, std::uint64_t batch_edges) {
    std::uint64_t const vertices = options.vertices;
    options.heap_bytes = 16u << 20;
    auto space = make_space<Space>({.memory_limit_bytes = 256u << 20});
    scarce_graph<Space, Value> tested(space, options);
    basic_reference_graph<Value> reference(options);
    typename scarce_graph<Space, Value>::changes_type changes(space);
    changes.reserve(batch_edges); // before memory is scarce
    apply_to_both(tested, reference, mixed_edges(batch_edges, vertices, 1), false, &changes);
    std::uint64_t const scratch_bytes = tested.memory().scratch_bytes;
    tested.release_scratch();
    std::uint64_t const smallest_piece =
        is_gpu<Space> ? 256u << 10 : 0; // needs so much, however few edges it has
    std::uint64_t const left = std::max(scratch_bytes / 4, smallest_piece);
    ASSERT_LT(left, scratch_bytes) << "the batch would fit";
    auto const rest = all_but(space, left);
    apply_to_both(tested, reference, mixed_edges(batch_edges, vertices, 2), false, &changes);
    expect_same(tested, reference);
    EXPECT_LE(tested.memory().scratch_bytes, left);
    edge_list both = mixed_edges(batch_edges / 2, vertices, 1);
    for (graph::edge const& edge : mixed_edges(batch_edges / 2, vertices, 3))
        both.push_back(edge);
    apply_to_both(tested, reference, both, true, &changes);
    expect_same(tested, reference);
}
TYPED_TEST(scarce_memory, batches_in_pieces_do_what_whole_ones_do) {
    std::uint64_t const batch_edges = work<TypeParam>(60'000, 30'000);
    expect_same_in_pieces<TypeParam, void>({.vertices = 3'000}, batch_edges);
    if (is_emulated<TypeParam>) return;
    expect_same_in_pieces<TypeParam, void>({.vertices = 3'000, .directed = true}, batch_edges * 2);
    expect_same_in_pieces<TypeParam, double>({.vertices = 3'000, .directed = true, .in_arcs = true},
                                             batch_edges);
    expect_same_in_pieces<TypeParam, double>({.vertices = 3'000}, batch_edges);
}

/// Streams that run into every limit: a batch is applied or it is not.
template <class Space, class Value>
void expect_whole_or_nothing(graph::graph_options const& options, std::uint64_t limit_bytes,
                             std::uint64_t batch_edges) {
    SCOPED_TRACE("limit " + std::to_string(limit_bytes));
    auto space = make_space<Space>({.memory_limit_bytes = limit_bytes});
    scarce_graph<Space, Value> tested(space, options);
    basic_reference_graph<Value> reference(options);
    unsigned refused = 0;
    for (std::uint64_t number = 0; refused < 2; ++number) {
        ASSERT_LT(number, 1000u) << "too little was refused";
        auto const batch = mixed_edges(batch_edges, options.vertices, number);
        try {
            apply_to_both(tested, reference, batch, false);
        } catch (exec::out_of_memory const& error) {
            ++refused;
            EXPECT_GT(error.needed_bytes(), error.available_bytes()) << error.what();
            expect_same(tested, reference);
            apply_to_both(tested, reference, std::span(batch).first(batch.size() / 8), true);
        }
    }
    expect_same(tested, reference);
    apply_to_both(tested, reference, reference.edge_list(), true);
    expect_same(tested, reference);
}
TYPED_TEST(scarce_memory_filled, a_batch_that_is_refused_in_pieces_is_refused_whole) {
    std::uint64_t const scale = is_gpu<TypeParam> ? 16 : 1;
    std::uint64_t const vertices = scale * 1'000;
    std::mt19937_64 random(1);
    for (unsigned round = 0; round < 1; ++round) {
        graph::graph_options const undirected{.vertices = vertices, .heap_bytes = 64u << 10};
        graph::graph_options const both_ways{
            .vertices = vertices, .directed = true, .in_arcs = true, .heap_bytes = 64u << 10};
        auto const limit = [&](std::uint64_t megabytes) {
            return scale * (megabytes * 1'000'000 + random() % 200'000);
        };
        auto const edges = [&] { return 5 * vertices + random() % vertices; };
        expect_whole_or_nothing<TypeParam, void>(undirected, limit(1) - 100'000, edges());
        expect_whole_or_nothing<TypeParam, double>(both_ways, limit(2), edges());
        if (sanitized) continue; // checked code takes ten seconds for each
        expect_whole_or_nothing<TypeParam, double>(undirected, limit(2), edges());
    }
}

TYPED_TEST(scarce_memory_filled, a_full_heap_leaves_memory_for_scratch) {
    std::uint64_t const step_bytes = is_gpu<TypeParam> ? 2u << 20 : 64u << 10; // by which heaps grow
    std::uint64_t const vertices = is_gpu<TypeParam> ? 20'000 : 1'500;
    for (std::uint64_t part = 0; part < 4; ++part) {
        auto space = make_space<TypeParam>({.memory_limit_bytes = 16 * step_bytes + part * step_bytes / 4});
        scarce_graph<TypeParam> tested(space, {.vertices = vertices, .heap_bytes = step_bytes});
        auto const fill = [&] {
            for (std::uint64_t number = 0; number < 1000; ++number)
                tested.insert_edges(random_edges(vertices * 5, vertices, number));
        };
        EXPECT_THROW(fill(), exec::out_of_memory);
        tested.release_scratch();
        EXPECT_GE(space.budget().available_bytes(), graph::tuning::least_scratch_bytes) << part;
        EXPECT_LT(space.budget().available_bytes(), graph::tuning::least_scratch_bytes + 4 * step_bytes)
            << part;
    }
}

/// What a growing heap leaves is enough for batches of any size, and for rows of any length.
template <class Space, class Layout, class Value>
void expect_least_scratch_is_enough(std::uint64_t vertices) {
    using graph_type = graph::dynamic_graph<Space, Layout, graph::default_allocator<Space>, Value>;
    auto space = make_space<Space>({.memory_limit_bytes = 256u << 20});
    graph::graph_options const options{.vertices = vertices, .heap_bytes = 64u << 20};
    graph_type tested(space, options);
    basic_reference_graph<Value> reference(options);
    auto const some = mixed_edges(vertices * 10, vertices, 1);
    edge_list star;
    for (std::uint64_t v = 0; v < vertices; ++v)
        star.push_back({5, static_cast<graph::vertex_id>(v)});
    apply_to_both(tested, reference, some, false);
    apply_to_both(tested, reference, star, false);
    tested.release_scratch();
    apply_to_both(tested, reference, std::span(star).first(1), false); // takes 4 bytes per vertex again
    auto const rest = all_but(space, graph::tuning::least_scratch_bytes);
    apply_to_both(tested, reference, std::span(star).first(vertices / 2), true);
    apply_to_both(tested, reference, mixed_edges(vertices, vertices, 2), false);
    apply_to_both(tested, reference, star, false);
    apply_to_both(tested, reference, some, true);
    expect_equal_arcs(tested, reference);
    apply_to_both(tested, reference, reference.edge_list(), true);
    EXPECT_EQ(tested.edge_count(), 0u);
}
TYPED_TEST(scarce_memory_filled, the_scratch_that_is_left_is_enough) {
    // A GPU maps 2 MiB at a time: a batch of fewer edges needs no more scratch than that.
    std::uint64_t const edges = is_gpu<TypeParam> ? 20'000 : work<TypeParam>(20'000, 20'000);
    expect_least_scratch_is_enough<TypeParam, graph::contiguous, void>(edges);
    expect_least_scratch_is_enough<TypeParam, graph::contiguous, double>(edges);
    expect_least_scratch_is_enough<TypeParam, graph::buckets<>, double>(edges);
    if (is_gpu<TypeParam>) return;
    // Cut into four again and again, these have pieces of 125 and of 94 edges, and smaller ones.
    expect_least_scratch_is_enough<TypeParam, graph::contiguous, void>(2'000);
    if (!sanitized) expect_least_scratch_is_enough<TypeParam, graph::contiguous, void>(6'000);
}

TYPED_TEST(scarce_memory, a_refusal_says_what_is_lacking) {
    auto space = make_space<TypeParam>({.memory_limit_bytes = 64u << 20});
    scarce_graph<TypeParam> tested(space, {.vertices = 2'000});
    auto const some = random_edges(4'000, 2'000, 1);
    tested.insert_edges(some);
    tested.release_scratch();
    auto const message_of = [&](std::uint64_t left, std::uint64_t edges) -> std::string {
        auto const rest = all_but(space, left);
        try {
            tested.insert_edges(random_edges(edges, 2'000, 2));
        } catch (exec::out_of_memory const& error) {
            EXPECT_GT(error.needed_bytes(), error.available_bytes()) << error.what();
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
            return error.what();
        }
        return "nothing was refused";
    };
    std::string const scratch = message_of(1'000, 1'000);
    EXPECT_NE(scratch.find("batch of 1000 edges refused, graph unchanged"), std::string::npos) << scratch;
    EXPECT_NE(scratch.find("bytes for scratch; the heap has "), std::string::npos) << scratch;
    if (is_emulated<TypeParam>) return;
    std::string const pages = message_of(is_gpu<TypeParam> ? 2u << 20 : 1u << 20, 900'000);
    EXPECT_NE(pages.find("bytes for pages; the heap has "), std::string::npos) << pages;
    EXPECT_NE(pages.find(" free"), std::string::npos) << pages;
    EXPECT_NE(pages.find("scratch holds "), std::string::npos) << pages;
}

} // namespace
} // namespace rhizome::tests

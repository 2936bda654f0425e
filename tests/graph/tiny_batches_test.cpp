// SPDX-License-Identifier: Apache-2.0
// Batches that take one launch: random streams of them against the reference, and the rows and heaps at which
// they take the ordinary steps instead.
#include "hub_graph.hpp"
#include "stream_runs.hpp"

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/early_words.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/tiny/tiny_batch.hpp>
#include <rhizome/graph/format/stored_value.hpp>
#include <rhizome/graph/queries.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Value, class Id>
struct tiny_plan {
    using value = Value;
    using id = Id;
};
template <class Plan, class Space>
struct tiny_on
    : graph_case<graph::contiguous, ouroboros_default, typename Plan::value, Space, typename Plan::id> {
    static std::string name() {
        return (sizeof(typename Plan::id) == 8 ? "wide_" : "") +
               graph_case<graph::contiguous, ouroboros_default, typename Plan::value, Space>::name();
    }
};
using tiny_cases =
    cross_types<tiny_on,
                type_list<tiny_plan<void, graph::vertex_id>, tiny_plan<double, graph::vertex_id>,
                          tiny_plan<void, graph::wide_vertex_id>>,
                space_list>;

template <class Case>
class tiny_batches : public update_streams<Case> {
protected:
    using space_type = typename Case::space;
    using graph_type = graph_over<Case>;
    using id_type = typename Case::id;
    using edge_type = graph::basic_edge<id_type>;
    using reference_type = basic_reference_graph<typename Case::value, id_type>;

    static std::uint64_t launches(space_type& space) {
        if constexpr (is_emulated<space_type>) return space.last_launch().launch;
        return 0;
    }
    static edge_type drawn(std::mt19937& random, std::uint64_t vertices) {
        auto const source = static_cast<id_type>(random() % vertices);
        return {source, static_cast<id_type>(random() % vertices)};
    }
    /// Edges from one vertex to every third of the others, in batches of both kinds.
    static std::vector<edge_type> star(id_type centre, std::uint64_t vertices) {
        std::vector<edge_type> edges;
        for (std::uint64_t v = 0; v < vertices; v += 3)
            edges.push_back({centre, static_cast<id_type>(v)});
        return edges;
    }
};
TYPED_TEST_SUITE(tiny_batches, tiny_cases, named_types);

TYPED_TEST(tiny_batches, equal_the_reference) {
    std::uint64_t const updates = work<typename TypeParam::space>(4'000, 1'500);
    for (graph::graph_options options : kinds_of_graphs(150)) {
        this->run(options, updates, 70, 3); // of 1 to 105 edges
        options.self_loops = false;
        options.heap_bytes = 64u << 10; // which has to grow
        this->run(options, updates, 20, 1);
    }
}

TYPED_TEST(tiny_batches, take_one_launch) {
    using test = TestFixture;
    if (!is_emulated<typename TypeParam::space>) GTEST_SKIP() << "counts launches of the emulator";
    auto space = make_space<typename TypeParam::space>({.whole_grids = true});
    typename test::graph_type tested(space, {.vertices = 500});
    typename test::reference_type reference({.vertices = 500});
    std::mt19937 random(3);
    for (std::size_t const count : {1u, 10u, 100u}) {
        std::vector<typename test::edge_type> edges;
        while (edges.size() < count)
            edges.push_back(test::drawn(random, 500));
        for (bool const erasing : {false, true}) {
            std::uint64_t const before = test::launches(space);
            apply_to_both(tested, reference, edges, erasing);
            EXPECT_EQ(test::launches(space), before + 1) << count << " edges";
            expect_same(tested, reference);
        }
    }
}

TYPED_TEST(tiny_batches, move_a_row_through_all_sizes_of_pages) {
    using test = TestFixture;
    constexpr std::uint64_t vertices = 400;
    for (bool const ascending : {true, false}) {
        typename test::graph_type tested(make_space<typename TypeParam::space>(),
                                         {.vertices = vertices, .directed = true});
        typename test::reference_type reference({.vertices = vertices, .directed = true});
        std::vector<typename test::edge_type> edges;
        for (std::uint64_t v = 0; v < vertices; ++v)
            edges.push_back({7, static_cast<typename test::id_type>(v)});
        if (!ascending) std::shuffle(edges.begin(), edges.end(), std::mt19937(5));
        for (bool const erasing : {false, true})
            for (std::size_t first = 0, step = 1; first < edges.size(); first += step, step = step % 4 + 1) {
                auto const batch = std::span(edges).subspan(first, std::min(step, edges.size() - first));
                apply_to_both(tested, reference, batch, erasing);
                if (first % 16 == 0) expect_same(tested, reference);
                if (::testing::Test::HasFailure()) return;
            }
        expect_same(tested, reference);
    }
}

TYPED_TEST(tiny_batches, change_rows_that_take_all_blocks) {
    using test = TestFixture;
    std::uint64_t const vertices = is_emulated<typename TypeParam::space> ? 6'000 : 60'000;
    for (bool const directed : {false, true}) {
        graph::graph_options const options{.vertices = vertices, .directed = directed};
        auto space = make_space<typename TypeParam::space>({.whole_grids = true});
        typename test::graph_type tested(space, options);
        typename test::reference_type reference(options);
        auto const first = test::star(5, vertices);
        auto const second = test::star(6, vertices);
        apply_to_both(tested, reference, first, false);
        apply_to_both(tested, reference, second, false);
        std::mt19937 random(11);
        auto const any = [&] { return static_cast<typename test::id_type>(random() % vertices); };
        int ordinary = 0;
        for (int round = 0; round < 12; ++round) {
            // Some only at the end of the long row, which one block moves.
            bool const few = round % 4 == 3;
            std::vector<typename test::edge_type> edges;
            for (std::size_t count = 1 + random() % 90; edges.size() < count;) {
                if (few)
                    edges.push_back({any(), any()});
                else if (random() % 3 == 0)
                    edges.push_back(first[random() % first.size()]);
                else
                    edges.push_back({static_cast<typename test::id_type>(5 + random() % 2), any()});
            }
            bool const erasing = round % 3 == 1;
            std::uint64_t const before = test::launches(space);
            typename test::graph_type::changes_type changes(space);
            apply_to_both(tested, reference, edges, erasing, &changes);
            ordinary += test::launches(space) > before + 2 ? 1 : 0; // one block, and then all
            expect_same(tested, reference);
            if (::testing::Test::HasFailure()) return;
        }
        EXPECT_LE(ordinary, 2) << "such as need a larger heap";
    }
}

/// Another kernel may occupy multiprocessors until the host goes on, so that some blocks do not begin.
TYPED_TEST(tiny_batches, take_the_ordinary_steps_where_their_blocks_cannot_run_at_once) {
    using test = TestFixture;
    if (!is_emulated<typename TypeParam::space>) GTEST_SKIP() << "chooses which blocks run";
    std::uint64_t const seeds = scaled(12);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        SCOPED_TRACE(seed);
        auto space = make_space<typename TypeParam::space>(
            {.seed = seed, .blocks_at_a_time = static_cast<std::uint32_t>(1 + seed % 4)});
        typename test::graph_type tested(space, {.vertices = 500});
        typename test::reference_type reference({.vertices = 500});
        std::mt19937 random(static_cast<std::uint32_t>(seed));
        for (int round = 0; round < 6; ++round) {
            std::vector<typename test::edge_type> edges;
            while (edges.size() < 20 + seed)
                edges.push_back(test::drawn(random, 500));
            std::uint64_t const before = test::launches(space);
            apply_to_both(tested, reference, edges, round % 2 == 1);
            if (round == 0 && edges.size() > 32 && seed % 4 != 3) {
                EXPECT_GT(test::launches(space), before + 1);
            }
        }
        expect_same(tested, reference);
    }
}

TYPED_TEST(tiny_batches, are_seldom_tried_on_rows_that_are_too_long) {
    using test = TestFixture;
    if (!is_emulated<typename TypeParam::space>) GTEST_SKIP() << "counts launches of the emulator";
    constexpr std::uint64_t vertices = 100'000;
    auto space = make_space<typename TypeParam::space>({.whole_grids = true});
    typename test::graph_type tested(space, {.vertices = vertices, .directed = true});
    std::vector<typename test::edge_type> row;
    for (std::uint64_t v = 1; v < 40'000; ++v)
        row.push_back({5, static_cast<typename test::id_type>(v)});
    auto const insert = [&](std::vector<typename test::edge_type> const& edges) {
        std::uint64_t const before = test::launches(space);
        if constexpr (test::graph_type::has_values)
            tested.insert_edges(edges, std::vector<double>(edges.size(), 1.0));
        else
            tested.insert_edges(edges);
        return test::launches(space) - before;
    };
    insert(row);
    std::vector<std::uint64_t> launches;
    for (std::uint64_t i = 0; i < 12; ++i) // at its end: first all blocks are tried
        launches.push_back(insert({{5, static_cast<typename test::id_type>(50'000 + i)}, {5, 0}}));
    auto const ordinary = *std::min_element(launches.begin(), launches.end());
    EXPECT_GT(launches[0], ordinary);
    EXPECT_GE(std::count(launches.begin(), launches.end(), ordinary), 8);
    EXPECT_EQ(insert({{7, 9}}), ordinary) << "none is tried yet";
    EXPECT_TRUE(tested.validate().empty());
}

TYPED_TEST(tiny_batches, report_the_free_chunks_that_they_leave) {
    using test = TestFixture;
    if constexpr (!exec::threads_take_runs<typename test::space_type>) {
        using owner_type = typename TypeParam::owner;
        using format =
            graph::contiguous::format<typename test::id_type, graph::stored_for<typename TypeParam::value>>;
        using record_type = typename format::record_type;
        auto space = make_space<typename test::space_type>({.whole_grids = true});
        owner_type allocator(space, {.heap_bytes = 1u << 20});
        constexpr std::uint64_t vertices = 300;
        exec::buffer<typename test::space_type, record_type> rows(space, vertices);
        exec::buffer<typename test::space_type, graph::batch::tiny_exchange> exchange(space, 1);
        rows.fill_bytes(0);
        exchange.fill_bytes(0);
        exec::early_words<typename test::space_type, graph::batch::tiny_report::words> words(space);
        auto const free_now = [&] {
            std::uint64_t chunks = 0;
            space.copy_out(&chunks, allocator.free_chunks(), sizeof(chunks));
            return chunks;
        };
        auto const ref = allocator.ref();
        using kernel_type = graph::batch::tiny_batch<format, std::remove_cv_t<decltype(ref)>, false>;
        std::uint64_t before = free_now();
        bool took_chunks = false;
        std::uint32_t turn = 0;
        for (std::uint32_t const blocks : {1u, 3u})
            for (std::uint32_t round = 0; round < 6; ++round, turn ^= 1) {
                kernel_type kernel{ref,          {vertices, nullptr, 1, true, true, false, false, {}},
                                   rows.data(),  exchange.data(),
                                   words.next(), {nullptr, allocator.free_chunks()},
                                   {},           nullptr,
                                   nullptr,      100,
                                   turn,         false,
                                   {},           {}};
                for (std::uint32_t i = 0; i < 100;
                     ++i) // into fresh rows, so that no page goes back after the report
                    kernel.given_edges[i] = {
                        static_cast<typename test::id_type>((blocks == 1 ? 0 : 120) + round * 20 + i / 5),
                        static_cast<typename test::id_type>(100 + i % 5)};
                launch(space, {blocks, std::min(kernel_type::block_threads, space.max_block_threads())},
                       kernel);
                auto const report = graph::batch::tiny_report::of(words.read());
                ASSERT_FALSE(report.declined);
                EXPECT_EQ(report.effective_arcs, 100u);
                EXPECT_EQ(report.free_chunks, free_now());
                took_chunks = took_chunks || report.free_chunks != before;
                before = report.free_chunks;
            }
        EXPECT_TRUE(took_chunks) << "the count before a batch would do as well";
    }
}

TYPED_TEST(tiny_batches, have_queries_that_take_one_launch) {
    using test = TestFixture;
    constexpr std::uint64_t vertices = 500;
    auto space = make_space<typename TypeParam::space>();
    typename test::graph_type tested(space, {.vertices = vertices, .directed = true, .in_arcs = true});
    typename test::reference_type reference({.vertices = vertices, .directed = true, .in_arcs = true});
    std::mt19937 random(23);
    std::vector<typename test::edge_type> edges = test::star(9, vertices);
    while (edges.size() < 1000)
        edges.push_back(test::drawn(random, vertices));
    apply_to_both(tested, reference, edges, false);
    std::map<std::pair<std::uint64_t, std::uint64_t>, double> arcs;
    std::map<std::uint64_t, std::uint32_t> degree_of;
    for (auto const& [arc, value] : reference.arcs()) {
        arcs[{arc.source, arc.target}] = static_cast<double>(value);
        ++degree_of[arc.source];
    }
    for (std::size_t const count : {1u, 2u, 31u, 100u, 128u, 129u}) {
        std::vector<typename test::edge_type> asked;
        std::vector<typename test::id_type> ids;
        while (asked.size() < count) {
            auto const any = test::drawn(random, vertices + 5);
            asked.push_back(random() % 2 == 0 ? edges[random() % edges.size()] : any);
            ids.push_back(any.source);
        }
        std::uint64_t const before = test::launches(space);
        auto const present = tested.has_edges(asked);
        auto const degrees = tested.degrees(ids);
        if (is_emulated<typename TypeParam::space>) {
            EXPECT_EQ(test::launches(space), before + 2);
        }
        for (std::size_t i = 0; i < count; ++i) {
            EXPECT_EQ(present[i], arcs.count({asked[i].source, asked[i].target}));
            EXPECT_EQ(degrees[i], ids[i] < vertices ? degree_of[ids[i]] : graph::no_degree);
        }
        if constexpr (test::graph_type::has_values) {
            auto const values = tested.edge_values(asked);
            for (std::size_t i = 0; i < count; ++i) {
                EXPECT_EQ(values.present[i], present[i]);
                EXPECT_EQ(values.values[i],
                          present[i] != 0 ? arcs.at({asked[i].source, asked[i].target}) : 0);
            }
        }
    }
}

TYPED_TEST(tiny_batches, that_do_not_fit_the_memory_change_nothing) {
    using test = TestFixture;
    constexpr std::uint64_t vertices = 300;
    auto space = make_space<typename TypeParam::space>(
        {.memory_limit_bytes = is_gpu<typename TypeParam::space> ? 64u << 20 : 6u << 20});
    graph::graph_options const options{.vertices = vertices, .heap_bytes = 64u << 10};
    typename test::graph_type tested(space, options);
    typename test::reference_type reference(options);
    std::mt19937 random(17);
    auto const batch = [&] {
        std::vector<typename test::edge_type> edges;
        while (edges.size() < 100)
            edges.push_back(test::drawn(random, vertices));
        return edges;
    };
    for (int round = 0; round < 4; ++round)
        apply_to_both(tested, reference, batch(), false);
    {
        // All memory that is left is taken: the heap cannot grow.
        exec::buffer<typename TypeParam::space, std::byte> const rest(space,
                                                                      space.budget().available_bytes());
        bool refused = false;
        for (int round = 0; round < 400 && !refused; ++round) {
            auto const edges = batch();
            std::vector<double> const values(edges.size(), 1.0);
            try {
                if constexpr (test::graph_type::has_values)
                    tested.insert_edges(edges, values);
                else
                    tested.insert_edges(edges);
                reference.apply(edges, false, [&] {
                    if constexpr (test::graph_type::has_values)
                        return std::span<double const>(values);
                    else
                        return std::span<char const>();
                }());
            } catch (exec::out_of_memory const&) {
                refused = true;
            }
        }
        EXPECT_EQ(tested.edge_count(), reference.edges().size());
    }
    expect_same(tested, reference);
    apply_to_both(tested, reference, batch(), false);
    apply_to_both(tested, reference, batch(), true);
    expect_same(tested, reference);
}

} // namespace
} // namespace rhizome::tests

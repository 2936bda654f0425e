// SPDX-License-Identifier: Apache-2.0
// What a view shows of edges: their number, and each neighbour with the value of its edge, on every layout.
#include "cases.hpp"
#include "comparison.hpp"
#include "edge_list.hpp"

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/snapshot.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace rhizome::tests {
namespace {

#if defined(__CUDACC__)
using view_cases =
    ::testing::Types<graph_case<graph::contiguous, ouroboros_default, double, exec::cuda_space>,
                     graph_case<small_pages, catalogued::page_queue, float, exec::cuda_space>,
                     graph_case<small_buckets, catalogued::ouroboros_page_array, float, exec::cuda_space>>;
#else
using view_cases =
    ::testing::Types<graph_case<graph::contiguous, ouroboros_default, void, exec::host_space>,
                     graph_case<small_pages, catalogued::page_queue, void, exec::simt_space>,
                     graph_case<small_buckets, catalogued::ouroboros_page_array, void, exec::host_space>,
                     graph_case<graph::contiguous, ouroboros_default, double, exec::host_space>,
                     graph_case<small_pages, catalogued::page_queue, float, exec::host_space>,
                     graph_case<small_buckets, catalogued::ouroboros_page_array, double, exec::host_space>,
                     graph_case<graph::contiguous, ouroboros_default, double, exec::simt_space>,
                     graph_case<small_pages, catalogued::page_queue, float, exec::simt_space>,
                     graph_case<small_buckets, catalogued::ouroboros_page_array, float, exec::simt_space>>;
#endif

/// Where one edge was seen.
struct seen_edge {
    std::uint64_t visits;
    std::uint64_t id;
    double value;
    friend bool operator==(seen_edge const&, seen_edge const&) = default;
};

/// Shows each row to for_each_edge() twice: as a whole to a tile, then `part` edges at a time to a warp.
template <class View, bool Incoming>
struct show_edges {
    View view;
    std::uint64_t const* offsets;
    std::uint64_t part;
    seen_edge* whole;
    seen_edge* parts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        using id_type = typename View::id_type;
        auto const see = [&](seen_edge* seen) {
            return [seen](std::uint64_t i, auto id, auto const&... value) {
                seen[i] = {seen[i].visits + 1, id, (0.0 + ... + static_cast<double>(value))};
            };
        };
        auto const tile = thread.tile(exec::width<4>);
        exec::for_each_group_item(tile, view.vertex_count(), [&](std::uint64_t v) {
            if constexpr (Incoming)
                view.for_each_in_edge(tile, static_cast<id_type>(v), see(whole + offsets[v]));
            else
                view.for_each_edge(tile, static_cast<id_type>(v), see(whole + offsets[v]));
        });
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, view.vertex_count(), [&](std::uint64_t v) {
            std::uint64_t const size = offsets[v + 1] - offsets[v];
            for (std::uint64_t first = 0; first < size; first += part) {
                std::uint64_t const last = first + part < size ? first + part : size;
                if constexpr (Incoming)
                    view.for_each_in_edge(warp, static_cast<id_type>(v), first, last,
                                          see(parts + offsets[v]));
                else
                    view.for_each_edge(warp, static_cast<id_type>(v), first, last, see(parts + offsets[v]));
            }
        });
    }
};

/// What neighbours() and values() say, a lane a row.
template <class View, bool Incoming>
struct list_edges {
    View view;
    std::uint64_t const* offsets;
    seen_edge* edges;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<typename View::id_type>(i);
            auto const row = [&] {
                if constexpr (Incoming)
                    return view.in_neighbours(v);
                else
                    return view.neighbours(v);
            }();
            for (std::uint64_t k = 0; k < row.size(); ++k) {
                edges[offsets[i] + k] = {1, row[k], 0.0};
                if constexpr (View::has_values) {
                    if constexpr (Incoming)
                        edges[offsets[i] + k].value = static_cast<double>(view.in_values(v)[k]);
                    else
                        edges[offsets[i] + k].value = static_cast<double>(view.values(v)[k]);
                }
            }
        });
    }
};

template <class Case>
class edges_of_view : public space_test {
protected:
    using graph_type = typename Case::graph_type;
    using space_type = typename Case::space;
    using value_type = typename graph_type::value_type;
    static constexpr std::uint64_t vertices = 60;

    static edge_list edges() {
        edge_list all = random_edges(500, vertices - 3, 5);
        for (graph::vertex_id v = 0; v < vertices - 2; ++v) // hubs: rows of several pages
            for (graph::vertex_id const hub : {4u, 7u})
                all.push_back({v % 2 == 0 ? v : hub, v % 2 == 0 ? hub : v});
        return all;
    }
    static auto insert(graph_type& graph) {
        edge_list const all = edges();
        if constexpr (graph_type::has_values) {
            std::vector<value_type> values;
            for (std::size_t i = 0; i < all.size(); ++i)
                values.push_back(static_cast<value_type>(i + 1));
            return graph.insert_edges(all, values);
        } else {
            return graph.insert_edges(all);
        }
    }

    template <bool Incoming, class View>
    static void expect_all_shown(space_type space, View const& view,
                                 std::vector<std::uint64_t> const& offsets) {
        exec::buffer<space_type, std::uint64_t> const begins(space, offsets);
        exec::buffer<space_type, seen_edge> whole(space, offsets.back());
        exec::buffer<space_type, seen_edge> parts(space, offsets.back());
        exec::buffer<space_type, seen_edge> expected(space, offsets.back());
        for (auto* const seen : {&whole, &parts, &expected})
            seen->fill_bytes(0);
        launch(space, cover_threads(space, view.vertex_count()),
               list_edges<View, Incoming>{view, begins.data(), expected.data()});
        launch(space, cover_threads(space, 32 * view.vertex_count()),
               show_edges<View, Incoming>{view, begins.data(), 37, whole.data(), parts.data()});
        EXPECT_TRUE(whole.to_host() == expected.to_host());
        EXPECT_TRUE(parts.to_host() == expected.to_host());
    }
    /// Of the degrees out, or in, as the host counts them from a copy.
    template <class Copy>
    static std::vector<std::uint64_t> offsets_of(Copy const& copy, bool incoming) {
        if (!incoming) return copy.offsets.to_host();
        std::vector<std::uint64_t> offsets(vertices + 1, 0);
        for (auto const target : copy.targets.to_host())
            ++offsets[target + 1];
        for (std::size_t v = 0; v < vertices; ++v)
            offsets[v + 1] += offsets[v];
        return offsets;
    }
};
TYPED_TEST_SUITE(edges_of_view, view_cases, named_types);

TYPED_TEST(edges_of_view, are_shown_once_each_with_their_values) {
    for (graph::graph_options const& options :
         {graph::graph_options{.vertices = TestFixture::vertices},
          graph::graph_options{.vertices = TestFixture::vertices, .directed = true, .in_arcs = true}}) {
        typename TestFixture::graph_type graph(make_space<typename TypeParam::space>(), options);
        this->insert(graph);
        auto const copy = graph.snapshot();
        this->template expect_all_shown<false>(graph.space(), graph.view(), this->offsets_of(copy, false));
        this->template expect_all_shown<true>(graph.space(), graph.view(), this->offsets_of(copy, true));
        this->template expect_all_shown<false>(graph.space(), copy.view(), this->offsets_of(copy, false));
        if (!options.directed)
            this->template expect_all_shown<true>(graph.space(), copy.view(), this->offsets_of(copy, true));
    }
}

TYPED_TEST(edges_of_view, are_counted) {
    for (bool const directed : {false, true})
        for (bool const in_arcs : {false, directed}) {
            typename TestFixture::graph_type graph(
                make_space<typename TypeParam::space>(),
                {.vertices = TestFixture::vertices, .directed = directed, .in_arcs = in_arcs});
            EXPECT_EQ(graph.view().arc_count(), 0u);
            this->insert(graph);
            auto const copy = graph.snapshot();
            EXPECT_GT(copy.targets.size(), 500u);
            EXPECT_EQ(graph.view().arc_count(), copy.targets.size());
            EXPECT_EQ(copy.view().arc_count(), copy.targets.size());
        }
}

TYPED_TEST(edges_of_view, go_with_their_values_from_copy_to_copy_and_to_a_graph) {
    using value = typename TypeParam::value;
    typename TestFixture::graph_type graph(make_space<typename TypeParam::space>(),
                                           {.vertices = TestFixture::vertices});
    this->insert(graph);
    auto const copy = graph.snapshot();
    static_assert(decltype(copy.view())::has_values == TestFixture::graph_type::has_values);
    exec::workspace<typename TypeParam::space> scratch(graph.space());
    auto const copied = graph::snapshot<value>(graph.space(), scratch, copy.view());
    EXPECT_TRUE(copied.targets.to_host() == copy.targets.to_host());
    EXPECT_TRUE(copied.values.to_host() == copy.values.to_host());

    typename TestFixture::graph_type other(graph.space(), {.vertices = TestFixture::vertices});
    EXPECT_EQ(other.insert_rows_in_space(copy.view()).applied, graph.edge_count());
    auto const again = other.snapshot();
    EXPECT_TRUE(again.targets.to_host() == copy.targets.to_host());
    EXPECT_TRUE(again.values.to_host() == copy.values.to_host());
    expect_valid(other);
}

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// The triangles of each vertex against sets of neighbours, live and as a snapshot.
#include "cases.hpp"
#include "scattered_view.hpp"
#include "search_cases.hpp"

#include <rhizome/algorithms/local_triangles.hpp>
#include <rhizome/exec/buffer.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Space>
class local_triangles_on : public space_test {
protected:
    template <class View>
    void expect_counts(View const& view, std::vector<std::uint64_t> const& expected) {
        exec::buffer<Space, std::uint64_t> counts(space_, view.vertex_count() + 1);
        std::uint64_t const total = tested_.count(view, counts.data(), {.symmetrize = true});
        auto found = counts.to_host();
        found.resize(view.vertex_count());
        EXPECT_EQ(found, expected);
        EXPECT_EQ(3 * total, std::accumulate(expected.begin(), expected.end(), std::uint64_t{0}));
    }

    Space space_ = make_space<Space>();
    algorithms::local_triangles<Space> tested_{space_};
};
TYPED_TEST_SUITE(local_triangles_on, all_spaces, space_names);

/// By looking up every pair of neighbours.
[[nodiscard]] std::vector<std::uint64_t> counts_by_sets(std::uint64_t vertices,
                                                        std::vector<graph::edge> const& edges) {
    std::vector<std::set<graph::vertex_id>> around(vertices);
    for (graph::edge const& e : edges)
        if (e.source != e.target) {
            around[e.source].insert(e.target);
            around[e.target].insert(e.source);
        }
    std::vector<std::uint64_t> counts(vertices, 0);
    for (std::size_t v = 0; v < vertices; ++v)
        for (auto first = around[v].begin(); first != around[v].end(); ++first)
            for (auto second = std::next(first); second != around[v].end(); ++second)
                counts[v] += around[*first].count(*second);
    return counts;
}

TYPED_TEST(local_triangles_on, agree_with_sets_live_and_snapshot) {
    for (auto const& list : cases(true)) {
        auto const expected = counts_by_sets(list.vertices, list.edges);
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto live = build(this->space_, list, way);
            this->expect_counts(live.view(), expected);
            auto const copy = live.snapshot();
            this->expect_counts(copy.view(), expected);
        }
    }
}

TYPED_TEST(local_triangles_on, take_scattered_neighbours_and_dead_vertices) {
    for (auto const& list : {complete_edges(20), skewed_edges(60, 400, 2)}) {
        auto const arcs = plain(list.vertices, list.edges, false);
        scattered_graph<TypeParam> const scattered(this->space_, arcs, 5, true, false);
        std::vector<graph::edge> moved;
        for (graph::edge const& e : arcs.arcs)
            moved.push_back({scattered.id_of(e.source), scattered.id_of(e.target)});
        this->expect_counts(scattered.view(), counts_by_sets(scattered.view().vertex_count(), moved));
    }
}

TYPED_TEST(local_triangles_on, follow_a_graph_that_changes) {
    changing_edges changing{skewed_edges(90, 600, 8), {}};
    auto live = build(this->space_, changing.list, directions()[0]);
    changing.change(live, skewed_edges(90, 300, 9).edges, {1, 2, 50});
    this->expect_counts(live.view(), counts_by_sets(changing.list.vertices, changing.list.edges));
}

TYPED_TEST(local_triangles_on, refuse_a_directed_graph_unless_a_copy_is_wanted) {
    auto live = build(this->space_, complete_edges(4), directions()[1]);
    exec::buffer<TypeParam, std::uint64_t> counts(this->space_, 4);
    EXPECT_THROW((void)this->tested_.count(live.view(), counts.data()), std::invalid_argument);
    EXPECT_EQ(this->tested_.count(live.view(), counts.data(), {.symmetrize = true}), 4u);
}

} // namespace
} // namespace rhizome::tests

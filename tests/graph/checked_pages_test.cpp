// SPDX-License-Identifier: Apache-2.0
// Rows in pages of a run over `checked`: they end where the canaries of their pages begin.
#include "comparison.hpp"
#include "edge_list.hpp"

#include <rhizome/alloc/decorators/checked.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Space>
class checked_pages : public space_test {
protected:
    using owner = alloc::checked<graph::default_allocator<Space>>;
    using graph_type = graph::dynamic_graph<Space, graph::contiguous, owner>;
    static constexpr graph::vertex_id rows = 700; ///< their pages fill several chunks

    static graph::graph_options options() {
        return {
            .vertices = rows, .directed = true, .heap_bytes = 4u << 20, .pages = graph::page_requests::bulk};
    }
    /// Edges from each vertex to its next ones, number `first` to `last` - 1 of them. Ascending, or by
    /// number.
    static edge_list next_neighbours(graph::vertex_id first, graph::vertex_id last, bool ascending) {
        edge_list edges;
        for (graph::vertex_id i = first; i < last; ++i)
            for (graph::vertex_id v = 0; v < rows; ++v)
                edges.push_back({v, (v + i + 1) % rows});
        if (ascending) std::sort(edges.begin(), edges.end());
        return edges;
    }
    /// Inserts edges. All rows get pages of a run.
    static void insert_in_bulk(graph_type& tested, reference_graph& reference, edge_list const& edges) {
        auto const report = tested.insert_edges(edges);
        EXPECT_EQ(report, reference.apply(edges, false, {}));
        EXPECT_EQ(report.bulk, (graph::bulk_requests{1, rows, 0, 0}));
        expect_same(tested, reference);
        EXPECT_EQ(tested.allocator().audit().violations, std::vector<std::string>{});
    }
};
TYPED_TEST_SUITE(checked_pages, all_spaces, space_names);

/// Loaded with as many neighbours as fill a page that has no canaries, and grown by batches, counted and
/// sorted.
TYPED_TEST(checked_pages, of_runs_keep_their_canaries) {
    for (bool const ascending : {true, false}) {
        SCOPED_TRACE(ascending ? "ascending" : "sorted");
        typename TestFixture::graph_type tested(make_space<TypeParam>(), this->options());
        reference_graph reference(this->options());
        this->insert_in_bulk(tested, reference, this->next_neighbours(0, 16, ascending));
        this->insert_in_bulk(tested, reference, this->next_neighbours(16, 17, false));
        this->insert_in_bulk(tested, reference, this->next_neighbours(17, 40, false));
        auto const erased = this->next_neighbours(3, 30, false);
        EXPECT_EQ(tested.erase_edges(erased), reference.apply(erased, true, {}));
        expect_same(tested, reference);
        EXPECT_EQ(tested.allocator().audit().violations, std::vector<std::string>{});
    }
}

/// The audit would see what the other tests expect not to be there.
TYPED_TEST(checked_pages, of_runs_are_audited) {
    for (bool const ascending : {true, false}) {
        SCOPED_TRACE(ascending ? "ascending" : "sorted");
        typename TestFixture::graph_type tested(make_space<TypeParam>(), this->options());
        reference_graph reference(this->options());
        this->insert_in_bulk(tested, reference, this->next_neighbours(0, 16, ascending));
        auto const row = tested.view().neighbours(graph::vertex_id{5});
        // Its page has no room for another neighbour.
        auto* const end = const_cast<std::byte*>(reinterpret_cast<std::byte const*>(&*row.begin() + 16));
        std::byte const before = *end;
        *end = ~before;
        auto const found = tested.allocator().audit().violations;
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].find("checked: 1 live blocks that were written past their end"), 0u) << found[0];
        *end = before;
        EXPECT_EQ(tested.allocator().audit().violations, std::vector<std::string>{});
    }
}

} // namespace
} // namespace rhizome::tests

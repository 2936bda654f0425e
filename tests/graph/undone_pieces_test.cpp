// Batches that are applied in pieces and refused midway: what was applied is undone, whatever the batch holds
// and however little memory is left.
#include "comparison.hpp"
#include "edge_list.hpp"

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace rhizome::tests::of_undoing {
namespace {

using space_type = exec::host_space;
template <class Layout, class Value>
using scarce_graph =
    graph::dynamic_graph<space_type, Layout, graph::default_allocator<space_type>, Value>;

space_type limited(std::uint64_t limit_bytes) {
    return make_space<space_type>({.threads = 1, .memory_limit_bytes = limit_bytes});
}

/// Random edges, a third of which are one edge, and some of these its mirror.
edge_list with_repeats(std::uint64_t count, std::uint64_t vertices, std::uint64_t seed) {
    edge_list edges = random_edges(count, vertices, seed);
    for (std::size_t i = 0; i < edges.size(); i += 3)
        edges[i] = i % 2 == 0 ? edges[0] : graph::edge{edges[0].target, edges[0].source};
    return edges;
}

/// Inserts or erases a batch that is refused. Edges `in_space` lie outside of the budget, as memory of the
/// caller's own does.
template <class Graph>
std::string refusal_of(Graph& tested, edge_list const& edges, bool erasing, bool in_space) {
    std::vector<double> values(Graph::has_values && !erasing ? edges.size() : 0, 0.5);
    std::span<graph::edge const> const batch(edges);
    try {
        if (in_space) {
            auto other = make_space<space_type>();
            exec::buffer<space_type, graph::edge> const placed(other, batch);
            exec::buffer<space_type, double> const placed_values(other, std::span<double const>(values));
            if (erasing)
                tested.erase_edges_in_space(placed.data(), edges.size());
            else if constexpr (Graph::has_values)
                tested.insert_edges_in_space(placed.data(), placed_values.data(), edges.size());
            else
                tested.insert_edges_in_space(placed.data(), edges.size());
        } else if (erasing) {
            tested.erase_edges(batch);
        } else if constexpr (Graph::has_values) {
            tested.insert_edges(batch, values);
        } else {
            tested.insert_edges(batch);
        }
    } catch (exec::out_of_memory const& error) {
        return error.what();
    }
    return "";
}

template <class Layout, class Value>
unsigned refusals_of_repeats(bool directed, bool in_space) {
    std::uint64_t const vertices = 20'000;
    std::uint64_t const count = 60'000;
    unsigned refusals = 0;
    for (std::uint64_t const left : {150'000u, 300'000u, 600'000u}) {
        SCOPED_TRACE("left " + std::to_string(left) + (directed ? ", directed" : "") +
                     (in_space ? ", in the space" : ""));
        auto space = limited(16u << 20);
        graph::graph_options const options{.vertices = vertices, .directed = directed};
        scarce_graph<Layout, Value> tested(space, options);
        basic_reference_graph<Value> reference(options);
        apply_to_both(tested, reference, random_edges(count, vertices, 1), false);
        tested.release_scratch();
        exec::buffer<space_type, std::byte> const rest(space, space.budget().available_bytes() - left);
        auto batch = with_repeats(count, vertices, left);
        auto const some = random_edges(count / 8, vertices, 1); // present
        std::copy(some.begin(), some.end(), batch.begin() + 10);
        std::string const refusal = refusal_of(tested, batch, false, in_space);
        if (refusal.empty()) continue;
        ++refusals;
        EXPECT_NE(refusal.find("graph unchanged"), std::string::npos) << refusal;
        expect_same(tested, reference);
        if (::testing::Test::HasFailure()) break;
    }
    return refusals;
}

TEST(undone_pieces, of_a_batch_with_an_edge_many_times_leave_the_graph_unchanged) {
    for (bool const directed : {false, true})
        for (bool const in_space : {false, true}) {
            EXPECT_GT((refusals_of_repeats<graph::contiguous, void>(directed, in_space)), 0u);
            EXPECT_GT((refusals_of_repeats<graph::contiguous, double>(directed, in_space)), 0u);
        }
}

} // namespace
} // namespace rhizome::tests::of_undoing

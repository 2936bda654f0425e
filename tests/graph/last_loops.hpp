// SPDX-License-Identifier: Apache-2.0
// Rejected edges beside self-loops at the last of 2^k vertices: in a batch that is sorted, both may have the
// last key there is.
#pragma once

#include "comparison.hpp"
#include "edge_list.hpp"
#include "reference.hpp"

#include <algorithm>
#include <cstdint>

namespace rhizome::tests {

/// Of 8 vertices. Rejected edges lie before, among and behind the loops.
[[nodiscard]] inline edge_list batch_with_last_loops(std::uint32_t loops, std::uint32_t seed) {
    edge_list batch;
    for (std::uint32_t i = 0; i < 100; ++i) {
        batch.push_back({(i * 5 + seed) % 8, (i * 3 + seed) % 7});
        if (i % 3 == 0) batch.push_back({i % 8, 8 + i});
        if (i >= 50 && i < 50 + loops) batch.push_back({7, 7});
    }
    return batch;
}

/// In the order of their keys: what is rejected comes last.
inline void put_in_order(edge_list& batch) {
    std::stable_sort(batch.begin(), batch.end(), [](graph::edge const& left, graph::edge const& right) {
        if ((left.target < 8) != (right.target < 8)) return left.target < 8;
        return left.source != right.source ? left.source < right.source : left.target < right.target;
    });
}

/// make(options): the graph to be tested.
template <class Value, class Make>
void expect_last_loops_apart(Make const& make) {
    for (graph::graph_options const& options :
         {graph::graph_options{.vertices = 8}, graph::graph_options{.vertices = 8, .directed = true},
          graph::graph_options{.vertices = 8, .directed = true, .in_arcs = true}})
        for (std::uint32_t const loops : {0u, 1u, 3u})
            for (bool const in_order : {false, true}) {
                auto tested = make(options);
                basic_reference_graph<Value> reference(options);
                for (std::uint32_t round = 0; round < 4; ++round) {
                    edge_list batch = batch_with_last_loops(loops, round);
                    if (in_order) put_in_order(batch);
                    apply_to_both(tested, reference, batch, round % 2 != 0);
                    expect_same(tested, reference);
                }
            }
}

} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// Boost.Graph on the same input: the baseline of machines without a GPU.
#pragma once

#include <rhizome/bench/graphs/input.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::bench {

struct boost_ranks {
    double ms = 0; ///< of all iterations
    std::vector<double>
        ranks; ///< sum to 1; Boost's equation has the same fixed point as ours, not the same way
};

struct boost_triangles {
    double ms = 0;
    std::uint64_t triangles = 0;
};

/// boost::graph::page_rank on a compressed_sparse_row_graph, one thread; building it is not measured.
[[nodiscard]] boost_ranks rank_by_boost(graph_input const& input, unsigned iterations);

/// boost::num_triangles_on_vertex of every vertex of an adjacency_list<vecS, vecS, undirectedS>, one thread:
/// each pair of neighbours is looked up in a list, which takes two fifths of the time or less of a search in
/// a set. Building it is not measured.
[[nodiscard]] boost_triangles count_triangles_by_boost(graph_input const& input);

} // namespace rhizome::bench

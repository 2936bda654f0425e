// SPDX-License-Identifier: Apache-2.0
// Statistics of the degrees and edges of a graph, as `rhizome info` prints them.
#pragma once

#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rhizome::cli {

/// All are 0 for a graph without vertices.
struct degree_statistics {
    std::uint32_t lowest = 0;
    std::uint32_t median = 0; ///< the least degree that half of the vertices do not exceed
    double mean = 0;
    std::uint32_t percentile_99 = 0; ///< the least degree that 99% of the vertices do not exceed
    std::uint32_t highest = 0;
    /// Vertices by degree: bin 0 counts those of degree 0, bin k those of degree 2^(k-1) to 2^k - 1. The last
    /// bin is not empty.
    std::vector<std::uint64_t> histogram;
};

/// Changes the order of the degrees. Cost: linear in their number.
[[nodiscard]] degree_statistics statistics_of(std::vector<std::uint32_t>&& degrees);

/// What a list of edges is like.
struct edge_statistics {
    bool directed = false;
    bool sorted = false; ///< edges ascend, by source and then by target; equal ones may follow each other
    std::uint64_t self_loops = 0;  ///< edges from a vertex to itself, with duplicates
    std::uint64_t duplicates = 0;  ///< edges that are equal to one counted before
    std::uint64_t isolated = 0;    ///< vertices at which no edge begins or ends
    std::optional<bool> symmetric; ///< each arc has its reverse; only of a directed graph
};

/// `edges` of an undirected graph have source <= target. Takes up to 16 bytes per edge and a bit per vertex
/// while it runs; sorts what is not sorted. Precondition: all endpoints are below `vertices`.
[[nodiscard]] edge_statistics statistics_of(std::span<graph::edge const> edges, std::uint64_t vertices,
                                            bool directed);

/// bars_text() of these bins.
[[nodiscard]] std::string histogram_text(std::span<std::uint64_t const> histogram, std::size_t indent);

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
// The graphs that the benchmarks start from, and what is true of them, found on the host alone.
#pragma once

#include <rhizome/bench/graphs/subject.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/io/graph_file.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::bench {

/// "rgg", "mesh", "road", "rmat"
[[nodiscard]] std::vector<std::string> const& graph_kinds();

/// A simple undirected graph: each edge once, source < target, sorted.
struct graph_input {
    std::uint64_t vertices = 0;
    std::vector<graph::edge> edges;
    /// Of a file with times: the edges in the order of their times, source < target, as often as they occur.
    std::vector<graph::edge> timed_edges = {};

    [[nodiscard]] std::uint64_t arcs() const { return 2 * edges.size(); }
    /// Both directions of each edge.
    [[nodiscard]] std::vector<graph::edge> both_directions() const;
    /// What a snapshot of the graph must be. Cost: O(arcs).
    [[nodiscard]] host_rows rows() const;
    /// Compressed sparse rows with words of 4 bytes, as static libraries keep them.
    [[nodiscard]] std::uint64_t csr_bytes() const { return 4 * (vertices + 1) + 4 * arcs(); }
};

/// The graph of a file, undirected and simple: without directions, self-loops and repeated edges.
[[nodiscard]] graph_input simple_graph_of(io::graph_file file);

/// A file in the folder that RHIZOME_DATASETS names: one whose name begins with this name and a dot
/// and ends as a graph format does ("ldoor.mtx.gz"), the first of them in alphabetical order. "" without.
[[nodiscard]] std::string dataset_file(std::string const& name);

/// The generators of io, or else a file: its path, or a name for dataset_file(). A mesh has the side whose
/// cube is nearest to 2^scale; R-MAT has edge factor 16. Throws std::invalid_argument for another kind, or a
/// scale that its generator refuses; for files what io::read_graph() throws.
[[nodiscard]] graph_input make_graph_input(std::string const& kind, unsigned scale, std::uint64_t seed);

/// PageRank by its definition, in doubles, one edge after the other: uniform at the start, as many
/// iterations.
[[nodiscard]] std::vector<double> rank_plainly(graph_input const& input, unsigned iterations);

/// Triangles, row by row. Cost: O(edges * largest degree) at worst: for small graphs.
[[nodiscard]] std::uint64_t count_triangles_plainly(graph_input const& input);

} // namespace rhizome::bench

// SPDX-License-Identifier: Apache-2.0
// What is done to a graph, and what is measured of it. Each checks what came out, outside of the measured
// times; what is wrong is thrown as std::runtime_error.
#pragma once

#include <rhizome/bench/graphs/input.hpp>
#include <rhizome/bench/graphs/subject.hpp>
#include <rhizome/bench/harness/cell.hpp>
#include <rhizome/runtime/algorithm.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rhizome::bench {

// The cell's values that they read: graph, direction, edges, pattern, rounds, load-batch, iterations,
// baseline, seed, space, warm-up, repetitions, as far as the benchmark has them. The subject has the input's
// vertices and no edges.

/// Inserts a batch of new edges and erases it again, over and over with batches of their own.
[[nodiscard]] cell_result run_updates(graph_subject& subject, cell const& which, graph_input const& input);

/// Bytes after loading, and after rounds of batches inserted and erased.
[[nodiscard]] cell_result run_memory(graph_subject& subject, cell const& which, graph_input const& input);

/// From an edge list in the space to a graph.
[[nodiscard]] cell_result run_build(graph_subject& subject, cell const& which, graph_input const& input);

/// From the graph to compressed sparse rows.
[[nodiscard]] cell_result run_snapshot(graph_subject& subject, cell const& which, graph_input const& input);

/// Milliseconds an iteration, on the live structure and on a snapshot.
[[nodiscard]] cell_result run_pagerank(graph_subject& subject, cell const& which, graph_input const& input);

/// Milliseconds a count, all that it takes included, on the live structure and on a snapshot.
[[nodiscard]] cell_result run_triangles(graph_subject& subject, cell const& which, graph_input const& input);

/// Milliseconds a search from source_of() the graph (search_checks.hpp), for levels alone, on the live
/// structure and on a snapshot.
[[nodiscard]] cell_result run_bfs(graph_subject& subject, cell const& which, graph_input const& input);

/// Milliseconds of finding all components, on the live structure and on a snapshot.
[[nodiscard]] cell_result run_components(graph_subject& subject, cell const& which, graph_input const& input);

/// Milliseconds of finding all core numbers, on the live structure and on a snapshot.
[[nodiscard]] cell_result run_kcore(graph_subject& subject, cell const& which, graph_input const& input);

/// Milliseconds of finding shortest paths by weight from source_of() the graph, for distances alone, on the
/// live structure and on a snapshot. The subject has weights, those of weight_of() (search_checks.hpp).
[[nodiscard]] cell_result run_sssp(graph_subject& subject, cell const& which, graph_input const& input);

/// Milliseconds of bringing the result of an algorithm up to date after a batch, and of computing it anew.
/// The subject has the weights of weight_of() if the algorithm needs weights.
[[nodiscard]] cell_result run_maintained(graph_subject& subject, cell const& which, graph_input const& input,
                                         runtime::algorithm_info const& info);

/// The same of six results that all follow one graph, with the weights of weight_of(): a batch, and all
/// updates.
[[nodiscard]] cell_result run_maintained_together(graph_subject& subject, cell const& which,
                                                  graph_input const& input);

/// The graph of the input in the subject, at once (0) or so many edges at a time, checked, and with a
/// snapshot.
void load(graph_subject& subject, cell const& which, graph_input const& input,
          std::uint64_t edges_a_batch = 0);
/// The same at once, of a graph whose edges have these weights. Undirected.
void load_weighted(graph_subject& subject, graph_input const& input, std::span<double const> weights);

/// Builds the graph by batches twice, lane by lane and in bulk (graph_options::pages): the time of all
/// batches, cache lines and sectors that the rows of a warp lie in, the time of an iteration of PageRank.
[[nodiscard]] cell_result run_row_placement(graph_subject& subject, cell const& which,
                                            graph_input const& input);

// Parts of these.

/// The batch of this repetition. `pattern`: random, pressure or hub; reads the cell's edges and seed.
[[nodiscard]] batch_shape shape_of(cell const& which, std::string const& pattern, graph_input const& input,
                                   std::uint64_t repetition);

struct round_times {
    double insert_ms;
    double erase_ms;
};

/// Inserts a batch of edges that the graph does not have, and erases it. Throws std::runtime_error unless
/// both reports and the counts of edges are as they must be.
[[nodiscard]] round_times run_round(graph_subject& subject, batch_shape const& shape);

/// Throws std::runtime_error, which says `what` it is, unless both are equal.
void require_equal(std::uint64_t found, std::uint64_t expected, char const* what);
/// Throws std::runtime_error with the first broken invariant of the graph, if there is one.
void require_sound(graph_subject& subject);
/// Adds a measure of times; from 100 samples on also their 99th percentile, from 1000 on the 99.9th.
void add_with_percentiles(std::vector<measure>& measures, measure const& times);

/// Iterations of PageRank that the host repeats by the definition, to check those of a graph.
inline constexpr unsigned checked_iterations = 3;
/// Throws std::runtime_error unless the ranks are those after checked_iterations, as floats can be.
void require_ranks(std::vector<float> const& found, std::vector<double> const& expected, char const* where);
/// Edges whose triangles the host counts in a moment, whatever the graph.
inline constexpr std::uint64_t most_edges_counted_plainly = 1'000'000;

/// Whether every edge of the input is one arc each way; otherwise it is one undirected edge.
[[nodiscard]] inline bool is_directed(cell const& which) {
    return which.has("direction") && which.text("direction") == "directed";
}

} // namespace rhizome::bench

// What is done to a graph, and what is measured of it. Each checks what came out, outside of the measured
// times; what is wrong is thrown as std::runtime_error.
#pragma once

#include <rhizome/bench/cell.hpp>
#include <rhizome/bench/graphs/input.hpp>
#include <rhizome/bench/graphs/subject.hpp>

namespace rhizome::bench {

// The cell's values that they read: direction, edges, pattern, rounds, load-batch, iterations, baseline,
// seed, space, warm-up, repetitions, as far as the benchmark has them. The subject has the input's vertices
// and no edges.

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

/// The graph of the input in the subject, at once (0) or so many edges at a time, checked, and with a
/// snapshot.
void load(graph_subject& subject, cell const& which, graph_input const& input,
          std::uint64_t edges_a_batch = 0);

/// Whether every edge of the input is one arc each way; otherwise it is one undirected edge.
[[nodiscard]] inline bool is_directed(cell const& which) {
    return which.has("direction") && which.text("direction") == "directed";
}

} // namespace rhizome::bench

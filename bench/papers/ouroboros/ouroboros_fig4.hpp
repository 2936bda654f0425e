// SPDX-License-Identifier: Apache-2.0
// Figure 4 of the Ouroboros paper: its eight panels, for dynamic graphs on six variants of Ouroboros, of
// faimGraph's design, and on CUDA's own allocator.
#pragma once

#include <rhizome/bench/graphs/input.hpp>
#include <rhizome/bench/graphs/subject.hpp>
#include <rhizome/bench/harness/registry.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::bench {

/// One line of the figure.
struct fig4_variant {
    char const* name; ///< the value of --variant
    char const* layout;
    char const* allocator;
};

/// OuroGraph's six in the order S, VA, VL, first those of pages, then those of chunks; faimGraph's design;
/// CudaAllocGraph's.
[[nodiscard]] std::vector<fig4_variant> const& fig4_variants();

/// Opens the graph of a cell without edges.
using graph_opener = std::function<std::unique_ptr<graph_subject>(bool directed)>;

/// All panels of one variant on one graph. Two graphs are opened, one after the other: a directed one for
/// initialisation, memory and batches, as faimGraph's are, and an undirected one for the algorithms. Reads
/// the cell's edges, iterations, warm-up, repetitions and seed. Throws std::runtime_error for wrong results.
[[nodiscard]] cell_result run_fig4(graph_opener const& open, cell const& which, graph_input const& input);

/// What section 6.2 states, beside these cells.
[[nodiscard]] std::vector<comparison> compare_fig4(std::vector<measured_cell> const& cells);

/// The entry of the registry. Part of the tool, which has the graphs.
[[nodiscard]] benchmark ouroboros_fig4();

} // namespace rhizome::bench

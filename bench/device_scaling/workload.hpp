// SPDX-License-Identifier: Apache-2.0
// The same work on one device and on several.
#pragma once

#include <rhizome/bench/graphs/input.hpp>
#include <rhizome/bench/graphs/subject.hpp>
#include <rhizome/bench/harness/cell.hpp>
#include <rhizome/runtime/ranks/any_rank.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::bench {

/// The graph of a measurement: `copies` of the same graph side by side, so that a graph of twice as many
/// copies is exactly twice the work. Vertex v of copy c has id v + c * vertices of a copy.
struct scaled_input {
    graph_input const& copy;
    std::uint64_t copies = 1;

    [[nodiscard]] std::uint64_t vertices() const { return copy.vertices * copies; }
    [[nodiscard]] std::uint64_t edges() const { return copy.edges.size() * copies; }
    /// Edge i of edges().
    [[nodiscard]] graph::edge edge(std::uint64_t i) const;
    /// Every `step`-th edge from `first` on; directed: as two arcs.
    [[nodiscard]] std::vector<graph::edge> share(std::uint64_t first, std::uint64_t step,
                                                 bool directed) const;
    /// `count` pairs that are not edges of the graph: numbers first, first + step, ... of a batch of edges
    /// between any vertices. Some repeat others.
    [[nodiscard]] std::vector<graph::edge> batch(std::uint64_t count, std::uint64_t seed, std::uint64_t first,
                                                 std::uint64_t step) const;
};

/// What a cell of the benchmark `device-scaling` asks for.
struct scaling_options {
    explicit scaling_options(cell const& which);

    std::string workload; ///< "updates", "pagerank", "triangles"
    std::uint64_t devices = 1;
    bool is_weak = true; ///< the work grows with the devices
    std::uint64_t edges = 0;
    unsigned iterations = 0;
    std::uint64_t seed = 1;
    std::uint64_t warm_up = 0;
    std::uint64_t repetitions = 1;

    /// Copies of the graph, and edges of the batch, for all devices together.
    [[nodiscard]] std::uint64_t copies() const { return is_weak ? devices : 1; }
    [[nodiscard]] std::uint64_t batch_edges() const { return is_weak ? devices * edges : edges; }
    [[nodiscard]] bool is_directed() const { return workload == "updates"; }
};

// Both measure times (ms, by the clock of the host), "bytes" of the graph without scratch on all devices, and
// "found", a number that is the same per copy of the graph however many devices there are. They check that
// batches change what they must change, and throw std::runtime_error otherwise.

/// On one device, without ranks.
[[nodiscard]] cell_result measure_alone(graph_subject& subject, scaling_options const& options,
                                        graph_input const& input);
/// One rank of several. Times are those of the rank that took longest; batches begin in equal shares on all
/// ranks, in the memory of the space.
[[nodiscard]] cell_result measure_rank(runtime::any_rank& self, scaling_options const& options,
                                       graph_input const& input);

/// The result of the cell: times of both, and the efficiency of each time: the time on one device over that
/// on several, in strong scaling divided by the number of devices. `memory`: bytes per copy of the graph,
/// over those on one device. Throws std::runtime_error if both have found different things.
[[nodiscard]] cell_result compared(scaling_options const& options, cell_result const& alone,
                                   cell_result const& together);

} // namespace rhizome::bench

// SPDX-License-Identifier: Apache-2.0
// Batches of edges that come and go, for results that follow a graph.
#pragma once

#include <rhizome/bench/graphs/input.hpp>
#include <rhizome/graph/types.hpp>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace rhizome::bench {

/// One batch: different edges, all of which it changes.
struct edge_change {
    bool erases = false;
    std::vector<graph::edge> edges;
};

/// Rounds of one batch that inserts and one that erases, of a pattern:
/// - random, local: new edges, among all vertices or neighbouring ones, and then the same edges erased
/// - present: edges of the graph, which are inserted again
/// - window: of a graph whose edges have times. Its edges are those in a window of half of the timed edges;
///   the oldest ones leave it, and the next ones enter it. The last one is followed by the first one.
class change_rounds {
public:
    /// `edges`: per batch. For a window, so many timed edges leave it and enter it; an edge changes the graph
    /// only if it occurs once in the window. Throws std::invalid_argument for a window over edges without
    /// times, and for more edges than there are. The input must outlive this object.
    change_rounds(graph_input const& input, std::string const& pattern, std::uint64_t edges,
                  std::uint64_t seed);

    /// The graph before the first round.
    [[nodiscard]] graph_input const& start() const { return slides_ ? window_ : input_; }
    /// Throws std::runtime_error if so many new edges are not found.
    [[nodiscard]] std::array<edge_change, 2> next();

private:
    [[nodiscard]] std::vector<graph::edge> draw();
    [[nodiscard]] graph::edge draw_new(std::uint64_t first, std::uint64_t region);
    [[nodiscard]] std::array<edge_change, 2> slide();
    [[nodiscard]] std::uint32_t& count_of(graph::edge const& edge) {
        return counts_[std::uint64_t{edge.source} << 32 | edge.target];
    }

    graph_input const& input_;
    std::uint64_t edges_;
    bool are_local_;
    bool are_present_;
    bool slides_;
    std::mt19937_64 random_;
    graph_input window_;                                      ///< at first
    std::uint64_t begin_ = 0;                                 ///< of the window, in the timed edges
    std::unordered_map<std::uint64_t, std::uint32_t> counts_; ///< how often an edge is in the window
};

} // namespace rhizome::bench

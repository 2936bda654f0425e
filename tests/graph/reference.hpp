// The graph as a set of pairs: slow, sequential, and right.
#pragma once

#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/options.hpp>
#include <rhizome/graph/types.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

namespace rhizome::tests {

class reference_graph {
public:
    explicit reference_graph(graph::graph_options const& options)
        : vertices_(options.vertices), directed_(options.directed), self_loops_(options.self_loops) {}

    void add_vertices(std::uint64_t count) { vertices_ += count; }

    graph::batch_report apply(std::span<graph::edge const> batch, bool erasing) {
        graph::batch_report report;
        std::set<graph::edge> seen;
        for (graph::edge edge : batch) {
            if (edge.source >= vertices_ || edge.target >= vertices_) {
                ++report.rejected;
            } else if (edge.source == edge.target && !self_loops_) {
                ++report.self_loops_refused;
            } else {
                if (!directed_ && edge.source > edge.target) std::swap(edge.source, edge.target);
                if (!seen.insert(edge).second)
                    ++report.duplicates;
                else if (erasing ? edges_.erase(edge) != 0 : edges_.insert(edge).second)
                    ++report.applied;
                else
                    ++report.without_effect;
            }
        }
        return report;
    }

    /// Ascending; of an undirected edge the smaller end first.
    [[nodiscard]] std::set<graph::edge> const& edges() const { return edges_; }
    [[nodiscard]] std::uint64_t vertices() const { return vertices_; }

private:
    std::uint64_t vertices_;
    bool directed_;
    bool self_loops_;
    std::set<graph::edge> edges_;
};

} // namespace rhizome::tests

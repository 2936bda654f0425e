// SPDX-License-Identifier: Apache-2.0
// The sequential answer to batches on a graph: a map of edges.
#pragma once

#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/options.hpp>
#include <rhizome/graph/types.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace rhizome::tests {

class sequential_graph {
public:
    using arc = std::pair<std::uint32_t, std::uint32_t>;

    explicit sequential_graph(graph::graph_options const& options)
        : options_(options), vertices_(options.vertices) {}

    [[nodiscard]] std::uint64_t vertex_count() const { return vertices_; }
    [[nodiscard]] std::uint64_t edge_count() const { return edges_.size(); }
    [[nodiscard]] bool is_live(std::uint64_t v) const { return v < vertices_ && erased_.count(v) == 0; }
    [[nodiscard]] std::uint64_t live_vertex_count() const { return vertices_ - erased_.size(); }
    [[nodiscard]] std::map<arc, double> const& edges() const { return edges_; }

    graph::batch_report insert(std::span<graph::edge const> batch, std::span<double const> values,
                               bool has_values) {
        graph::batch_report report;
        std::map<arc, double> last;
        for (std::size_t i = 0; i < batch.size(); ++i)
            if (takes(batch[i], report)) {
                report.duplicates += last.count(key_of(batch[i]));
                last[key_of(batch[i])] = has_values ? values[i] : 0;
            }
        for (auto const& [key, value] : last) {
            bool const is_new = edges_.insert_or_assign(key, value).second;
            ++(is_new ? report.applied : has_values ? report.updated : report.without_effect);
        }
        return report;
    }
    graph::batch_report erase(std::span<graph::edge const> batch) {
        graph::batch_report report;
        std::set<arc> distinct;
        for (graph::edge const& e : batch)
            if (takes(e, report)) report.duplicates += distinct.insert(key_of(e)).second ? 0 : 1;
        for (arc const& key : distinct)
            ++(edges_.erase(key) != 0 ? report.applied : report.without_effect);
        return report;
    }
    void add_vertices(std::uint64_t count) { vertices_ += count; }
    /// The vertices live again, or are new.
    void insert_vertices(std::span<std::uint32_t const> ids) {
        for (std::uint32_t const id : ids) {
            erased_.erase(id);
            if (id >= vertices_) vertices_ = id + 1;
        }
    }
    graph::vertex_report erase_vertices(std::span<std::uint32_t const> ids) {
        graph::vertex_report report;
        std::set<std::uint64_t> gone;
        for (std::uint32_t const id : ids) {
            if (!is_live(id))
                ++report.absent;
            else
                ++(gone.insert(id).second ? report.erased : report.duplicates);
        }
        report.edges = std::erase_if(edges_, [&](auto const& each) {
            return gone.count(each.first.first) != 0 || gone.count(each.first.second) != 0;
        });
        erased_.insert(gone.begin(), gone.end());
        return report;
    }

    /// The neighbours of each vertex, ascending, with values.
    [[nodiscard]] std::vector<std::vector<std::pair<std::uint32_t, double>>> rows(bool in = false) const {
        std::vector<std::vector<std::pair<std::uint32_t, double>>> rows(vertices_);
        std::map<arc, double> arcs;
        for (auto const& [key, value] : edges_) {
            auto const [u, v] = key;
            if (!options_.directed || !in) arcs[{u, v}] = value;
            if (!options_.directed || in) arcs[{v, u}] = value;
        }
        for (auto const& [key, value] : arcs)
            rows[key.first].push_back({key.second, value});
        return rows;
    }

private:
    [[nodiscard]] bool takes(graph::edge const& e, graph::batch_report& report) const {
        bool const known = is_live(e.source) && is_live(e.target);
        bool const refused = known && e.source == e.target && !options_.self_loops;
        report.rejected += known ? 0 : 1;
        report.self_loops_refused += refused ? 1 : 0;
        return known && !refused;
    }
    [[nodiscard]] arc key_of(graph::edge const& e) const {
        if (!options_.directed && e.source > e.target) return {e.target, e.source};
        return {e.source, e.target};
    }

    graph::graph_options options_;
    std::uint64_t vertices_;
    std::set<std::uint64_t> erased_;
    std::map<arc, double> edges_;
};

} // namespace rhizome::tests

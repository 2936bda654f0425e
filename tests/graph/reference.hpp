// SPDX-License-Identifier: Apache-2.0
// The graph as a map from pairs to values: slow, sequential, and right.
#pragma once

#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/options.hpp>
#include <rhizome/graph/types.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {

template <class Value, class Id = graph::vertex_id>
class basic_reference_graph {
public:
    using edge_type = graph::basic_edge<Id>;
    static constexpr bool has_values = !std::is_void_v<Value>;
    using value_type = std::conditional_t<has_values, Value, char>;

    explicit basic_reference_graph(graph::graph_options const& options)
        : live_(options.vertices, true), directed_(options.directed), self_loops_(options.self_loops) {}

    void add_vertices(std::uint64_t count) { live_.resize(live_.size() + count, true); }
    void insert_vertices(std::span<Id const> names) {
        for (Id const name : names) {
            if (name >= live_.size()) live_.resize(std::size_t{name} + 1, false);
            live_[name] = true;
        }
    }
    graph::vertex_report erase_vertices(std::span<Id const> names) {
        graph::vertex_report report;
        changed_ = {};
        std::set<Id> seen;
        for (Id const name : names) {
            if (seen.contains(name)) {
                ++report.duplicates;
            } else if (name >= live_.size() || !live_[name]) {
                ++report.absent;
            } else {
                ++report.erased;
                seen.insert(name);
            }
        }
        report.edges = std::erase_if(edges_, [&](auto const& edge) {
            bool const goes = seen.contains(edge.first.source) || seen.contains(edge.first.target);
            if (goes) changed_.erased.push_back(edge);
            return goes;
        });
        for (Id const name : seen)
            live_[name] = false;
        return report;
    }

    /// values[i] is for batch[i]; empty where edges have none, or are erased.
    graph::batch_report apply(std::span<edge_type const> batch, bool erasing,
                              std::span<value_type const> values = {}) {
        graph::batch_report report;
        changed_ = {};
        std::map<edge_type, value_type> last;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            edge_type edge = batch[i];
            if (!is_live(edge.source) || !is_live(edge.target)) {
                ++report.rejected;
            } else if (edge.source == edge.target && !self_loops_) {
                ++report.self_loops_refused;
            } else {
                if (!directed_ && edge.source > edge.target) std::swap(edge.source, edge.target);
                if (!last.insert_or_assign(edge, values.empty() ? value_type{} : values[i]).second)
                    ++report.duplicates;
            }
        }
        for (auto const& [edge, value] : last) {
            auto const found = edges_.find(edge);
            bool const present = found != edges_.end();
            if (present && erasing) {
                changed_.erased.push_back(*found);
                edges_.erase(found);
            } else if (!present && !erasing) {
                changed_.inserted.push_back({edge, value});
                edges_.insert({edge, value});
            } else if (present && has_values) {
                changed_.updated.push_back({edge, found->second, value});
                found->second = value;
            }
            if (present == erasing)
                ++report.applied;
            else
                ++(has_values && !erasing ? report.updated : report.without_effect);
        }
        return report;
    }

    /// What the last batch, or the last erasing of vertices, did. Ascending.
    struct changed {
        std::vector<std::pair<edge_type, value_type>> inserted;
        std::vector<std::pair<edge_type, value_type>> erased;
        std::vector<std::tuple<edge_type, value_type, value_type>> updated; ///< old value, new value
    };
    [[nodiscard]] changed const& last_changes() const { return changed_; }

    /// Ascending; of an undirected edge the smaller end first.
    [[nodiscard]] std::map<edge_type, value_type> const& edges() const { return edges_; }
    [[nodiscard]] std::vector<edge_type> edge_list() const {
        std::vector<edge_type> all;
        for (auto const& [edge, value] : edges_)
            all.push_back(edge);
        return all;
    }
    /// All arcs, or all arcs backwards, with the values of their edges.
    [[nodiscard]] std::vector<std::pair<edge_type, value_type>> arcs(bool backwards = false) const {
        std::vector<std::pair<edge_type, value_type>> all;
        for (auto const& [edge, value] : edges_) {
            if (!backwards) all.push_back({edge, value});
            if (backwards || (!directed_ && edge.source != edge.target))
                all.push_back({{edge.target, edge.source}, value});
        }
        std::sort(all.begin(), all.end());
        return all;
    }
    /// Names are below it.
    [[nodiscard]] std::uint64_t vertices() const { return live_.size(); }
    [[nodiscard]] std::uint64_t live_vertices() const {
        return static_cast<std::uint64_t>(std::count(live_.begin(), live_.end(), true));
    }
    [[nodiscard]] bool is_live(Id name) const { return name < live_.size() && live_[name]; }

private:
    std::vector<bool> live_;
    bool directed_;
    bool self_loops_;
    std::map<edge_type, value_type> edges_;
    changed changed_;
};
using reference_graph = basic_reference_graph<void>;

} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// A graph of the standard library in the place of a dynamic graph: it can be told to get something wrong.
#pragma once

#include <rhizome/bench/graphs/input.hpp>
#include <rhizome/bench/graphs/search_checks.hpp>
#include <rhizome/bench/graphs/subject.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::testing {

enum class wrong : std::uint8_t {
    nothing,
    inserts_one_less,
    reports_one_more,
    erases_one_less,
    forgets_an_old_edge, ///< of whose loss no count tells: another one takes its place
    breaks_an_invariant,
    leaves_neighbours_behind,
    ranks_live,
    ranks_snapshot,
    triangles_live,
    kept_results,
    triangles_everywhere,
    levels_live,
    levels_everywhere,
    parents_snapshot,
    counts_of_reached,
    components_live,
    counts_of_components,
    cores_live,
    largest_core,
    distances_live,
    distances_everywhere,
    path_parents,
    counts_of_paths,
    snapshot,
    builds_from_other_rows,
    loses_an_edge,
};

class plain_subject final : public bench::graph_subject {
public:
    plain_subject(std::uint64_t vertices, bool directed, wrong what = wrong::nothing)
        : vertices_(vertices), directed_(directed), wrong_(what) {}

    void request_pages(graph::page_requests pages) override { pages_ = pages; }
    void renew() override { edges_.clear(); }
    void set_batch(std::span<graph::edge const> edges, std::span<double const> weights) override {
        batch_.assign(edges.begin(), edges.end());
        batch_weights_.assign(weights.begin(), weights.end());
    }
    void draw_batch(bench::batch_shape const& shape) override {
        ++batches_drawn;
        last_shape = shape;
        batch_.clear();
        for (std::uint64_t place = 0; place < shape.count; ++place)
            for (std::uint64_t attempt = 0;; ++attempt) {
                graph::edge const drawn = shape.draw(place, attempt);
                if (drawn.source == drawn.target || edges_.contains(key(drawn))) continue;
                batch_.push_back(drawn);
                break;
            }
    }

    bench::timed_batch build() override {
        renew();
        return insert_batch();
    }
    bench::timed_batch build_from_rows() override {
        renew();
        bench::timed_batch result{4.0, {}};
        for (graph::vertex_id v = 0; v < vertices_; ++v)
            for (std::uint64_t i = snapshot_.offsets[v]; i < snapshot_.offsets[v + 1]; ++i)
                result.report.applied += edges_.insert(key({v, snapshot_.targets[i]})).second ? 1 : 0;
        if (wrong_ == wrong::builds_from_other_rows) {
            edges_.erase(edges_.begin());
            edges_.insert({0, 0});
        }
        return result;
    }
    bench::timed_batch insert_batch() override {
        bench::timed_batch result{1.0, {}};
        bool const measured = batches_drawn != 0;
        for (std::size_t i = 0; i < batch_weights_.size(); ++i)
            weights_[key(batch_[i])] = batch_weights_[i];
        for (graph::edge const each : batch_) {
            if (edges_.insert(key(each)).second)
                ++result.report.applied;
            else
                ++result.report.duplicates;
        }
        if (measured && wrong_ == wrong::inserts_one_less) edges_.erase(key(batch_.front()));
        if (wrong_ == wrong::loses_an_edge) edges_.erase(key(batch_.front()));
        if (measured && wrong_ == wrong::reports_one_more) ++result.report.applied;
        return result;
    }
    bench::timed_batch erase_batch() override {
        bench::timed_batch result{2.0, {}};
        for (graph::edge const each : batch_) {
            if (edges_.erase(key(each)) != 0)
                ++result.report.applied;
            else
                ++result.report.duplicates;
        }
        if (wrong_ == wrong::erases_one_less) edges_.insert(key(batch_.front()));
        if (wrong_ == wrong::forgets_an_old_edge && !swapped_) {
            edges_.erase(edges_.begin());
            edges_.insert(key(batch_.front()));
            swapped_ = true;
        }
        return result;
    }

    [[nodiscard]] std::uint64_t edge_count() const override { return edges_.size(); }
    [[nodiscard]] std::uint64_t arc_count() const override { return edges_.size() * (directed_ ? 1 : 2); }
    [[nodiscard]] graph::memory_report memory() override {
        graph::memory_report report;
        report.adjacency_bytes = 4 * arc_count() + (wrong_ == wrong::leaves_neighbours_behind ? 4 : 0);
        report.heap_bytes = report.adjacency_bytes;
        report.vertex_table_bytes = (compacted_ ? 2 : 4) * (vertices_ + 1);
        report.scratch_bytes = 1000;
        return report;
    }
    double compact() override {
        compacted_ = true;
        return 0.5;
    }
    /// Rows that nothing may read: 256 bytes apart, or 32 bytes if their pages were requested in bulk.
    [[nodiscard]] std::vector<std::span<graph::vertex_id const>> row_places() override {
        std::uint64_t const stride = pages_ == graph::page_requests::bulk ? 32 : 256;
        std::vector<std::span<graph::vertex_id const>> places;
        for (std::uint64_t v = 0; v < vertices_; ++v)
            places.emplace_back(reinterpret_cast<graph::vertex_id const*>(4096 + v * stride), 8);
        return places;
    }
    [[nodiscard]] std::vector<std::string> validate() override {
        if (wrong_ == wrong::breaks_an_invariant) return {"one = two"};
        return {};
    }

    double take_snapshot() override {
        snapshot_ = rows();
        return 3.0;
    }
    [[nodiscard]] bench::host_rows snapshot_on_host() const override {
        bench::host_rows copy = snapshot_;
        if (wrong_ == wrong::snapshot) std::swap(copy.targets.front(), copy.targets.back());
        return copy;
    }
    void keep_rows(bench::host_rows const& rows) override { snapshot_ = rows; }
    [[nodiscard]] std::uint64_t changes() override { return rows() == snapshot_ ? 0 : 1; }

    [[nodiscard]] bench::timed_ranks rank(bench::seen_as view, unsigned iterations) override {
        std::vector<double> const exact = bench::rank_plainly(input(), iterations);
        std::vector<float> ranks(exact.begin(), exact.end());
        bool const lies =
            view == bench::seen_as::live ? wrong_ == wrong::ranks_live : wrong_ == wrong::ranks_snapshot;
        if (lies) ranks.back() *= 1.001F;
        return {4.0 * iterations, std::move(ranks)};
    }
    [[nodiscard]] bench::timed_triangles count_triangles(bench::seen_as view) override {
        bool const lies = wrong_ == wrong::triangles_everywhere ||
                          (wrong_ == wrong::triangles_live && view == bench::seen_as::live);
        return {5.0, bench::count_triangles_plainly(input()) + (lies ? 1 : 0)};
    }

    [[nodiscard]] bench::timed_search search(bench::seen_as view, graph::vertex_id source,
                                             bool parents) override {
        bool const live = view == bench::seen_as::live;
        bench::host_rows const all = rows();
        bench::timed_search found{6.0, {}, {}, {}};
        found.levels.assign(vertices_, algorithms::unreached);
        found.parents.assign(vertices_, graph::no_vertex);
        std::vector<graph::vertex_id> reached{source};
        found.levels[source] = 0;
        found.parents[source] = source;
        for (std::size_t i = 0; i < reached.size(); ++i) {
            graph::vertex_id const v = reached[i];
            found.report.arcs += all.offsets[v + 1] - all.offsets[v];
            for (std::uint64_t j = all.offsets[v]; j < all.offsets[v + 1]; ++j) {
                graph::vertex_id const next = all.targets[j];
                if (found.levels[next] != algorithms::unreached) continue;
                found.levels[next] = found.levels[v] + 1;
                found.parents[next] = v;
                reached.push_back(next);
            }
        }
        found.report.reached = reached.size() + (wrong_ == wrong::counts_of_reached ? 1 : 0);
        found.report.levels = found.levels[reached.back()] + 1;
        if (wrong_ == wrong::levels_everywhere || (wrong_ == wrong::levels_live && live))
            ++found.levels[reached.back()];
        if (wrong_ == wrong::parents_snapshot && !live) found.parents[reached.back()] = reached.back();
        if (!parents) found.parents.clear();
        return found;
    }
    [[nodiscard]] bench::timed_components join(bench::seen_as view) override {
        bench::timed_components found{7.0, 0, std::vector<graph::vertex_id>(vertices_, graph::no_vertex)};
        for (graph::vertex_id v = 0; v < vertices_; ++v) {
            if (found.components[v] != graph::no_vertex) continue;
            ++found.count;
            std::vector<std::uint32_t> const levels = search(bench::seen_as::live, v, false).levels;
            for (std::size_t other = 0; other < vertices_; ++other)
                if (levels[other] != algorithms::unreached) found.components[other] = v;
        }
        if (wrong_ == wrong::counts_of_components) ++found.count;
        if (wrong_ == wrong::components_live && view == bench::seen_as::live)
            found.components.back() = found.components.back() == 0 ? 1 : 0;
        return found;
    }
    [[nodiscard]] bench::timed_cores decompose(bench::seen_as view) override {
        bench::timed_cores found{8.0, 0, bench::cores_plainly(input())};
        for (std::uint32_t const core : found.cores)
            found.largest = std::max(found.largest, core);
        if (wrong_ == wrong::largest_core) ++found.largest;
        if (wrong_ == wrong::cores_live && view == bench::seen_as::live) ++found.cores.back();
        return found;
    }
    [[nodiscard]] bench::timed_paths find_paths(bench::seen_as view, graph::vertex_id source,
                                                bool parents) override {
        bench::timed_paths found{9.0, 0, {}, std::vector<graph::vertex_id>(vertices_, graph::no_vertex)};
        found.distances.assign(vertices_, std::numeric_limits<double>::infinity());
        found.distances[source] = 0;
        found.parents[source] = source;
        auto const relax = [&](graph::vertex_id from, graph::vertex_id to, double weight) {
            if (!(found.distances[from] + weight < found.distances[to])) return false;
            found.distances[to] = found.distances[from] + weight;
            found.parents[to] = from;
            return true;
        };
        for (bool changed = true; std::exchange(changed, false);)
            for (auto const& [each, weight] : weights_) {
                changed = relax(each.source, each.target, weight) || changed;
                changed = relax(each.target, each.source, weight) || changed;
            }
        std::size_t farthest = source;
        for (std::size_t v = 0; v < vertices_; ++v) {
            if (!std::isfinite(found.distances[v])) continue;
            ++found.reached;
            if (found.distances[v] > found.distances[farthest]) farthest = v;
        }
        bool const live = view == bench::seen_as::live;
        if (wrong_ == wrong::distances_everywhere || (wrong_ == wrong::distances_live && live))
            found.distances[farthest] += 1;
        if (wrong_ == wrong::path_parents) found.parents[farthest] = static_cast<graph::vertex_id>(farthest);
        if (wrong_ == wrong::counts_of_paths) ++found.reached;
        if (!parents) found.parents.clear();
        return found;
    }

    int batches_drawn = 0;
    bench::batch_shape last_shape;

    /// Components, whatever the algorithm.
    [[nodiscard]] bench::timed_run run(std::string const&, runtime::algorithm_arguments const&) override {
        auto found = join(bench::seen_as::live);
        ran_ = std::move(found.components);
        return {10.0, {{{"count", found.count}}, {{runtime::element_type::uint32, ran_.data()}}}};
    }
    [[nodiscard]] std::size_t keep_result(std::string const&, runtime::algorithm_arguments const&,
                                          algorithms::maintenance) override {
        return 0;
    }
    [[nodiscard]] bench::timed_run update_result(std::size_t) override {
        bench::timed_run kept = run("", {});
        kept.ms = 2.0;
        if (wrong_ == wrong::kept_results) ++ran_.front();
        return kept;
    }
    [[nodiscard]] std::vector<runtime::array_on_host>
    arrays_on_host(runtime::algorithm_result const& found) override {
        if (found.arrays.empty()) return {};
        return {std::vector<std::uint32_t>(ran_.begin(), ran_.end())};
    }

private:
    std::vector<graph::vertex_id> ran_; ///< what run() found
    graph::page_requests pages_ = graph::page_requests::bulk_loads;

    [[nodiscard]] graph::edge key(graph::edge each) const {
        return directed_ || each.source < each.target ? each : graph::edge{each.target, each.source};
    }
    /// The edges, of a directed graph those that lead upwards.
    [[nodiscard]] bench::graph_input input() const {
        bench::graph_input result{vertices_, {}};
        for (graph::edge const each : edges_)
            if (each.source < each.target) result.edges.push_back(each);
        return result;
    }
    [[nodiscard]] bench::host_rows rows() const {
        std::set<graph::edge> arcs = edges_;
        if (!directed_)
            for (graph::edge const each : edges_)
                arcs.insert({each.target, each.source});
        bench::host_rows result;
        result.offsets.resize(vertices_ + 1);
        for (graph::edge const each : arcs) {
            ++result.offsets[each.source + 1];
            result.targets.push_back(each.target);
        }
        for (std::size_t v = 0; v < vertices_; ++v)
            result.offsets[v + 1] += result.offsets[v];
        return result;
    }

    std::uint64_t vertices_;
    bool directed_;
    wrong wrong_;
    bool swapped_ = false;
    bool compacted_ = false;
    std::set<graph::edge> edges_;
    std::vector<graph::edge> batch_;
    std::vector<double> batch_weights_;
    std::map<graph::edge, double> weights_;
    bench::host_rows snapshot_;
};

} // namespace rhizome::testing

// SPDX-License-Identifier: Apache-2.0
// A session in plain sequential code on std::set: lets the tool be tested without the graph that it shows,
// and tells what its answers must be.
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/runtime/algorithms/bfs.hpp>
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/runtime/components.hpp>
#include <rhizome/runtime/ranks/open_ranks.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace rhizome::cli {
namespace {

constexpr std::uint64_t bytes_an_arc = 16;

class fake_graph : public runtime::any_graph, private runtime::graph_queries, private runtime::graph_results {
public:
    fake_graph(std::uint64_t vertex_count, runtime::graph_choice options)
        : options_(std::move(options)), names_{options_.space.empty() ? "host" : options_.space,
                                               options_.layout, options_.allocator},
          out_(vertex_count) {}

    runtime::graph_queries& queries() override { return *this; }
    runtime::graph_results& results() override { return *this; }
    runtime::graph_names const& names() const override { return names_; }
    std::string device_name() const override { return "reference"; }
    runtime::value_type value_type() const override { return options_.values; }
    bool directed() const override { return options_.directed; }

    std::uint64_t vertex_count() const override { return out_.size(); }
    std::uint64_t live_vertex_count() const override { return out_.size(); }
    std::uint64_t edge_count() const override { return edge_count_; }
    std::uint64_t arc_count() const override { return arc_count_; }

    std::uint64_t first_load_edges() const override { return std::uint64_t{1} << 22; }
    bool builds_rows() const override { return false; }

    graph::batch_report insert_plain(std::span<graph::edge const> edges) {
        std::uint64_t const needed = (arc_count_ + 2 * edges.size()) * bytes_an_arc + staged_ahead_bytes();
        if (options_.memory_limit_bytes > 0 && needed > options_.memory_limit_bytes)
            throw exec::out_of_memory("insert_edges", needed, options_.memory_limit_bytes);
        return apply(
            edges, [&](graph::edge e) { return out_[e.source].insert(e.target).second; }, 1);
    }

    graph::batch_report erase_edges(runtime::batch_edges const& edges) override {
        return apply(
            pairs_of(edges), [&](graph::edge e) { return out_[e.source].erase(e.target) > 0; }, -1);
    }

    graph::batch_report insert_edges(runtime::batch_edges const& batch,
                                     runtime::values_view values) override {
        std::span<graph::edge const> const edges = pairs_of(batch);
        if (!has_weights() && values.empty()) return insert_plain(edges);
        std::span<double const> const weights = values.as<double>();
        if (!has_weights() || edges.size() != weights.size()) throw std::logic_error("weights do not fit");
        graph::batch_report report = insert_plain(edges);
        std::uint64_t updated = 0;
        for (std::size_t i = 0; i < edges.size(); ++i) {
            auto const [source, target] = std::minmax(edges[i].source, edges[i].target);
            graph::edge const key = options_.directed ? edges[i] : graph::edge{source, target};
            if (edges[i].source >= out_.size() || !out_[edges[i].source].contains(edges[i].target)) continue;
            updated += weights_.contains(key);
            weights_[key] = weights[i];
        }
        report.updated = std::min(updated, report.without_effect);
        report.without_effect -= report.updated;
        return report;
    }

    std::unique_ptr<runtime::any_staged_batch> stage(runtime::batch_edges const& edges,
                                                     runtime::values_view values) override {
        if (staged_->lists == 2) throw std::logic_error("two batches are staged already");
        return std::make_unique<staged>(pairs_of(edges), values.as<double>(), staged_);
    }
    graph::batch_report insert_edges(runtime::any_staged_batch const& edges) override {
        staged const& present = static_cast<staged const&>(edges);
        present_bytes_ = present.edges.size() * sizeof(graph::edge);
        return insert_edges(std::span(present.edges), present.weights);
    }
    graph::batch_report erase_edges(runtime::any_staged_batch const& edges) override {
        return erase_edges(std::span(static_cast<staged const&>(edges).edges));
    }

    void copy_out(void* to, void const* in_space, std::uint64_t bytes) override {
        std::memcpy(to, in_space, bytes);
    }

    std::vector<std::uint32_t> degrees(std::span<graph::vertex_id const> ids) override {
        std::vector<std::uint32_t> result;
        for (graph::vertex_id const id : ids)
            result.push_back(static_cast<std::uint32_t>(out_.at(id).size()));
        return result;
    }

    std::vector<std::uint32_t> all_degrees() override {
        std::vector<std::uint32_t> result;
        for (auto const& targets : out_)
            result.push_back(static_cast<std::uint32_t>(targets.size()));
        return result;
    }

    std::vector<graph::edge> all_edges() override {
        auto result = arcs();
        if (!options_.directed) std::erase_if(result, [](graph::edge e) { return e.source > e.target; });
        return result;
    }

    runtime::values all_values() override {
        if (!has_weights()) return {};
        std::vector<double> result;
        for (graph::edge const e : all_edges())
            result.push_back(weights_.contains(e) ? weights_[e] : 1);
        return result;
    }

    std::vector<std::span<graph::vertex_id const>> row_places() override { return {}; }
    graph::memory_report memory() override {
        return {.heap_bytes = arc_count_ * bytes_an_arc,
                .adjacency_bytes = arc_count_ * bytes_an_arc,
                .scratch_bytes = staged_->bytes,
                .edges = all_edges().size()};
    }

    std::vector<std::string> validate() override { return {}; }
    void release_scratch() override {}
    [[nodiscard]] bool can_compact() const override { return false; }
    graph::compaction_report compact(std::uint64_t) override { return {}; }
    void synchronize() override {}

    // On "simt" it forms net effects as a space with memory of its own does.
    bool reduces_updates() const override { return names_.space == "simt"; }
    std::unique_ptr<runtime::any_staged_batch>
    stage_updates(std::span<graph::update const> updates) override {
        if (options_.memory_limit_bytes > 0 && updates.size_bytes() > options_.memory_limit_bytes)
            throw exec::out_of_memory("stage_updates", updates.size_bytes(), options_.memory_limit_bytes);
        auto batch = std::make_unique<staged_updates>();
        batch->updates.assign(updates.begin(), updates.end());
        return batch;
    }
    graph::net_edges net_effect(runtime::any_staged_batch const& updates) override {
        auto const& all = static_cast<staged_updates const&>(updates).updates;
        net_ = {};
        std::set<std::uint64_t> seen;
        for (auto each = all.rbegin(); each != all.rend(); ++each)
            if (seen.insert(graph::edge_key(each->edge, options_.directed)).second)
                (each->operation == graph::operation::insert ? net_.insertions : net_.deletions)
                    .push_back(each->edge);
        return {net_.insertions.data(), net_.insertions.size(), net_.deletions.data(), net_.deletions.size(),
                all.size() - seen.size()};
    }
    graph::batch_report insert_edges_in_space(runtime::batch_edges const& edges, void const*) override {
        return insert_plain(pairs_of(edges));
    }
    graph::batch_report erase_edges_in_space(runtime::batch_edges const& edges) override {
        return erase_edges(edges);
    }

    // What the tool does not ask for.
    void add_vertices(std::uint64_t count) override { out_.resize(out_.size() + count); }
    std::vector<graph::vertex_id> insert_vertices(std::uint64_t) override { not_here(); }
    graph::vertex_report erase_vertices(std::span<graph::vertex_id const>) override { not_here(); }
    graph::batch_report insert_rows_in_space(runtime::rows_in_space const&) override { not_here(); }
    graph::batch_report insert_rows(runtime::rows_in_space const& rows) override {
        std::vector<graph::edge> edges;
        for (std::uint64_t v = 0; v < rows.vertices; ++v)
            for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + 1]; ++i)
                edges.push_back({static_cast<graph::vertex_id>(v), rows.targets[i]});
        auto const* const weights = static_cast<double const*>(rows.values);
        return insert_edges(edges, weights == nullptr ? std::span<double const>()
                                                      : std::span(weights, edges.size()));
    }
    std::vector<std::uint8_t> has_edges(std::span<graph::edge const>) override { not_here(); }
    runtime::neighbour_lists neighbours_of(std::span<graph::vertex_id const>) override { not_here(); }
    runtime::found_values edge_values(std::span<graph::edge const>) override { not_here(); }
    void has_edges_in_space(graph::edge const*, std::uint64_t, std::uint8_t*) override { not_here(); }
    void edge_values_in_space(graph::edge const*, std::uint64_t, void*, std::uint8_t*) override {
        not_here();
    }
    void degrees_in_space(graph::vertex_id const*, std::uint64_t, std::uint32_t*) override { not_here(); }
    std::uint64_t neighbour_offsets_in_space(graph::vertex_id const*, std::uint64_t,
                                             std::uint64_t*) override {
        not_here();
    }
    void neighbours_in_space(graph::vertex_id const*, std::uint64_t, std::uint64_t const*, std::uint64_t,
                             graph::vertex_id*, void*) override {
        not_here();
    }
    std::unique_ptr<runtime::any_snapshot> snapshot() override { not_here(); }

private:
    // Results that follow are computed anew.
    std::size_t maintain(std::string_view algorithm, runtime::algorithm_arguments given,
                         algorithms::maintenance) override {
        std::size_t const number = checked_arguments(algorithm, given);
        maintained_.emplace_back(number, std::move(given));
        return maintained_.size() - 1;
    }
    runtime::maintained_answer update(std::size_t result) override {
        auto const& [number, given] = maintained_.at(result);
        return {run(number, given, nullptr), true};
    }
    void stop(std::size_t) override {}

    runtime::algorithm_result run(std::size_t number, runtime::algorithm_arguments const& given,
                                  runtime::any_snapshot const*) override {
        std::string_view const name = runtime::algorithms()[number].name;
        if (name == "pagerank") return pagerank(given);
        if (name == "triangles") return triangles();
        if (name == "bfs") return bfs(given.vertices("source"));
        if (name == "components") return components();
        if (name == "kcore") return kcore();
        if (name == "sssp") return sssp(given.vertices("source"));
        if (name == "weighted-pagerank") return weighted_pagerank(given);
        if (name == "local-triangles") return local_triangles();
        not_here();
    }

    runtime::algorithm_result pagerank(runtime::algorithm_arguments const& given) {
        auto const n = static_cast<double>(out_.size());
        double const damping = given.real("damping");
        runtime::pagerank_answer answer{std::vector<double>(out_.size(), 1 / n), 0, 0, out_.empty()};
        while (!answer.converged && answer.iterations < given.count("max-iterations")) {
            double dangling = 0;
            for (std::size_t v = 0; v < out_.size(); ++v)
                dangling += out_[v].empty() ? answer.ranks[v] : 0;
            std::vector<double> next(out_.size(), (1 - damping + damping * dangling) / n);
            for (std::size_t v = 0; v < out_.size(); ++v)
                for (graph::vertex_id const target : out_[v])
                    next[target] += damping * answer.ranks[v] / static_cast<double>(out_[v].size());
            answer.residual = 0;
            for (std::size_t v = 0; v < out_.size(); ++v)
                answer.residual += std::abs(next[v] - answer.ranks[v]);
            answer.ranks = std::move(next);
            ++answer.iterations;
            answer.converged = answer.residual <= given.real("tolerance");
        }
        ranks_ = answer.ranks;
        return {{{"iterations", std::uint64_t{answer.iterations}},
                 {"residual", answer.residual},
                 {"converged", answer.converged}},
                {{runtime::element_type::float64, ranks_.data()}}};
    }

    /// By as many iterations as there may be.
    runtime::algorithm_result weighted_pagerank(runtime::algorithm_arguments const& given) {
        auto const n = static_cast<double>(out_.size());
        double const damping = given.real("damping");
        std::vector<double> outflow(out_.size());
        for (graph::edge const e : arcs())
            outflow[e.source] += weight_of(e);
        ranks_.assign(out_.size(), 1 / n);
        for (std::uint64_t i = 0; i < given.count("max-iterations"); ++i) {
            double dangling = 0;
            for (std::size_t v = 0; v < out_.size(); ++v)
                dangling += outflow[v] > 0 ? 0 : ranks_[v];
            std::vector<double> next(out_.size(), (1 - damping + damping * dangling) / n);
            for (graph::edge const e : arcs())
                if (outflow[e.source] > 0)
                    next[e.target] += damping * ranks_[e.source] * weight_of(e) / outflow[e.source];
            ranks_ = std::move(next);
        }
        return {{{"iterations", given.count("max-iterations")}, {"residual", 0.0}, {"converged", true}},
                {{runtime::element_type::float64, ranks_.data()}}};
    }

    runtime::algorithm_result local_triangles() {
        std::vector<std::set<graph::vertex_id>> around(out_.size());
        for (graph::edge const e : arcs()) {
            if (e.source == e.target) continue;
            around[e.source].insert(e.target);
            around[e.target].insert(e.source);
        }
        local_counts_.assign(out_.size(), 0);
        std::uint64_t sum = 0;
        for (std::size_t v = 0; v < out_.size(); ++v) {
            for (auto first = around[v].begin(); first != around[v].end(); ++first)
                for (auto second = std::next(first); second != around[v].end(); ++second)
                    local_counts_[v] += around[*first].count(*second);
            sum += local_counts_[v];
        }
        return {{{"count", sum / 3}}, {{runtime::element_type::uint64, local_counts_.data()}}};
    }

    runtime::algorithm_result triangles() {
        std::vector<std::set<graph::vertex_id>> higher(out_.size());
        for (graph::edge const e : arcs())
            if (e.source != e.target)
                higher[std::min(e.source, e.target)].insert(std::max(e.source, e.target));
        std::uint64_t triangles = 0;
        for (auto const& targets : higher)
            for (auto u = targets.begin(); u != targets.end(); ++u)
                for (auto v = std::next(u); v != targets.end(); ++v)
                    triangles += higher[*u].count(*v);
        return {{{"count", triangles}}, {}};
    }

    runtime::algorithm_result bfs(std::span<graph::vertex_id const> sources) {
        levels_.assign(out_.size(), algorithms::unreached);
        parents_.assign(out_.size(), graph::no_vertex);
        std::deque<graph::vertex_id> queue;
        algorithms::bfs_report report;
        auto const reach = [&](graph::vertex_id v, graph::vertex_id from, std::uint32_t level) {
            if (levels_.at(v) != algorithms::unreached) return;
            levels_[v] = level;
            parents_[v] = from;
            queue.push_back(v);
            ++report.reached;
            report.levels = level + 1;
            report.arcs += out_[v].size();
        };
        for (graph::vertex_id const source : sources)
            reach(source, source, 0);
        for (; !queue.empty(); queue.pop_front())
            for (graph::vertex_id const target : out_[queue.front()])
                reach(target, queue.front(), levels_[queue.front()] + 1);
        return {runtime::bfs_entry::figures(report),
                {{runtime::element_type::uint32, levels_.data()},
                 {runtime::element_type::uint32, parents_.data()}}};
    }

    runtime::algorithm_result components() {
        components_.resize(out_.size());
        std::iota(components_.begin(), components_.end(), graph::vertex_id{0});
        for (bool changed = true; std::exchange(changed, false);)
            for (graph::edge const e : arcs()) {
                graph::vertex_id& first = components_[e.source];
                graph::vertex_id& second = components_[e.target];
                changed = changed || first != second;
                first = second = std::min(first, second);
            }
        std::uint64_t count = 0;
        for (graph::vertex_id v = 0; v < components_.size(); ++v)
            count += components_[v] == v ? 1 : 0;
        return {{{"count", count}}, {{runtime::element_type::uint32, components_.data()}}};
    }

    runtime::algorithm_result kcore() {
        std::vector<std::set<graph::vertex_id>> around(out_.size());
        for (graph::edge const e : arcs()) {
            if (e.source == e.target) continue;
            around[e.source].insert(e.target);
            around[e.target].insert(e.source);
        }
        cores_.assign(out_.size(), 0);
        std::vector<bool> removed(out_.size());
        algorithms::k_core_report report;
        for (std::size_t left = out_.size(); left > 0; ++report.largest) {
            for (bool found = true; std::exchange(found, false);)
                for (std::size_t v = 0; v < out_.size(); ++v) {
                    if (removed[v] || around[v].size() > report.largest) continue;
                    removed[v] = found = true;
                    cores_[v] = report.largest;
                    --left;
                    for (graph::vertex_id const other : around[v])
                        around[other].erase(static_cast<graph::vertex_id>(v));
                }
        }
        report.largest -= report.largest > 0 ? 1 : 0;
        return {{{"largest", std::uint64_t{report.largest}}},
                {{runtime::element_type::uint32, cores_.data()}}};
    }

    runtime::algorithm_result sssp(std::span<graph::vertex_id const> sources) {
        distances_.assign(out_.size(), std::numeric_limits<double>::infinity());
        parents_.assign(out_.size(), graph::no_vertex);
        for (graph::vertex_id const source : sources) {
            distances_.at(source) = 0;
            parents_[source] = source;
        }
        for (bool changed = true; std::exchange(changed, false);)
            for (graph::edge const e : arcs()) {
                auto const [low, high] = std::minmax(e.source, e.target);
                double const weight = weights_.at(options_.directed ? e : graph::edge{low, high});
                if (std::isfinite(distances_[e.source]) && !(weight >= 0))
                    throw std::invalid_argument("shortest paths: a weight is negative");
                if (!(distances_[e.source] + weight < distances_[e.target])) continue;
                distances_[e.target] = distances_[e.source] + weight;
                parents_[e.target] = e.source;
                changed = true;
            }
        std::uint64_t reached = 0;
        for (double const distance : distances_)
            reached += std::isfinite(distance) ? 1 : 0;
        return {{{"reached", reached}, {"delta", 1.0}, {"rounds", std::uint64_t{1}}},
                {{runtime::element_type::float64, distances_.data()},
                 {runtime::element_type::uint32, parents_.data()}}};
    }

    static std::span<graph::edge const> pairs_of(runtime::batch_edges const& batch) {
        return std::get<std::span<graph::edge const>>(batch);
    }
    [[noreturn]] static void not_here() { throw std::logic_error("the reference graph does not offer this"); }
    [[nodiscard]] double weight_of(graph::edge const& e) const {
        auto const [low, high] = std::minmax(e.source, e.target);
        return weights_.at(options_.directed ? e : graph::edge{low, high});
    }
    [[nodiscard]] bool has_weights() const { return options_.values != runtime::value_type::none; }

    struct staged_total {
        std::uint64_t lists = 0;
        std::uint64_t bytes = 0;
    };
    struct staged_updates final : runtime::any_staged_batch {
        std::vector<graph::update> updates;
    };
    struct net_lists {
        std::vector<graph::edge> insertions;
        std::vector<graph::edge> deletions;
    };
    struct staged final : runtime::any_staged_batch {
        staged(std::span<graph::edge const> given, std::span<double const> given_weights,
               std::shared_ptr<staged_total> all)
            : edges(given.begin(), given.end()), weights(given_weights.begin(), given_weights.end()),
              total(std::move(all)) {
            ++total->lists;
            total->bytes += edges.size() * sizeof(graph::edge);
        }
        ~staged() override {
            --total->lists;
            total->bytes -= edges.size() * sizeof(graph::edge);
        }
        std::vector<graph::edge> edges;
        std::vector<double> weights;
        std::shared_ptr<staged_total> total;
    };
    /// The present batch was never counted: as if it came from host memory.
    [[nodiscard]] std::uint64_t staged_ahead_bytes() const {
        return staged_->bytes - std::min(staged_->bytes, present_bytes_);
    }

    template <class Change>
    graph::batch_report apply(std::span<graph::edge const> edges, Change change, int sign) {
        graph::batch_report report;
        std::set<std::pair<graph::vertex_id, graph::vertex_id>> seen;
        for (graph::edge const e : edges) {
            bool const swaps = !options_.directed && e.source > e.target;
            if (e.source >= out_.size() || e.target >= out_.size()) {
                ++report.rejected;
            } else if (e.source == e.target && !options_.self_loops) {
                ++report.self_loops_refused;
            } else if (!seen.emplace(swaps ? e.target : e.source, swaps ? e.source : e.target).second) {
                ++report.duplicates;
            } else if (!change(e)) {
                ++report.without_effect;
            } else {
                ++report.applied;
                bool const both = !options_.directed && e.source != e.target;
                if (both) change({e.target, e.source});
                edge_count_ += static_cast<std::uint64_t>(sign);
                arc_count_ += static_cast<std::uint64_t>(both ? 2 * sign : sign);
            }
        }
        return report;
    }

    std::vector<graph::edge> arcs() const {
        std::vector<graph::edge> result;
        for (std::size_t v = 0; v < out_.size(); ++v)
            for (graph::vertex_id const target : out_[v])
                result.push_back({static_cast<graph::vertex_id>(v), target});
        return result;
    }

    runtime::graph_choice options_;
    runtime::graph_names names_;
    std::vector<std::set<graph::vertex_id>> out_;
    std::map<graph::edge, double> weights_; ///< undirected: smaller end first
    std::shared_ptr<staged_total> staged_ = std::make_shared<staged_total>();
    net_lists net_;
    std::vector<double> ranks_;
    std::vector<std::uint64_t> local_counts_;
    std::vector<std::uint32_t> levels_;
    std::vector<graph::vertex_id> parents_;
    std::vector<graph::vertex_id> components_;
    std::vector<std::uint32_t> cores_;
    std::vector<double> distances_;
    std::uint64_t present_bytes_ = 0;
    std::uint64_t edge_count_ = 0;
    std::vector<std::pair<std::size_t, runtime::algorithm_arguments>> maintained_;
    std::uint64_t arc_count_ = 0;
};

} // namespace

} // namespace rhizome::cli

namespace rhizome::runtime {

std::vector<named_choice> spaces() {
    return {{"cuda", "a GPU that is not there"}, {"host", "threads"}, {"simt", "an emulator"}};
}
std::vector<named_choice> allocators() { return {{"first", "the default"}, {"second", "the other"}}; }
std::vector<named_choice> block_allocators() { return allocators(); }
std::vector<component> components() {
    return {{"bench", "benchmarks", true},
            {"ranks", "graphs over ranks", true},
            {"third", "an allocator", false}};
}
std::vector<absent_choice> absent_choices() {
    return {{"allocator", "third", "in another build", "third", true}};
}
std::vector<named_choice> layouts() { return {{"contiguous", "the only one"}}; }
std::string cuda_unusable_because() { return "no usable GPU: this is a reference"; }

std::unique_ptr<any_graph> open_graph(graph_choice const& choice) {
    if (choice.space == "cuda") throw std::runtime_error("space cuda: " + cuda_unusable_because());
    return std::make_unique<cli::fake_graph>(choice.vertices, choice);
}

std::vector<std::unique_ptr<any_rank>> host_ranks(int, rank_options const&) {
    throw std::runtime_error("the reference has no ranks");
}
std::unique_ptr<any_rank> cuda_rank(rank_options const&) {
    throw std::runtime_error("the reference has no ranks");
}
std::string cuda_ranks_unusable_because() { return cuda_unusable_because(); }
int cuda_device_count() { return 0; }
std::unique_ptr<any_graph> open_graph_over_ranks(std::shared_ptr<rank_group> const&, graph_choice const&) {
    throw std::runtime_error("the reference has no ranks");
}

} // namespace rhizome::runtime

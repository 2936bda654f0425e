// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/device_scaling/generated_graph.hpp>
#include <rhizome/bench/device_scaling/rank_times.hpp>
#include <rhizome/bench/graphs/workloads.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/graph/partition/exchange.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::bench {
namespace {

/// One rank of the measurement. All ranks call the same functions in the same order.
class generated_graph_run {
public:
    generated_graph_run(runtime::any_rank& self, generated_graph_options const& options)
        : self_(self), options_(options), rank_(static_cast<std::uint64_t>(self.rank())),
          ranks_(static_cast<std::uint64_t>(self.size())) {}

    cell_result run(edge_source_opener const& open_source) {
        bool const complete = attempt("before the first edge", [&] { open(open_source); }) &&
                              attempt("while loading", [&] { load(); }) &&
                              attempt("in a batch of insertions", [&] { update(); }) &&
                              attempt("in PageRank", [&] { rank_vertices(); });
        if (complete) return {cell_status::ok, "", std::move(measures_)};
        return {cell_status::not_served, refusal(), {}};
    }

private:
    /// False if any rank has no memory for the step: the step throws on all ranks then.
    template <class Step>
    [[nodiscard]] bool attempt(char const* where, Step const& step) {
        try {
            step();
            return true;
        } catch (exec::out_of_memory const& error) {
            refused_ = fmt::format("{}: {}", where, error.what());
        } catch (graph::refused_by_rank const& error) {
            refused_ = fmt::format("{}: {}", where, error.what());
        }
        return false;
    }

    [[nodiscard]] std::string refusal() const {
        std::string text = fmt::format(
            "memory ran out {}; {} of {} drawn edges were in, {} edges without repeated ones and self-loops",
            refused_, loaded_, options_.drawn(), part_ == nullptr ? 0 : part_->edge_count());
        for (measure const& each : measures_)
            text += fmt::format("; {} {:.6g} {}", each.name, each.samples.back(), each.unit);
        std::replace(text.begin(), text.end(), '\n', ' ');
        return text;
    }

    void add(char const* name, char const* unit, bool more_is_better, double value) {
        measures_.push_back({name, unit, more_is_better, {value}});
    }

    /// The sum over all ranks.
    [[nodiscard]] std::uint64_t sum(std::uint64_t mine) {
        std::vector<std::uint64_t> const all = self_.gather_words({&mine, 1});
        return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
    }

    void open(edge_source_opener const& open_source) {
        part_ = self_.open({.vertices = options_.vertices(), .self_loops = false});
        std::uint64_t const share = (options_.load_batch + ranks_ - 1) / ranks_;
        std::string why;
        try {
            source_ = open_source(
                {.edges = {options_.scale, options_.seed}, .most_edges = std::max(share, options_.edges)});
        } catch (exec::out_of_memory const& error) { // the other ranks must not wait for this one
            why = error.what();
        }
        if (sum(why.empty() ? 0 : 1) != 0)
            throw exec::out_of_memory(why.empty() ? "edges to draw, on another rank" : "edges to draw",
                                      std::max(share, options_.edges) * sizeof(graph::edge), 0);
    }

    void load() {
        graph::batch_report all;
        double draw_ms = 0;
        double const ms = ms_of_all_ranks(self_, *part_, [&] {
            while (loaded_ < options_.drawn()) {
                std::uint64_t const count = std::min(options_.load_batch, options_.drawn() - loaded_);
                std::uint64_t const begin = count * rank_ / ranks_;
                std::uint64_t const mine = count * (rank_ + 1) / ranks_ - begin;
                exec::wall_timer const drawing;
                graph::edge const* const edges = source_->of_graph(loaded_ + begin, mine);
                draw_ms += drawing.elapsed_ms();
                graph::batch_report const report = part_->insert_edges_in_space(edges, mine);
                require_equal(report.total(), count, "edges in the report of loading");
                all += report;
                loaded_ += count;
            }
        });
        require_equal(all.rejected, 0, "edges with ends that are no vertices");
        require_equal(part_->edge_count(), all.applied, "edges of the graph");
        std::uint64_t const arcs = sum(part_->arc_count());
        require_equal(arcs, 2 * part_->edge_count(), "arcs of the graph");
        graph::memory_report const memory = part_->memory_of_all();
        require_equal(memory.edges, all.applied, "edges in the report of memory");
        auto const stored = static_cast<double>(arcs);
        auto const lasting = static_cast<double>(memory.total_bytes() - memory.scratch_bytes);
        add("load", "ms", false, ms);
        add("draw", "ms", false, draw_ms);
        add("load_rate", "M edges/s", true, static_cast<double>(options_.drawn()) / (ms * 1e3));
        add("edges", "edges", true, static_cast<double>(all.applied));
        add("arcs", "arcs", true, stored);
        add("bytes_per_arc", "B", false, stored == 0 ? 0 : lasting / stored);
        add("device_memory", "MB", false,
            static_cast<double>(memory.total_bytes()) / static_cast<double>(ranks_) * 1e-6);
    }

    /// Pairs that were edges before are erased with the others, so the graph loses a few edges.
    void update() {
        measure insert{"insert", "ms", false, {}};
        measure erase{"erase", "ms", false, {}};
        batch_shape shape{.count = options_.edges * ranks_,
                          .source_count = static_cast<std::uint32_t>(options_.vertices()),
                          .vertices = options_.vertices()};
        for (std::uint64_t i = 0; i < options_.warm_up + options_.repetitions; ++i) {
            shape.seed = batch_shape::mixed(options_.seed + i);
            graph::edge const* const edges = source_->of_batch(shape, rank_ * options_.edges, options_.edges);
            std::uint64_t const before = part_->edge_count();
            graph::batch_report inserted;
            graph::batch_report erased;
            double const insert_ms = ms_of_all_ranks(
                self_, *part_, [&] { inserted = part_->insert_edges_in_space(edges, options_.edges); });
            require_equal(inserted.total(), shape.count, "edges in the report of inserting");
            require_equal(part_->edge_count(), before + inserted.applied, "edges after inserting");
            double const erase_ms = ms_of_all_ranks(
                self_, *part_, [&] { erased = part_->erase_edges_in_space(edges, options_.edges); });
            require_equal(erased.total(), shape.count, "edges in the report of erasing");
            require_equal(erased.applied, inserted.applied + inserted.without_effect,
                          "edges erased of those in the batch");
            require_equal(part_->edge_count(), before - inserted.without_effect, "edges after erasing");
            if (i < options_.warm_up) continue;
            insert.samples.push_back(insert_ms);
            erase.samples.push_back(erase_ms);
        }
        measures_.push_back(std::move(insert));
        measures_.push_back(std::move(erase));
    }

    void rank_vertices() {
        source_.reset(); // its memory, and that of batches, is there for the ranks
        part_->release_scratch();
        algorithms::pagerank_options const rules{.tolerance = 0, .max_iterations = options_.iterations};
        measure iteration{"iteration", "ms", false, {}};
        for (std::uint64_t i = 0; i < options_.warm_up + options_.repetitions; ++i) {
            runtime::ranked_part found;
            double const ms = ms_of_all_ranks(
                self_, *part_, [&] { found = part_->pagerank(rules, runtime::rank_type::float32, false); });
            require_equal(found.iterations, options_.iterations, "iterations of PageRank");
            if (!std::isfinite(found.residual)) throw std::runtime_error("ranks of vertices are no numbers");
            if (i >= options_.warm_up) iteration.samples.push_back(ms / options_.iterations);
        }
        measures_.push_back(std::move(iteration));
    }

    runtime::any_rank& self_;
    generated_graph_options const& options_;
    std::uint64_t rank_;
    std::uint64_t ranks_;
    std::unique_ptr<runtime::any_part> part_;
    std::unique_ptr<edge_source> source_;
    std::uint64_t loaded_ = 0; ///< of the edges that are drawn
    std::vector<measure> measures_;
    std::string refused_;
};

} // namespace

generated_graph_options::generated_graph_options(cell const& which)
    : devices(which.count("devices")), scale(static_cast<unsigned>(which.count("scale"))),
      edge_factor(which.count("edge-factor")), load_batch(which.count("load-batch")),
      edges(which.count("edges")), iterations(static_cast<unsigned>(which.count("iterations"))),
      seed(which.count("seed")), warm_up(which.count("warm-up")), repetitions(which.count("repetitions")) {}

cell_result measure_generated_graph(runtime::any_rank& self, generated_graph_options const& options,
                                    edge_source_opener const& open_source) {
    return generated_graph_run(self, options).run(open_source);
}

} // namespace rhizome::bench

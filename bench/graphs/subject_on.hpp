// SPDX-License-Identifier: Apache-2.0
// The subject on a space: a graph of the catalogue, and the kernels that draw batches and compare rows.
#pragma once

#include <rhizome/bench/graphs/kernels.hpp>
#include <rhizome/bench/graphs/subject.hpp>
#include <rhizome/bench/harness/subject_on.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/runtime/open_on.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace rhizome::bench {

template <class Space>
class graph_subject_on final : public graph_subject {
public:
    graph_subject_on(Space space, graph_subject_options const& options)
        : space_(space), batch_(space), weights_(space), watch_(space), count_(space, 1), offsets_(space),
          targets_(space), options_(options) {
        renew();
    }

    void set_batch(std::span<graph::edge const> edges, std::span<double const> weights) override {
        make_room(edges.size());
        if (!edges.empty()) space_.copy_in(batch_.data(), edges.data(), edges.size_bytes());
        weights_.discard_and_resize(weights.size());
        if (!weights.empty()) space_.copy_in(weights_.data(), weights.data(), weights.size_bytes());
        space_.synchronize();
    }
    void draw_batch(batch_shape const& shape) override {
        make_room(shape.count);
        count_.fill_bytes(0);
        launch(space_, cover_threads(space_, shape.count),
               draw_edges{shape, kept_rows(), batch_.data(), count_.data()});
        if (std::uint64_t const missing = count_.to_host()[0]; missing != 0)
            throw std::runtime_error(std::to_string(missing) + " of " + std::to_string(shape.count) +
                                     " new edges were not found: the graph has nearly all that there can be");
    }

    double take_snapshot() override {
        snapshot_.reset(); // first, so that two never exist together
        return time_of(watch_, [this] { snapshot_ = graph_->queries().snapshot(); });
    }
    [[nodiscard]] host_rows snapshot_on_host() const override {
        return {snapshot().offsets_on_host(), snapshot().targets_on_host()};
    }
    void keep_rows(host_rows const& rows) override {
        snapshot_.reset();
        offsets_ = exec::buffer<Space, std::uint64_t>(space_, rows.offsets);
        targets_ = exec::buffer<Space, graph::vertex_id>(space_, rows.targets);
    }
    [[nodiscard]] std::uint64_t changes() override {
        auto const copy = graph_->queries().snapshot();
        sparse_rows const now = rows_of(*copy);
        sparse_rows const kept = kept_rows();
        if (now.vertices != kept.vertices) return std::max(now.vertices, kept.vertices);
        count_.fill_bytes(0);
        launch(space_, cover_threads(space_, now.vertices + 1),
               count_differences<std::uint64_t>{now.offsets, kept.offsets, now.vertices + 1, count_.data()});
        std::uint64_t const arcs = std::min(now.arcs, kept.arcs); // where they differ, so do the last offsets
        launch(space_, cover_threads(space_, arcs),
               count_differences<graph::vertex_id>{now.targets, kept.targets, arcs, count_.data()});
        return count_.to_host()[0];
    }

    void request_pages(graph::page_requests pages) override { pages_ = pages; }
    void renew() override {
        graph_.reset(); // first, so that two heaps never exist together
        graph_ = runtime::open_graph_on(
            space_, {.layout = options_.layout,
                     .allocator = options_.allocator,
                     .values = options_.weighted ? runtime::value_type::float64 : runtime::value_type::none,
                     .vertices = options_.vertices,
                     .directed = options_.directed,
                     .pages = pages_,
                     .compacts = false}); // only by compact(), which is measured
    }
    timed_batch build() override {
        renew();
        return insert_batch();
    }
    timed_batch build_from_rows() override {
        renew();
        sparse_rows const rows = kept_rows();
        return measure([&] {
            return graph_->insert_rows_in_space(
                {rows.offsets, rows.targets, nullptr, rows.vertices, rows.arcs, !options_.directed});
        });
    }
    timed_batch insert_batch() override {
        double const* const weights = weights_.size() == 0 ? nullptr : weights_.data();
        return measure([&] { return graph_->insert_edges_in_space(batch_.data(), batch_count_, weights); });
    }
    timed_batch erase_batch() override {
        return measure([this] { return graph_->erase_edges_in_space(batch_.data(), batch_count_); });
    }

    [[nodiscard]] std::uint64_t edge_count() const override { return graph_->edge_count(); }
    [[nodiscard]] std::uint64_t arc_count() const override { return graph_->arc_count(); }
    [[nodiscard]] graph::memory_report memory() override { return graph_->memory(); }
    double compact() override {
        auto const [ms, report] = timed(watch_, [this] { return graph_->compact(); });
        static_cast<void>(report);
        return ms;
    }
    [[nodiscard]] std::vector<std::span<graph::vertex_id const>> row_places() override {
        return graph_->queries().row_places();
    }
    [[nodiscard]] std::vector<std::string> validate() override { return graph_->validate(); }

    [[nodiscard]] timed_ranks rank(seen_as view, unsigned iterations) override {
        auto const [ms, found] = timed(watch_, [&] {
            return graph_->run_pagerank({.tolerance = 0, .max_iterations = iterations},
                                        runtime::rank_type::float32, seen(view));
        });
        timed_ranks result{ms, std::vector<float>(graph_->vertex_count())};
        if (!result.ranks.empty())
            space_.copy_out(result.ranks.data(), found.ranks_in_space, result.ranks.size() * sizeof(float));
        return result;
    }
    [[nodiscard]] timed_triangles count_triangles(seen_as view) override {
        auto const [ms, triangles] = timed(watch_, [&] { return graph_->count_triangles(seen(view)); });
        return {ms, triangles};
    }
    [[nodiscard]] timed_search search(seen_as view, graph::vertex_id source, bool parents) override {
        auto const [ms, found] = timed(watch_, [&] {
            return graph_->run_bfs({&source, 1}, parents, seen(view));
        });
        timed_search result{ms, found.report, graph_->on_host(found.levels_in_space), {}};
        if (parents) result.parents = graph_->on_host(found.parents_in_space);
        return result;
    }
    [[nodiscard]] timed_components join(seen_as view) override {
        auto const [ms, found] = timed(watch_, [&] { return graph_->run_components(seen(view)); });
        return {ms, found.count, graph_->on_host(found.components_in_space)};
    }
    [[nodiscard]] timed_cores decompose(seen_as view) override {
        auto const [ms, found] = timed(watch_, [&] { return graph_->run_k_core(seen(view)); });
        return {ms, found.largest, graph_->on_host(found.cores_in_space)};
    }
    [[nodiscard]] timed_paths find_paths(seen_as view, graph::vertex_id source, bool parents) override {
        auto const [ms, found] = timed(watch_, [&] {
            return graph_->run_shortest_paths({&source, 1}, parents, {}, seen(view));
        });
        timed_paths result{ms, found.report.reached, graph_->distances_on_host(found), {}};
        if (parents) result.parents = graph_->on_host(found.parents_in_space);
        return result;
    }

    [[nodiscard]] timed_run run(std::string const& algorithm,
                                runtime::algorithm_arguments const& given) override {
        auto [ms, found] = timed(watch_, [&] { return graph_->run(algorithm, given); });
        return {ms, std::move(found)};
    }
    [[nodiscard]] std::size_t keep_result(std::string const& algorithm,
                                          runtime::algorithm_arguments const& given,
                                          algorithms::maintenance way) override {
        return graph_->results().maintain(algorithm, given, way);
    }
    [[nodiscard]] timed_run update_result(std::size_t number) override {
        auto [ms, answer] = timed(watch_, [&] { return graph_->results().update(number); });
        return {ms, std::move(answer.found), answer.recomputed};
    }
    [[nodiscard]] std::vector<runtime::array_on_host>
    arrays_on_host(runtime::algorithm_result const& found) override {
        return graph_->on_host(found);
    }

private:
    [[nodiscard]] runtime::any_snapshot const& snapshot() const {
        if (!snapshot_) throw std::logic_error("no snapshot was taken");
        return *snapshot_;
    }
    /// What an algorithm is to read: nullptr stands for the live graph.
    [[nodiscard]] runtime::any_snapshot const* seen(seen_as view) const {
        return view == seen_as::live ? nullptr : &snapshot();
    }

    /// The time and the report of work that gives one.
    template <class Work>
    timed_batch measure(Work const& work) {
        auto [ms, report] = timed(watch_, work);
        return {ms, std::move(report)};
    }

    /// Of the last snapshot, or from elsewhere.
    [[nodiscard]] sparse_rows kept_rows() const {
        if (snapshot_) return rows_of(*snapshot_);
        if (offsets_.size() == 0) throw std::logic_error("no rows are kept");
        return {offsets_.data(), targets_.data(), offsets_.size() - 1, targets_.size()};
    }
    [[nodiscard]] static sparse_rows rows_of(runtime::any_snapshot const& copy) {
        runtime::rows_in_space const rows = copy.rows();
        return {rows.offsets, rows.targets, rows.vertices, rows.arcs};
    }
    void make_room(std::uint64_t count) {
        if (batch_.size() < count || count == 0) batch_.discard_and_resize(count);
        batch_count_ = count;
    }

    Space space_;
    exec::buffer<Space, graph::edge> batch_; ///< the first batch_count_ of it
    std::uint64_t batch_count_ = 0;
    exec::buffer<Space, double> weights_; ///< of the batch, if the graph has weights
    exec::stopwatch<Space> watch_;
    exec::buffer<Space, std::uint64_t> count_;
    exec::buffer<Space, std::uint64_t> offsets_; ///< rows from elsewhere
    exec::buffer<Space, graph::vertex_id> targets_;
    graph_subject_options options_;
    graph::page_requests pages_ = graph::page_requests::bulk_loads;
    std::unique_ptr<runtime::any_graph> graph_;
    std::unique_ptr<runtime::any_snapshot> snapshot_;
};

template <class Space>
std::unique_ptr<graph_subject> open_on(chosen_space const& where, graph_subject_options const& options) {
    return std::make_unique<graph_subject_on<Space>>(space_for<Space>(where), options);
}

} // namespace rhizome::bench

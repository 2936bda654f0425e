// The subject on a space, for a graph of the list.
#pragma once

#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/bench/graphs/graph_types.hpp>
#include <rhizome/bench/graphs/kernels.hpp>
#include <rhizome/bench/graphs/subject.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/graph/csr.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace rhizome::bench {

/// What depends neither on the layout nor on the allocator: compiled once a space.
template <class Space>
class graph_subject_base : public graph_subject {
public:
    explicit graph_subject_base(Space space)
        : space_(space), batch_(space), watch_(space), count_(space, 1), offsets_(space), targets_(space),
          pagerank_(space), triangles_(space) {}

    void set_batch(std::span<graph::edge const> edges) override {
        make_room(edges.size());
        if (!edges.empty()) space_.copy_in(batch_.data(), edges.data(), edges.size_bytes());
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
        watch_.start();
        snapshot_.emplace(copy_of_graph());
        watch_.stop();
        return watch_.elapsed_ms();
    }
    [[nodiscard]] host_rows snapshot_on_host() const override {
        return {snapshot().offsets.to_host(), snapshot().targets.to_host()};
    }
    void keep_rows(host_rows const& rows) override {
        snapshot_.reset();
        offsets_ = exec::buffer<Space, std::uint64_t>(space_, rows.offsets);
        targets_ = exec::buffer<Space, graph::vertex_id>(space_, rows.targets);
    }
    [[nodiscard]] std::uint64_t changes() override {
        graph::csr<Space> const copy = copy_of_graph();
        sparse_rows const now = rows_of(copy);
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

protected:
    [[nodiscard]] virtual graph::csr<Space> copy_of_graph() = 0;

    [[nodiscard]] graph::csr<Space> const& snapshot() const {
        if (!snapshot_) throw std::logic_error("no snapshot was taken");
        return *snapshot_;
    }

    /// The time and the report of work that gives one.
    template <class Work>
    timed_batch measure(Work const& work) {
        timed_batch result;
        watch_.start();
        result.report = work();
        watch_.stop();
        result.ms = watch_.elapsed_ms();
        return result;
    }
    template <class View>
    [[nodiscard]] timed_ranks rank_view(View const& view, unsigned iterations) {
        watch_.start();
        auto const found = pagerank_.run(view, {.tolerance = 0, .max_iterations = iterations});
        watch_.stop();
        return {watch_.elapsed_ms(), found.ranks_on_host()};
    }
    template <class View>
    [[nodiscard]] timed_triangles count_in(View const& view) {
        timed_triangles result;
        watch_.start();
        result.triangles = triangles_.count(view);
        watch_.stop();
        result.ms = watch_.elapsed_ms();
        return result;
    }

    /// Of the last snapshot, or from elsewhere.
    [[nodiscard]] sparse_rows kept_rows() const {
        if (snapshot_) return rows_of(*snapshot_);
        if (offsets_.size() == 0) throw std::logic_error("no rows are kept");
        return {offsets_.data(), targets_.data(), offsets_.size() - 1, targets_.size()};
    }

    Space space_;
    exec::buffer<Space, graph::edge> batch_; ///< the first batch_count_ of it
    std::uint64_t batch_count_ = 0;

private:
    [[nodiscard]] static sparse_rows rows_of(graph::csr<Space> const& copy) {
        return {copy.offsets.data(), copy.targets.data(), copy.offsets.size() - 1, copy.targets.size()};
    }
    void make_room(std::uint64_t count) {
        if (batch_.size() < count || count == 0) batch_.discard_and_resize(count);
        batch_count_ = count;
    }

    exec::stopwatch<Space> watch_;
    exec::buffer<Space, std::uint64_t> count_;
    std::optional<graph::csr<Space>> snapshot_;
    exec::buffer<Space, std::uint64_t> offsets_; ///< rows from elsewhere
    exec::buffer<Space, graph::vertex_id> targets_;
    algorithms::pagerank<float, Space> pagerank_;
    algorithms::triangle_counter<Space> triangles_;
};

template <class Space, class Layout, class Allocator>
class graph_subject_on final : public graph_subject_base<Space> {
    using graph_type = graph::dynamic_graph<Space, Layout, Allocator>;

public:
    graph_subject_on(Space space, graph_subject_options const& options)
        : graph_subject_base<Space>(space), vertices_(options.vertices), directed_(options.directed) {
        renew();
    }

    void renew() override {
        graph_.reset(); // first, so that two heaps never exist together
        graph_.emplace(this->space_, graph::graph_options{.vertices = vertices_, .directed = directed_});
    }
    timed_batch build() override {
        renew();
        return this->measure([this] { return build_from_edges(); });
    }
    timed_batch build_from_rows() override {
        renew();
        sparse_rows const rows = this->kept_rows();
        return this->measure([&] {
            return graph_->insert_rows_in_space(
                {rows.offsets, rows.targets, rows.vertices, rows.arcs, !directed_});
        });
    }
    timed_batch insert_batch() override {
        return this->measure(
            [this] { return graph_->insert_edges_in_space(this->batch_.data(), this->batch_count_); });
    }
    timed_batch erase_batch() override {
        return this->measure(
            [this] { return graph_->erase_edges_in_space(this->batch_.data(), this->batch_count_); });
    }

    [[nodiscard]] std::uint64_t edge_count() const override { return graph_->edge_count(); }
    [[nodiscard]] std::uint64_t arc_count() const override { return graph_->arc_count(); }
    [[nodiscard]] graph::memory_report memory() override { return graph_->memory(); }
    [[nodiscard]] std::vector<std::string> validate() override { return graph_->validate(); }

    [[nodiscard]] timed_ranks rank(seen_as view, unsigned iterations) override {
        return view == seen_as::live ? this->rank_view(graph_->view(), iterations)
                                     : this->rank_view(this->snapshot().view(), iterations);
    }
    [[nodiscard]] timed_triangles count_triangles(seen_as view) override {
        return view == seen_as::live ? this->count_in(graph_->view())
                                     : this->count_in(this->snapshot().view());
    }

private:
    [[nodiscard]] graph::csr<Space> copy_of_graph() override { return graph_->snapshot(); }

    /// From an edge list in the space to a graph: the one place that says how.
    graph::batch_report build_from_edges() {
        return graph_->insert_edges_in_space(this->batch_.data(), this->batch_count_);
    }

    std::uint64_t vertices_;
    bool directed_;
    std::optional<graph_type> graph_;
};

/// nullptr for a layout and an allocator that are not together in the list.
template <class Space>
[[nodiscard]] std::unique_ptr<graph_subject> open_graph(Space space, graph_subject_options const& options) {
    std::unique_ptr<graph_subject> opened;
    for_each_graph_type<Space>([&]<class Layout, class Allocator>(char const* layout, char const* allocator) {
        if (options.layout == layout && options.allocator == allocator)
            opened = std::make_unique<graph_subject_on<Space, Layout, Allocator>>(space, options);
    });
    return opened;
}

} // namespace rhizome::bench

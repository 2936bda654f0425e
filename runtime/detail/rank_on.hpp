// SPDX-License-Identifier: Apache-2.0
// A rank on one space, behind its interface.
#pragma once

#include <rhizome/algorithms/partitioned/bfs.hpp>
#include <rhizome/algorithms/partitioned/components.hpp>
#include <rhizome/algorithms/partitioned/pagerank.hpp>
#include <rhizome/algorithms/partitioned/triangles.hpp>
#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/partition/partitioned_graph.hpp>
#include <rhizome/runtime/detail/update_reducer.hpp>
#include <rhizome/runtime/ranks/any_rank.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace rhizome::runtime::detail {

template <class Space>
class part_on final : public any_part {
public:
    part_on(comm::communicator<Space>& self, graph_choice const& choice)
        : self_(self), graph_(self, owners_among(self.size()),
                              {.vertices = choice.vertices,
                               .directed = choice.directed,
                               .in_arcs = choice.in_arcs,
                               .self_loops = choice.self_loops,
                               .heap_bytes = choice.heap_bytes,
                               .pages = choice.pages,
                               .compacts = choice.compacts}) {}

    [[nodiscard]] bool directed() const override { return graph_.directed(); }
    [[nodiscard]] std::uint64_t vertex_count() const override { return graph_.vertex_count(); }
    [[nodiscard]] std::uint64_t edge_count() const override { return graph_.edge_count(); }
    [[nodiscard]] std::uint64_t arc_count() const override { return graph_.view().arc_count(); }

    graph::batch_report insert_edges(std::span<graph::edge const> share) override {
        return graph_.insert_edges(share);
    }
    graph::batch_report erase_edges(std::span<graph::edge const> share) override {
        return graph_.erase_edges(share);
    }
    graph::batch_report insert_edges_in_space(graph::edge const* share, std::uint64_t count) override {
        return graph_.insert_edges_in_space(share, count);
    }
    graph::batch_report erase_edges_in_space(graph::edge const* share, std::uint64_t count) override {
        return graph_.erase_edges_in_space(share, count);
    }
    std::unique_ptr<edges_in_space> copy_in(std::span<graph::edge const> share) override {
        return std::make_unique<copied>(self_.space(), share);
    }
    void add_vertices(std::uint64_t count) override { graph_.add_vertices(count); }
    [[nodiscard]] graph::arc_transport transport() const override { return graph_.transport(); }

    ranked_part pagerank(algorithms::pagerank_options const& options, rank_type type,
                         bool wants_values) override {
        return type == rank_type::float64 ? rank(pagerank64_, options, wants_values)
                                          : rank(pagerank32_, options, wants_values);
    }
    std::uint64_t count_triangles() override {
        if (!triangles_) triangles_.emplace(self_);
        return triangles_->count(graph_.view());
    }
    algorithms::bfs_report bfs(std::span<graph::vertex_id const> sources) override {
        if (!bfs_) bfs_.emplace(self_);
        auto const view = graph_.view();
        return bfs_->run(view, sources, per_row<std::uint32_t>(view.row_count()));
    }
    std::uint64_t count_components() override {
        if (!components_) components_.emplace(self_);
        auto const view = graph_.view();
        return components_->run(view, per_row<graph::vertex_id>(view.row_count()));
    }
    rows_of_rank rows_on_first(int from) override {
        std::optional<graph::csr<Space>> copy;
        auto const counts = graph::all_or_none(self_, 2, [&] {
            std::vector<std::uint64_t> mine(2);
            if (self_.rank() != from) return mine;
            copy.emplace(graph_.snapshot());
            mine = {copy->offsets.size(), copy->targets.size()};
            return mine;
        });
        auto const at = 2 * static_cast<std::size_t>(from);
        rows_of_rank rows;
        rows.offsets = on_first(from, copy ? copy->offsets.data() : nullptr, counts[at]);
        rows.targets = on_first(from, copy ? copy->targets.data() : nullptr, counts[at + 1]);
        return rows;
    }
    std::vector<std::string> validate() override { return graph_.validate(); }
    graph::memory_report memory_of_all() override { return graph_.memory_of_all(); }
    graph::compaction_report compact(std::uint64_t most_moved_bytes) override {
        return graph_.compact(most_moved_bytes);
    }

    [[nodiscard]] bool reduces_updates() const override {
        return !requires { Space::shares_host_memory; };
    }
    std::unique_ptr<any_staged_batch> stage_updates(std::span<graph::update const> updates) override {
        if (updates_ == nullptr) updates_ = std::make_unique<update_reducer<Space>>(self_.space());
        return updates_->stage(updates);
    }
    graph::net_edges net_effect(any_staged_batch const& updates) override {
        if (updates_ == nullptr)
            throw std::invalid_argument("not a batch of updates that this graph has staged");
        return updates_->reduce(updates, graph_.directed());
    }

    void release_scratch() override {
        graph_.release_scratch();
        pagerank32_.reset();
        pagerank64_.reset();
        triangles_.reset();
        bfs_.reset();
        components_.reset();
        per_row_.reset();
        if (updates_ != nullptr) updates_->release_scratch();
    }
    void synchronize() override { self_.space().synchronize(); }

private:
    struct copied final : edges_in_space {
        copied(Space const& space, std::span<graph::edge const> share) : edges(space, share) {}
        [[nodiscard]] graph::edge const* data() const override { return edges.data(); }
        exec::buffer<Space, graph::edge> edges;
    };

    template <class Real>
    ranked_part rank(std::optional<algorithms::partitioned_pagerank<Real, Space>>& runs,
                     algorithms::pagerank_options const& options, bool wants_values) {
        if (!runs) runs.emplace(self_);
        auto const found = runs->run(graph_.view(), options);
        ranked_part part{found.iterations, found.residual, found.converged, {}};
        if (!wants_values) return part;
        part.values.resize(self_.rank() == 0 ? graph_.vertex_count() : 0);
        auto const& owners = graph_.owners();
        for (int from = 0; from < self_.size(); ++from) {
            auto const owner = static_cast<std::uint32_t>(from);
            auto const values = on_first(from, found.ranks, owners.rows(owner, graph_.vertex_count()));
            for (std::size_t row = 0; row < values.size(); ++row) {
                // Some row numbers belong to larger ids than those in use.
                std::uint64_t const v = owners.global(owner, row);
                if (v < graph_.vertex_count()) part.values[v] = static_cast<double>(values[row]);
            }
        }
        return part;
    }

    /// Collective. The `count` elements that rank `from` has in its space, on rank 0; nothing on others.
    template <class T>
    std::vector<T> on_first(int from, T const* in_space, std::uint64_t count) {
        bool const is_first = self_.rank() == 0;
        std::vector<T> copy(is_first ? count : 0);
        if (from == 0) {
            if (is_first && count != 0) self_.space().copy_out(copy.data(), in_space, count * sizeof(T));
            return copy;
        }
        auto const ranks = static_cast<std::size_t>(self_.size());
        std::vector<std::uint64_t> sent(ranks);
        std::vector<std::uint64_t> received(ranks);
        if (self_.rank() == from) sent[0] = count;
        if (is_first) received[static_cast<std::size_t>(from)] = count;
        exec::buffer<Space, T> arrived(self_.space());
        static_cast<void>(graph::all_or_none(self_, 0, [&]() -> std::vector<std::uint64_t> {
            if (is_first) arrived.discard_and_resize(count);
            return {};
        }));
        self_.all_to_all(self_.rank() == from ? in_space : nullptr, sent, arrived.data(), received)
            .or_throw();
        self_.wait().or_throw();
        return is_first ? arrived.to_host() : std::move(copy);
    }

    /// Room for a result per row, which other results may take later. All ranks ask for it.
    template <class T>
    T* per_row(std::uint64_t rows) {
        T* place = nullptr;
        static_cast<void>(graph::all_or_none(self_, 0, [&]() -> std::vector<std::uint64_t> {
            if (!per_row_) per_row_.emplace(self_.space());
            place = per_row_->template at_least_of<T>(rows);
            return {};
        }));
        return place;
    }

    comm::communicator<Space>& self_;
    graph::partitioned_graph<Space, rank_owners> graph_;
    std::optional<algorithms::partitioned_pagerank<float, Space>> pagerank32_;
    std::optional<algorithms::partitioned_pagerank<double, Space>> pagerank64_;
    std::optional<algorithms::partitioned_triangles<Space>> triangles_;
    std::optional<algorithms::partitioned_bfs<Space>> bfs_;
    std::optional<algorithms::partitioned_components<Space>> components_;
    std::optional<exec::workspace<Space>> per_row_;
    std::unique_ptr<update_reducer<Space>> updates_; ///< once some were staged
};

template <class Space>
class rank_on final : public any_rank {
public:
    explicit rank_on(std::unique_ptr<comm::communicator<Space>> self) : self_(std::move(self)) {}

    [[nodiscard]] int rank() const override { return self_->rank(); }
    [[nodiscard]] int size() const override { return self_->size(); }
    [[nodiscard]] std::string space() const override { return std::string(Space::name); }
    [[nodiscard]] std::string device_name() const override { return self_->space().device_name(); }
    [[nodiscard]] std::string backend() const override { return std::string(self_->backend()); }
    [[nodiscard]] std::unique_ptr<any_part> open(graph_choice const& choice) override {
        return std::make_unique<part_on<Space>>(*self_, choice);
    }
    std::vector<std::uint64_t> gather_words(std::span<std::uint64_t const> mine) override {
        std::vector<std::uint64_t> all(mine.size() * static_cast<std::size_t>(size()));
        self_->gather_words(mine, all).or_throw();
        return all;
    }
    [[nodiscard]] bool has_failed() const override { return !self_->state().ok(); }
    void abort(std::string const& why) noexcept override { self_->abort(why); }

private:
    std::unique_ptr<comm::communicator<Space>> self_;
};

} // namespace rhizome::runtime::detail

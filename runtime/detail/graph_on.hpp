// SPDX-License-Identifier: Apache-2.0
// The graph of one space, layout and value type, whatever its allocator, behind its interface.
#pragma once

#include <rhizome/algorithms/sssp_options.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/runtime/any_graph.hpp>
#include <rhizome/runtime/detail/kept_results.hpp>
#include <rhizome/runtime/detail/snapshot_on.hpp>
#include <rhizome/runtime/detail/update_reducer.hpp>
#include <rhizome/runtime/detail/view_algorithms.hpp>

#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::runtime::detail {

[[nodiscard]] inline graph::graph_options options_of(graph_choice const& choice) {
    return {.vertices = choice.vertices,
            .directed = choice.directed,
            .in_arcs = choice.in_arcs,
            .self_loops = choice.self_loops,
            .refuses_unknown_ids = choice.refuses_unknown_ids,
            .heap_bytes = choice.heap_bytes,
            .pages = choice.pages,
            .compacts = choice.compacts};
}

/// `Value` is void, float, double, std::int32_t or std::int64_t. A generated file instantiates it once for
/// all allocators.
template <class Space, class Layout, class Value>
class graph_on final : public any_graph, private graph_queries, private graph_results {
    using graph_type = graph::basic_graph<graph::vertex_id, Space, Layout, Value>;
    using core_type = graph::core_interface<graph::vertex_id, Space, Layout, graph::stored_for<Value>>;
    using live_algorithms = view_algorithms<Space, typename graph_type::view_type>;
    using csr_algorithms = view_algorithms<Space, graph::csr_view>;
    using results_type = kept_results<Space, typename graph_type::view_type, Value>;
    static constexpr bool has_values = graph_type::has_values;

public:
    graph_on(std::unique_ptr<core_type> core, graph_names names)
        : names_(std::move(names)), graph_(std::move(core)) {}

    [[nodiscard]] graph_queries& queries() override { return *this; }
    [[nodiscard]] graph_results& results() override { return *this; }
    [[nodiscard]] graph_names const& names() const override { return names_; }
    [[nodiscard]] std::string device_name() const override {
        return const_cast<graph_on*>(this)->graph_.space().device_name();
    }
    [[nodiscard]] runtime::value_type value_type() const override { return value_type_for<Value>(); }
    [[nodiscard]] bool directed() const override { return graph_.directed(); }

    [[nodiscard]] std::uint64_t vertex_count() const override { return graph_.vertex_count(); }
    [[nodiscard]] std::uint64_t live_vertex_count() const override { return graph_.live_vertex_count(); }
    [[nodiscard]] std::uint64_t edge_count() const override { return graph_.edge_count(); }
    [[nodiscard]] std::uint64_t arc_count() const override { return graph_.arc_count(); }
    [[nodiscard]] std::uint64_t first_load_edges() const override { return graph_type::first_load_edges; }
    [[nodiscard]] bool builds_rows() const override { return graph_type::builds_rows; }

    void add_vertices(std::uint64_t count) override { graph_.add_vertices(count); }
    std::vector<graph::vertex_id> insert_vertices(std::uint64_t count) override {
        return graph_.insert_vertices(count);
    }
    graph::vertex_report erase_vertices(std::span<graph::vertex_id const> ids) override {
        return graph_.erase_vertices(ids, noted());
    }

    graph::batch_report insert_edges(batch_edges const& batch, values_view values) override {
        return std::visit(
            [&](auto const& edges) {
                if constexpr (has_values)
                    return graph_.insert_edges(edges, values.as<Value>(), noted());
                else
                    return expect_no_values(values), graph_.insert_edges(edges, noted());
            },
            batch);
    }
    graph::batch_report erase_edges(batch_edges const& batch) override {
        return std::visit([&](auto const& edges) { return graph_.erase_edges(edges, noted()); }, batch);
    }
    std::unique_ptr<any_staged_batch> stage(batch_edges const& batch, values_view values) override {
        return std::visit(
            [&](auto const& edges) {
                if constexpr (has_values) {
                    if (!values.empty())
                        return std::make_unique<staged>(graph_.stage(edges, values.as<Value>()));
                } else {
                    expect_no_values(values);
                }
                return std::make_unique<staged>(graph_.stage(edges));
            },
            batch);
    }
    graph::batch_report insert_edges(any_staged_batch const& edges) override {
        return graph_.insert_edges(batch_of(edges), noted());
    }
    graph::batch_report erase_edges(any_staged_batch const& edges) override {
        return graph_.erase_edges(batch_of(edges), noted());
    }

    [[nodiscard]] bool reduces_updates() const override {
        return !requires { Space::shares_host_memory; };
    }
    std::unique_ptr<any_staged_batch> stage_updates(std::span<graph::update const> updates) override {
        if (updates_ == nullptr) updates_ = std::make_unique<update_reducer<Space>>(graph_.space());
        return updates_->stage(updates);
    }
    graph::net_edges net_effect(any_staged_batch const& updates) override {
        if (updates_ == nullptr)
            throw std::invalid_argument("not a batch of updates that this graph has staged");
        return updates_->reduce(updates, graph_.directed());
    }

    graph::batch_report insert_edges_in_space(batch_edges const& batch, void const* values) override {
        return std::visit(
            [&](auto const& edges) {
                expect_values_in_space(values, edges.size());
                [[maybe_unused]] auto const* const own =
                    static_cast<typename graph_type::value_type const*>(values);
                if constexpr (!has_values)
                    return in_space(edges, [&](auto const&... all) {
                        return graph_.insert_edges_in_space(all..., noted());
                    });
                else if constexpr (requires { edges.data(); })
                    return graph_.insert_edges_in_space(edges.data(), own, edges.size(), noted());
                else
                    return graph_.insert_edges_in_space(edges, own, noted());
            },
            batch);
    }
    graph::batch_report erase_edges_in_space(batch_edges const& batch) override {
        return std::visit(
            [&](auto const& edges) {
                return in_space(
                    edges, [&](auto const&... all) { return graph_.erase_edges_in_space(all..., noted()); });
            },
            batch);
    }

    void begin_disjoint_changes() override {
        if (results_ != nullptr) results_->begin_disjoint();
    }
    void end_disjoint_changes() override {
        if (results_ != nullptr) results_->end_disjoint();
    }

    graph::batch_report insert_rows_in_space(rows_in_space const& rows) override {
        expect_values_in_space(rows.values, rows.arcs);
        graph::csr_view const view{rows.offsets, rows.targets, rows.vertices, rows.arcs, rows.symmetric};
        if constexpr (has_values)
            return graph_.insert_rows_in_space(view, static_cast<Value const*>(rows.values), noted());
        else
            return graph_.insert_rows_in_space(view, noted());
    }

    graph::batch_report insert_rows(rows_in_space const& rows) override {
        if constexpr (requires { Space::shares_host_memory; }) {
            return insert_rows_in_space(rows);
        } else {
            Space space = graph_.space();
            exec::buffer<Space, std::uint64_t> const offsets(space, {rows.offsets, rows.vertices + 1});
            exec::buffer<Space, graph::vertex_id> const targets(space, {rows.targets, rows.arcs});
            exec::buffer<Space, std::byte> values(space);
            rows_in_space copies = rows;
            copies.offsets = offsets.data();
            copies.targets = targets.data();
            if constexpr (has_values) {
                if (rows.values != nullptr) {
                    values.discard_and_resize(rows.arcs * sizeof(Value));
                    space.copy_in(values.data(), rows.values, values.size_bytes());
                    copies.values = values.data();
                }
            }
            return insert_rows_in_space(copies);
        }
    }

    [[nodiscard]] std::vector<std::uint8_t> has_edges(std::span<graph::edge const> edges) override {
        return graph_.has_edges(edges);
    }
    [[nodiscard]] std::vector<std::uint32_t> degrees(std::span<graph::vertex_id const> ids) override {
        return graph_.degrees(ids);
    }
    [[nodiscard]] neighbour_lists neighbours_of(std::span<graph::vertex_id const> ids) override {
        auto found = graph_.neighbours_of(ids);
        neighbour_lists lists{std::move(found.offsets), std::move(found.targets), {}};
        if constexpr (has_values) lists.values = std::move(found.values);
        return lists;
    }
    [[nodiscard]] found_values edge_values(std::span<graph::edge const> edges) override {
        if constexpr (has_values) {
            auto found = graph_.edge_values(edges);
            return {std::move(found.values), std::move(found.present)};
        } else {
            throw std::invalid_argument("edge_values: the edges of this graph have no values");
        }
    }
    void has_edges_in_space(graph::edge const* edges, std::uint64_t count, std::uint8_t* present) override {
        graph_.has_edges_in_space(edges, count, present);
    }
    void edge_values_in_space(graph::edge const* edges, std::uint64_t count, void* values,
                              std::uint8_t* present) override {
        if constexpr (has_values)
            graph_.edge_values_in_space(edges, count, static_cast<Value*>(values), present);
        else
            throw std::invalid_argument("edge_values: the edges of this graph have no values");
    }
    void degrees_in_space(graph::vertex_id const* ids, std::uint64_t count, std::uint32_t* degrees) override {
        graph_.degrees_in_space(ids, count, degrees);
    }
    [[nodiscard]] std::uint64_t neighbour_offsets_in_space(graph::vertex_id const* ids, std::uint64_t count,
                                                           std::uint64_t* offsets) override {
        return graph_.neighbour_offsets_in_space(ids, count, offsets);
    }
    void neighbours_in_space(graph::vertex_id const* ids, std::uint64_t count, std::uint64_t const* offsets,
                             std::uint64_t total, graph::vertex_id* targets, void* values) override {
        if constexpr (has_values) {
            if (values != nullptr)
                return graph_.neighbours_in_space(ids, count, offsets, total, targets,
                                                  static_cast<Value*>(values));
        } else if (values != nullptr) {
            throw std::invalid_argument("neighbours: the edges of this graph have no values");
        }
        graph_.neighbours_in_space(ids, count, offsets, total, targets);
    }

    [[nodiscard]] std::unique_ptr<any_snapshot> snapshot() override {
        return std::make_unique<snapshot_on<Space, Value>>(graph_.snapshot());
    }
    [[nodiscard]] std::vector<std::uint32_t> all_degrees() override {
        std::vector<std::uint64_t> const offsets = graph_.snapshot().offsets.to_host();
        std::vector<std::uint32_t> degrees(graph_.vertex_count());
        for (std::size_t v = 0; v < degrees.size(); ++v)
            degrees[v] = static_cast<std::uint32_t>(offsets[v + 1] - offsets[v]);
        return degrees;
    }
    [[nodiscard]] std::vector<graph::edge> all_edges() override {
        std::vector<graph::edge> edges;
        edges.reserve(graph_.edge_count());
        auto const copy = graph_.snapshot();
        for_each_edge(copy, [&](graph::edge edge, std::uint64_t) { edges.push_back(edge); });
        return edges;
    }
    [[nodiscard]] values all_values() override {
        if constexpr (has_values) {
            std::vector<Value> chosen;
            chosen.reserve(graph_.edge_count());
            auto const copy = graph_.snapshot();
            std::vector<Value> const all = copy.values.to_host();
            for_each_edge(copy, [&](graph::edge, std::uint64_t i) { chosen.push_back(all[i]); });
            return chosen;
        } else {
            return {};
        }
    }

    void copy_out(void* to, void const* in_space, std::uint64_t bytes) override {
        graph_.space().copy_out(to, in_space, bytes);
    }

    [[nodiscard]] std::vector<std::span<graph::vertex_id const>> row_places() override {
        return graph_.row_places();
    }
    [[nodiscard]] graph::memory_report memory() override { return graph_.memory(); }
    [[nodiscard]] std::vector<std::string> validate() override { return graph_.validate(); }
    void release_scratch() override {
        graph_.release_scratch();
        scratch_.reset();
        if (updates_ != nullptr) updates_->release_scratch();
    }
    [[nodiscard]] bool can_compact() const override { return graph_.can_compact(); }
    graph::compaction_report compact(std::uint64_t most_moved_bytes) override {
        return graph_.compact(most_moved_bytes);
    }
    void synchronize() override { graph_.space().synchronize(); }

private:
    algorithm_result run(std::size_t number, algorithm_arguments const& given,
                         any_snapshot const* snapshot) override {
        algorithm_info const& info = algorithms()[number];
        if constexpr (algorithms::edge_weight<Value>) {
            using csr_with_weights = graph::basic_csr_view<graph::vertex_id, Value>;
            if (info.needs_weights() && snapshot != nullptr) {
                auto const* const own = dynamic_cast<snapshot_on<Space, Value> const*>(snapshot);
                if (own == nullptr)
                    throw std::invalid_argument("a snapshot on another space, or with other values of edges");
                return view_algorithms<Space, csr_with_weights>::run(scratch(), own->weighted_view(), number,
                                                                     given);
            }
        } else if (info.needs_weights()) {
            throw std::invalid_argument(std::string(info.name) +
                                        ": the values of edges are of a type that is no weight");
        }
        if (snapshot != nullptr) return csr_algorithms::run(scratch(), view_of(*snapshot), number, given);
        return live_algorithms::run(scratch(), graph_.view(), number, given);
    }

    std::size_t maintain(std::string_view algorithm, algorithm_arguments given,
                         algorithms::maintenance way) override {
        std::size_t const number = checked_arguments(algorithm, given);
        if (results_ == nullptr) results_ = std::make_unique<results_type>(graph_.space());
        return results_->add(number, given, way);
    }
    maintained_answer update(std::size_t result) override {
        return existing_results().update(result, graph_.view());
    }
    void stop(std::size_t result) override { existing_results().stop(result); }
    [[nodiscard]] results_type& existing_results() {
        if (results_ == nullptr) throw std::out_of_range("no result of this graph is kept up to date");
        return *results_;
    }
    /// The lists to which a change of the graph appends its edges; nullptr if no result follows the graph.
    [[nodiscard]] typename graph_type::changes_type* noted() {
        return results_ == nullptr ? nullptr : results_->before_change(graph_.view());
    }

    struct staged final : any_staged_batch {
        explicit staged(graph::staged_batch given) : batch(std::move(given)) {}
        graph::staged_batch batch;
    };

    [[nodiscard]] static graph::staged_batch const& batch_of(any_staged_batch const& given) {
        auto const* const own = dynamic_cast<staged const*>(&given);
        if (own == nullptr) throw std::invalid_argument("a staged batch of another graph");
        return own->batch;
    }
    [[nodiscard]] static graph::csr_view view_of(any_snapshot const& given) {
        auto const* const own = dynamic_cast<viewed_snapshot<Space> const*>(&given);
        if (own == nullptr) throw std::invalid_argument("a snapshot on another space");
        return own->view();
    }
    static void expect_no_values(values_view const& given) {
        if (!given.empty()) throw std::invalid_argument("values for edges of a graph without values");
    }
    /// For `count` edges or arcs.
    static void expect_values_in_space(void const* given, std::uint64_t count) {
        if (count != 0 && has_values != (given != nullptr))
            throw std::invalid_argument(has_values ? "the edges of this graph need values"
                                                   : "values for edges of a graph without values");
    }

    /// Calls `change` with the edges as it takes them: a place and a number, or columns.
    template <class Edges, class Change>
    static graph::batch_report in_space(Edges const& edges, Change const& change) {
        if constexpr (requires { edges.data(); })
            return change(edges.data(), edges.size());
        else
            return change(edges);
    }

    /// function(edge, i) for all_edges() in their order; the edge is arc i of the snapshot.
    template <class Snapshot, class Function>
    void for_each_edge(Snapshot const& copy, Function&& function) const {
        std::vector<std::uint64_t> const offsets = copy.offsets.to_host();
        std::vector<graph::vertex_id> const targets = copy.targets.to_host();
        for (std::uint64_t v = 0; v < graph_.vertex_count(); ++v)
            for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i)
                if (graph_.directed() || v <= targets[i])
                    function(graph::edge{static_cast<graph::vertex_id>(v), targets[i]}, i);
    }

    [[nodiscard]] algorithm_scratch<Space>& scratch() {
        if (scratch_ == nullptr) scratch_ = make_scratch<Space>::on(graph_.space());
        return *scratch_;
    }

    graph_names names_;
    graph_type graph_;
    std::shared_ptr<algorithm_scratch<Space>> scratch_; ///< of algorithms, once one has run
    std::unique_ptr<update_reducer<Space>> updates_;    ///< once some were staged
    std::unique_ptr<results_type> results_;             ///< that follow the graph, once there was one
};

} // namespace rhizome::runtime::detail

// SPDX-License-Identifier: Apache-2.0
// Queries from host memory: copied into the space, answered there, copied back; tiny ones in one launch.
// Bodies of graph_core.hpp.
#pragma once

namespace rhizome::graph {

template <class Types>
std::vector<std::uint8_t> graph_core<Types>::has_edges(std::span<edge_type const> edges) {
    auto const caller = caller_.enter();
    std::vector<std::uint8_t> present(edges.size());
    if (edges.empty()) return present;
    if constexpr (takes_tiny_queries)
        if (edges.size() <= tuning::tiny_query) {
            detail::answer_tiny_presence(space_, early_words_, view(), edges.data(),
                                         static_cast<std::uint32_t>(edges.size()), present.data());
            return present;
        }
    auto* const asked = asked_.template at_least_of<edge_type>(edges.size());
    auto* const found = answers_.template at_least_of<std::uint8_t>(edges.size());
    space_.copy_in(asked, edges.data(), edges.size_bytes());
    has_edges_in_space(asked, edges.size(), found);
    space_.copy_out(present.data(), found, present.size());
    return present;
}

template <class Types>
std::vector<std::uint32_t> graph_core<Types>::degrees(std::span<id_type const> ids) {
    auto const caller = caller_.enter();
    std::vector<std::uint32_t> degrees(ids.size());
    if (ids.empty()) return degrees;
    if constexpr (takes_tiny_queries)
        if (ids.size() <= tuning::tiny_query) {
            detail::answer_tiny_degrees(space_, early_words_, view(), ids.data(),
                                        static_cast<std::uint32_t>(ids.size()), degrees.data());
            return degrees;
        }
    auto* const asked = asked_.template at_least_of<id_type>(ids.size());
    auto* const found = answers_.template at_least_of<std::uint32_t>(ids.size());
    space_.copy_in(asked, ids.data(), ids.size_bytes());
    degrees_in_space(asked, ids.size(), found);
    space_.copy_out(degrees.data(), found, degrees.size() * sizeof(degrees[0]));
    return degrees;
}

template <class Types>
void graph_core<Types>::neighbours_of(std::span<id_type const> ids, std::vector<std::uint64_t>& offsets,
                                      std::vector<id_type>& targets,
                                      std::function<value_type*(std::uint64_t)> const& values_for) {
    auto const caller = caller_.enter();
    offsets.assign(ids.size() + 1, 0);
    targets.clear();
    if (ids.empty()) return;
    auto* const asked_offsets = static_cast<std::uint64_t*>(
        asked_.at_least(offsets.size() * sizeof(std::uint64_t) + ids.size_bytes()));
    auto* const asked = reinterpret_cast<id_type*>(asked_offsets + offsets.size());
    space_.copy_in(asked, ids.data(), ids.size_bytes());
    std::uint64_t const total = neighbour_offsets_in_space(asked, ids.size(), asked_offsets);
    space_.copy_out(offsets.data(), asked_offsets, offsets.size() * sizeof(std::uint64_t));
    if (total == 0) return;
    auto* const found = answers_.template at_least_of<id_type>(total);
    targets.resize(total);
    value_type* const values = has_values ? values_for(total) : nullptr;
    value_type* const found_values =
        has_values ? values_found_.template at_least_of<value_type>(total) : nullptr;
    neighbours_in_space(asked, ids.size(), asked_offsets, total, found, found_values);
    if (has_values) space_.copy_out(values, found_values, total * sizeof(value_type));
    space_.copy_out(targets.data(), found, total * sizeof(id_type));
}

template <class Types>
memory_report graph_core<Types>::memory() {
    auto const caller = caller_.enter();
    integrity_.expect_whole();
    row_audit const rows_found = audit_all_rows();
    memory_report report;
    // The heap of a foreign allocator may hold more than it was asked to.
    report.heap_bytes = std::max(allocator_.heap_bytes(), rows_found.pages_bytes);
    report.adjacency_bytes = rows_found.paged_arcs * (sizeof(id_type) + format::value_bytes);
    report.inline_bytes = (rows_found.arcs - rows_found.paged_arcs) * sizeof(id_type);
    report.slack_bytes = rows_found.pages_bytes - report.adjacency_bytes;
    report.free_bytes = report.heap_bytes - rows_found.pages_bytes;
    report.vertex_table_bytes = table_.held_bytes() + ids_.held_bytes();
    report.allocator_table_bytes = allocator_.table_bytes();
    report.scratch_bytes = scratch_.held_bytes() + slots_.committed_bytes() + scoreboard_.held_bytes() +
                           stager_.held_bytes() + audit_.size_bytes() + moved_bytes_.size_bytes() +
                           asked_.held_bytes() + answers_.held_bytes() + values_found_.held_bytes();
    report.edges = edges_;
    if constexpr (compacts) {
        std::uint64_t const needed_bytes = rows_found.fitted_bytes +
                                           rows_found.fitted_bytes / tuning::compacted_spare_share +
                                           tuning::compacted_spare_bytes;
        report.compactable_bytes =
            report.heap_bytes - std::min(report.heap_bytes, std::max(needed_bytes, options_.heap_bytes));
    }
    return report;
}

template <class Types>
auto graph_core<Types>::snapshot() -> csr<space_type, stored_type, id_type> {
    auto const caller = caller_.enter();
    return graph::snapshot<stored_type>(space_, scratch_.primitives, view());
}

template <class Types>
void graph_core<Types>::edge_values(std::span<edge_type const> edges, value_type* values,
                                    std::uint8_t* present) {
    auto const caller = caller_.enter();
    if (edges.empty()) return;
    if constexpr (takes_tiny_queries && has_values)
        if (edges.size() <= detail::most_tiny_values<view_type>) {
            detail::answer_tiny_values(space_, early_words_, view(), edges.data(),
                                       static_cast<std::uint32_t>(edges.size()), values, present);
            return;
        }
    edge_type* const asked = asked_.template at_least_of<edge_type>(edges.size());
    auto* const found_present = answers_.template at_least_of<std::uint8_t>(edges.size());
    auto* const found_values = values_found_.template at_least_of<value_type>(edges.size());
    space_.copy_in(asked, edges.data(), edges.size_bytes());
    edge_values_in_space(asked, edges.size(), found_values, found_present);
    space_.copy_out(values, found_values, edges.size() * sizeof(value_type));
    space_.copy_out(present, found_present, edges.size());
}

template <class Types>
void graph_core<Types>::has_edges_in_space(edge_type const* edges, std::uint64_t count,
                                           std::uint8_t* present) {
    graph::has_edges(space_, view(), edges, count, present);
}

template <class Types>
void graph_core<Types>::degrees_in_space(id_type const* ids, std::uint64_t count, std::uint32_t* degrees) {
    graph::degrees_of(space_, view(), ids, count, degrees);
}

template <class Types>
std::uint64_t graph_core<Types>::neighbour_offsets_in_space(id_type const* ids, std::uint64_t count,
                                                            std::uint64_t* offsets) {
    auto const caller = caller_.enter();
    return graph::neighbour_offsets(space_, scratch_.primitives, view(), ids, count, offsets);
}

template <class Types>
void graph_core<Types>::neighbours_in_space(id_type const* ids, std::uint64_t count,
                                            std::uint64_t const* offsets, std::uint64_t total,
                                            id_type* targets, value_type* values) {
    if constexpr (has_values)
        if (values != nullptr)
            return graph::neighbours_of(space_, view(), ids, count, offsets, total, targets, values);
    graph::neighbours_of(space_, view(), ids, count, offsets, total, targets);
}

template <class Types>
void graph_core<Types>::edge_values_in_space(edge_type const* edges, std::uint64_t count, value_type* values,
                                             std::uint8_t* present) {
    if constexpr (has_values) graph::edge_values(space_, view(), edges, count, values, present);
}

template <class Types>
auto graph_core<Types>::row_places() -> std::vector<std::span<id_type const>> {
    auto const caller = caller_.enter();
    integrity_.expect_whole();
    std::vector<std::span<id_type const>> places;
    if constexpr (requires { layout_type::one_page_per_row; }) {
        std::vector<record_type> records(vertices_ * stride_);
        if (!records.empty()) space_.copy_out(records.data(), rows(), records.size() * sizeof(record_type));
        places.reserve(vertices_);
        for (std::uint64_t row = 0; row < records.size(); row += stride_)
            places.emplace_back(format::ids_of(rows() + row, records[row]), records[row].degree);
    }
    return places;
}

} // namespace rhizome::graph

// SPDX-License-Identifier: Apache-2.0
// Batches whose edges are two columns. Bodies of graph_core.hpp.
#pragma once

#include <variant>

namespace rhizome::graph {

/// Allocates scratch for the pairs of a batch and calls `fill`, which writes them. If memory is short, first
/// gives back the memory of queries and of places without a staged batch. Throws out_of_memory and
/// std::length_error; the graph is then unchanged.
template <class Types>
template <class Fill>
auto graph_core<Types>::place_pairs(std::uint64_t count, Fill const& fill) -> placed_type {
    if (count >= 0xffff'ffffull) throw std::length_error("a batch has at most 2^32 - 2 arcs");
    try {
        try {
            return fill(scratch_.edges(count));
        } catch (exec::out_of_memory const&) {
            if (!give_back_for_batch()) throw;
        }
        return fill(scratch_.edges(count));
    } catch (exec::out_of_memory const& error) {
        refuse(error, count);
    }
}

template <class Types>
template <class Column>
batch_report graph_core<Types>::apply_column_pairs_in_space(bool erasing, edge_columns<Column> const& columns,
                                                            value_type const* values) {
    integrity_.expect_whole();
    return apply_placed(erasing, place_pairs(columns.size(), [&](edge_type* pairs) -> placed_type {
                            batch::pair_in_space(space_, columns, pairs);
                            return {pairs, values, columns.size()};
                        }));
}

/// Reads the caller's memory until the batch has its report, or has failed and the space is idle.
template <class Types>
template <class Column>
batch_report graph_core<Types>::apply_column_pairs(bool erasing, edge_columns<Column> const& columns,
                                                   std::span<value_type const> values) {
    if constexpr (requires { space_type::shares_host_memory; }) {
        return apply_column_pairs_in_space(erasing, columns, values.empty() ? nullptr : values.data());
    } else {
        integrity_.expect_whole();
        try {
            return apply_placed(erasing, place_pairs(columns.size(), [&](edge_type* pairs) -> placed_type {
                                    value_type* const placed_values =
                                        values.empty() ? nullptr
                                                       : scratch_.template values<value_type>(values.size());
                                    batch::pair_from_host(space_, stager_.lane(), scratch_.columns, columns,
                                                          pairs, tuning::column_edges);
                                    stager_.lend(placed_values, values.data(), values.size_bytes());
                                    return {pairs, placed_values, columns.size()};
                                }));
        } catch (...) {
            space_.synchronize();
            throw;
        }
    }
}

template <class Types>
batch_report graph_core<Types>::apply_columns(bool erasing, column_batch const& batch,
                                              std::span<value_type const> values) {
    auto const caller = caller_.enter();
    return std::visit([&](auto const& columns) { return apply_column_pairs(erasing, columns, values); },
                      batch);
}
template <class Types>
batch_report graph_core<Types>::apply_columns_in_space(bool erasing, column_batch const& batch,
                                                       value_type const* values) {
    auto const caller = caller_.enter();
    return std::visit(
        [&](auto const& columns) { return apply_column_pairs_in_space(erasing, columns, values); }, batch);
}
template <class Types>
staged_batch graph_core<Types>::stage_columns(column_batch const& batch, std::span<value_type const> values) {
    return std::visit(
        [&](auto const& columns) {
            auto const write = [&columns](std::byte* to, std::uint64_t first, std::uint64_t bytes) {
                batch::pair_on_host(columns, first / sizeof(edge_type), bytes / sizeof(edge_type),
                                    reinterpret_cast<edge_type*>(to));
            };
            return stager_.stage_written(columns.size(), write, values);
        },
        batch);
}

} // namespace rhizome::graph

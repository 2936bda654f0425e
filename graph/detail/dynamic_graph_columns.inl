// Batches whose edges are two columns. Bodies of dynamic_graph.hpp.

namespace rhizome::graph {

/// Allocates scratch for the pairs of a batch and calls `fill`, which writes them. If memory is short, first
/// gives back the memory of queries and of places without a staged batch. Throws out_of_memory and
/// std::length_error; the graph is then unchanged.
template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
template <class Fill>
auto basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::place_pairs(std::uint64_t count,
                                                                               Fill const& fill)
    -> placed_type {
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

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
template <class Column>
batch_report basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::apply_columns_in_space(
    bool erasing, edge_columns<Column> const& columns, value_type const* values) {
    integrity_.expect_whole();
    return apply_placed(erasing, place_pairs(columns.size(), [&](edge_type* pairs) -> placed_type {
                            batch::pair_in_space(space_, columns, pairs);
                            return {pairs, values, columns.size()};
                        }));
}

/// Reads the caller's memory until the batch has its report, or has failed and the space is idle.
template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
template <class Column>
batch_report basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::apply_columns(
    bool erasing, edge_columns<Column> const& columns, std::span<value_type const> values) {
    if constexpr (requires { Space::shares_host_memory; }) {
        return apply_columns_in_space(erasing, columns, values.empty() ? nullptr : values.data());
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

/// The part of stage_columns() that does not depend on the type of the columns. `write` writes pairs.
template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
staged_batch basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::stage_written(
    std::uint64_t count, exec::part_writer const& write, std::span<value_type const> values) {
    return stager_.stage_written(count, write, values);
}

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
template <class Column>
staged_batch basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::stage_columns(
    edge_columns<Column> const& columns, std::span<value_type const> values) {
    auto const write = [&columns](std::byte* to, std::uint64_t first, std::uint64_t bytes) {
        batch::pair_on_host(columns, first / sizeof(edge_type), bytes / sizeof(edge_type),
                            reinterpret_cast<edge_type*>(to));
    };
    return stage_written(columns.size(), write, values);
}

} // namespace rhizome::graph

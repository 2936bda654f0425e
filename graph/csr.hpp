// A static copy of a graph: compressed sparse rows.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/format/row_types.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::graph {

/// Owns its arrays, in the memory of the space. offsets: vertices + 1 of them. targets: one per arc,
/// ascending within a row. values: one per arc, or none where edges have no value.
template <class Space, class EdgeValue = void, class Id = vertex_id>
struct csr {
    using id_type = Id;
    using value_type = typename row_types<Id, EdgeValue>::value_type;

    exec::buffer<Space, std::uint64_t> offsets;
    exec::buffer<Space, Id> targets;
    exec::buffer<Space, value_type> values;
    exec::buffer<Space, std::uint32_t> dead_bits; ///< one bit per vertex, or none where all are live
    std::uint64_t vertices;
    std::uint64_t dead_count;
    bool symmetric;

    /// A view of these arrays, with the values of the edges where they have any. Valid as long as this
    /// object.
    [[nodiscard]] basic_csr_view<Id, EdgeValue> view() const {
        basic_csr_view<Id> const rows(offsets.data(), targets.data(), vertices, targets.size(), symmetric,
                                      {dead_bits.data(), dead_count});
        if constexpr (std::is_void_v<EdgeValue>)
            return rows;
        else
            return {rows, values.data()};
    }
};

} // namespace rhizome::graph

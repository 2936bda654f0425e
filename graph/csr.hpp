// SPDX-License-Identifier: Apache-2.0
// A static copy of a graph: compressed sparse rows.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/format/row_types.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::graph {

/// A copy of a graph as compressed sparse rows, made by snapshot(). Independent of the graph. Owns its
/// arrays, which lie in the memory of the space.
template <class Space, class EdgeValue = void, class Id = vertex_id>
struct csr {
    using id_type = Id;
    using value_type = typename row_types<Id, EdgeValue>::value_type;

    exec::buffer<Space, std::uint64_t> offsets; ///< vertices + 1 of them
    exec::buffer<Space, Id> targets;            ///< one per arc, ascending within a row
    exec::buffer<Space, value_type> values;     ///< one per arc; empty if edges have no values
    /// Bit v % 32 of word v / 32 is 1 if vertex v is erased; empty if all vertices are live.
    exec::buffer<Space, std::uint32_t> dead_bits;
    std::uint64_t vertices;   ///< vertex ids are 0 to vertices - 1
    std::uint64_t dead_count; ///< how many of them are erased
    bool symmetric;           ///< every arc has its reverse

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

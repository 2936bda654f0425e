// A static copy of a graph: compressed sparse rows.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/layout/row_format.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::graph {

/// offsets: vertices + 1; targets: one an arc, ascending within a row; values: one an arc, or none where
/// edges have no value. In the memory of the space.
template <class Space, class EdgeValue = void>
struct csr {
    using value_type = typename row_format<vertex_id, EdgeValue>::value_type;

    exec::buffer<Space, std::uint64_t> offsets;
    exec::buffer<Space, vertex_id> targets;
    exec::buffer<Space, value_type> values;
    std::uint64_t vertices;
    bool symmetric;

    [[nodiscard]] csr_view view() const { return {offsets.data(), targets.data(), vertices, symmetric}; }
};

} // namespace rhizome::graph

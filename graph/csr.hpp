// A static copy of a graph: compressed sparse rows.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::graph {

/// offsets: vertices + 1; targets: one an arc, ascending within a row. In the memory of the space.
template <class Space>
struct csr {
    exec::buffer<Space, std::uint64_t> offsets;
    exec::buffer<Space, vertex_id> targets;
    std::uint64_t vertices;
    bool symmetric;

    [[nodiscard]] csr_view view() const { return {offsets.data(), targets.data(), vertices, symmetric}; }
};

} // namespace rhizome::graph

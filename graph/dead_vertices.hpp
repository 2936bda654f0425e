// SPDX-License-Identifier: Apache-2.0
// Which ids of the vertex table belong to erased vertices.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::graph {

/// One bit per vertex, in the memory of the space; nullptr where all vertices are live, so that no kernel
/// reads bits.
struct dead_vertices {
    std::uint32_t const* bits = nullptr;
    std::uint64_t count = 0;
};

[[nodiscard]] RZ_HD inline bool is_dead(std::uint32_t const* bits, std::uint64_t vertex) {
    return (bits[vertex / 32] >> (vertex % 32) & 1) != 0;
}

} // namespace rhizome::graph

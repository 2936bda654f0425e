// SPDX-License-Identifier: Apache-2.0
// The recursive matrix model: R-MAT graphs and the Kronecker graphs of Graph500 are drawn from it.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/exec/host/primitives.hpp>
#include <rhizome/exec/host/space.hpp>
#include <rhizome/io/generate/edge_blocks.hpp>
#include <rhizome/io/generate/quadrants.hpp>
#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/graph_file.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::io {

/// Draws one edge of the recursive matrix model with 2^scale vertices: for each bit of the ends, one quadrant
/// of the adjacency matrix (choose_quadrant).
/// Precondition: scale <= 32.
[[nodiscard]] inline drawn_ends draw_recursive_matrix_edge(random_source& random, unsigned scale) {
    drawn_ends ends;
    std::uint64_t bits = 0;
    for (unsigned level = 0; level < scale; ++level) {
        bits = level % 2 == 0 ? random.bits() : bits << 32;
        choose_quadrant(ends, static_cast<std::uint32_t>(bits >> 32));
    }
    return ends;
}

/// Draws edge_factor * 2^scale edges of the model, and drops self-loops and repeated edges. label(id) is the
/// id that a vertex gets, below 2^scale. Returns the edges in ascending order.
/// Precondition: scale and edge factor are in the limits of generate_rmat().
template <class Label>
[[nodiscard]] graph_file draw_recursive_matrix_graph(exec::host_space machine, unsigned scale,
                                                     unsigned edge_factor, std::uint64_t seed,
                                                     Label const& label) {
    std::uint64_t const drawn = std::uint64_t{edge_factor} << scale;
    exec::buffer<exec::host_space, std::uint64_t> keys(machine, drawn);
    exec::buffer<exec::host_space, std::uint64_t> alternate(machine, drawn);
    // Each block has a random source of its own, so the result does not depend on which thread draws it.
    exec::parallel_for(machine.team(), generator_blocks(drawn), [&](std::uint64_t block) {
        random_source random = random_source::stream(seed, block);
        std::uint64_t const end = std::min(drawn, (block + 1) * generator_block);
        for (std::uint64_t i = block * generator_block; i < end; ++i) {
            drawn_ends const ends = draw_recursive_matrix_edge(random, scale);
            keys.data()[i] = key_of_pair(label(ends.source), label(ends.target), scale);
        }
    });
    exec::workspace<exec::host_space> scratch(machine);
    std::uint64_t const* const sorted =
        sort_keys(machine, scratch, keys.data(), alternate.data(), drawn, 2 * scale);
    graph_file file;
    file.vertex_count = std::uint64_t{1} << scale;
    file.edges = simple_edges(machine.team(), sorted, drawn, scale);
    return file;
}

} // namespace rhizome::io

// SPDX-License-Identifier: Apache-2.0
// Edges made on several OS threads, in an order that does not depend on the number of threads.
#pragma once

#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/graph/types.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rhizome::io {

/// Returns the edges of the blocks 0 to `block_count` - 1, one block after the other. Calls
/// visit(block, emit) twice for each block, from any thread of the team: first to count its edges, then to
/// write them. visit() calls emit(edge) for each edge of the block, both times for the same edges in the same
/// order. Memory: the edges, and 8 bytes per block.
template <class Visit>
[[nodiscard]] std::vector<graph::edge> edges_of_blocks(exec::thread_team& team, std::uint64_t block_count,
                                                       Visit const& visit) {
    std::vector<std::uint64_t> starts(block_count + 1);
    exec::parallel_for(team, block_count, [&](std::uint64_t block) {
        std::uint64_t count = 0;
        visit(block, [&](graph::edge) { ++count; });
        starts[block + 1] = count;
    });
    for (std::uint64_t block = 0; block < block_count; ++block)
        starts[block + 1] += starts[block];
    std::vector<graph::edge> edges(starts[block_count]);
    exec::parallel_for(team, block_count, [&](std::uint64_t block) {
        graph::edge* next = edges.data() + starts[block];
        visit(block, [&](graph::edge edge) { *next++ = edge; });
    });
    return edges;
}

/// How many items a block has in the generators: few enough that blocks balance the work of the threads.
inline constexpr std::uint64_t generator_block = 1 << 16;

[[nodiscard]] constexpr std::uint64_t generator_blocks(std::uint64_t items) {
    return items / generator_block + (items % generator_block != 0 ? 1 : 0);
}

/// Returns the edge as a number: its smaller end is above the lowest `id_bits` bits, its larger end in them.
/// The order of these keys is the order of the edges. Precondition: ids are below 2^id_bits, id_bits <= 32.
[[nodiscard]] constexpr std::uint64_t key_of_pair(std::uint64_t u, std::uint64_t v, unsigned id_bits) {
    return std::min(u, v) << id_bits | std::max(u, v);
}

[[nodiscard]] constexpr graph::edge pair_of_key(std::uint64_t key, unsigned id_bits) {
    return {static_cast<graph::vertex_id>(key >> id_bits),
            static_cast<graph::vertex_id>(key & ((std::uint64_t{1} << id_bits) - 1))};
}

/// Returns the edges of ascending keys (key_of_pair), each once, without self-loops.
[[nodiscard]] inline std::vector<graph::edge> simple_edges(exec::thread_team& team, std::uint64_t const* keys,
                                                           std::uint64_t count, unsigned id_bits) {
    return edges_of_blocks(team, generator_blocks(count), [=](std::uint64_t block, auto const& emit) {
        std::uint64_t const end = std::min(count, (block + 1) * generator_block);
        for (std::uint64_t i = block * generator_block; i < end; ++i) {
            if (i != 0 && keys[i] == keys[i - 1]) continue;
            graph::edge const edge = pair_of_key(keys[i], id_bits);
            if (edge.source != edge.target) emit(edge);
        }
    });
}

} // namespace rhizome::io

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/exec/host/primitives.hpp>
#include <rhizome/exec/host/space.hpp>
#include <rhizome/exec/random.hpp>
#include <rhizome/exec/uint128.hpp>
#include <rhizome/io/generate/barabasi_albert.hpp>
#include <rhizome/io/generate/edge_blocks.hpp>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace rhizome::io {

std::uint64_t barabasi_albert_choice(std::uint64_t seed, std::uint64_t place) {
    // The numbers of splitmix64 in any order: its state at a place is known without those before.
    std::uint64_t const random = exec::scramble(exec::scramble(seed) + (place + 1) * 0x9e37'79b9'7f4a'7c15u);
    return static_cast<std::uint64_t>(exec::uint128{random} * place >> 64);
}

graph_file generate_barabasi_albert(std::uint64_t vertices, unsigned edges_per_vertex, std::uint64_t seed,
                                    unsigned threads) {
    if (vertices < 1 || vertices > largest_barabasi_albert)
        throw std::invalid_argument("barabasi-albert: the number of vertices must be from 1 to " +
                                    std::to_string(largest_barabasi_albert));
    if (edges_per_vertex < 1 || edges_per_vertex > largest_barabasi_albert_degree)
        throw std::invalid_argument("barabasi-albert: edges per vertex must be from 1 to " +
                                    std::to_string(largest_barabasi_albert_degree));
    exec::host_space machine({.threads = threads});
    std::uint64_t const drawn = vertices * edges_per_vertex;
    auto const id_bits = static_cast<unsigned>(std::bit_width(vertices - 1));
    exec::buffer<exec::host_space, std::uint64_t> keys(machine, drawn);
    exec::buffer<exec::host_space, std::uint64_t> alternate(machine, drawn);
    exec::parallel_for(machine.team(), generator_blocks(drawn), [&](std::uint64_t block) {
        std::uint64_t const end = std::min(drawn, (block + 1) * generator_block);
        for (std::uint64_t i = block * generator_block; i < end; ++i) {
            // In the list of all ends, edge i has the places 2 i (the vertex that draws it) and 2 i + 1.
            std::uint64_t place = 2 * i + 1;
            while (place % 2 == 1)
                place = barabasi_albert_choice(seed, place);
            keys.data()[i] = key_of_pair(i / edges_per_vertex, place / 2 / edges_per_vertex, id_bits);
        }
    });
    exec::workspace<exec::host_space> scratch(machine);
    std::uint64_t const* const sorted =
        sort_keys(machine, scratch, keys.data(), alternate.data(), drawn, 2 * id_bits);
    graph_file file;
    file.vertex_count = vertices;
    file.edges = simple_edges(machine.team(), sorted, drawn, id_bits);
    return file;
}

} // namespace rhizome::io

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/exec/host/primitives.hpp>
#include <rhizome/exec/host/space.hpp>
#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/generate/rmat.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace rhizome::io {
namespace {

// a, a + b and a + b + c, as parts of 2^32.
constexpr std::uint32_t first_quadrant = 2'448'131'359;
constexpr std::uint32_t two_quadrants = 3'264'175'145;
constexpr std::uint32_t three_quadrants = 4'080'218'931;

/// Draws one edge, as a key with the smaller end in the upper bits.
std::uint64_t draw_key(random_source& random, unsigned scale) {
    std::uint64_t source = 0;
    std::uint64_t target = 0;
    std::uint64_t bits = 0;
    for (unsigned level = 0; level < scale; ++level) {
        bits = level % 2 == 0 ? random.bits() : bits << 32;
        auto const place = static_cast<std::uint32_t>(bits >> 32);
        std::uint64_t const lower_half = place >= two_quadrants ? 1 : 0;
        std::uint64_t const right_half =
            (place >= first_quadrant ? 1 : 0) ^ lower_half ^ (place >= three_quadrants ? 1 : 0);
        source = source << 1 | lower_half;
        target = target << 1 | right_half;
    }
    if (source > target) std::swap(source, target);
    return source << scale | target;
}

void check(unsigned scale, unsigned edge_factor) {
    if (scale < 1 || scale > largest_rmat_scale)
        throw std::invalid_argument("rmat: scale must be from 1 to " + std::to_string(largest_rmat_scale));
    if (edge_factor < 1 || edge_factor > largest_rmat_edge_factor)
        throw std::invalid_argument("rmat: edge factor must be from 1 to " +
                                    std::to_string(largest_rmat_edge_factor));
}

} // namespace

graph_file generate_rmat(unsigned scale, unsigned edge_factor, std::uint64_t seed) {
    check(scale, edge_factor);
    exec::host_space machine;
    std::uint64_t const drawn = std::uint64_t{edge_factor} << scale;
    exec::buffer<exec::host_space, std::uint64_t> keys(machine, drawn);
    exec::buffer<exec::host_space, std::uint64_t> alternate(machine, drawn);
    // Each block has a random source of its own, so the result does not depend on which thread draws it.
    constexpr std::uint64_t block = 1 << 16;
    exec::parallel_for(machine.team(), (drawn + block - 1) / block, [&](std::uint64_t number) {
        random_source random = random_source::stream(seed, number);
        std::uint64_t const end = std::min(drawn, (number + 1) * block);
        for (std::uint64_t i = number * block; i < end; ++i)
            keys.data()[i] = draw_key(random, scale);
    });
    exec::workspace<exec::host_space> scratch(machine);
    std::uint64_t const* const sorted =
        sort_keys(machine, scratch, keys.data(), alternate.data(), drawn, 2 * scale);

    graph_file file;
    file.vertex_count = std::uint64_t{1} << scale;
    file.edges.reserve(drawn);
    std::uint64_t const low_bits = file.vertex_count - 1;
    for (std::uint64_t i = 0; i < drawn; ++i) {
        if (i != 0 && sorted[i] == sorted[i - 1]) continue;
        auto const source = static_cast<graph::vertex_id>(sorted[i] >> scale);
        auto const target = static_cast<graph::vertex_id>(sorted[i] & low_bits);
        if (source != target) file.edges.push_back({source, target});
    }
    return file;
}

} // namespace rhizome::io

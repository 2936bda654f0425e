// SPDX-License-Identifier: Apache-2.0
// Generated graphs in the place of published ones: like family, like degree, any size.
#pragma once

#include <rhizome/cli/datasets.hpp>
#include <rhizome/io/graph_file.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::cli {

/// A generator with all that it needs but seed and threads.
struct stand_in {
    stand_in_model model;
    unsigned scale = 0;                     ///< rgg, road, delaunay, kronecker: 2^scale vertices
    std::array<std::uint64_t, 3> extents{}; ///< grid: points
    std::uint64_t vertices = 0;             ///< the others
    std::uint64_t edges = 0;                ///< erdos-renyi

    /// The words of the call: "generate", "grid", "--extents", "10x10", ... without --output.
    [[nodiscard]] std::vector<std::string> words() const;
    /// "rhizome generate ... --output FILE"
    [[nodiscard]] std::string call(std::string const& file) const;
    [[nodiscard]] std::uint64_t vertex_count() const;
    /// The graph of the call. `threads`: OS threads, of generators that run on several; 0: one per core.
    /// Throws what the generators throw.
    [[nodiscard]] io::graph_file generate(std::uint64_t seed, unsigned threads = 0) const;
};

/// The stand-in of about that many vertices. Generators of 2^scale vertices take the nearest power of two, at
/// most 1.42 times more or less; grids lie within 5 % from 1000 vertices on; the others have exactly as many.
/// The mean degree is within 30 % of the graph's. It does not depend on the size, apart from rgg, whose
/// degree grows with the logarithm of the vertices, and kronecker, which drops more parallel edges if it is
/// small. Throws std::runtime_error for a model that names no generator. Precondition: vertices >= 16.
[[nodiscard]] stand_in stand_in_for(dataset const& graph, std::uint64_t vertices);

} // namespace rhizome::cli

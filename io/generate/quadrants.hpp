// SPDX-License-Identifier: Apache-2.0
// The quadrants of the recursive matrix model, for the host and for kernels.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::io {

/// The ends of an edge before loops and repeated edges are dropped.
struct drawn_ends {
    std::uint64_t source = 0;
    std::uint64_t target = 0;
};

/// Draws the next bit of both ends: one quadrant of the adjacency matrix, with probabilities a = 0.57, b = c
/// = 0.19, d = 0.05, rounded to 2^-32. `place`: a random number of 32 bits. An edge of a graph of 2^scale
/// vertices takes `scale` such steps.
RZ_HD constexpr void choose_quadrant(drawn_ends& ends, std::uint32_t place) {
    // a, a + b and a + b + c, as parts of 2^32.
    constexpr std::uint32_t first_quadrant = 2'448'131'359;
    constexpr std::uint32_t two_quadrants = 3'264'175'145;
    constexpr std::uint32_t three_quadrants = 4'080'218'931;
    std::uint64_t const lower_half = place >= two_quadrants ? 1 : 0;
    std::uint64_t const right_half =
        (place >= first_quadrant ? 1 : 0) ^ lower_half ^ (place >= three_quadrants ? 1 : 0);
    ends.source = ends.source << 1 | lower_half;
    ends.target = ends.target << 1 | right_half;
}

} // namespace rhizome::io

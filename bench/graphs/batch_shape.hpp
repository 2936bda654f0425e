// SPDX-License-Identifier: Apache-2.0
// Which edges a batch of a measurement has.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/random.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::bench {

/// `count` edges: sources uniform among `source_count` neighbouring vertices, targets among all vertices.
/// Each edge is a function of the seed, its place in the batch, and how often it was drawn before, so that
/// batches are the same in every space.
struct batch_shape {
    std::uint64_t count = 0;
    graph::vertex_id first_source = 0;
    std::uint32_t source_count = 1;
    std::uint64_t vertices = 1;
    std::uint64_t seed = 1; ///< another one: another batch

    /// How often an edge is drawn at most.
    static constexpr std::uint64_t tries = 64;

    [[nodiscard]] RZ_HD graph::edge draw(std::uint64_t place, std::uint64_t attempt) const {
        std::uint64_t const bits = mixed(mixed(seed) + place * tries + attempt);
        return {static_cast<graph::vertex_id>(first_source + ((bits >> 32) * source_count >> 32)),
                static_cast<graph::vertex_id>((bits & 0xffff'ffffu) * vertices >> 32)};
    }

    /// splitmix64's.
    [[nodiscard]] static RZ_HD constexpr std::uint64_t mixed(std::uint64_t bits) {
        return exec::scramble(bits + 0x9e37'79b9'7f4a'7c15u);
    }
};

} // namespace rhizome::bench

// SPDX-License-Identifier: Apache-2.0
// Edges of a generated graph, drawn where a rank's graph reads them.
#pragma once

#include <rhizome/bench/graphs/batch_shape.hpp>
#include <rhizome/bench/harness/subject.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/random.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/io/generate/quadrants.hpp>

#include <cstdint>
#include <memory>

namespace rhizome::bench {

/// Another order of the numbers below 2^bits: one to one. Without it, low ids would have the most neighbours.
/// Source: Graph500 also permutes ids by a function instead of a table.
struct scattered_ids {
    unsigned bits = 1; ///< 1 to 32
    std::uint64_t seed = 1;

    [[nodiscard]] RZ_HD constexpr std::uint64_t operator()(std::uint64_t id) const {
        std::uint64_t const mask = (std::uint64_t{1} << bits) - 1;
        for (std::uint64_t round = 0; round < 3; ++round) {
            // Each of the three steps can be undone.
            std::uint64_t const key = batch_shape::mixed(seed * 3 + round);
            id = (id + (key >> 32)) & mask;
            id = (id * (key | 1)) & mask;
            id ^= id >> (bits / 2 + 1);
        }
        return id;
    }
};

/// Edge i of a graph is a function of the scale, the seed and i, the same in every space and for every number
/// of ranks. So ranks draw any shares. These are not the edges of io::generate_rmat() for the same seed,
/// which draws 2^16 edges one after another from each stream of random numbers; the model and its
/// probabilities are the same.
struct generated_edges {
    unsigned scale = 1; ///< 2^scale vertices
    std::uint64_t seed = 1;

    [[nodiscard]] RZ_HD graph::edge draw(std::uint64_t i) const {
        exec::random_source random(seed, i);
        io::drawn_ends ends;
        for (unsigned level = 0; level < scale; ++level)
            io::choose_quadrant(ends, random.next_u32());
        scattered_ids const scattered{scale, seed};
        return {static_cast<graph::vertex_id>(scattered(ends.source)),
                static_cast<graph::vertex_id>(scattered(ends.target))};
    }
};

/// Draws edges into memory of a space on the rank's device. Calls wait; what they return is valid until the
/// next call.
class edge_source {
public:
    virtual ~edge_source() = default;
    /// Edges `first` to first + count - 1 of the graph.
    [[nodiscard]] virtual graph::edge const* of_graph(std::uint64_t first, std::uint64_t count) = 0;
    /// Edges `first` to first + count - 1 of a batch.
    [[nodiscard]] virtual graph::edge const* of_batch(batch_shape const& shape, std::uint64_t first,
                                                      std::uint64_t count) = 0;
};

struct edge_source_options {
    generated_edges edges{};
    std::uint64_t most_edges = 0; ///< of a call
    int device = 0;               ///< cuda
};

/// Defined in edge_source_on.hpp, and compiled per space. Throws exec::out_of_memory.
template <class Space>
std::unique_ptr<edge_source> open_on(chosen_space const& where, edge_source_options const& options);

} // namespace rhizome::bench

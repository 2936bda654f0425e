// SPDX-License-Identifier: Apache-2.0
// What tests hand to graphs.
#pragma once

#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <random>
#include <vector>

namespace rhizome::tests {

using edge_list = std::vector<graph::edge>;
using id_list = std::vector<graph::vertex_id>;

[[nodiscard]] inline edge_list random_edges(std::uint64_t count, std::uint64_t vertices, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    edge_list edges(count);
    for (graph::edge& edge : edges)
        edge = {static_cast<graph::vertex_id>(random() % vertices),
                static_cast<graph::vertex_id>(random() % vertices)};
    return edges;
}

} // namespace rhizome::tests

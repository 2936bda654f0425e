// SPDX-License-Identifier: Apache-2.0
// What tests of generators have in common.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhizome::testing {

/// Each edge once, source < target, sorted: what makes the undirected graph simple.
inline void expect_simple_and_sorted(io::graph_file const& file) {
    EXPECT_FALSE(file.directed);
    for (std::size_t i = 0; i < file.edges.size(); ++i) {
        ASSERT_LT(file.edges[i].source, file.edges[i].target) << i;
        ASSERT_LT(file.edges[i].target, file.vertex_count) << i;
        if (i != 0) {
            ASSERT_LT(file.edges[i - 1], file.edges[i]) << i;
        }
    }
}

inline std::vector<std::uint64_t> degrees_of(io::graph_file const& file) {
    std::vector<std::uint64_t> degrees(file.vertex_count);
    for (auto const edge : file.edges) {
        ++degrees[edge.source];
        ++degrees[edge.target];
    }
    return degrees;
}

/// The number of vertices that are connected to vertex 0, itself among them.
inline std::uint64_t reached_from_first(io::graph_file const& file) {
    std::vector<std::vector<graph::vertex_id>> rows(file.vertex_count);
    for (auto const edge : file.edges) {
        rows[edge.source].push_back(edge.target);
        rows[edge.target].push_back(edge.source);
    }
    std::vector<bool> seen(file.vertex_count);
    std::vector<graph::vertex_id> open{0};
    seen[0] = true;
    std::uint64_t reached = 0;
    for (; !open.empty(); ++reached) {
        graph::vertex_id const v = open.back();
        open.pop_back();
        for (graph::vertex_id const next : rows[v])
            if (!seen[next]) {
                seen[next] = true;
                open.push_back(next);
            }
    }
    return reached;
}

inline std::uint64_t hash_of(io::graph_file const& file) {
    std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (auto const edge : file.edges)
        for (std::uint64_t const word : {edge.source, edge.target})
            hash = (hash ^ word) * 0x100000001b3u;
    return hash;
}

} // namespace rhizome::testing

// SPDX-License-Identifier: Apache-2.0
// A stored graph in three parts, one of them without edges, written part by part.
#pragma once

#include <rhizome/graph/types.hpp>
#include <rhizome/io/store_parts.hpp>
#include <rhizome/io/store_writer.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::testing {

struct saved_parts {
    static constexpr std::uint64_t vertices = 7;
    static constexpr std::uint64_t save = 0x1234;
    /// In the order of the parts, whose vertices are those modulo 3. Vertex 2 and vertex 5 have none.
    std::vector<graph::edge> const edges{{0, 1}, {0, 6}, {3, 3}, {6, 5}, {1, 4}, {4, 0}};
    std::vector<std::uint64_t> const weights{10, 60, 33, 65, 14, 40};

    [[nodiscard]] static std::string path_of(std::string const& path, std::uint32_t part) {
        return io::part_path(path, part, save);
    }

    /// `erased`: vertices of the last part, without edges.
    void write(std::string const& path, std::vector<std::uint32_t> const& erased = {}) const {
        for (std::uint32_t part = 3; part-- > 0;) {
            std::vector<std::uint32_t> rows;
            for (std::uint32_t v = part; v < vertices; v += 3)
                rows.push_back(v);
            std::vector<std::uint64_t> ends{0};
            std::vector<std::uint32_t> targets;
            std::vector<std::uint64_t> values;
            for (std::uint32_t const v : rows) {
                for (std::size_t i = 0; i < edges.size(); ++i) {
                    if (edges[i].source != v) continue;
                    targets.push_back(edges[i].target);
                    values.push_back(weights[i]);
                }
                ends.push_back(targets.size());
            }
            std::vector<std::uint32_t> const gone = part == 2 ? erased : std::vector<std::uint32_t>();
            io::store_header const header{.directed = true,
                                          .vertices = vertices,
                                          .edges = targets.size(),
                                          .erased = gone.size(),
                                          .value_bytes = 8,
                                          .value_type = "uint64",
                                          .part = {.parts = 3,
                                                   .number = part,
                                                   .save = save,
                                                   .rows = rows.size(),
                                                   .all_edges = edges.size(),
                                                   .all_erased = erased.size()}};
            io::store_writer writer(path_of(path, part), header);
            writer.rows(rows);
            writer.erased(gone);
            writer.offsets(ends);
            writer.targets(targets);
            writer.values(std::span<std::uint64_t const>(values));
            writer.commit();
        }
    }
};

} // namespace rhizome::testing

// SPDX-License-Identifier: Apache-2.0
// The vertex of each row number of a rank.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/id_scatter.hpp>

#include <cstdint>

namespace rhizome::graph {

/// Gives the vertex id of a row number: first + step * number, which `scatter` then gathers if `scattered`.
/// Holds every way in which the library divides vertices among ranks (partition/owners.hpp) as data, so that
/// a graph is compiled once for all of them.
struct row_ids {
    std::uint64_t first = 0;
    std::uint64_t step = 1;
    bool scattered = false;
    id_scatter scatter{};

    [[nodiscard]] RZ_HD std::uint64_t operator()(std::uint64_t number) const {
        std::uint64_t const id = first + step * number;
        return scattered ? scatter.gather(id) : id;
    }
};

} // namespace rhizome::graph

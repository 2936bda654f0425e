// SPDX-License-Identifier: Apache-2.0
// The sizes of connected components.
#pragma once

#include <rhizome/cli/histogram.hpp>
#include <rhizome/graph/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rhizome::cli {

struct sized_component {
    graph::vertex_id first_vertex = 0; ///< the least id
    std::uint64_t vertices = 0;

    friend bool operator==(sized_component const&, sized_component const&) = default;
};

/// `components`: for each vertex the least id of its component, or no_vertex. By ascending first vertex.
[[nodiscard]] std::vector<sized_component> sizes_of(std::span<graph::vertex_id const> components);

/// The `count` largest, largest first; equally large ones by first vertex.
[[nodiscard]] std::vector<sized_component> largest_of(std::vector<sized_component> sizes, std::size_t count);

/// How many components have 1 vertex, 2 to 3, 4 to 7, ...; no bin without a component.
[[nodiscard]] std::vector<histogram_bin> size_bins(std::span<sized_component const> sizes);

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/generate/mesh.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rhizome::io {

graph_file generate_mesh(unsigned side) {
    if (side < 1 || side > largest_mesh_side)
        throw std::invalid_argument("mesh: side must be from 1 to " + std::to_string(largest_mesh_side));
    std::int64_t const k = side;
    graph_file file;
    file.vertex_count = static_cast<std::uint64_t>(k * k * k);
    std::int64_t const reach = 3 * k - 2;
    file.edges.reserve(static_cast<std::size_t>((reach * reach * reach - k * k * k) / 2));
    auto const inside = [&](std::int64_t coordinate) { return coordinate >= 0 && coordinate < k; };
    for (std::int64_t z = 0; z < k; ++z)
        for (std::int64_t y = 0; y < k; ++y)
            for (std::int64_t x = 0; x < k; ++x) {
                std::int64_t const source = (z * k + y) * k + x;
                // Each step is a row of three along x, so the higher neighbours come in ascending order.
                auto const link = [&](std::int64_t dz, std::int64_t dy, std::int64_t first_dx) {
                    if (!inside(z + dz) || !inside(y + dy)) return;
                    for (std::int64_t dx = first_dx; dx <= 1; ++dx)
                        if (inside(x + dx))
                            file.edges.push_back(
                                {static_cast<graph::vertex_id>(source),
                                 static_cast<graph::vertex_id>(source + (dz * k + dy) * k + dx)});
                };
                link(0, 0, 1);
                link(0, 1, -1);
                for (std::int64_t dy = -1; dy <= 1; ++dy)
                    link(1, dy, -1);
            }
    return file;
}

} // namespace rhizome::io

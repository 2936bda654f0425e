// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/generate/rgg.hpp>
#include <rhizome/io/generate/scale.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace rhizome::io {
namespace {

/// A grid of square cells that are at least as wide as the radius: neighbours are in the same cell or an
/// adjacent one.
class cell_grid {
public:
    explicit cell_grid(unsigned scale) {
        double const radius = std::sqrt(static_cast<double>(rgg_squared_radius(scale))) * 0x1p-31;
        // Rounded down, minus a little, so that rounding never makes a cell narrower than the radius.
        cells_per_side_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(0.999 / radius));
    }

    [[nodiscard]] std::uint64_t cells_per_side() const { return cells_per_side_; }
    [[nodiscard]] std::uint64_t cell_count() const { return cells_per_side_ * cells_per_side_; }
    [[nodiscard]] std::uint64_t cell_of(grid_point point) const {
        return along(point.y) * cells_per_side_ + along(point.x);
    }

private:
    [[nodiscard]] std::uint64_t along(std::uint32_t coordinate) const {
        return coordinate * cells_per_side_ >> coordinate_bits;
    }

    std::uint64_t cells_per_side_;
};

std::vector<std::size_t> cell_starts(cell_grid const& grid, std::vector<grid_point> const& points) {
    std::vector<std::size_t> starts(grid.cell_count() + 1, 0);
    for (grid_point const point : points)
        ++starts[grid.cell_of(point) + 1];
    for (std::size_t cell = 1; cell < starts.size(); ++cell)
        starts[cell] += starts[cell - 1];
    return starts;
}

bool adjacent(grid_point a, grid_point b, std::uint64_t squared_radius) {
    std::uint64_t const dx = a.x > b.x ? a.x - b.x : b.x - a.x;
    std::uint64_t const dy = a.y > b.y ? a.y - b.y : b.y - a.y;
    return dx * dx + dy * dy < squared_radius;
}

} // namespace

std::uint64_t rgg_squared_radius(unsigned scale) {
    constexpr double ln_2 = 0.693147180559945309417;
    // Only products, which every machine rounds in the same way.
    return static_cast<std::uint64_t>(0.55 * 0.55 * scale * ln_2 *
                                      std::ldexp(1.0, 62 - static_cast<int>(scale)));
}

std::vector<grid_point> rgg_points(unsigned scale, std::uint64_t seed) {
    check_scale("rgg", scale, largest_rgg_scale);
    random_source random(seed);
    std::vector<grid_point> drawn(std::size_t{1} << scale);
    for (grid_point& point : drawn) {
        std::uint64_t const bits = random.bits();
        point = {static_cast<std::uint32_t>(bits >> 33), static_cast<std::uint32_t>(bits << 31 >> 33)};
    }
    cell_grid const grid(scale);
    std::vector<std::size_t> next = cell_starts(grid, drawn);
    std::vector<grid_point> points(drawn.size());
    for (grid_point const point : drawn)
        points[next[grid.cell_of(point)]++] = point;
    return points;
}

graph_file generate_rgg(unsigned scale, std::uint64_t seed) {
    std::vector<grid_point> const points = rgg_points(scale, seed);
    cell_grid const grid(scale);
    std::vector<std::size_t> const starts = cell_starts(grid, points);
    std::uint64_t const squared_radius = rgg_squared_radius(scale);
    std::uint64_t const side = grid.cells_per_side();

    graph_file file;
    file.vertex_count = points.size();
    // Mean degree: n * pi * r^2, less at the border.
    file.edges.reserve(static_cast<std::size_t>(static_cast<double>(points.size()) * scale * 0.33) + 16);
    for (std::size_t u = 0; u < points.size(); ++u) {
        auto const link = [&](std::size_t first, std::size_t last) {
            for (std::size_t v = first; v < last; ++v)
                if (adjacent(points[u], points[v], squared_radius))
                    file.edges.push_back(
                        {static_cast<graph::vertex_id>(u), static_cast<graph::vertex_id>(v)});
        };
        std::uint64_t const cell = grid.cell_of(points[u]);
        std::uint64_t const column = cell % side;
        std::uint64_t const leftmost = cell - (column > 0 ? 1 : 0);
        std::uint64_t const rightmost = cell + (column + 1 < side ? 1 : 0);
        // Vertex ids ascend with the cells, so the higher neighbours in this row and the next one come in
        // ascending order.
        link(u + 1, starts[rightmost + 1]);
        if (cell + side < grid.cell_count()) link(starts[leftmost + side], starts[rightmost + side + 1]);
    }
    return file;
}

} // namespace rhizome::io

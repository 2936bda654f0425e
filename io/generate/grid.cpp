// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/host/space.hpp>
#include <rhizome/io/generate/edge_blocks.hpp>
#include <rhizome/io/generate/grid.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace rhizome::io {
namespace {

constexpr unsigned honeycomb = 4;

bool is_flat(unsigned stencil) { return stencil == honeycomb || stencil == 5 || stencil == 9; }
bool has_diagonals(unsigned stencil) { return stencil == 9 || stencil == 27; }

/// The coordinates along one axis that differ by at most 1 from a given one: ascending, each once.
class near_coordinates {
public:
    near_coordinates(std::uint64_t at, std::uint64_t extent, bool wraps) {
        // With an extent of 2, the vertex around the edge is the one beside.
        bool const goes_around = wraps && extent > 2;
        if (goes_around && at + 1 == extent) add(0);
        if (at > 0) add(at - 1);
        add(at);
        if (at + 1 < extent) add(at + 1);
        if (goes_around && at == 0) add(extent - 1);
    }
    [[nodiscard]] std::uint64_t const* begin() const { return all_; }
    [[nodiscard]] std::uint64_t const* end() const { return all_ + count_; }

private:
    void add(std::uint64_t coordinate) { all_[count_++] = coordinate; }

    std::uint64_t all_[3] = {};
    unsigned count_ = 0;
};

/// Whether a honeycomb has an edge between rows y and to_y, which are next to each other, at x.
bool joins_rows(grid_shape const& shape, std::uint64_t x, std::uint64_t y, std::uint64_t to_y) {
    std::uint64_t const height = shape.extents[1];
    bool const goes_up = to_y == y + 1 || (shape.wraps && height > 2 && y + 1 == height && to_y == 0);
    return (x + (goes_up ? y : to_y)) % 2 == 0;
}

/// Calls visit(point) for a point and for its neighbours with higher numbers, in ascending order: z is the
/// most significant coordinate of a number, x the least.
template <class Visit>
void visit_later_points(grid_shape const& shape, std::uint64_t point, Visit const& visit) {
    auto const [width, height, depth] = shape.extents;
    std::uint64_t const x = point % width;
    std::uint64_t const y = point / width % height;
    std::uint64_t const z = point / width / height;
    near_coordinates const near_x(x, width, shape.wraps);
    near_coordinates const near_y(y, height, shape.wraps);
    bool const diagonals = has_diagonals(shape.stencil);
    for (std::uint64_t const to_z : near_coordinates(z, depth, shape.wraps)) {
        if (to_z < z) continue;
        for (std::uint64_t const to_y : near_y) {
            if (!diagonals && to_z != z && to_y != y) continue;
            if (shape.stencil == honeycomb && to_y != y && !joins_rows(shape, x, y, to_y)) continue;
            std::uint64_t const row = (to_z * height + to_y) * width;
            bool const same_row = to_z == z && to_y == y;
            for (std::uint64_t const to_x : near_x) {
                if (!diagonals && !same_row && to_x != x) continue;
                if (row + to_x >= point) visit(row + to_x);
            }
        }
    }
}

/// Calls emit(edge) for the edges from a vertex to those with higher ids, in ascending order.
template <class Emit>
void link(grid_shape const& shape, std::uint64_t vertex, Emit const& emit) {
    std::uint64_t const per_point = shape.vertices_per_point;
    visit_later_points(shape, vertex / per_point, [&](std::uint64_t point) {
        for (std::uint64_t other = std::max(point * per_point, vertex + 1); other < (point + 1) * per_point;
             ++other)
            emit(graph::edge{static_cast<graph::vertex_id>(vertex), static_cast<graph::vertex_id>(other)});
    });
}

} // namespace

std::uint64_t grid_shape::vertex_count() const {
    if (!is_flat(stencil) && stencil != 7 && stencil != 27)
        throw std::invalid_argument("grid: the stencil must have 4, 5, 9, 7 or 27 points");
    if (is_flat(stencil) && extents[2] != 1)
        throw std::invalid_argument("grid: the stencil of " + std::to_string(stencil) +
                                    " points is for two dimensions, that of " + (stencil == 9 ? "27" : "7") +
                                    " for three");
    if (stencil == honeycomb && wraps && (extents[0] % 2 != 0 || extents[1] % 2 != 0))
        throw std::invalid_argument("grid: a honeycomb that wraps around has even extents");
    if (vertices_per_point < 1 || vertices_per_point > most_per_point)
        throw std::invalid_argument("grid: there can be 1 to " + std::to_string(most_per_point) +
                                    " vertices per point");
    std::uint64_t count = vertices_per_point;
    for (std::uint64_t const extent : extents) {
        if (extent == 0) throw std::invalid_argument("grid: an extent must be at least 1");
        if (extent > largest_grid / count)
            throw std::invalid_argument("grid: there can be at most " + std::to_string(largest_grid) +
                                        " vertices");
        count *= extent;
    }
    return count;
}

std::uint64_t grid_shape::most_edges() const {
    return (vertex_count() * (stencil * vertices_per_point - 1) + 1) / 2;
}

graph_file generate_grid(grid_shape const& shape, unsigned threads) {
    graph_file file;
    file.vertex_count = shape.vertex_count();
    exec::host_space machine({.threads = threads});
    file.edges = edges_of_blocks(
        machine.team(), generator_blocks(file.vertex_count), [&](std::uint64_t block, auto const& emit) {
            std::uint64_t const end = std::min(file.vertex_count, (block + 1) * generator_block);
            for (std::uint64_t vertex = block * generator_block; vertex < end; ++vertex)
                link(shape, vertex, emit);
        });
    return file;
}

} // namespace rhizome::io

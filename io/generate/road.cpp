// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/generate/road.hpp>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::io {
namespace {

constexpr std::uint64_t vertices_per_detour = 16;

/// The connected components so far (union-find).
class connected_sets {
public:
    explicit connected_sets(std::uint64_t count) : parents_(count) {
        std::iota(parents_.begin(), parents_.end(), graph::vertex_id{0});
    }

    /// Connects two crossings. Returns false if they were connected already.
    bool join(graph::vertex_id a, graph::vertex_id b) {
        a = root_of(a);
        b = root_of(b);
        // The lower id becomes the root. Trees stay flat enough because edges are joined in random order.
        parents_[std::max(a, b)] = std::min(a, b);
        return a != b;
    }

private:
    graph::vertex_id root_of(graph::vertex_id v) {
        while (parents_[v] != v)
            v = parents_[v] = parents_[parents_[v]];
        return v;
    }

    std::vector<graph::vertex_id> parents_;
};

/// An edge of the grid, from a vertex to the right or down.
struct grid_edge {
    std::uint32_t vertex_and_way; ///< vertex * 2 + (0: right, 1: down)

    [[nodiscard]] graph::vertex_id source() const { return vertex_and_way / 2; }
    [[nodiscard]] graph::vertex_id target(std::uint64_t columns) const {
        return static_cast<graph::vertex_id>(source() + (vertex_and_way % 2 == 0 ? 1 : columns));
    }
};

std::vector<grid_edge> shuffled_edges(std::uint64_t columns, std::uint64_t rows, random_source& random) {
    std::vector<grid_edge> edges;
    edges.reserve(2 * columns * rows);
    for (std::uint64_t v = 0; v < columns * rows; ++v) {
        if (v % columns + 1 < columns) edges.push_back({static_cast<std::uint32_t>(2 * v)});
        if (v / columns + 1 < rows) edges.push_back({static_cast<std::uint32_t>(2 * v + 1)});
    }
    for (std::uint64_t left = edges.size(); left > 1; --left)
        std::swap(edges[left - 1], edges[random.below(left)]);
    return edges;
}

} // namespace

graph_file generate_road(unsigned scale, std::uint64_t seed) {
    if (scale < 1 || scale > largest_road_scale)
        throw std::invalid_argument("road: scale must be from 1 to " + std::to_string(largest_road_scale));
    std::uint64_t const columns = std::uint64_t{1} << (scale + 1) / 2;
    std::uint64_t const rows = std::uint64_t{1} << scale / 2;
    random_source random(seed);
    std::vector<grid_edge> const edges = shuffled_edges(columns, rows, random);

    graph_file file;
    file.vertex_count = columns * rows;
    connected_sets sets(file.vertex_count);
    std::vector<bool> kept(2 * file.vertex_count);
    std::uint64_t detours_left = file.vertex_count / vertices_per_detour;
    for (grid_edge const each : edges)
        kept[each.vertex_and_way] = sets.join(each.source(), each.target(columns));
    // From the end of the list, where few edges are in the tree, so that the extra edges are spread evenly.
    for (auto each = edges.rbegin(); each != edges.rend() && detours_left != 0; ++each) {
        if (kept[each->vertex_and_way]) continue;
        kept[each->vertex_and_way] = true;
        --detours_left;
    }
    file.edges.reserve(file.vertex_count + file.vertex_count / vertices_per_detour);
    for (std::uint32_t place = 0; place < kept.size(); ++place)
        if (kept[place]) file.edges.push_back({grid_edge{place}.source(), grid_edge{place}.target(columns)});
    return file;
}

} // namespace rhizome::io

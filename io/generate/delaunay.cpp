// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/exec/host/primitives.hpp>
#include <rhizome/exec/host/space.hpp>
#include <rhizome/exec/uint128.hpp>
#include <rhizome/io/generate/delaunay.hpp>
#include <rhizome/io/generate/edge_blocks.hpp>
#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/generate/scale.hpp>

#include <boost/polygon/voronoi_builder.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

namespace rhizome::io {
namespace {

/// A point as a key: keys ascend along the rows of the grid, and in a row with x.
class point_keys {
public:
    explicit point_keys(unsigned scale) : row_bits_(scale / 2) {} // rows about as high as points are apart

    [[nodiscard]] exec::uint128 key_of(grid_point point) const {
        exec::uint128 const row = point.y >> (coordinate_bits - row_bits_);
        return (row << coordinate_bits | point.x) << coordinate_bits | point.y;
    }
    [[nodiscard]] static grid_point point_of(exec::uint128 key) {
        constexpr std::uint64_t mask = (std::uint64_t{1} << coordinate_bits) - 1;
        return {static_cast<std::uint32_t>(static_cast<std::uint64_t>(key >> coordinate_bits) & mask),
                static_cast<std::uint32_t>(static_cast<std::uint64_t>(key) & mask)};
    }
    [[nodiscard]] unsigned bits() const { return row_bits_ + 2 * coordinate_bits; }

private:
    unsigned row_bits_;
};

grid_point draw_point(random_source& random) {
    std::uint64_t const bits = random.bits();
    return {static_cast<std::uint32_t>(bits >> 33), static_cast<std::uint32_t>(bits << 31 >> 33)};
}

std::vector<grid_point> draw_points(exec::host_space machine, unsigned scale, std::uint64_t seed) {
    std::uint64_t const count = std::uint64_t{1} << scale;
    point_keys const order(scale);
    exec::buffer<exec::host_space, exec::uint128> keys(machine, count);
    exec::buffer<exec::host_space, exec::uint128> alternate(machine, count);
    exec::parallel_for(machine.team(), generator_blocks(count), [&](std::uint64_t block) {
        random_source random = random_source::stream(seed, block);
        std::uint64_t const end = std::min(count, (block + 1) * generator_block);
        for (std::uint64_t i = block * generator_block; i < end; ++i)
            keys.data()[i] = order.key_of(draw_point(random));
    });
    exec::workspace<exec::host_space> scratch(machine);
    exec::uint128* sorted = sort_keys(machine, scratch, keys.data(), alternate.data(), count, order.bits());
    // A point that is there already is drawn again. This is rare: 2^20 points have two equal ones in one of
    // 2^23 graphs.
    random_source random = random_source::stream(seed, ~std::uint64_t{0});
    for (exec::uint128* end = std::unique(sorted, sorted + count); end != sorted + count;
         end = std::unique(sorted, sorted + count)) {
        std::generate(end, sorted + count, [&] { return order.key_of(draw_point(random)); });
        std::sort(sorted, sorted + count);
    }
    std::vector<grid_point> points(count);
    std::transform(sorted, sorted + count, points.begin(), point_keys::point_of);
    return points;
}

/// Takes the place of a Voronoi diagram in Boost's builder: keeps which cells are adjacent, and nothing else.
/// The names are those that the builder calls.
class adjacent_cells {
public:
    adjacent_cells(std::span<std::uint64_t> keys, unsigned id_bits) : keys_(keys), id_bits_(id_bits) {}

    void _reserve(std::size_t) {}
    template <class Site>
    void _process_single_site(Site const&) {}
    template <class Site>
    std::pair<void*, void*> _insert_new_edge(Site const& one, Site const& other) {
        keys_[count_++] = key_of_pair(one.initial_index(), other.initial_index(), id_bits_);
        return {nullptr, nullptr};
    }
    template <class Site, class Circle>
    std::pair<void*, void*> _insert_new_edge(Site const& one, Site const& other, Circle const&, void*,
                                             void*) {
        return _insert_new_edge(one, other);
    }
    void _build() {}

    [[nodiscard]] std::uint64_t count() const { return count_; }

private:
    std::span<std::uint64_t> keys_;
    unsigned id_bits_;
    std::uint64_t count_ = 0;
};

} // namespace

std::vector<grid_point> delaunay_points(unsigned scale, std::uint64_t seed, unsigned threads) {
    check_scale("delaunay", scale, largest_delaunay_scale);
    return draw_points(exec::host_space({.threads = threads}), scale, seed);
}

graph_file generate_delaunay(unsigned scale, std::uint64_t seed, unsigned threads) {
    check_scale("delaunay", scale, largest_delaunay_scale);
    exec::host_space machine({.threads = threads});
    graph_file file;
    file.vertex_count = std::uint64_t{1} << scale;
    std::uint64_t const most_edges = 3 * file.vertex_count; // a planar graph has fewer
    exec::buffer<exec::host_space, std::uint64_t> keys(machine, most_edges);
    exec::buffer<exec::host_space, std::uint64_t> alternate(machine, most_edges);
    adjacent_cells cells({keys.data(), most_edges}, scale);
    {
        boost::polygon::default_voronoi_builder builder;
        for (grid_point const point : draw_points(machine, scale, seed))
            builder.insert_point(static_cast<std::int32_t>(point.x), static_cast<std::int32_t>(point.y));
        builder.construct(&cells);
    }
    exec::workspace<exec::host_space> scratch(machine);
    std::uint64_t const* const sorted =
        sort_keys(machine, scratch, keys.data(), alternate.data(), cells.count(), 2 * scale);
    file.edges = simple_edges(machine.team(), sorted, cells.count(), scale);
    return file;
}

} // namespace rhizome::io

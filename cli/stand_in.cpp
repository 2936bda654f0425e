// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/stand_in.hpp>
#include <rhizome/io/generate/barabasi_albert.hpp>
#include <rhizome/io/generate/delaunay.hpp>
#include <rhizome/io/generate/erdos_renyi.hpp>
#include <rhizome/io/generate/grid.hpp>
#include <rhizome/io/generate/kronecker.hpp>
#include <rhizome/io/generate/rgg.hpp>
#include <rhizome/io/generate/road.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rhizome::cli {
namespace {

constexpr unsigned largest_scale = 30; // of all generators that take one

bool takes_scale(std::string const& generator) {
    return generator == "rgg" || generator == "road" || generator == "delaunay" || generator == "kronecker";
}

bool is_flat(stand_in_model const& model) { return model.stencil != 7 && model.stencil != 27; }

std::uint64_t rounded(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

/// A square or a cube of about that many points. Extents are even, as a honeycomb that wraps around needs.
std::array<std::uint64_t, 3> extents_of(stand_in_model const& model, double points) {
    auto const extent = [](double length) { return std::max<std::uint64_t>(4, 2 * rounded(length / 2)); };
    if (is_flat(model)) {
        std::uint64_t const width = extent(std::sqrt(points));
        return {width, extent(points / static_cast<double>(width)), 1};
    }
    // The last extent makes up for what the others were rounded by.
    std::uint64_t const side = extent(std::cbrt(points));
    double const layer = static_cast<double>(side) * static_cast<double>(side);
    return {side, side, std::max<std::uint64_t>(3, rounded(points / layer))};
}

io::grid_shape shape_of(stand_in const& from) {
    return {.extents = from.extents,
            .stencil = from.model.stencil,
            .wraps = true,
            .vertices_per_point = from.model.per_point};
}

} // namespace

stand_in stand_in_for(dataset const& graph, std::uint64_t vertices) {
    stand_in result{.model = graph.stand_in};
    std::string const& generator = graph.stand_in.generator;
    auto const n = static_cast<double>(vertices);
    if (takes_scale(generator)) {
        result.scale = std::clamp(static_cast<unsigned>(rounded(std::log2(n))), 4u, largest_scale);
    } else if (generator == "grid") {
        result.extents = extents_of(graph.stand_in, n / graph.stand_in.per_point);
    } else if (generator == "barabasi-albert") {
        result.vertices = vertices;
    } else if (generator == "erdos-renyi") {
        result.vertices = vertices;
        result.edges = std::min(rounded(n * graph.mean_degree() / 2), io::vertex_pairs(vertices));
    } else {
        throw std::runtime_error(
            fmt::format("manifest: {}: there is no generator '{}' of stand-ins", graph.name, generator));
    }
    return result;
}

std::vector<std::string> stand_in::words() const {
    std::vector<std::string> words{"generate", model.generator};
    auto const add = [&](char const* option, std::string value) {
        words.emplace_back(option);
        words.push_back(std::move(value));
    };
    if (scale != 0) add("--scale", std::to_string(scale));
    if (model.edge_factor != 0) add("--edge-factor", std::to_string(model.edge_factor));
    if (model.generator == "grid") {
        add("--extents", is_flat(model) ? fmt::format("{}x{}", extents[0], extents[1])
                                        : fmt::format("{}", fmt::join(extents, "x")));
        add("--stencil", std::to_string(model.stencil));
        if (model.per_point != 1) add("--per-point", std::to_string(model.per_point));
        words.emplace_back("--wrap");
    }
    if (vertices != 0) add("--vertices", std::to_string(vertices));
    if (edges != 0) add("--edges", std::to_string(edges));
    if (model.degree != 0) add("--degree", std::to_string(model.degree));
    return words;
}

std::string stand_in::call(std::string const& file) const {
    return fmt::format("rhizome {} --output {}", fmt::join(words(), " "), file);
}

std::uint64_t stand_in::vertex_count() const {
    if (scale != 0) return std::uint64_t{1} << scale;
    return model.generator == "grid" ? shape_of(*this).vertex_count() : vertices;
}

io::graph_file stand_in::generate(std::uint64_t seed, unsigned threads) const {
    if (model.generator == "rgg") return io::generate_rgg(scale, seed);
    if (model.generator == "road") return io::generate_road(scale, seed);
    if (model.generator == "delaunay") return io::generate_delaunay(scale, seed, threads);
    if (model.generator == "kronecker")
        return io::generate_kronecker(scale, model.edge_factor, seed, threads);
    if (model.generator == "grid") return io::generate_grid(shape_of(*this), threads);
    if (model.generator == "erdos-renyi") return io::generate_gnm(vertices, edges, seed, threads);
    return io::generate_barabasi_albert(vertices, model.degree, seed, threads);
}

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
// rhizome generate rgg, rmat, mesh, road: graphs from nothing.
#include <rhizome/cli/generate_graph.hpp>
#include <rhizome/io/generate/mesh.hpp>
#include <rhizome/io/generate/rgg.hpp>
#include <rhizome/io/generate/rmat.hpp>
#include <rhizome/io/generate/road.hpp>

#include <cstdint>

namespace rhizome::cli {
namespace {

command_text rgg_text() {
    return {.name = "generate rgg",
            .words = "--scale K --output FILE",
            .summary = "writes a random geometric graph of the DIMACS10 family rgg_n_2_K",
            .details =
                "2^K points, uniform in the unit square; two are adjacent if their distance is below\n"
                "0.55 * sqrt(ln n / n). The same scale and seed give the same file on every machine.\n",
            .examples = "  rhizome generate rgg --scale 17 --seed 1 --output rgg17.graph",
            .options = {{"scale", "the graph has 2^K vertices; 1 to 30", "K"},
                        {"seed", "seed of the points", "S", "1"},
                        graph_output_option()},
            .opens_session = false};
}

command_text rmat_text() {
    return {
        .name = "generate rmat",
        .words = "--scale K --output FILE",
        .summary = "writes an R-MAT graph: few vertices with very many neighbours",
        .details =
            "F * 2^K edges of the recursive matrix model with a = .57, b = c = .19, d = .05, without\n"
            "self-loops and repeated edges; vertices keep the model's numbers, the low ones have the many\n"
            "neighbours. The same options give the same file on every machine.\n",
        .examples = "  rhizome generate rmat --scale 16 --edge-factor 16 --output rmat16.graph",
        .options = {{"scale", "the graph has 2^K vertices; 1 to 30", "K"},
                    {"edge-factor", "edges drawn for each vertex; 1 to 1024", "F", "16"},
                    {"seed", "seed of the edges", "S", "1"},
                    generator_threads_option(),
                    graph_output_option()},
        .opens_session = false};
}

command_text mesh_text() {
    return {
        .name = "generate mesh",
        .words = "--side K --output FILE",
        .summary = "writes a regular mesh in three dimensions",
        .details =
            "A cube of K * K * K vertices; each is adjacent to the up to 26 that differ from it by at most\n"
            "1 in every coordinate (the 27-point stencil). There is nothing random about it.\n",
        .examples = "  rhizome generate mesh --side 50 --output mesh50.graph",
        .options = {{"side", "vertices along each edge of the cube; 1 to 1024", "K"}, graph_output_option()},
        .opens_session = false};
}

command_text road_text() {
    return {
        .name = "generate road",
        .words = "--scale K --output FILE",
        .summary = "writes a graph like a road network: connected, about 2.1 neighbours a vertex",
        .details =
            "2^K crossings on a grid, numbered row by row; kept are a random spanning tree and one more of\n"
            "the grid's edges for every 16 vertices. The same scale and seed give the same file on every\n"
            "machine.\n",
        .examples = "  rhizome generate road --scale 17 --seed 1 --output road17.graph",
        .options = {{"scale", "the graph has 2^K vertices; 1 to 30", "K"},
                    {"seed", "seed of the roads", "S", "1"},
                    graph_output_option()},
        .opens_session = false};
}

std::uint64_t vertices_of(unsigned scale) { return std::uint64_t{1} << scale; }

void run_rgg(command_context& context) {
    auto const& args = context.args;
    demand_size_and_output(args, "scale");
    auto const scale = static_cast<unsigned>(args.count("scale", 1, io::largest_rgg_scale));
    std::uint64_t const seed = args.count("seed", 0);
    write_generated_graph(context, "generate rgg", {{"scale", scale}, {"seed", seed}},
                          vertices_of(scale) * (16 + scale * 21 / 8), // points twice, and edges
                          [&] { return io::generate_rgg(scale, seed); });
}

void run_rmat(command_context& context) {
    auto const& args = context.args;
    demand_size_and_output(args, "scale");
    auto const scale = static_cast<unsigned>(args.count("scale", 1, io::largest_rmat_scale));
    auto const factor = static_cast<unsigned>(args.count("edge-factor", 1, io::largest_rmat_edge_factor));
    std::uint64_t const seed = args.count("seed", 0);
    unsigned const threads = threads_of(args);
    write_generated_graph(
        context, "generate rmat", {{"scale", scale}, {"edge_factor", factor}, {"seed", seed}},
        vertices_of(scale) * factor * 24, [&] { return io::generate_rmat(scale, factor, seed, threads); });
}

void run_mesh(command_context& context) {
    auto const& args = context.args;
    demand_size_and_output(args, "side");
    auto const side = static_cast<unsigned>(args.count("side", 1, io::largest_mesh_side));
    std::uint64_t const reach = 3 * std::uint64_t{side} - 2;
    std::uint64_t const edges = (reach * reach * reach - std::uint64_t{side} * side * side) / 2;
    write_generated_graph(context, "generate mesh", {{"side", side}}, edges * sizeof(graph::edge),
                          [&] { return io::generate_mesh(side); });
}

void run_road(command_context& context) {
    auto const& args = context.args;
    demand_size_and_output(args, "scale");
    auto const scale = static_cast<unsigned>(args.count("scale", 1, io::largest_road_scale));
    std::uint64_t const seed = args.count("seed", 0);
    write_generated_graph(context, "generate road", {{"scale", scale}, {"seed", seed}},
                          vertices_of(scale) * 21, [&] { return io::generate_road(scale, seed); });
}

} // namespace

command const generate_rgg_command{rgg_text, run_rgg};
command const generate_rmat_command{rmat_text, run_rmat};
command const generate_mesh_command{mesh_text, run_mesh};
command const generate_road_command{road_text, run_road};

} // namespace rhizome::cli

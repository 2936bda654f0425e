// SPDX-License-Identifier: Apache-2.0
// rhizome generate delaunay: triangulations of random points.
#include <rhizome/cli/generate_graph.hpp>
#include <rhizome/io/generate/delaunay.hpp>

#include <cstdint>

namespace rhizome::cli {
namespace {

command_text delaunay_text() {
    return {
        .name = "generate delaunay",
        .words = "--scale K --output FILE",
        .summary = "writes the Delaunay triangulation of random points, as delaunay_nK of DIMACS10",
        .details =
            "2^K points, uniform in the unit square; two are adjacent if a circle through both has no\n"
            "other point inside. The graph is planar and connected, with nearly 6 neighbours per vertex.\n"
            "Vertices are numbered along the rows of a grid, so numbers of neighbours are close.\n"
            "The triangulation runs on one thread, whatever --threads says.\n",
        .examples = "  rhizome generate delaunay --scale 17 --output delaunay17.graph",
        .options = {{"scale", "the graph has 2^K vertices; 1 to 30", "K"},
                    {"seed", "seed of the points", "S", "1"},
                    generator_threads_option(),
                    graph_output_option()},
        .opens_session = false};
}

void run_delaunay(command_context& context) {
    auto const& args = context.args;
    demand_size_and_output(args, "scale");
    auto const scale = static_cast<unsigned>(args.count("scale", 1, io::largest_delaunay_scale));
    std::uint64_t const seed = args.count("seed", 0);
    unsigned const threads = threads_of(args);
    write_generated_graph(context, "generate delaunay", {{"scale", scale}, {"seed", seed}},
                          (std::uint64_t{1} << scale) * 100,
                          [&] { return io::generate_delaunay(scale, seed, threads); });
}

} // namespace

command const generate_delaunay_command{delaunay_text, run_delaunay};

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
// rhizome generate kronecker: the graphs of Graph500.
#include <rhizome/cli/generate_graph.hpp>
#include <rhizome/io/generate/kronecker.hpp>

#include <cstdint>

namespace rhizome::cli {
namespace {

command_text kronecker_text() {
    return {
        .name = "generate kronecker",
        .words = "--scale K --output FILE",
        .summary = "writes a Kronecker graph as Graph500 defines it",
        .details =
            "F * 2^K edges drawn with the initiator .57, .19, .19, .05, without self-loops and repeated\n"
            "edges. A permutation drawn from the seed gives the vertices their numbers, so a number says\n"
            "nothing about a degree. 'generate rmat' draws the same graph and keeps the model's numbers, of\n"
            "which the low ones have the many neighbours.\n"
            "The same options give the same file on every machine.\n",
        .examples = "  rhizome generate kronecker --scale 20 --output kronecker20.graph",
        .options = {{"scale", "the graph has 2^K vertices; 1 to 30", "K"},
                    {"edge-factor", "edges drawn for each vertex; 1 to 1024", "F", "16"},
                    {"seed", "seed of the edges and of the permutation", "S", "1"},
                    generator_threads_option(),
                    graph_output_option()},
        .opens_session = false};
}

void run_kronecker(command_context& context) {
    auto const& args = context.args;
    demand_size_and_output(args, "scale");
    auto const scale = static_cast<unsigned>(args.count("scale", 1, io::largest_kronecker_scale));
    auto const factor =
        static_cast<unsigned>(args.count("edge-factor", 1, io::largest_kronecker_edge_factor));
    std::uint64_t const seed = args.count("seed", 0);
    unsigned const threads = threads_of(args);
    std::uint64_t const vertices = std::uint64_t{1} << scale;
    // Per edge drawn: a key, its place in the sort, and the edge. Per vertex: its number.
    write_generated_graph(context, "generate kronecker",
                          {{"scale", scale}, {"edge_factor", factor}, {"seed", seed}},
                          vertices * factor * 24 + vertices * 4,
                          [&] { return io::generate_kronecker(scale, factor, seed, threads); });
}

} // namespace

command const generate_kronecker_command{kronecker_text, run_kronecker};

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
// rhizome generate barabasi-albert: preferential attachment.
#include <rhizome/cli/generate_graph.hpp>
#include <rhizome/io/generate/barabasi_albert.hpp>

#include <cstdint>

namespace rhizome::cli {
namespace {

command_text barabasi_albert_text() {
    return {
        .name = "generate barabasi-albert",
        .words = "--vertices N --output FILE",
        .summary = "writes a graph of preferential attachment: the share of degree k falls as k^-3",
        .details =
            "Vertex after vertex draws D edges to vertices before it, with probabilities proportional to\n"
            "the degrees so far (the model of Barabasi and Albert, as Batagelj and Brandes define it).\n"
            "Self-loops and repeated edges are left out. Low numbers have the most neighbours.\n"
            "The same options give the same file on every machine.\n",
        .examples = "  rhizome generate barabasi-albert --vertices 1000000 --degree 8 --output ba.graph",
        .options = {{"vertices", "vertices; 1 to 4294967295", "N"},
                    {"degree", "edges that each vertex draws; 1 to 1024", "D", "8"},
                    {"seed", "seed of the edges", "S", "1"},
                    generator_threads_option(),
                    graph_output_option()},
        .opens_session = false};
}

void run_barabasi_albert(command_context& context) {
    auto const& args = context.args;
    demand_size_and_output(args, "vertices");
    std::uint64_t const vertices = args.count("vertices", 1, io::largest_barabasi_albert);
    auto const degree = static_cast<unsigned>(args.count("degree", 1, io::largest_barabasi_albert_degree));
    std::uint64_t const seed = args.count("seed", 0);
    unsigned const threads = threads_of(args);
    // Per edge drawn: a key, its place in the sort, and the edge.
    write_generated_graph(context, "generate barabasi-albert", {{"degree", degree}, {"seed", seed}},
                          vertices * degree * 24,
                          [&] { return io::generate_barabasi_albert(vertices, degree, seed, threads); });
}

} // namespace

command const generate_barabasi_albert_command{barabasi_albert_text, run_barabasi_albert};

} // namespace rhizome::cli

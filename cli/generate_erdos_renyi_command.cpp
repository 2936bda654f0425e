// SPDX-License-Identifier: Apache-2.0
// rhizome generate erdos-renyi: uniformly random graphs.
#include <rhizome/cli/generate_graph.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/generate/erdos_renyi.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace rhizome::cli {
namespace {

command_text erdos_renyi_text() {
    return {
        .name = "generate erdos-renyi",
        .words = "--vertices N (--edges M | --probability P) --output FILE",
        .summary = "writes a uniformly random graph, G(n, m) or G(n, p)",
        .details =
            "With --edges, all graphs of N vertices and M edges are equally likely. With --probability,\n"
            "each pair of vertices is an edge with probability P. There are no self-loops and no parallel\n"
            "edges. The same options give the same file on every machine.\n",
        .examples =
            "  rhizome generate erdos-renyi --vertices 1000000 --edges 8000000 --output uniform.graph\n"
            "  rhizome generate erdos-renyi --vertices 1000000 --probability 1e-5 --output gnp.graph",
        .options = {{"vertices", "vertices; 1 to 4294967295", "N"},
                    {"edges", "edges; at most N * (N - 1) / 2", "M"},
                    {"probability", "of each pair to be an edge, in [0, 1]", "P"},
                    {"seed", "seed of the edges", "S", "1"},
                    generator_threads_option(),
                    graph_output_option()},
        .opens_session = false};
}

void run_erdos_renyi(command_context& context) {
    auto const& args = context.args;
    demand_size_and_output(args, "vertices");
    std::uint64_t const vertices = args.count("vertices", 1, io::largest_erdos_renyi);
    std::uint64_t const pairs = io::vertex_pairs(vertices);
    std::uint64_t const seed = args.count("seed", 0);
    unsigned const threads = threads_of(args);
    if (args.has("edges") == args.has("probability"))
        throw usage_error("one of --edges and --probability is needed");
    if (args.has("edges")) {
        std::uint64_t const edges = args.count("edges", 0, pairs);
        std::uint64_t const drawn = std::min(edges, pairs - edges);
        // Per edge 8 bytes; per pair drawn a key and its place in the sort.
        write_generated_graph(context, "generate erdos-renyi", {{"edges_asked", edges}, {"seed", seed}},
                              bytes_of(edges / 3 + drawn / 3 * 2, 24),
                              [&] { return io::generate_gnm(vertices, edges, seed, threads); });
    } else {
        double const probability = args.real("probability");
        if (!(probability >= 0 && probability <= 1))
            throw usage_error(fmt::format("--probability: found {}, expected a number in [0, 1]",
                                          io::quoted(args.text("probability"))));
        auto const expected = static_cast<std::uint64_t>(static_cast<double>(pairs) * probability);
        write_generated_graph(context, "generate erdos-renyi", {{"probability", probability}, {"seed", seed}},
                              bytes_of(expected, 8),
                              [&] { return io::generate_gnp(vertices, probability, seed, threads); });
    }
}

} // namespace

command const generate_erdos_renyi_command{erdos_renyi_text, run_erdos_renyi};

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/command.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/exec/stopwatch.hpp>

#include <fmt/format.h>

namespace rhizome::cli {
namespace {

command_text triangles_text() {
    return {.name = "triangles",
            .words = "FILE",
            .summary = "counts the triangles of a graph",
            .details =
                "Exact, of the underlying simple undirected graph: directions, self-loops and weights\n"
                "of edges do not count.\n",
            .examples = "  rhizome triangles social.graph.bz2\n  rhizome triangles social.graph --json",
            .options = {}};
}

void run_triangles(command_context& context) {
    std::string const path = context.args.words(1, 1)[0];
    graph_session graph = load_graph(context, path);
    std::uint64_t triangles = 0;
    double const ms = exec::measure_ms(*graph.session, [&] { triangles = graph.session->count_triangles(); });
    nlohmann::ordered_json document{{"command", "triangles"}, {"version", RHIZOME_VERSION}, {"file", path}};
    document["graph"] = to_json(graph);
    document["triangles"] = {{"count", triangles}, {"ms", ms}};
    report(context, document,
           head_text(context, graph, path) + fmt::format("triangles {} in {:.3f} ms\n", triangles, ms));
}

} // namespace

command const triangles_command{triangles_text, run_triangles};

} // namespace rhizome::cli

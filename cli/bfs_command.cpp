// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/command.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/histogram.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/search_sources.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/vertex_table.hpp>
#include <rhizome/exec/stopwatch.hpp>

#include <fmt/format.h>

namespace rhizome::cli {
namespace {

command_text bfs_text() {
    return {
        .name = "bfs",
        .words = "FILE --source V[,V...]",
        .summary = "searches a graph breadth-first from one or several vertices",
        .details =
            "The level of a vertex is the number of edges on a shortest path to it from a source; edges of\n"
            "directed graphs are followed in their direction. --source takes the names of vertices in the\n"
            "file, or their numbers, counted from 0, if the file only numbers them (in METIS files, "
            "vertices\n"
            "count from 1). Weights of edges play no part.\n"
            "--output writes one line per vertex that was reached: its name, its level, and its parent, the\n"
            "vertex before it on such a path (of a source the source itself); compressed where the name\n"
            "ends in .gz, .bz2, .zst or .xz.\n"
            "edges/s counts the edges between vertices that were reached, undirected ones once, as Graph500\n"
            "does. Levels that were searched bottom-up looked at fewer of them.\n",
        .examples = "  rhizome bfs road.graph --source 0\n"
                    "  rhizome bfs web.graph --source 7,1000 --output levels.txt.gz",
        .options = {source_option(), {"output", "write levels and parents; -: to standard output", "FILE"}}};
}

void write_levels(io::packed_file& file, std::vector<std::uint32_t> const& levels,
                  std::vector<graph::vertex_id> const& parents, graph_session const& graph) {
    write_vertices(
        file, graph, "level parent", levels.size(),
        [&](std::size_t v) { return levels[v] != algorithms::unreached; },
        [&](io::text_writer& writer, std::size_t v) {
            writer.put_number(levels[v]);
            writer.put(' ');
            writer.put(name_word_of(graph, parents[v]));
        });
}

void run_bfs(command_context& context) {
    std::string const path = context.args.words(1, 1)[0];
    context.args.demand("source");
    auto const words = source_words(context.args);
    auto const output = output_of(context);
    graph_session graph = load_graph(context, path);
    auto const sources = find_sources(words, graph, path);

    runtime::any_graph& session = *graph.session;
    runtime::bfs_run run;
    double const ms = exec::measure_ms(session, [&] { run = session.run_bfs(sources, output != nullptr); });
    auto const levels = session.on_host(run.levels_in_space);
    if (output) write_levels(*output, levels, session.on_host(run.parents_in_space), graph);

    constexpr std::size_t most_bins = 20;
    auto const bins = even_bins(counts_of(levels, algorithms::unreached), most_bins);
    double const rate = edges_per_second(graph, run.report.arcs, ms);
    nlohmann::ordered_json document{{"command", "bfs"}, {"version", RHIZOME_VERSION}, {"file", path}};
    document["graph"] = to_json(graph);
    document["bfs"] = {{"sources", sources_json(sources, graph)},
                       {"reached", run.report.reached},
                       {"levels", run.report.levels},
                       {"bottom_up_levels", run.report.bottom_up},
                       {"arcs", run.report.arcs},
                       {"ms", ms},
                       {"edges_per_second", rate},
                       {"histogram", to_json(bins, "vertices")}};
    report(context, document,
           head_text(context, graph, path) +
               fmt::format("bfs       {}: {} of {} reached, {} ({} bottom-up)\n"
                           "          {:.3f} ms, {:.3g} edges/s\n{}",
                           sources_text(sources, graph), run.report.reached,
                           counted(session.vertex_count(), "vertex", "vertices"),
                           counted(run.report.levels, "level", "levels"), run.report.bottom_up, ms, rate,
                           bars_text(bins, "level", "vertices", 10)));
}

} // namespace

command const bfs_command{bfs_text, run_bfs};

} // namespace rhizome::cli

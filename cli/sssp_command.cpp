// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/command.hpp>
#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/search_sources.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/cli/vertex_table.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/stored_numbers.hpp>

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace rhizome::cli {
namespace {

command_text sssp_text() {
    return {
        .name = "sssp",
        .words = "FILE --source V[,V...]",
        .summary = "finds shortest paths by the weights of the edges of a graph",
        .details =
            "The distance of a vertex is the least sum of weights along a path to it from a source; edges "
            "of\n"
            "directed graphs are followed in their direction. No weight may be negative. --source takes\n"
            "vertices as 'rhizome bfs' does: by name in the file, or by number, counted from 0.\n"
            "--output writes one line per vertex that was reached: its name, its distance, and its parent,\n"
            "the vertex before it on such a path (of a source the source itself); compressed where the name\n"
            "ends in .gz, .bz2, .zst or .xz.\n"
            "--delta is the width of the ranges of distances that are searched one after another; distances\n"
            "do not depend on it. edges/s counts the edges between vertices that were reached, undirected\n"
            "ones once.\n",
        .examples = "  rhizome sssp USA-road-d.NY.gr.gz --source 0\n"
                    "  rhizome sssp weighted.graph --source 7 --output distances.txt --space host",
        .options = {source_option(),
                    {"delta", "width of the ranges of distances; 0: chosen by the weights", "X", "0"},
                    parallel_option(),
                    {"output", "write distances and parents; -: to standard output", "FILE"}}};
}

void write_distances(io::packed_file& file, std::vector<double> const& distances,
                     std::vector<graph::vertex_id> const& parents, graph_session const& graph) {
    write_vertices(
        file, graph, "distance parent", distances.size(),
        [&](std::size_t v) { return std::isfinite(distances[v]); },
        [&](io::text_writer& writer, std::size_t v) {
            writer.put_number(distances[v]);
            writer.put(' ');
            writer.put(name_word_of(graph, parents[v]));
        });
}

/// The arcs that leave vertices with a distance.
std::uint64_t arcs_from(std::vector<double> const& distances, runtime::any_graph& session) {
    std::vector<graph::vertex_id> reached;
    for (std::size_t v = 0; v < distances.size(); ++v)
        if (std::isfinite(distances[v])) reached.push_back(static_cast<graph::vertex_id>(v));
    std::uint64_t arcs = 0;
    for (std::uint32_t const degree : session.degrees(reached))
        arcs += degree;
    return arcs;
}

algorithms::shortest_paths_options sssp_options(arguments const& args) {
    algorithms::shortest_paths_options const options{.delta = args.real("delta")};
    try {
        options.check();
    } catch (std::invalid_argument const& error) {
        throw usage_error(fmt::format("--delta: {}", error.what()));
    }
    return options;
}

void run_sssp(command_context& context) {
    std::string const path = context.args.words(1, 1)[0];
    context.args.demand("source");
    auto const words = source_words(context.args);
    auto const options = sssp_options(context.args);
    auto const output = output_of(context);
    graph_session graph = load_graph(context, path, edge_weights::keep_those_there);
    if (!keeps_weights(graph.options))
        throw io::file_error(path, "has no weights of edges; 'rhizome bfs' finds paths of fewest edges");
    auto const sources = find_sources(words, graph, path);

    runtime::any_graph& session = *graph.session;
    runtime::shortest_paths_run run;
    double const ms = exec::measure_ms(
        session, [&] { run = session.run_shortest_paths(sources, output != nullptr, options); });
    auto const distances = session.distances_on_host(run);
    if (output) write_distances(*output, distances, session.on_host(run.parents_in_space), graph);

    double const largest = largest_distance(distances);
    if (largest > static_cast<double>(io::largest_exact_number))
        context.add_notice("distances beyond 2^53 are rounded: they are numbers of type double");
    double const rate = edges_per_second(graph, arcs_from(distances, session), ms);
    nlohmann::ordered_json document{{"command", "sssp"}, {"version", RHIZOME_VERSION}, {"file", path}};
    document["graph"] = to_json(graph);
    document["sssp"] = {{"sources", sources_json(sources, graph)},
                        {"reached", run.report.reached},
                        {"largest_distance", largest},
                        {"delta", run.report.delta},
                        {"rounds", run.report.rounds},
                        {"ms", ms},
                        {"edges_per_second", rate}};
    report(context, document,
           head_text(context, graph, path) +
               fmt::format("sssp      {}: {} of {} reached, the farthest at distance {}\n"
                           "          {:.3f} ms, {:.3g} edges/s; delta {:.4g}, {}\n",
                           sources_text(sources, graph), run.report.reached,
                           counted(session.vertex_count(), "vertex", "vertices"), largest, ms, rate,
                           run.report.delta, counted(run.report.rounds, "round", "rounds")));
}

} // namespace

command const sssp_command{sssp_text, run_sssp};

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/command.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/histogram.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/vertex_table.hpp>
#include <rhizome/exec/stopwatch.hpp>

#include <fmt/format.h>

#include <limits>

namespace rhizome::cli {
namespace {

command_text kcore_text() {
    return {
        .name = "kcore",
        .words = "FILE",
        .summary = "finds the core numbers of the vertices of a graph",
        .details =
            "The k-core of a graph is its largest part in which every vertex has at least k neighbours.\n"
            "The core number of a vertex is the largest k whose k-core contains it. Directions, self-loops\n"
            "and weights of edges do not count. --output writes one line per vertex: its name in the file,\n"
            "or its number, counted from 0 (in METIS files, vertices count from 1), and its core number;\n"
            "compressed where the name ends in .gz, .bz2, .zst or .xz.\n",
        .examples = "  rhizome kcore social.graph\n  rhizome kcore social.graph --output cores.txt --json",
        .options = {{"output", "write the core number of each vertex; -: to standard output", "FILE"}}};
}

void write_cores(io::packed_file& file, std::vector<std::uint32_t> const& cores, graph_session const& graph) {
    write_vertices(
        file, graph, "core-number", cores.size(), [](std::size_t) { return true; },
        [&](io::text_writer& writer, std::size_t v) { writer.put_number(cores[v]); });
}

void run_kcore(command_context& context) {
    std::string const path = context.args.words(1, 1)[0];
    auto const output = output_of(context);
    graph_session graph = load_graph(context, path);

    runtime::any_graph& session = *graph.session;
    runtime::k_core_run run;
    double const ms = exec::measure_ms(session, [&] { run = session.run_k_core(); });
    auto const cores = session.on_host(run.cores_in_space);
    if (output) write_cores(*output, cores, graph);

    constexpr std::size_t most_bins = 20;
    auto const counts = counts_of(cores, std::numeric_limits<std::uint32_t>::max());
    auto const bins = even_bins(counts, most_bins);
    std::uint64_t const in_largest = counts.empty() ? 0 : counts.back();
    double const rate = ms <= 0 ? 0 : static_cast<double>(session.edge_count()) / (ms * 1e-3);
    nlohmann::ordered_json document{{"command", "kcore"}, {"version", RHIZOME_VERSION}, {"file", path}};
    document["graph"] = to_json(graph);
    document["kcore"] = {{"largest", run.report.largest},
                         {"vertices_in_largest", in_largest},
                         {"ms", ms},
                         {"edges_per_second", rate},
                         {"histogram", to_json(bins, "vertices")}};
    report(context, document,
           head_text(context, graph, path) + fmt::format("k-cores   the largest core number is {}, of {}\n"
                                                         "          {:.3f} ms, {:.3g} edges/s\n{}",
                                                         run.report.largest,
                                                         counted(in_largest, "vertex", "vertices"), ms, rate,
                                                         bars_text(bins, "core number", "vertices", 10)));
}

} // namespace

command const kcore_command{kcore_text, run_kcore};

} // namespace rhizome::cli

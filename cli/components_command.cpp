// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/command.hpp>
#include <rhizome/cli/component_sizes.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/histogram.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/vertex_table.hpp>
#include <rhizome/exec/stopwatch.hpp>

#include <fmt/format.h>

namespace rhizome::cli {
namespace {

command_text components_text() {
    return {
        .name = "components",
        .words = "FILE",
        .summary = "finds the connected components of a graph",
        .details =
            "Of a directed graph the weakly connected components: directions do not matter, nor do weights\n"
            "of edges. A component is named by its first vertex, the one with the least number. --output\n"
            "writes one line per vertex: its name in the file, or its number, counted from 0 (in METIS\n"
            "files, vertices count from 1), and the first vertex of its component; compressed where the "
            "name\n"
            "ends in .gz, .bz2, .zst or .xz. The sizes that follow count components by their vertices.\n",
        .examples = "  rhizome components road.graph\n"
                    "  rhizome components web.graph --top 3 --output components.txt",
        .options = {{"top", "print the K largest components", "K", "10"},
                    {"output", "write the component of each vertex; -: to standard output", "FILE"}}};
}

void write_components(io::packed_file& file, std::vector<graph::vertex_id> const& components,
                      graph_session const& graph) {
    write_vertices(
        file, graph, "component", components.size(),
        [&](std::size_t v) { return components[v] != graph::no_vertex; },
        [&](io::text_writer& writer, std::size_t v) { writer.put(name_word_of(graph, components[v])); });
}

nlohmann::ordered_json largest_json(std::vector<sized_component> const& largest, graph_session const& graph) {
    auto list = nlohmann::ordered_json::array();
    for (sized_component const& each : largest) {
        list.push_back({{"first_vertex", each.first_vertex}, {"vertices", each.vertices}});
        if (!graph.names.empty()) list.back()["name"] = name_of(graph, each.first_vertex);
    }
    return list;
}

std::string largest_text(std::vector<sized_component> const& largest, graph_session const& graph) {
    if (largest.empty()) return "";
    std::string text = fmt::format("{:>12}  {:>12}\n", "first vertex", "vertices");
    for (sized_component const& each : largest)
        text += fmt::format("{:>12}  {:>12}\n", shown_name_of(graph, each.first_vertex), each.vertices);
    return text;
}

void run_components(command_context& context) {
    std::string const path = context.args.words(1, 1)[0];
    std::size_t const top = context.args.count("top", 1);
    auto const output = output_of(context);
    graph_session graph = load_graph(context, path);

    runtime::any_graph& session = *graph.session;
    runtime::components_run run;
    double const ms = exec::measure_ms(session, [&] { run = session.run_components(); });
    auto const components = session.on_host(run.components_in_space);
    if (output) write_components(*output, components, graph);

    auto const sizes = sizes_of(components);
    auto const largest = largest_of(sizes, top);
    auto const bins = size_bins(sizes);
    double const rate = ms <= 0 ? 0 : static_cast<double>(session.edge_count()) / (ms * 1e-3);
    nlohmann::ordered_json document{{"command", "components"}, {"version", RHIZOME_VERSION}, {"file", path}};
    document["graph"] = to_json(graph);
    document["components"] = {{"count", run.count},
                              {"ms", ms},
                              {"edges_per_second", rate},
                              {"largest", largest_json(largest, graph)},
                              {"sizes", to_json(bins, "components")}};
    report(context, document,
           head_text(context, graph, path) + fmt::format("{} in {:.3f} ms, {:.3g} edges/s\n{}{}",
                                                         counted(run.count, "component", "components"), ms,
                                                         rate, largest_text(largest, graph),
                                                         bars_text(bins, "size", "components", 10)));
}

} // namespace

command const components_command{components_text, run_components};

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/command.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/graph_statistics.hpp>
#include <rhizome/cli/histogram.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/runtime/components.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace rhizome::cli {
namespace {

command_text info_text() {
    return {
        .name = "info",
        .words = "[FILE]",
        .summary = "what a graph file holds and the memory it takes; without FILE: what runs here",
        .details =
            "Loads the graph, without weights, and prints its size, what its file is like (directed, "
            "sorted,\n"
            "self-loops, duplicate edges, reverses of arcs), degrees with a histogram, and where its memory\n"
            "is. A degree is the number of neighbours in the graph, which keeps one of equal edges; in a\n"
            "directed graph it counts outgoing arcs. The median and p99 are the least degrees that 50% and\n"
            "99% of the vertices do not exceed. A vertex is isolated if no edge begins or ends there.\n"
            "Without FILE: the version, the spaces usable on this machine (and why others are not),\n"
            "allocators and layouts.\n",
        .examples = "  rhizome info\n  rhizome info road.graph.gz --space host --json",
        .options = {}};
}

/// Why the space cannot be used on this machine; "" where it can.
std::string unusable_because(std::string const& space) {
    return space == "cuda" ? runtime::cuda_unusable_because() : std::string();
}

void print_machine(command_context& context) {
    (void)context.args.session(); // wrong names are wrong here too
    std::vector<runtime::named_choice> all_spaces = runtime::spaces();
    bool const has_cuda = std::any_of(all_spaces.begin(), all_spaces.end(),
                                      [](auto const& each) { return each.name == "cuda"; });
    if (!has_cuda) all_spaces.insert(all_spaces.begin(), {"cuda", "CUDA kernels on a GPU"});
    if (context.json()) {
        nlohmann::ordered_json document{{"command", "info"}, {"version", RHIZOME_VERSION}};
        for (runtime::named_choice const& each : all_spaces) {
            std::string const reason = unusable_because(each.name);
            nlohmann::ordered_json entry{
                {"name", each.name}, {"summary", each.summary}, {"usable", reason.empty()}};
            if (!reason.empty()) entry["reason"] = reason;
            document["spaces"].push_back(entry);
        }
        auto const list = [&](char const* key, std::vector<runtime::named_choice> const& choices) {
            for (auto const& each : choices)
                document[key].push_back({{"name", each.name}, {"summary", each.summary}});
        };
        list("allocators", runtime::allocators());
        list("layouts", runtime::layouts());
        for (runtime::component const& each : runtime::components())
            document["components"].push_back(
                {{"name", each.name}, {"summary", each.summary}, {"built", each.built}});
        context.out.print(json_text(document));
        return;
    }
    context.out.print("rhizome " RHIZOME_VERSION "\n\nspaces\n");
    std::vector<std::pair<std::string, std::string>> rows;
    for (runtime::named_choice const& each : all_spaces) {
        std::string const reason = unusable_because(each.name);
        rows.emplace_back(each.name, fmt::format("{} [{}]", each.summary,
                                                 reason.empty() ? "usable" : "not usable: " + reason));
    }
    context.out.print(two_columns(rows));
    auto const list = [&](char const* title, std::vector<runtime::named_choice> const& choices) {
        rows.clear();
        for (auto const& each : choices)
            rows.emplace_back(each.name, each.summary);
        context.out.print(fmt::format("{} (the first is the default)\n{}", title, two_columns(rows)));
    };
    list("allocators", runtime::allocators());
    list("layouts", runtime::layouts());
    rows.clear();
    for (runtime::component const& each : runtime::components())
        rows.emplace_back(each.name, each.summary + (each.built ? "" : " [not in this build]"));
    context.out.print(fmt::format("components beyond the core\n{}", two_columns(rows)));
}

nlohmann::ordered_json to_json(degree_statistics const& degrees, edge_statistics const& edges) {
    return {{"min", degrees.lowest},
            {"median", degrees.median},
            {"mean", degrees.mean},
            {"p99", degrees.percentile_99},
            {"max", degrees.highest},
            {"isolated", edges.isolated},
            {"histogram", to_json(doubling_bins(degrees.histogram), "vertices")}};
}

nlohmann::ordered_json to_json(edge_statistics const& edges) {
    nlohmann::ordered_json symmetric = nullptr;
    if (edges.symmetric) symmetric = *edges.symmetric;
    return {{"directed", edges.directed},
            {"sorted", edges.sorted},
            {"self_loops", edges.self_loops},
            {"duplicate_edges", edges.duplicates},
            {"symmetric", symmetric}};
}

std::string degrees_text(degree_statistics const& degrees, edge_statistics const& edges, bool directed) {
    constexpr std::size_t indent = 10;
    return fmt::format("{} min {}, median {}, mean {:.2f}, p99 {}, max {}; {}\n{}",
                       directed ? "degrees   of outgoing arcs:" : "degrees  ", degrees.lowest, degrees.median,
                       degrees.mean, degrees.percentile_99, degrees.highest,
                       counted(edges.isolated, "isolated vertex", "isolated vertices"),
                       histogram_text(degrees.histogram, indent));
}

std::string edges_text(edge_statistics const& edges) {
    char const* const symmetry = !edges.symmetric   ? ""
                                 : *edges.symmetric ? ", each arc with its reverse"
                                                    : ", not all arcs with their reverses";
    return fmt::format("file      {}{}; edges {}; {}, {}\n", edges.directed ? "directed" : "undirected",
                       symmetry, edges.sorted ? "in ascending order" : "not in ascending order",
                       counted(edges.self_loops, "self-loop", "self-loops"),
                       counted(edges.duplicates, "duplicate edge", "duplicate edges"));
}

void print_graph(command_context& context, std::string const& path) {
    graph_session graph = load_graph_with_statistics(context, path);
    edge_statistics const& in_file = *graph.file_statistics;
    runtime::any_graph& session = *graph.session;
    degree_statistics const degrees = statistics_of(session.all_degrees());
    auto const edges = session.all_edges();
    auto const loops = std::count_if(edges.begin(), edges.end(), [](auto e) { return e.source == e.target; });
    graph::memory_report const memory = session.memory();
    if (context.json()) {
        nlohmann::ordered_json document{{"command", "info"}, {"version", RHIZOME_VERSION}, {"file", path}};
        document.update(file_json(graph));
        document["graph"] = to_json(graph);
        document["degrees"] = to_json(degrees, in_file);
        document["edges_in_file"] = to_json(in_file);
        document["self_loops"] = loops;
        document["weight_type"] = nullptr;
        if (!graph.value_type.empty()) document["weight_type"] = graph.value_type;
        document["memory"] = {{"heap_bytes", memory.heap_bytes},
                              {"adjacency_bytes", memory.adjacency_bytes},
                              {"slack_bytes", memory.slack_bytes},
                              {"free_bytes", memory.free_bytes},
                              {"vertex_table_bytes", memory.vertex_table_bytes},
                              {"allocator_table_bytes", memory.allocator_table_bytes},
                              {"scratch_bytes", memory.scratch_bytes},
                              {"total_bytes", memory.total_bytes()},
                              {"bytes_per_edge", memory.bytes_per_edge()}};
        context.out.print(json_text(document));
        return;
    }
    context.out.print(context.quiet() ? size_text(graph, path) : head_text(context, graph, path));
    context.out.print(file_text(graph) + edges_text(in_file) +
                      degrees_text(degrees, in_file, graph.options.directed));
    if (!graph.value_type.empty())
        context.out.print(fmt::format("weights   one per edge, of type {}\n", io::shown(graph.value_type)));
    context.out.print(
        fmt::format("memory    {} in all, {:.1f} bytes per edge\n"
                    "          heap {}: adjacency {}, slack {}, free {}\n"
                    "          vertex table {}, allocator tables {}, scratch {}\n",
                    bytes_text(memory.total_bytes()), memory.bytes_per_edge(), bytes_text(memory.heap_bytes),
                    bytes_text(memory.adjacency_bytes), bytes_text(memory.slack_bytes),
                    bytes_text(memory.free_bytes), bytes_text(memory.vertex_table_bytes),
                    bytes_text(memory.allocator_table_bytes), bytes_text(memory.scratch_bytes)));
}

void run_info(command_context& context) {
    auto const& words = context.args.words(0, 1);
    if (words.empty()) {
        print_machine(context);
    } else {
        print_graph(context, words[0]);
    }
}

} // namespace

command const info_command{info_text, run_info};

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
// rhizome datasets: the graphs of the manifest.
#include <rhizome/cli/command.hpp>
#include <rhizome/cli/datasets.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/stand_in.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

namespace rhizome::cli {
namespace {

command_text datasets_text() {
    return {
        .name = "datasets",
        .words = "[NAME ...]",
        .summary = "lists graphs that people measure with, and generated graphs that stand in for them",
        .details =
            "All graphs of the manifest, or those named with all that is known of them: size, format, home\n"
            "page, licence, and the call of 'rhizome generate' that makes a graph of like size, degree and\n"
            "family. 'rhizome fetch' downloads them. Edges of DIMACS9 are arcs: each road counts twice.\n"
            "--table1 lists the graphs of Table 1 of the Ouroboros paper.\n",
        .examples = "  rhizome datasets --family snap\n"
                    "  rhizome datasets europe_osm --scale 0.01\n"
                    "  rhizome datasets --table1 --json",
        .options = {{"family", "only this family", "NAME", std::nullopt, dataset_families()},
                    {"table1", "only the graphs of Table 1 of the Ouroboros paper"},
                    {"scale", "vertices of the stand-in over those of the graph; above 0, at most 1", "X",
                     "1"},
                    {"markdown", "the table of docs/datasets.md"}},
        .opens_session = false};
}

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t count) {
    std::string digits = std::to_string(count);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    return digits;
}

std::string call_of(dataset const& graph, double scale) {
    double const wanted = scale * static_cast<double>(graph.vertices);
    auto const vertices = std::max<std::uint64_t>(16, static_cast<std::uint64_t>(std::llround(wanted)));
    return stand_in_for(graph, vertices).call(graph.stand_in_file());
}

nlohmann::ordered_json document_of(dataset const& graph, double scale) {
    nlohmann::ordered_json entry{{"name", graph.name},
                                 {"family", graph.family},
                                 {"kind", graph.kind},
                                 {"vertices", graph.vertices},
                                 {"edges", graph.edges}};
    if (graph.events != 0) entry["events"] = graph.events;
    entry["listed"] = graph.listed;
    entry["mean_degree"] = graph.mean_degree();
    entry["format"] = graph.format;
    entry["home"] = graph.home;
    entry["download"] = graph.download;
    entry["sha256"] = graph.sha256;
    entry["licence"] = graph.licence;
    if (auto const& printed = graph.ouroboros_table1)
        entry["ouroboros_table1"] = {{"vertices", printed->vertices}, {"edges", printed->edges}};
    entry["stand_in"] = call_of(graph, scale);
    return entry;
}

std::string lines_of(std::vector<dataset const*> const& chosen) {
    std::string text = fmt::format("{:<27} {:<9} {:<24} {:>12} {:>14} {:>8}\n", "name", "family", "kind",
                                   "vertices", "edges", "degree");
    for (dataset const* each : chosen)
        text += fmt::format("{:<27} {:<9} {:<24} {:>12} {:>14} {:>8.2f}\n", each->name, each->family,
                            each->kind, grouped(each->vertices), grouped(each->edges), each->mean_degree());
    return text;
}

std::string details_of(dataset const& graph, double scale) {
    std::string size =
        fmt::format("{} vertices, {} edges, listed {}, {:.2f} neighbours per vertex", grouped(graph.vertices),
                    grouped(graph.edges), graph.listed, graph.mean_degree());
    if (graph.events != 0) size += fmt::format(", {} events", grouped(graph.events));
    std::vector<std::pair<std::string, std::string>> entries{{"family", graph.family + ": " + graph.kind},
                                                             {"size", size}};
    if (auto const& printed = graph.ouroboros_table1)
        entries.emplace_back("Ouroboros, Table 1",
                             fmt::format("{} vertices, {} edges as printed", grouped(printed->vertices),
                                         grouped(printed->edges)));
    entries.insert(entries.end(), {{"format", graph.format},
                                   {"home page", graph.home},
                                   {"download", graph.download},
                                   {"sha256", graph.sha256.empty() ? "not known" : graph.sha256},
                                   {"licence", graph.licence},
                                   {"stand-in", call_of(graph, scale)}});
    return graph.name + "\n" + two_columns(entries);
}

std::string markdown_of(std::vector<dataset const*> const& chosen, double scale) {
    std::string text = "| graph | what | vertices | edges | stand-in |\n|---|---|---|---|---|\n";
    for (dataset const* each : chosen) {
        std::string call = call_of(*each, scale);
        call = call.substr(0, call.find(" --output"));
        text += fmt::format("| [{}]({}) | {}{} | {} | {} | `{}` |\n", each->name, each->home, each->kind,
                            each->ouroboros_table1 ? ", Table 1" : "", grouped(each->vertices),
                            grouped(each->edges), call.substr(std::string("rhizome generate ").size()));
    }
    return text;
}

double scale_of(arguments const& args) {
    double const scale = args.real("scale");
    if (!(scale > 0 && scale <= 1))
        throw usage_error(fmt::format("--scale: found {}, expected more than 0 and at most 1",
                                      io::quoted(args.text("scale"))));
    return scale;
}

void run_datasets(command_context& context) {
    auto const& args = context.args;
    constexpr std::size_t most_names = 1000;
    auto const& names = args.words(0, most_names);
    double const scale = scale_of(args);
    if (!names.empty() && (args.has("family") || args.has("table1")))
        throw usage_error("datasets: expected either names or --family and --table1");
    if (args.has("markdown") && context.json())
        throw usage_error("datasets: expected either --markdown or --json");
    std::vector<dataset const*> chosen;
    for (dataset const& each : datasets()) {
        if (args.has("family") && each.family != args.text("family")) continue;
        if (args.has("table1") && !each.ouroboros_table1) continue;
        if (names.empty()) chosen.push_back(&each);
    }
    for (std::string const& name : names)
        chosen.push_back(&find_dataset(name));
    nlohmann::ordered_json document{{"command", "datasets"}, {"version", RHIZOME_VERSION}};
    document["datasets"] = nlohmann::ordered_json::array();
    for (dataset const* each : chosen)
        document["datasets"].push_back(document_of(*each, scale));
    std::string text;
    if (args.has("markdown")) {
        text = markdown_of(chosen, scale);
    } else if (names.empty()) {
        text = lines_of(chosen);
    } else {
        for (dataset const* each : chosen)
            text += (text.empty() ? "" : "\n") + details_of(*each, scale);
    }
    report(context, document, text);
}

} // namespace

command const datasets_command{datasets_text, run_datasets};

} // namespace rhizome::cli

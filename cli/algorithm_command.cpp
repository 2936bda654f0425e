// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/algorithm_command.hpp>
#include <rhizome/cli/algorithm_runs.hpp>
#include <rhizome/cli/component_sizes.hpp>
#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/histogram.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/search_sources.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/vertex_table.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/stored_numbers.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace rhizome::cli {
namespace {

using runtime::algorithm_info;
using runtime::array_display;

command_text text_of(algorithm_info const& info) {
    std::string details(info.details);
    bool const searches = has_parameter(info, "source");
    if (searches)
        details +=
            wrapped("--source takes the names of vertices in the file, or their numbers, counted from 0, "
                    "if the file only numbers them (in METIS files, vertices count from 1).",
                    0, 0) +
            "\n";
    std::vector<option_text> options;
    if (searches) options.push_back(source_option());
    for (option_text const& each : options_for(info))
        options.push_back(each);
    if (info.needs_weights()) options.push_back(parallel_option());
    if (info.display == array_display::highest)
        options.push_back(
            {"top", fmt::format("print the K vertices of the highest {}", info.arrays[0].name), "K", "10"});
    if (info.display == array_display::sizes)
        options.push_back({"top", fmt::format("print the K largest {}", info.display_name), "K", "10"});
    if (!info.arrays.empty()) {
        details +=
            wrapped(fmt::format("--output writes one line per vertex{}: its name in the file, or its "
                                "number, counted from 0 (in METIS files, vertices count from 1), and "
                                "its {}; compressed where the name ends in .gz, .bz2, .zst or .xz.",
                                searches ? " that was reached" : "",
                                info.arrays.size() == 1
                                    ? std::string(info.arrays[0].name)
                                    : fmt::format("{} and its {}", info.arrays[0].name, info.arrays[1].name)),
                    0, 0) +
            "\n";
        options.push_back(
            {"output", fmt::format("write {}; -: to standard output", info.array_summary), "FILE"});
    }
    return {.name = std::string(info.name),
            .words = searches ? "FILE --source V[,V...]" : "FILE",
            .summary = std::string(info.summary),
            .details = details,
            .examples = std::string(info.examples),
            .options = options};
}

/// What a command has to report.
struct reported_run {
    algorithm_info const& info;
    graph_session& graph;
    algorithm_run run = {};
    std::vector<runtime::array_on_host> arrays = {};
    std::vector<graph::vertex_id> sources = {};
    std::size_t top = 0;
};

void write_arrays(io::packed_file& file, reported_run const& ran) {
    std::string columns;
    for (runtime::array_info const& each : ran.info.arrays)
        columns += (columns.empty() ? "" : " ") + std::string(each.name);
    auto const put = [&](io::text_writer& writer, std::size_t i, std::size_t v) {
        std::visit(
            [&](auto const& numbers) {
                if (ran.info.arrays[i].holds == runtime::array_info::meaning::vertex)
                    writer.put(name_word_of(ran.graph, static_cast<std::size_t>(numbers[v])));
                else
                    writer.put_number(numbers[v]);
            },
            ran.arrays[i]);
    };
    write_vertices(
        file, ran.graph, columns, ran.graph.session->vertex_count(),
        [&](std::size_t v) { return has_element(ran.info.arrays[0], ran.arrays[0], v); },
        [&](io::text_writer& writer, std::size_t v) {
            for (std::size_t i = 0; i < ran.arrays.size(); ++i) {
                if (i != 0) writer.put(' ');
                put(writer, i, v);
            }
        });
}

/// The arcs that leave vertices that were reached.
std::uint64_t reached_arcs(reported_run& ran) {
    for (runtime::figure const& each : ran.run.found.figures)
        if (each.name == "arcs") return std::get<std::uint64_t>(each.value);
    runtime::any_graph& session = *ran.graph.session;
    std::vector<graph::vertex_id> reached;
    for (std::size_t v = 0; v < session.vertex_count(); ++v)
        if (has_element(ran.info.arrays[0], ran.arrays[0], v))
            reached.push_back(static_cast<graph::vertex_id>(v));
    std::uint64_t arcs = 0;
    for (std::uint32_t const degree : session.queries().degrees(reached))
        arcs += degree;
    return arcs;
}

double rate_of(reported_run& ran) {
    if (ran.info.arcs_are_reached) return edges_per_second(ran.graph, reached_arcs(ran), ran.run.ms);
    auto const edges = static_cast<double>(ran.graph.session->edge_count());
    return ran.run.ms <= 0 ? 0 : edges / (ran.run.ms * 1e-3);
}

/// The vertices with the highest numbers, highest first; equal ones by their ids.
template <class T>
std::vector<std::size_t> highest(std::vector<T> const& numbers, std::size_t count) {
    std::vector<std::size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    count = std::min(count, order.size());
    auto const end = order.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
        return numbers[a] != numbers[b] ? numbers[a] > numbers[b] : a < b;
    });
    order.resize(count);
    return order;
}

/// A display of the first array, for people and for JSON.
struct display {
    std::string text;
    nlohmann::ordered_json top = nullptr; ///< a list beside the run
};

void add_name(nlohmann::ordered_json& entry, reported_run const& ran, std::size_t v) {
    if (!ran.graph.names.empty()) entry["name"] = name_of(ran.graph, v);
}

display highest_display(reported_run const& ran) {
    std::string const name(ran.info.arrays[0].name);
    display shown{fmt::format("{:>12}  {}\n", "vertex", name), nlohmann::ordered_json::array()};
    std::visit(
        [&](auto const& numbers) {
            for (std::size_t const v : highest(numbers, ran.top)) {
                if constexpr (std::is_same_v<decltype(numbers[v] + 0), double>)
                    shown.text += fmt::format("{:>12}  {:.9g}\n", shown_name_of(ran.graph, v), numbers[v]);
                else
                    shown.text += fmt::format("{:>12}  {}\n", shown_name_of(ran.graph, v), numbers[v]);
                shown.top.push_back({{"vertex", v}, {name, numbers[v]}});
                add_name(shown.top.back(), ran, v);
            }
        },
        ran.arrays[0]);
    return shown;
}

display histogram_display(reported_run const& ran, nlohmann::ordered_json& document) {
    constexpr std::size_t most_bins = 20;
    auto const& numbers = std::get<std::vector<std::uint32_t>>(ran.arrays[0]);
    auto const bins = even_bins(counts_of(numbers, algorithms::unreached), most_bins);
    document["histogram"] = to_json(bins, "vertices");
    return {bars_text(bins, ran.info.display_name, "vertices", 10)};
}

display sizes_display(reported_run const& ran, nlohmann::ordered_json& document) {
    auto const sizes = sizes_of(std::get<std::vector<std::uint32_t>>(ran.arrays[0]));
    std::string const counted_as(ran.info.display_name);
    display shown;
    auto list = nlohmann::ordered_json::array();
    for (sized_component const& each : largest_of(sizes, ran.top)) {
        if (list.empty()) shown.text = fmt::format("{:>12}  {:>12}\n", "first vertex", "vertices");
        shown.text +=
            fmt::format("{:>12}  {:>12}\n", shown_name_of(ran.graph, each.first_vertex), each.vertices);
        list.push_back({{"first_vertex", each.first_vertex}, {"vertices", each.vertices}});
        add_name(list.back(), ran, each.first_vertex);
    }
    auto const bins = size_bins(sizes);
    document["largest"] = list;
    document["sizes"] = to_json(bins, counted_as.c_str());
    shown.text += bars_text(bins, "size", counted_as, 10);
    return shown;
}

display display_of(reported_run const& ran, nlohmann::ordered_json& document) {
    switch (ran.info.display) {
    case array_display::none:
        break;
    case array_display::highest:
        return highest_display(ran);
    case array_display::histogram:
        return histogram_display(ran, document);
    case array_display::sizes:
        return sizes_display(ran, document);
    }
    return {};
}

/// The second line and those behind it begin under the first word of the first.
std::string indented(std::string text) {
    constexpr std::size_t indent = 10;
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
        text.insert(at + 1, indent, ' ');
    return text;
}

void warn_of_rounding(command_context& context, reported_run const& ran) {
    for (std::size_t i = 0; i < ran.arrays.size(); ++i) {
        auto const* const numbers = std::get_if<std::vector<double>>(&ran.arrays[i]);
        if (numbers == nullptr) continue;
        constexpr auto exact = static_cast<double>(io::largest_exact_number);
        if (std::any_of(numbers->begin(), numbers->end(),
                        [](double each) { return std::isfinite(each) && each > exact; }))
            context.add_notice(fmt::format("{}s beyond 2^53 are rounded: they are numbers of type double",
                                           ran.info.arrays[i].name));
    }
}

void report_run(command_context& context, reported_run& ran, runtime::algorithm_arguments const& given,
                std::string const& path) {
    std::string const name(ran.info.name);
    nlohmann::ordered_json document{{"command", name}, {"version", RHIZOME_VERSION}, {"file", path}};
    document["graph"] = to_json(ran.graph);
    nlohmann::ordered_json& own = document[name];
    for (runtime::parameter const& each : ran.info.parameters) {
        if (!each.reported) continue;
        if (each.name == "source")
            own["sources"] = sources_json(ran.sources, ran.graph);
        else
            own[std::string(each.name)] = given.real(each.name);
    }
    for (runtime::figure const& each : ran.run.found.figures)
        own[std::string(each.name)] = json_of(each.value);
    own["ms"] = ran.run.ms;
    std::map<std::string, std::string, std::less<>> words{
        {"vertices", counted(ran.graph.session->vertex_count(), "vertex", "vertices")}};
    if (!ran.sources.empty()) words["source"] = sources_text(ran.sources, ran.graph);
    if (ran.info.command_text.find("{rate}") != std::string_view::npos) {
        double const rate = rate_of(ran);
        own["edges_per_second"] = rate;
        words["rate"] = fmt::format("{:.3g} edges/s", rate);
    }
    display const shown = display_of(ran, own);
    if (!shown.top.is_null()) document["top"] = shown.top;
    report(context, document,
           head_text(context, ran.graph, path) + indented(filled(ran.info.command_text, ran.run, words)) +
               "\n" + shown.text);
}

void run_algorithm(algorithm_info const& info, command_context& context) {
    arguments const& args = context.args;
    std::string const path = args.words(1, 1)[0];
    std::vector<std::string> source_names;
    if (has_parameter(info, "source")) {
        args.demand("source");
        source_names = source_words(args);
    }
    runtime::algorithm_arguments given = arguments_for(info, args);
    std::size_t const top = args.takes("top") ? args.count("top", 1) : 0;
    auto const output = info.arrays.empty() ? nullptr : output_of(context);
    graph_session graph =
        load_graph(context, path, info.needs_weights() ? edge_weights::keep_those_there : edge_weights::drop);
    if (info.needs_weights() && !keeps_weights(graph.options))
        throw io::file_error(path, fmt::format("has no weights of edges; {}", info.without_weights));

    reported_run ran{info, graph};
    ran.top = top;
    if (!source_names.empty()) {
        ran.sources = find_sources(source_names, graph, path);
        given.set("source", ran.sources);
    }
    if (has_parameter(info, "parents")) given.set("parents", output != nullptr);
    progress_bar progress(shows_progress(context));
    std::function<void(unsigned, double)> const show = [&](unsigned iterations, double residual) {
        progress.show(-1, fmt::format("{}, residual {:.3g}, tolerance {:.3g}",
                                      counted(iterations, "iteration", "iterations"), residual,
                                      given.real("tolerance")));
    };
    if (has_parameter(info, "tolerance")) given.progress = &show;

    runtime::any_graph& session = *graph.session;
    ran.run.ms = exec::measure_ms(session, [&] { ran.run.found = session.run(info.name, given); });
    progress.clear();
    ran.arrays = session.on_host(ran.run.found);
    if (info.add_figures != nullptr) info.add_figures(ran.run.found, ran.arrays);
    if (output) write_arrays(*output, ran);
    warn_of_rounding(context, ran);
    report_run(context, ran, given, path);
}

} // namespace

std::vector<command> const& algorithm_commands() {
    static std::vector<command> const all = [] {
        std::vector<command> commands;
        for (algorithm_info const& info : runtime::algorithms())
            commands.push_back({[&info] { return text_of(info); },
                                [&info](command_context& context) { run_algorithm(info, context); }});
        return commands;
    }();
    return all;
}

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/formats/edge_columns.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/io/parse_error.hpp>

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

namespace rhizome::cli {
namespace {

char const* kept_weight(io::parallel_rule rule) {
    switch (rule) {
    case io::parallel_rule::sum:
        return "their sum counts";
    case io::parallel_rule::last:
        return "the last one counts";
    case io::parallel_rule::first:
        return "the first one counts";
    case io::parallel_rule::least:
        break;
    }
    return "the least one counts";
}

} // namespace

io::graph_format const* format_by_name(std::string const& path) {
    try {
        return io::format_by_name(path);
    } catch (io::file_error const& error) {
        throw usage_error(error.what());
    }
}

std::vector<std::string> readable_formats() {
    std::vector<std::string> names;
    for (io::graph_format const* const each : io::graph_formats())
        if (each->read != nullptr) names.emplace_back(each->name);
    return names;
}

std::vector<std::string> writable_formats() {
    std::vector<std::string> names;
    for (io::graph_format const* const each : io::graph_formats())
        if (each->write != nullptr) names.emplace_back(each->name);
    return names;
}

option_text format_option() {
    return {"format", "format of the graph file (default: known by its content)", "NAME", std::nullopt,
            readable_formats()};
}

option_text lenient_option() {
    return {"lenient", "METIS: mend wrong edge counts, one-way edges, neighbours 0, and say so"};
}

std::string mended_text(std::string const& path, io::graph_file const& file) {
    std::string text;
    for (std::string const& each : file.mended)
        text += (text.empty() ? "mended " + io::shown(path) + ": " : "; ") + each;
    return text;
}

option_text columns_option() {
    return {"columns",
            "edge lists: what the columns hold, such as u,v,w,t; - skips one (default: by content)", "LIST"};
}

option_text parallel_option(std::optional<std::string> by_default) {
    return {"parallel", "weight of an edge that is several times in the graph file: least, sum, last, first",
            "RULE", by_default, io::parallel_rule_names()};
}

std::optional<io::parallel_rule> named_parallel_rule(arguments const& args) {
    if (!args.takes("parallel") || !args.has("parallel")) return std::nullopt;
    return io::parallel_rule_named(args.text("parallel"));
}

std::string merge_parallel_edges(std::string const& path, io::graph_file& file, arguments const& args) {
    io::parallel_rule const rule = named_parallel_rule(args).value_or(io::default_parallel_rule);
    std::uint64_t differ = 0;
    try {
        differ = io::merge_parallel_edges(file, rule).weights_differ;
    } catch (std::overflow_error const& error) {
        throw io::file_error(path, error.what());
    }
    if (differ == 0) return "";
    return fmt::format("{} several times in {} with different weights: {} (--parallel)",
                       counted(differ, "edge is", "edges are"), io::shown(path), kept_weight(rule));
}

std::string guessed_times_text(std::string const& path) {
    return fmt::format(
        "the third column of {} is taken for times, as its numbers ascend; --columns u,v,w takes "
        "it for weights, and u,v,t for times",
        io::shown(path));
}

graph_source::graph_source(std::string const& path, arguments const& args) : input_(path) {
    options_.lenient = args.has("lenient");
    if (args.has("columns")) options_.columns = args.text("columns");
    try {
        if (args.has("columns")) (void)io::edge_columns_named(options_.columns);
    } catch (std::invalid_argument const& error) {
        throw usage_error(fmt::format("--columns: {}", error.what()));
    }
    format_ = args.has("format") ? io::graph_format_named(args.text("format"))
                                 : &io::recognise_graph_format(input_, options_.columns);
    std::string const found = fmt::format("; '{}' is {} file", io::shown(path), io::with_article(*format_));
    if (options_.lenient && format_ != &io::formats::metis)
        throw usage_error("--lenient mends METIS files" + found);
    if (!options_.columns.empty() && !format_->has_columns)
        throw usage_error("--columns describes edge lists" + found);
}

io::graph_file graph_source::read(io::read_options options) {
    options.lenient = options_.lenient;
    options.columns = options_.columns;
    return io::read_graph(input_, format_, options);
}

void check_names(std::string const& path, io::graph_format const& format, io::vertex_names const& names) {
    if (!format.holds_names || format.is_stored || !names.is_text()) return;
    if (&format == &io::formats::ldbc) // it makes several files, so there is no trial
        throw io::file_error(path,
                             "names of vertices are text, and LDBC files hold whole numbers, 0 or more");
    io::graph_file trial;
    trial.vertex_count = names.size();
    trial.names = names;
    for (graph::vertex_id v = 0; v < names.size(); ++v)
        trial.edges.push_back({v, v}); // edge lists name the ends of edges only
    format.write("/dev/null", trial);
}

} // namespace rhizome::cli

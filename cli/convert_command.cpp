// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/command.hpp>
#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/losses.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_file.hpp>
#include <rhizome/io/store_parts.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace rhizome::cli {
namespace {

command_text convert_text() {
    return {
        .name = "convert",
        .words = "INPUT OUTPUT",
        .summary = "writes a graph file in another format",
        .details =
            "INPUT is known by its content or by --format. OUTPUT is known by its name or by --to: .rhz is "
            "a\n"
            "stored graph (binary, with checksums; loads faster), .graph and .metis are METIS, .gr is\n"
            "DIMACS9, .col is DIMACS colouring, .mtx is MatrixMarket, .gml is GML, .properties is LDBC\n"
            "Graphalytics, .txt .el .edges .tsv are edge lists, .csv is CSV, .konect is KONECT. Names of\n"
            "vertices are kept in stored graphs, edge lists, CSV, GML and LDBC.\n"
            "Edge weights of a stored graph have type uint64 if all are whole numbers, 0 or more. A stored\n"
            "graph has one of several parallel edges: the one with the least weight, or as --parallel says.\n"
            "Other formats have all of them, or one if --parallel is given.\n"
            "METIS, PACE and DIMACS colouring have no directed graphs. An undirected graph in\n"
            "DIMACS9 has two arcs per edge.\n"
            "OUTPUT is replaced when all is written, and not before. Text is compressed where its name ends "
            "in\n"
            ".gz, .bz2, .zst or .xz. '-' is standard input or output: OUTPUT then needs --to, and the report "
            "goes\n"
            "to standard error; --json needs a file.\n",
        .examples = "  rhizome convert road.graph.gz road.rhz\n"
                    "  rhizome convert road.rhz road.txt --to metis --json",
        .options = {{"to", "format of OUTPUT (default: known by its name)", "NAME", std::nullopt,
                     writable_formats()},
                    format_option(),
                    columns_option(),
                    lenient_option(),
                    parallel_option(std::nullopt),
                    {"directed", "the edges of an edge list that does not say are arcs"}},
        .opens_session = false};
}

io::graph_format const& target_format(arguments const& args, std::string const& path) {
    if (args.has("to")) return *io::graph_format_named(args.text("to"));
    if (auto const* const format = format_by_name(path)) return *format;
    throw usage_error(fmt::format("convert: the name '{}' says no format; --to stored or --to metis does",
                                  io::shown(path)));
}

void run_convert(command_context& context) {
    auto const& args = context.args;
    auto const& words = args.words(2, 2);
    std::string const& from = words[0];
    std::string const& path = words[1];
    io::graph_format const& to = target_format(args, path);
    keep_report_apart(context, path);
    graph_source source(from, args);
    bool const from_stored = source.format().is_stored;
    io::store_file_options storing;
    if (from_stored && to.is_stored) { // parts become one file
        io::store_header const header = io::store_parts(from).header();
        if (!header.is_part()) throw io::file_error(from, "is a stored graph already");
        storing.in_arcs = header.in_arcs;
        storing.self_loops = header.self_loops;
    }
    progress_bar progress(shows_progress(context));
    exec::wall_timer const watch;
    progress.show(from_stored ? 0 : -1, "reading " + from);
    io::graph_file file = source.read({.directed = args.has("directed"), .progress = [&](double share) {
                                           progress.show(share, "reading " + from);
                                       }});
    double const read_ms = watch.elapsed_ms();
    if (file.guessed_times) context.add_notice(guessed_times_text(from));
    std::uint64_t const edges_in_file = file.edges.size();
    std::string parallel;
    if (!to.holds_parallel_edges || args.has("parallel")) parallel = merge_parallel_edges(from, file, args);
    std::uint64_t const left_out = edges_in_file - file.edges.size();
    exec::wall_timer const writing;
    progress.show(to.is_stored ? 0 : -1, "writing " + path);
    storing.value_type = file.value_type;
    storing.progress = [&](double share) { progress.show(share, "writing " + path); };
    std::uint64_t const edges = io::write_graph(path, to, file, storing);
    if (to.is_stored) io::delete_other_parts(path, 0); // of a graph in parts that was replaced
    progress.clear();
    double const write_ms = writing.elapsed_ms();
    for (std::string const& each : {mended_text(from, file), losses(file, to, left_out), parallel})
        if (!each.empty()) context.add_loss(each);
    bool const weights = has_edge_weights(file) && to.weights != io::weight_rule::none; // in OUTPUT
    nlohmann::ordered_json const document{{"command", "convert"},
                                          {"version", RHIZOME_VERSION},
                                          {"file", from},
                                          {"output", path},
                                          {"format", to.name},
                                          {"directed", file.directed},
                                          {"vertices", file.vertex_count},
                                          {"edges", edges},
                                          {"weights", weights},
                                          {"read_ms", read_ms},
                                          {"write_ms", write_ms}};
    std::string const noun = file.directed ? "directed edge" : "edge";
    report_file(context, document,
                fmt::format("{}: {}, {}{}, read {:.1f} ms, written {:.1f} ms\n", io::shown(path),
                            counted(file.vertex_count, "vertex", "vertices"),
                            counted(edges, noun, noun + "s"), weights ? " with weights" : "", read_ms,
                            write_ms));
}

} // namespace

command const convert_command{convert_text, run_convert};

} // namespace rhizome::cli

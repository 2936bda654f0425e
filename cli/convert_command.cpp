#include <rhizome/cli/command.hpp>
#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/stopwatch.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/parse_error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>

namespace rhizome::cli {
namespace {

command_text convert_text() {
    return {
        .name = "convert",
        .words = "INPUT OUTPUT",
        .summary = "writes a graph file in another format: METIS or stored",
        .details =
            "INPUT is known by its first bytes, OUTPUT by its name: .rhz is a stored graph (binary, with\n"
            "checksums; loads faster), .graph and .metis are METIS; --to says it where the name does "
            "not.\n"
            "METIS edge weights become values of type uint64; values that are whole numbers, 0 or more,\n"
            "become edge weights. Of parallel edges the one with the largest weight is stored. METIS has "
            "no\n"
            "directed graphs.\n"
            "OUTPUT is replaced when all is written, and not before. METIS is compressed where its name ends "
            "in\n"
            ".gz, .bz2 or .zst. '-' is standard input or output: OUTPUT then needs --to, and the report "
            "goes\n"
            "to standard error.\n",
        .examples = "  rhizome convert road.graph.gz road.rhz\n"
                    "  rhizome convert road.rhz road.txt --to metis --json",
        .options = {{"to", "format of OUTPUT: stored or metis", "FORMAT", nullptr, {"stored", "metis"}}},
        .opens_session = false};
}

file_format target_format(arguments const& args, std::string const& path) {
    if (args.has("to"))
        return args.text("to") == name_of(file_format::stored) ? file_format::stored : file_format::metis;
    if (auto const format = format_by_name(path)) return *format;
    throw usage_error(
        fmt::format("convert: the name '{}' says no format; --to stored or --to metis does", path));
}

/// What of the input the output has no place for; "" where nothing.
std::string losses(io::graph_file const& file, std::uint64_t written) {
    std::string text;
    auto const add = [&](std::string const& what) { text += (text.empty() ? "" : "; ") + what; };
    if (!file.vertex_weights.empty() || !file.vertex_sizes.empty())
        add("sizes and weights of vertices are left out: a stored graph has none");
    if (file.edges.size() != written)
        add(counted(file.edges.size() - written, "parallel edge is", "parallel edges are") +
            " left out: a stored graph has none");
    return text;
}

void run_convert(command_context& context) {
    auto const& args = context.args;
    auto const& words = args.words(2, 2);
    std::string const& from = words[0];
    std::string const& path = words[1];
    file_format const to = target_format(args, path);
    file_format const is = format_of_file(from);
    if (is == file_format::stored && to == file_format::stored)
        throw io::file_error(from, "is a stored graph already");
    keep_report_apart(context, path);
    progress_bar progress(shows_progress(context));
    stopwatch const watch;
    progress.show(is == file_format::stored ? 0 : -1, "reading " + from);
    io::graph_file const file =
        read_graph_file(from, true, [&](double share) { progress.show(share, "reading " + from); });
    double const read_ms = watch.elapsed_ms();
    stopwatch const writing;
    progress.show(to == file_format::stored ? 0 : -1, "writing " + path);
    std::uint64_t const edges = write_graph_file(
        path, to, file, {.progress = [&](double share) { progress.show(share, "writing " + path); }});
    progress.clear();
    double const write_ms = writing.elapsed_ms();
    if (to == file_format::stored) context.notice = losses(file, edges);
    nlohmann::ordered_json const document{{"command", "convert"},
                                          {"version", RHIZOME_VERSION},
                                          {"file", from},
                                          {"output", path},
                                          {"format", name_of(to)},
                                          {"directed", file.directed},
                                          {"vertices", file.vertex_count},
                                          {"edges", edges},
                                          {"weights", !file.edge_weights.empty()},
                                          {"read_ms", read_ms},
                                          {"write_ms", write_ms}};
    std::string const noun = file.directed ? "directed edge" : "edge";
    report(context, document,
           fmt::format("{}: {}, {}{}, read {:.1f} ms, written {:.1f} ms\n", path,
                       counted(file.vertex_count, "vertex", "vertices"), counted(edges, noun, noun + "s"),
                       file.edge_weights.empty() ? "" : " with weights", read_ms, write_ms));
}

} // namespace

command const convert_command{convert_text, run_convert};

} // namespace rhizome::cli

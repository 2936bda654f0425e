// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/generate_graph.hpp>
#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/machine_memory.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/io/packed_file.hpp>

#include <fmt/format.h>

#include <limits>
#include <string>

namespace rhizome::cli {

option_text graph_output_option() {
    return {"output",
            "the file to write: METIS (.graph.gz: compressed), or stored where its name ends in .rhz; -: to "
            "standard output",
            "FILE"};
}

option_text generator_threads_option() {
    return {"threads", "OS threads; 0: one per core. The file is the same for every number", "N", "0"};
}

void demand_size_and_output(arguments const& args, char const* size) {
    (void)args.words(0, 0);
    args.demand(size);
    args.demand("output");
}

unsigned threads_of(arguments const& args) { return static_cast<unsigned>(args.count("threads", 0, 4096)); }

std::uint64_t bytes_of(std::uint64_t count, std::uint64_t bytes) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return count > most / bytes ? most : count * bytes;
}

void write_generated_graph(command_context& context, char const* command,
                           nlohmann::ordered_json const& options, std::uint64_t needed_bytes,
                           std::function<io::graph_file()> const& generate) {
    std::string const path = context.args.text("output");
    io::graph_format const* const named = format_by_name(path);
    io::graph_format const& format = named == nullptr ? io::formats::metis : *named;
    keep_report_apart(context, path);
    (void)io::packing_by_name(path); // a name that cannot be written is told before the work
    demand_memory(needed_bytes, command);
    exec::wall_timer const watch;
    io::graph_file const file = generate();
    double const generate_ms = watch.elapsed_ms();
    io::write_graph(path, format, file);
    double const ms = watch.elapsed_ms();
    nlohmann::ordered_json document{{"command", command}, {"version", RHIZOME_VERSION}, {"file", path}};
    document.update(options);
    document["vertices"] = file.vertex_count;
    document["edges"] = file.edges.size();
    document["generate_ms"] = generate_ms;
    document["ms"] = ms;
    report_file(context, document,
                fmt::format("{}: {}, {}, {:.1f} ms\n", io::shown(path),
                            counted(file.vertex_count, "vertex", "vertices"),
                            counted(file.edges.size(), "edge", "edges"), ms));
}

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
// The file of --output: a line per vertex, its name and what an algorithm found for it.
#pragma once

#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/text_writer.hpp>

#include <cstddef>
#include <memory>
#include <string_view>

namespace rhizome::cli {

/// The file that --output names, or nullptr if it was not given; made before the work, so that a place that
/// cannot be written is told at once. The report goes to standard error if the file is standard output.
[[nodiscard]] inline std::unique_ptr<io::packed_file> output_of(command_context& context) {
    if (!context.args.has("output")) return nullptr;
    keep_report_apart(context, context.args.text("output"));
    return std::make_unique<io::packed_file>(context.args.text("output"));
}

/// Writes a comment that names the columns, "vertex" and `columns`, and says how vertices are named. Then
/// writes a line for each of `count` vertices that has one: its name as one word (io/name_text.hpp), and what
/// put(writer, v) writes behind it.
template <class HasLine, class Put>
void write_vertices(io::packed_file& file, graph_session const& graph, std::string_view columns,
                    std::size_t count, HasLine&& has_line, Put&& put) {
    io::text_writer writer(file);
    writer.put("# vertex ");
    writer.put(columns);
    writer.put(!graph.names.empty()            ? "; vertices have their names in the file\n"
               : graph.counts_from_one.empty() ? "; vertices count from 0, as in the file\n"
                                               : "; vertices count from 0, in the file from 1\n");
    for (std::size_t v = 0; v < count; ++v) {
        if (!has_line(v)) continue;
        writer.put(name_word_of(graph, v));
        writer.put(' ');
        put(writer, v);
        writer.put('\n');
    }
    writer.flush();
    file.commit();
}

} // namespace rhizome::cli

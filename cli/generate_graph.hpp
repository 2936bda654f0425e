// SPDX-License-Identifier: Apache-2.0
// What the commands that generate a graph have in common.
#pragma once

#include <rhizome/cli/command.hpp>
#include <rhizome/io/graph_file.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>

namespace rhizome::cli {

// Options that several of these commands take.
[[nodiscard]] option_text graph_output_option();
[[nodiscard]] option_text generator_threads_option();

/// Throws usage_error unless the options `size` and output were given, and nothing but options.
void demand_size_and_output(arguments const& args, char const* size);

/// The value of the option threads; 0: one per core.
[[nodiscard]] unsigned threads_of(arguments const& args);

/// Returns count * bytes, or the largest number if it is larger than that.
[[nodiscard]] std::uint64_t bytes_of(std::uint64_t count, std::uint64_t bytes);

/// Writes a graph to the file that --output names, and reports it. generate() makes the graph, in about
/// `needed_bytes` of memory; it is called once the options are known to be good. `options` is what the report
/// repeats. Throws std::runtime_error if less memory is available.
void write_generated_graph(command_context& context, char const* command,
                           nlohmann::ordered_json const& options, std::uint64_t needed_bytes,
                           std::function<io::graph_file()> const& generate);

} // namespace rhizome::cli

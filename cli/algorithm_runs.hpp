// SPDX-License-Identifier: Apache-2.0
// Runs of the algorithms of runtime/algorithm.hpp, for the commands that offer them.
#pragma once

#include <rhizome/cli/arguments.hpp>
#include <rhizome/runtime/any_graph.hpp>

#include <nlohmann/json.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::cli {

/// What a run found, and how long it took.
struct algorithm_run {
    double ms = 0;
    runtime::algorithm_result found;
};

/// The options for the arguments of an algorithm, without --source.
[[nodiscard]] std::vector<option_text> options_for(runtime::algorithm_info const& info);
/// The arguments on the command line. Throws usage_error for values out of range.
[[nodiscard]] runtime::algorithm_arguments arguments_for(runtime::algorithm_info const& info,
                                                         arguments const& args);
[[nodiscard]] bool has_parameter(runtime::algorithm_info const& info, std::string_view name);

/// Whether a result that follows the graph is the one computed anew. Sums in floating point (PageRank) may
/// differ by what both say of their error; all else must be equal.
[[nodiscard]] bool same_result(runtime::algorithm_info const& info, runtime::algorithm_result const& kept,
                               std::span<runtime::array_on_host const> kept_arrays,
                               runtime::algorithm_result const& anew,
                               std::span<runtime::array_on_host const> anew_arrays,
                               runtime::algorithm_arguments const& given);

/// A template of algorithm_info with the figures of a run in their places. `others`: the text for names that
/// are no figures.
[[nodiscard]] std::string filled(std::string_view text, algorithm_run const& run,
                                 std::map<std::string, std::string, std::less<>> const& others = {});

/// The value of a figure or argument. Precondition: no list of vertices.
[[nodiscard]] nlohmann::ordered_json json_of(std::variant<bool, std::uint64_t, double> const& value);

} // namespace rhizome::cli

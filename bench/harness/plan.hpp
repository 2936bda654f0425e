// SPDX-License-Identifier: Apache-2.0
// From what the user asked for to the cells that are run.
#pragma once

#include <rhizome/bench/harness/registry.hpp>

#include <map>
#include <string>
#include <vector>

namespace rhizome::bench {

/// What the user chose: option to text, only what stands on the command line.
using selection = std::map<std::string, std::string>;

struct plan {
    std::vector<cell> cells;
    std::vector<std::string> notes; ///< what was left out, or made smaller than the defaults, and why
};

/// "a,b,c" in parts. Throws cli::usage_error for empty parts.
[[nodiscard]] std::vector<std::string> split_list(std::string const& option, std::string const& text);

/// The cells of these benchmarks, in order: every combination of the axes' values, the first axis slowest,
/// each once. If the user chooses no `space`, it is the first usable one.
/// Throws cli::usage_error for values that are none and for options that none of the benchmarks has;
/// std::runtime_error for a space that cannot be used here.
[[nodiscard]] plan make_plan(std::vector<benchmark const*> const& which, selection const& chosen,
                             std::vector<space_description> const& spaces);

} // namespace rhizome::bench

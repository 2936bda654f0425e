// SPDX-License-Identifier: Apache-2.0
// A command of the tool for each algorithm of runtime/algorithm.hpp: loads a graph, runs the algorithm,
// reports.
#pragma once

#include <rhizome/cli/command.hpp>

#include <vector>

namespace rhizome::cli {

/// In the order of runtime::algorithms().
[[nodiscard]] std::vector<command> const& algorithm_commands();

} // namespace rhizome::cli

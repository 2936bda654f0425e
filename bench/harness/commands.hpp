// SPDX-License-Identifier: Apache-2.0
// The commands that this module adds to the tool.
#pragma once

#include <rhizome/cli/command.hpp>

namespace rhizome::bench {

extern cli::command const list_command; ///< rhizome bench list
extern cli::command const run_command;  ///< rhizome bench run
extern cli::command const cell_command; ///< rhizome bench cell: what answers requests, hidden
extern cli::command const rank_command; ///< rhizome bench rank: one rank of a cell, hidden

} // namespace rhizome::bench

// SPDX-License-Identifier: Apache-2.0
// Cells that are measured by several processes together, a rank each.
#pragma once

#include <rhizome/bench/harness/cell.hpp>

#include <string>
#include <vector>

namespace rhizome::bench {

/// This program, made to run one rank of a cell; the cell follows as a word.
[[nodiscard]] std::vector<std::string> own_program_as_rank();

/// Runs benchmark::run_rank of the cell's benchmark in `ranks` processes of this machine, which
/// comm::launch() starts, and returns what it gave on rank 0. If a rank throws or crashes, the cell has
/// failed, and the message names the rank. What else the ranks print goes to standard error. Throws
/// std::runtime_error if a process cannot be started.
[[nodiscard]] cell_result run_as_ranks(cell const& which, int ranks,
                                       std::vector<std::string> program_and_words = own_program_as_rank());

} // namespace rhizome::bench

// SPDX-License-Identifier: Apache-2.0
// Runs cells one after the other, each in a process of its own.
#pragma once

#include <rhizome/bench/harness/registry.hpp>

#include <functional>
#include <string>
#include <vector>

namespace rhizome::bench {

struct run_options {
    double time_limit_seconds = 60;             ///< a cell
    std::vector<std::string> program_and_words; ///< what answers requests; this program's own, normally
};

/// This program, made to answer requests.
[[nodiscard]] std::vector<std::string> own_program_as_child();

/// One cell: whatever happens to it is in its result. Throws interrupted, or std::runtime_error where no
/// process can be had.
[[nodiscard]] measured_cell run_cell(cell const& which, run_options const& options,
                                     std::function<void(double seconds)> const& tick = {});

/// The spaces as a child sees them: this process never touches the GPU. Throws std::runtime_error where the
/// child does not answer.
[[nodiscard]] std::vector<space_description> ask_for_spaces(run_options const& options);

} // namespace rhizome::bench

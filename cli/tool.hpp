// SPDX-License-Identifier: Apache-2.0
// The `rhizome` command, whole.
#pragma once

#include <rhizome/cli/command.hpp>

#include <string>
#include <vector>

namespace rhizome::cli {

/// Runs one command line (without the program's name) and returns its exit code. `more` are commands of
/// modules to the right of this one. Throws nothing: what went wrong is one line on standard error.
int run_tool(std::vector<std::string> const& words, std::vector<command const*> const& more = {}) noexcept;

} // namespace rhizome::cli

// The `rhizome` command, whole.
#pragma once

#include <string>
#include <vector>

namespace rhizome::cli {

/// Runs one command line (without the program's name) and returns its exit code. Throws nothing: what went
/// wrong is one line on standard error.
int run_tool(std::vector<std::string> const& words) noexcept;

} // namespace rhizome::cli

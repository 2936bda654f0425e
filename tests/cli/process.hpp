// SPDX-License-Identifier: Apache-2.0
// Runs the tool as a user would, and catches what it says.
#pragma once

#include <string>
#include <vector>

namespace rhizome::cli::testing {

struct outcome {
    int exit_code = -1; ///< negative: ended by a signal
    std::string out;
    std::string err;

    [[nodiscard]] long err_lines() const;
};

/// Runs the tool under test with these words.
[[nodiscard]] outcome run(std::vector<std::string> const& words);
/// ... with its standard output going to a file or device, standard input from one.
[[nodiscard]] outcome run_with(std::vector<std::string> const& words, std::string const& out_path,
                               std::string const& in_path = "/dev/null");
/// ... with its standard error on a terminal of type xterm, and more of the environment ("NAME=value"). What
/// appears there is `err`.
[[nodiscard]] outcome run_on_terminal(std::vector<std::string> const& words,
                                      std::vector<std::string> const& environment = {});
/// ... with the reader of its standard output gone before it starts.
[[nodiscard]] outcome run_without_reader(std::vector<std::string> const& words);
/// Runs any program, such as a shell.
[[nodiscard]] outcome run_program(std::vector<std::string> const& words);

/// Whether a program can be run with a terminal: a container may have no pseudo-terminals.
[[nodiscard]] bool has_terminals();

} // namespace rhizome::cli::testing

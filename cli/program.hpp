// SPDX-License-Identifier: Apache-2.0
// Other programs of the machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace rhizome::cli {

/// How a program ended.
struct program_end {
    int exit_code = 0;      ///< 128 + its number for a signal, as a shell reports it
    std::string last_words; ///< the last line that it wrote to standard error
};

/// The path of a program in the folders of PATH; "" where there is none.
[[nodiscard]] std::string find_program(std::string const& name);

/// Runs a program (its path, then its words; no shell is involved) and waits for its end. It reads nothing,
/// and inherits descriptors that were opened without O_CLOEXEC (the lock of part_file is one); its standard
/// output goes to `output_path`, which is replaced, or nowhere if that is "". `tick` is called
/// some ten times a second meanwhile; may be empty. Throws std::runtime_error if it cannot be started,
/// io::file_error if the output cannot be written.
[[nodiscard]] program_end run_program(std::vector<std::string> const& words,
                                      std::string const& output_path = "",
                                      std::function<void()> const& tick = {});

} // namespace rhizome::cli

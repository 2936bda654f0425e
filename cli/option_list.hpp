// SPDX-License-Identifier: Apache-2.0
// All options of a command in one list: what the parser takes, and what help, completion and the manual show.
#pragma once

#include <rhizome/cli/arguments.hpp>

#include <string>
#include <vector>

namespace rhizome::cli {

struct listed_option {
    std::string group; ///< "Command", "Graph", "Output"; others are not in the help
    std::string name;
    std::string letter; ///< "o", or "": none
    std::string summary;
    std::string value = {}; ///< what its value is: "N", "FILE"; "": it is a switch
    std::string default_value = {};
    bool has_default = false;
    std::vector<std::string> choices = {}; ///< the values that it takes; empty: any

    [[nodiscard]] bool is_switch() const { return value.empty(); }
};

/// Those of the command itself, then those that several commands share.
[[nodiscard]] std::vector<listed_option> options_of(command_text const& command);

} // namespace rhizome::cli

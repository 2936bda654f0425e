// SPDX-License-Identifier: Apache-2.0
// The commands of the tool, found by their names.
#pragma once

#include <rhizome/cli/command.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::cli {

/// The commands in the order of the help. Names have one word ("stream") or two ("generate rgg"): commands
/// with the same first word form a group.
class command_set {
public:
    struct found {
        cli::command const* command;
        std::size_t name_words; ///< how many words its name takes
    };

    explicit command_set(std::vector<command const*> commands) : commands_(std::move(commands)) {}

    /// The command whose name the words begin with. Throws usage_error, with the closest name, where there is
    /// none.
    [[nodiscard]] found find(std::vector<std::string> const& words) const;

    /// Those that stand in the help.
    [[nodiscard]] std::vector<command_text> visible() const;
    /// Those of them whose name has this first word and a second one.
    [[nodiscard]] std::vector<command_text> group(std::string const& first) const;

private:
    std::vector<command const*> commands_;
};

} // namespace rhizome::cli

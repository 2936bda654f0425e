// SPDX-License-Identifier: Apache-2.0
// The words of a command line, for one command.
#pragma once

#include <rhizome/runtime/catalogue.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rhizome::cli {

/// What a command takes beside its words; a value's name says what it is: "N", "FILE".
struct option_text {
    std::string name;
    std::string summary;
    std::string value = {}; ///< empty: a switch
    std::optional<std::string> default_value = {};
    std::vector<std::string> choices = {}; ///< the values that it takes; empty: any
    std::string group = "Command";         ///< options of other groups are not in the command's help
};

/// How a command presents itself.
struct command_text {
    std::string name;     ///< "stream"
    std::string words;    ///< "GRAPH UPDATES"
    std::string summary;  ///< one line
    std::string details;  ///< paragraphs for its help
    std::string examples; ///< lines
    std::vector<option_text> options;
    bool opens_session = true; ///< takes the options that choose space, allocator, layout, ...
    bool has_json = true;      ///< takes --json as the others do: a switch
    std::string json_summary = "one JSON document on standard output, nothing else there";
    bool hidden = false; ///< for the tool itself: stands in no help
};

/// One command line, taken apart.
class arguments {
public:
    /// Throws usage_error for unknown options, missing values, values that an option has no choice for.
    arguments(command_text const& command, std::vector<std::string> const& words);
    arguments(arguments&&) noexcept;
    ~arguments();

    /// --help was given: nothing else is checked then.
    [[nodiscard]] bool wants_help() const { return has("help"); }
    [[nodiscard]] std::string help() const;

    /// The words that are no options. Throws usage_error unless there are from `fewest` to `most`.
    [[nodiscard]] std::vector<std::string> const& words(std::size_t fewest, std::size_t most) const;

    /// Throws usage_error unless the option was given.
    void demand(std::string const& option) const;

    /// Whether the command has this option.
    [[nodiscard]] bool takes(std::string const& option) const;
    /// Whether the option was given; of a switch: whether it is on ('--json=false' is not).
    [[nodiscard]] bool has(std::string const& option) const;
    /// The option's value, or its default.
    [[nodiscard]] std::string text(std::string const& option) const;
    /// Each throws usage_error for text that is no such value.
    [[nodiscard]] std::uint64_t
    count(std::string const& option, std::uint64_t lowest,
          std::uint64_t highest = std::numeric_limits<std::uint64_t>::max()) const;
    [[nodiscard]] double real(std::string const& option) const;
    [[nodiscard]] runtime::graph_choice session() const;

private:
    struct parsed;
    std::unique_ptr<parsed> parsed_;
};

} // namespace rhizome::cli

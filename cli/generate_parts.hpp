// What the commands that generate files have in common.
#pragma once

#include <rhizome/cli/command.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace rhizome::cli {

/// Throws usage_error where the option is not there.
void demand(arguments const& args, char const* command, char const* option);

/// The document with --json, the text without.
void report(command_context& context, nlohmann::ordered_json const& document, std::string const& text);

} // namespace rhizome::cli

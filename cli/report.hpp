// SPDX-License-Identifier: Apache-2.0
// What commands have in common when they report.
#pragma once

#include <rhizome/cli/command.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace rhizome::cli {

/// The document over several lines. Bytes of names that are not UTF-8 become U+FFFD: JSON has no other place
/// for them.
[[nodiscard]] std::string json_text(nlohmann::ordered_json const& document);
/// ... in one line, with its end.
[[nodiscard]] std::string json_line(nlohmann::ordered_json const& document);

/// Prints the document with --json, the text without.
void report(command_context& context, nlohmann::ordered_json const& document, std::string const& text);

/// The same for a command whose result is a file: with --quiet it prints no text.
void report_file(command_context& context, nlohmann::ordered_json const& document, std::string const& text);

/// If `output_path`, where the command writes its file, is standard output, sends the report to standard
/// error, or nowhere with --quiet. Throws usage_error with --json, which takes standard output too.
void keep_report_apart(command_context& context, std::string const& output_path);

/// Prints a text, or writes it to the file that --output names.
void print_or_write(command_context& context, std::string const& text);

/// Whether progress is to be drawn.
[[nodiscard]] bool shows_progress(command_context const& context);

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/packed_file.hpp>

#include <fmt/format.h>

namespace rhizome::cli {
namespace {

std::string dump(nlohmann::ordered_json const& document, int indent) {
    return document.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace

std::string json_text(nlohmann::ordered_json const& document) { return dump(document, 2); }
std::string json_line(nlohmann::ordered_json const& document) { return dump(document, -1); }

void report(command_context& context, nlohmann::ordered_json const& document, std::string const& text) {
    context.out.print(context.json() ? json_text(document) : text);
}

void report_file(command_context& context, nlohmann::ordered_json const& document, std::string const& text) {
    if (context.json() || !context.quiet()) report(context, document, text);
}

void keep_report_apart(command_context& context, std::string const& output_path) {
    if (!io::is_standard_output(output_path)) return;
    if (context.json())
        throw usage_error(
            fmt::format("--json: standard output cannot take both the JSON document and the file; "
                        "name a file instead of '{}'",
                        output_path));
    if (context.quiet())
        context.out.discard();
    else
        context.out.use_standard_error();
}

void print_or_write(command_context& context, std::string const& text) {
    if (!context.args.has("output")) {
        context.out.print(text);
        return;
    }
    io::packed_file file(context.args.text("output"));
    file.write(text);
    file.commit();
}

bool shows_progress(command_context const& context) { return stderr_is_terminal() && !context.quiet(); }

} // namespace rhizome::cli

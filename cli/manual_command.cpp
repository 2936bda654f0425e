// SPDX-License-Identifier: Apache-2.0
// rhizome manual: the manual page, from the same descriptions as the help.
#include <rhizome/cli/command_set.hpp>
#include <rhizome/cli/help_text.hpp>
#include <rhizome/cli/option_list.hpp>
#include <rhizome/cli/report.hpp>

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace rhizome::cli {
namespace {

command_text manual_text() {
    return {.name = "manual",
            .words = "",
            .summary = "prints the manual page of all commands, for man",
            .details = "The installed tool brings the page: 'man rhizome' shows it.\n",
            .examples = "  rhizome manual | man -l -",
            .options = {{"output", "write the page to a file", "FILE"}},
            .opens_session = false,
            .has_json = false};
}

/// Text as roff takes it: what begins a request or an escape is escaped.
std::string roff(std::string_view text) {
    std::string result;
    bool begins_line = true;
    for (char const c : text) {
        if (begins_line && (c == '.' || c == '\'')) result += "\\&";
        if (c == '\\')
            result += "\\e";
        else if (c == '-')
            result += "\\-";
        else if (c == '\'')
            result += "\\(aq";
        else
            result += c;
        begins_line = c == '\n';
    }
    return result;
}

std::string with_line_end(std::string text) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text;
}

/// Lines that are not to be filled.
std::string as_it_stands(std::string_view text) {
    return text.empty() ? "" : ".nf\n" + with_line_end(roff(text)) + ".fi\n";
}

std::string option_entry(listed_option const& option) {
    std::string names = option.letter.empty() ? "" : "\\fB\\-" + option.letter + "\\fR, ";
    names += "\\fB\\-\\-" + roff(option.name) + "\\fR";
    if (!option.is_switch()) names += " \\fI" + roff(option.value) + "\\fR";
    std::string const by_default =
        option.has_default ? fmt::format(" (default: {})", roff(option.default_value)) : "";
    return fmt::format(".TP\n{}\n{}{}\n", names, roff(option.summary), by_default);
}

std::string command_section(command_text const& command) {
    std::string page = fmt::format(".SS rhizome {} {}\n{}.\n", roff(command.name), roff(command.words),
                                   roff(command.summary));
    if (command.details[0] != '\0') page += ".PP\n" + as_it_stands(command.details);
    for (listed_option const& option : options_of(command))
        if ((option.group != "Graph" && option.group != "Output") || option.name == "json")
            page += option_entry(option);
    if (command.opens_session) page += ".PP\nTakes the options for graphs as well.\n";
    if (command.examples[0] != '\0') page += ".PP\nExamples:\n" + as_it_stands(command.examples);
    return page;
}

std::string shared_options() {
    // info has all options that commands share, and none of its own.
    std::string page = ".SH OPTIONS FOR GRAPHS\n";
    for (listed_option const& option : options_of(info_command.text()))
        if (option.group == "Graph") page += option_entry(option);
    page += ".SH OPTIONS FOR ALL COMMANDS\n";
    for (listed_option const& option : options_of(info_command.text()))
        if (option.group == "Output" && option.name != "json") page += option_entry(option);
    return page;
}

std::string choices_section(char const* title, std::vector<runtime::named_choice> const& choices) {
    std::string page = fmt::format(".SS {}\n", title);
    for (runtime::named_choice const& each : choices)
        page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(each.name), roff(each.summary));
    return page;
}

void run_manual(command_context& context) {
    (void)context.args.words(0, 0);
    std::string page =
        ".TH RHIZOME 1 \"\" \"rhizome " RHIZOME_VERSION "\" \"User Commands\"\n"
        ".SH NAME\nrhizome \\- dynamic graphs on the GPU\n"
        ".SH SYNOPSIS\n.B rhizome\n.I COMMAND\n[options] ...\n.br\n.B rhizome help\n.I COMMAND\n";
    page += fmt::format(".SH DESCRIPTION\n{}\n.SH COMMANDS\n", roff(tool_summary));
    for (command_text const& each : context.commands->visible())
        page += command_section(each);
    page += shared_options() + ".SH CHOICES\n" + choices_section("Spaces", runtime::spaces()) +
            choices_section("Allocators", runtime::allocators()) +
            choices_section("Layouts", runtime::layouts());
    page += fmt::format(".SH FILES\n{}\n.SH EXAMPLES\n{}.SH EXIT STATUS\n{}", roff(files_text),
                        as_it_stands(example_text), with_line_end(roff(exit_code_text())));
    print_or_write(context, page);
}

} // namespace

command const manual_command{manual_text, run_manual};

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/help_text.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/runtime/components.hpp>

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace rhizome::cli {
namespace {

using entries = std::vector<std::pair<std::string, std::string>>;

std::string choices_text(char const* title, std::string_view axis,
                         std::vector<runtime::named_choice> const& choices) {
    entries list;
    for (runtime::named_choice const& each : choices)
        list.emplace_back(each.name, each.summary);
    for (runtime::absent_choice const& each : runtime::absent_choices())
        if (each.axis == axis && each.of_graphs)
            list.emplace_back(each.name, fmt::format("[not in this build: component {}]", each.component));
    return fmt::format("{}:\n{}\n", title, two_columns(list));
}

/// What other builds have, or "".
std::string absent_text() {
    entries list;
    for (runtime::component const& each : runtime::components())
        if (!each.built) list.emplace_back(each.name, each.summary);
    if (list.empty()) return "";
    return fmt::format("Components that this build lacks (scripts/build.sh NAME adds one):\n{}\n",
                       two_columns(list));
}

} // namespace

std::string general_help(command_set const& commands) {
    entries list;
    for (command_text const& each : commands.visible())
        list.emplace_back(each.name, each.summary);
    entries const options{{"-h, --help", "print this help"},
                          {"-V, --version", "print the version; with --json as a JSON document"}};
    return fmt::format("{}\n\nUsage:\n  rhizome COMMAND [options] ...\n  rhizome help COMMAND\n\n"
                       "Commands:\n{}\nOptions:\n{}\n",
                       wrapped(tool_summary, 0, 0), two_columns(list), two_columns(options)) +
           choices_text("Spaces (--space; default: cuda with a usable GPU, else host)", "space",
                        runtime::spaces()) +
           choices_text("Allocators (--allocator; the first is the default)", "allocator",
                        runtime::allocators()) +
           choices_text("Layouts (--layout; the first is the default)", "layout", runtime::layouts()) +
           absent_text() +
           fmt::format("{}\n\nExample, from nothing:\n{}\n{}",
                       wrapped(fmt::format("Files: {}", files_text), 0, 0), example_text, exit_code_text());
}

std::string help_of(command_set const& commands, std::vector<std::string> const& words) {
    std::vector<command_text> texts = commands.group(words.front());
    if (texts.empty() || words.size() > 1) {
        auto const [command, name_words] = commands.find(words);
        std::vector<std::string> const rest(words.begin() + static_cast<std::ptrdiff_t>(name_words),
                                            words.end());
        if (command->help_text != nullptr) return help_of(*command, arguments(command->text(), rest));
        if (!rest.empty())
            throw usage_error(fmt::format("help: {} is one argument too many; try 'rhizome --help'",
                                          io::quoted(rest.front())));
        texts = {command->text()};
    }
    std::string help;
    for (command_text const& each : texts)
        help += fmt::format("{}{}", help.empty() ? "" : "\n", arguments(each, {}).help());
    return help;
}

std::string help_of(command const& which, arguments const& args) {
    return which.help_text == nullptr ? args.help() : arguments(which.help_text(args), {}).help();
}

std::string exit_code_text() {
    return "Exit codes: 0 done; 1 a bad file, out of memory or another failure; 2 wrong usage.\n"
           "Failures are one line on standard error. Output files appear whole or not at all.\n";
}

} // namespace rhizome::cli

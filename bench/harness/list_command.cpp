// SPDX-License-Identifier: Apache-2.0
// rhizome bench list: what can be measured.
#include <rhizome/bench/harness/choice_text.hpp>
#include <rhizome/bench/harness/commands.hpp>
#include <rhizome/bench/harness/registry.hpp>
#include <rhizome/cli/arguments.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace rhizome::bench {
namespace {

cli::command_text list_text() {
    return {
        .name = "bench list",
        .words = "[NAME ...]",
        .summary = "the benchmarks, a line each; with NAME: what it measures, its axes and their defaults",
        .details = "--json prints all of this, of all benchmarks or of those named.\n",
        .examples = "  rhizome bench list\n  rhizome bench list cycle updates\n  rhizome bench list --json",
        .options = {},
        .opens_session = false};
}

nlohmann::ordered_json document_of(benchmark const& which) {
    nlohmann::ordered_json choices = nlohmann::ordered_json::array();
    for (choice const& one : which.choices)
        choices.push_back(
            {{"name", one.name}, {"summary", one.summary}, {"axis", one.is_axis}, {"default", one.defaults}});
    return {
        {"name", which.name}, {"summary", which.summary}, {"details", which.details}, {"choices", choices}};
}

std::string axes_of(benchmark const& which) {
    std::string text = description_of(which);
    for (choice const& one : which.choices)
        text += fmt::format("    --{:<14} {}{}\n", one.name,
                            one.defaults.empty() ? "(fits the machine)" : default_text(one),
                            one.is_axis ? "" : "   [one value]");
    return text;
}

/// A line for each, then, without --quiet, how to see more.
void print_lines(cli::command_context& context) {
    constexpr int name_columns = 19; // a longer name pushes its own summary to the right
    std::string lines;
    for (benchmark const& each : benchmarks())
        lines += fmt::format("  {:<{}}  {}\n", each.name, name_columns, each.summary);
    context.out.print(lines);
    if (!context.quiet())
        context.out.print("\n'rhizome bench list NAME' prints the axes of a benchmark and their defaults.\n");
}

void run_list(cli::command_context& context) {
    constexpr std::size_t most_names = 1000;
    auto const& names = context.args.words(0, most_names);
    std::vector<benchmark const*> named;
    for (std::string const& name : names)
        named.push_back(&find_benchmark(name));
    if (context.json()) {
        nlohmann::ordered_json document = nlohmann::ordered_json::array();
        for (benchmark const* each : named)
            document.push_back(document_of(*each));
        if (names.empty())
            for (benchmark const& each : benchmarks())
                document.push_back(document_of(each));
        context.out.print(document.dump(2) + "\n");
        return;
    }
    if (names.empty()) {
        print_lines(context);
        return;
    }
    char const* between = "";
    for (benchmark const* each : named) {
        context.out.print(fmt::format("{}{}", between, axes_of(*each)));
        between = "\n";
    }
    if (!context.quiet())
        context.out.print(fmt::format(
            "\nAxes take lists and are crossed; 'rhizome bench run {} --help' says what they are.\n",
            fmt::join(names, " ")));
}

} // namespace

cli::command const list_command{list_text, run_list};

} // namespace rhizome::bench

// rhizome bench list: what can be measured.
#include <rhizome/bench/commands.hpp>
#include <rhizome/bench/registry.hpp>
#include <rhizome/bench/results.hpp>
#include <rhizome/cli/arguments.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace rhizome::bench {
namespace {

cli::command_text list_text() {
    return {.name = "bench list",
            .words = "",
            .summary = "the benchmarks, what each measures, its axes and their defaults",
            .details = "",
            .examples = "  rhizome bench list\n  rhizome bench list --json",
            .options = {},
            .opens_session = false};
}

std::string indented(std::string const& text) {
    std::string result = "  ";
    for (char const c : text)
        result += c == '\n' ? std::string("\n  ") : std::string(1, c);
    return result;
}

std::string shortened(std::string const& list) {
    constexpr std::size_t longest = 70;
    if (list.size() <= longest) return list;
    auto const first = list.find(',', 24);
    auto const last = list.rfind(',');
    return list.substr(0, first) + ", ..., " + list.substr(last + 1);
}

void run_list(cli::command_context& context) {
    (void)context.args.words(0, 0);
    if (context.json()) {
        nlohmann::ordered_json document = nlohmann::ordered_json::array();
        for (benchmark const& each : benchmarks()) {
            nlohmann::ordered_json choices = nlohmann::ordered_json::array();
            for (choice const& one : each.choices)
                choices.push_back({{"name", one.name},
                                   {"summary", one.summary},
                                   {"axis", one.is_axis},
                                   {"default", one.defaults}});
            document.push_back({{"name", each.name},
                                {"summary", each.summary},
                                {"details", each.details},
                                {"choices", choices}});
        }
        context.out.print(document.dump(2) + "\n");
        return;
    }
    char const* between = "";
    for (benchmark const& each : benchmarks()) {
        context.out.print(
            fmt::format("{}{}: {}\n{}\n", between, each.name, each.summary, indented(each.details)));
        for (choice const& one : each.choices)
            context.out.print(
                fmt::format("    --{:<14} {}{}\n", one.name,
                            one.defaults.empty()
                                ? "(fits the machine)"
                                : (one.is_axis ? shortened(one.defaults) : pretty(one.name, one.defaults)),
                            one.is_axis ? "" : "   [one value]"));
        between = "\n";
    }
    context.out.print("\nAxes take lists and are crossed; 'rhizome bench run --help' says what they are.\n");
}

} // namespace

cli::command const list_command{list_text, run_list};

} // namespace rhizome::bench

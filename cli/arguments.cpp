// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/arguments.hpp>
#include <rhizome/cli/help_text.hpp>
#include <rhizome/cli/names.hpp>
#include <rhizome/cli/option_list.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>

#include <cxxopts.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace rhizome::cli {
namespace {

void add_option(cxxopts::Options& options, listed_option const& each) {
    auto const value = each.is_switch() ? cxxopts::value<bool>() : cxxopts::value<std::string>();
    if (each.has_default) value->default_value(each.default_value);
    std::string const names = each.letter.empty() ? each.name : each.letter + "," + each.name;
    options.add_options(each.group)(names, each.summary, value, each.value);
}

} // namespace

struct arguments::parsed {
    parsed(command_text const& text)
        : command(text), list(options_of(text)), options("rhizome " + std::string(text.name), text.summary) {}

    command_text command;
    std::vector<listed_option> list;
    cxxopts::Options options;
    cxxopts::ParseResult result;
    std::vector<std::string> words;

    [[nodiscard]] listed_option const* find(std::string_view name) const {
        auto const found =
            std::find_if(list.begin(), list.end(), [&](auto const& o) { return o.name == name; });
        return found == list.end() ? nullptr : &*found;
    }

    [[noreturn]] void fail(std::string const& what) const {
        throw usage_error(with_advice(what, fmt::format("try 'rhizome {} --help'", command.name)));
    }

    void parse(std::vector<std::string> const& given) {
        std::vector<char const*> pointers{"rhizome"};
        std::vector<std::string> const safe = without_long_options(given);
        for (std::string const& word : safe)
            pointers.push_back(word.c_str());
        try {
            result = options.parse(static_cast<int>(pointers.size()), pointers.data());
        } catch (cxxopts::exceptions::exception const& error) {
            fail(error.what());
        }
        words = result.unmatched();
        // Unknown options come with the words, so that the message can name a similar one.
        auto const behind = std::find(given.begin(), given.end(), "--");
        auto const words_behind = static_cast<std::ptrdiff_t>(
            behind == given.end() ? 0 : given.end() - behind - 1); // all of them are words
        auto const end = words.end() - std::min(words_behind, std::ssize(words));
        auto const unknown = std::find_if(words.begin(), end, [](std::string const& word) {
            return word.size() > 1 && word.front() == '-';
        });
        if (unknown != end) refuse(unknown->substr(0, unknown->find('=')));
        for (listed_option const& each : list)
            if (!each.choices.empty() && result.count(each.name) > 0 && !is_other_builds_space(each))
                (void)checked_name(each.name, result[each.name].as<std::string>(), each.choices);
    }

private:
    /// cxxopts matches an option by a regular expression, which takes stack for each byte. Of a long one the
    /// value becomes a word of its own; a long name is none. Throws usage_error.
    [[nodiscard]] std::vector<std::string> without_long_options(std::vector<std::string> const& given) const {
        constexpr std::size_t long_bytes = 1000;
        std::vector<std::string> safe;
        bool ended = false; // by "--": what follows are words
        for (std::string const& word : given) {
            ended = ended || word == "--";
            if (ended || word.size() < long_bytes || word.front() != '-') {
                safe.push_back(word);
                continue;
            }
            std::size_t const name_end = word[1] == '-' ? word.find('=') : 2;
            std::string const name = word.substr(0, name_end);
            auto const known = std::find_if(list.begin(), list.end(), [&](listed_option const& each) {
                return name == "--" + each.name || (!each.letter.empty() && name == "-" + each.letter);
            });
            if (known == list.end() || name_end == std::string::npos) refuse(name);
            std::string const value = word.substr(name_end + (word[1] == '-' ? 1 : 0));
            if (known->is_switch())
                fail(fmt::format("{}: found {} after {}", command.name, io::quoted(value), name));
            safe.push_back(name);
            safe.push_back(value);
        }
        return safe;
    }

    /// cuda is a name in every build: open_graph() says why it cannot be used.
    [[nodiscard]] bool is_other_builds_space(listed_option const& option) const {
        return option.name == "space" && result[option.name].as<std::string>() == "cuda";
    }

    [[noreturn]] void refuse(std::string const& given) const {
        std::vector<std::string> names;
        for (listed_option const& each : list)
            names.push_back("--" + each.name);
        fail(fmt::format("{}: option {} does not exist{}", command.name, io::quoted(given),
                         did_you_mean(given, names)));
    }
};

arguments::arguments(command_text const& command, std::vector<std::string> const& words)
    : parsed_(std::make_unique<parsed>(command)) {
    cxxopts::Options& options = parsed_->options;
    options.custom_help(fmt::format("[options] {}", command.words)).set_width(text_columns);
    options.allow_unrecognised_options();
    for (listed_option const& each : parsed_->list)
        add_option(options, each);
    parsed_->parse(words);
}

arguments::arguments(arguments&&) noexcept = default;
arguments::~arguments() = default;

std::string arguments::help() const {
    command_text const& command = parsed_->command;
    std::vector<std::string> groups{"Output"};
    if (command.opens_session) groups.insert(groups.begin(), "Graph");
    if (!command.options.empty()) groups.insert(groups.begin(), "Command");
    std::string const examples =
        command.examples[0] == '\0' ? "" : fmt::format("\nExamples:\n{}\n", command.examples);
    return fmt::format("{}\n{}{}\n{}", parsed_->options.help(groups), command.details, examples,
                       exit_code_text());
}

std::vector<std::string> const& arguments::words(std::size_t fewest, std::size_t most) const {
    auto const& words = parsed_->words;
    std::string const& command = parsed_->command.name;
    if (words.size() < fewest)
        parsed_->fail(
            fmt::format("{}: an argument is missing, expected {}", command, parsed_->command.words));
    if (words.size() > most)
        parsed_->fail(fmt::format("{}: {} is one argument too many", command, io::quoted(words[most])));
    return words;
}

void arguments::demand(std::string const& option) const {
    if (!has(option)) parsed_->fail(fmt::format("{}: --{} is missing", parsed_->command.name, option));
}

bool arguments::takes(std::string const& option) const { return parsed_->find(option) != nullptr; }

bool arguments::has(std::string const& option) const {
    if (parsed_->result.count(option) == 0) return false;
    listed_option const* const found = parsed_->find(option);
    return found == nullptr || !found->is_switch() || parsed_->result[option].as<bool>();
}

std::string arguments::text(std::string const& option) const {
    return parsed_->result[option].as<std::string>();
}

std::uint64_t arguments::count(std::string const& option, std::uint64_t lowest, std::uint64_t highest) const {
    return parse_count(option, text(option), lowest, highest);
}

double arguments::real(std::string const& option) const { return parse_real(option, text(option)); }

runtime::graph_choice arguments::session() const {
    runtime::graph_choice options;
    if (has("space")) options.space = text("space");
    options.allocator = text("allocator");
    options.layout = text("layout");
    options.directed = has("directed");
    options.in_arcs = has("in-arcs");
    options.self_loops = !has("refuse-self-loops");
    options.compacts = !has("no-compaction");
    options.heap_bytes = parse_bytes("heap-bytes", text("heap-bytes"));
    if (has("memory-limit")) options.memory_limit_bytes = parse_bytes("memory-limit", text("memory-limit"));
    options.threads = static_cast<unsigned>(count("threads", 0, 4096));
    options.seed = count("seed", 0);
    return options;
}

} // namespace rhizome::cli

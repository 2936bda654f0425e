// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/command_set.hpp>
#include <rhizome/cli/names.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/runtime/components.hpp>

#include <fmt/format.h>

namespace rhizome::cli {

command_set::found command_set::find(std::vector<std::string> const& words) const {
    std::string const& first = words.front();
    for (command const* each : commands_) {
        std::string const name = each->text().name;
        if (name == first) return {each, 1};
        if (words.size() > 1 && name == first + " " + words[1]) return {each, 2};
    }
    std::vector<std::string> seconds;
    for (command_text const& each : group(first))
        seconds.push_back(std::string(each.name).substr(first.size() + 1));
    if (!seconds.empty() && words.size() == 1)
        throw usage_error(fmt::format("{}: an argument is missing, expected {}; try 'rhizome {} --help'",
                                      first, fmt::join(seconds, " or "), first));
    if (!seconds.empty())
        throw usage_error(
            with_advice(fmt::format("{}: there is no {}, only {}{}", first, io::quoted(words[1]),
                                    fmt::join(seconds, ", "), did_you_mean(words[1], seconds)),
                        fmt::format("try 'rhizome {} --help'", first)));
    if (first.starts_with('-'))
        throw usage_error(with_advice(fmt::format("option {} does not exist here{}", io::quoted(first),
                                                  did_you_mean(first, {"--help", "--version"})),
                                      "try 'rhizome --help'"));
    if (first == "bench") throw usage_error("bench: " + runtime::how_to_add("bench"));
    std::vector<std::string> names{"help"};
    for (command_text const& each : visible()) {
        std::string const name = each.name;
        names.push_back(name.substr(0, name.find(' ')));
    }
    throw usage_error(
        with_advice(fmt::format("there is no command {}{}", io::quoted(first), did_you_mean(first, names)),
                    "try 'rhizome --help'"));
}

std::vector<command_text> command_set::visible() const {
    std::vector<command_text> texts;
    for (command const* each : commands_) {
        command_text text = each->text();
        if (!text.hidden) texts.push_back(std::move(text));
    }
    return texts;
}

std::vector<command_text> command_set::group(std::string const& first) const {
    std::vector<command_text> texts;
    for (command_text& each : visible())
        if (std::string_view(each.name).starts_with(first + " ")) texts.push_back(std::move(each));
    return texts;
}

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/names.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/runtime/components.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace rhizome::cli {
namespace {

/// Edits between two names: the distance of Damerau and Levenshtein, in which no part is edited twice.
std::size_t edits_between(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last;
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            bool const same = a[i - 1] == b[j - 1];
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
            bool const swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        before_last = last;
        last = row;
    }
    return last[b.size()];
}

/// The names with few edits, those with the fewest first.
std::vector<std::string> close_names(std::string_view given, std::vector<std::string> const& names) {
    std::vector<std::pair<std::size_t, std::string>> found;
    for (std::string const& name : names) {
        std::size_t const most = std::max<std::size_t>(1, name.size() / 3);
        if (given.size() > name.size() + most) continue; // so many edits at least
        std::size_t const edits = edits_between(given, name);
        if (edits <= most && edits < name.size()) found.emplace_back(edits, name);
    }
    std::ranges::stable_sort(found, {}, &std::pair<std::size_t, std::string>::first);
    std::vector<std::string> close;
    for (auto& each : found)
        close.push_back(std::move(each.second));
    return close;
}

} // namespace

std::string closest_name(std::string_view given, std::vector<std::string> const& names) {
    auto const close = close_names(given, names);
    return close.empty() ? "" : close.front();
}

std::string did_you_mean(std::string_view given, std::vector<std::string> const& names) {
    std::string const name = closest_name(given, names);
    return name.empty() ? "" : fmt::format("; did you mean '{}'?", name);
}

std::string did_you_mean_one_of(std::string_view given, std::vector<std::string> const& names) {
    constexpr std::size_t most = 3;
    auto found = close_names(given, names);
    for (std::string const& name : names)
        if (!given.empty() && name.find(given) != std::string::npos &&
            std::ranges::find(found, name) == found.end())
            found.push_back(name);
    if (found.empty()) return "";
    found.resize(std::min(found.size(), most));
    std::string const last = found.back();
    found.pop_back();
    return found.empty() ? fmt::format("; did you mean '{}'?", last)
                         : fmt::format("; did you mean '{}' or '{}'?", fmt::join(found, "', '"), last);
}

std::string with_advice(std::string message, std::string advice) {
    if (!message.ends_with('?')) return std::move(message) + "; " + advice;
    if (!advice.empty())
        advice.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(advice.front())));
    return std::move(message) + " " + advice;
}

std::vector<std::string> names_of(std::vector<runtime::named_choice> const& choices) {
    std::vector<std::string> names;
    for (runtime::named_choice const& choice : choices)
        names.push_back(choice.name);
    return names;
}

std::string const& checked_name(std::string_view option, std::string const& given,
                                std::vector<std::string> const& names) {
    if (std::find(names.begin(), names.end(), given) != names.end()) return given;
    if (std::string const absent = runtime::absence_of(option, given); !absent.empty())
        throw usage_error(absent);
    throw usage_error(fmt::format("--{}: there is no {}, only {}{}", option, io::quoted(given),
                                  fmt::join(names, ", "), did_you_mean(given, names)));
}

} // namespace rhizome::cli

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/choice_text.hpp>
#include <rhizome/bench/harness/results.hpp>

#include <fmt/format.h>

namespace rhizome::bench {
namespace {

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

} // namespace

std::string default_text(choice const& which) {
    return which.is_axis ? shortened(which.defaults) : pretty(which.name, which.defaults);
}

std::string description_of(benchmark const& which) {
    std::string const head = fmt::format("{}: {}\n", which.name, which.summary);
    return which.details.empty() ? head : head + indented(which.details) + "\n";
}

} // namespace rhizome::bench

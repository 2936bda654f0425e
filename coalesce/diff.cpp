// SPDX-License-Identifier: Apache-2.0
#include "diff.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rhizome::coalesce {
namespace {

constexpr std::size_t context_lines = 3;

std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t const end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

} // namespace

std::string unified_diff(std::string const& name, std::string const& before, std::string const& after) {
    std::vector<std::string> const old_lines = lines_of(before);
    std::vector<std::string> const new_lines = lines_of(after);
    std::size_t const added = new_lines.size() - old_lines.size();
    std::vector<std::size_t> changed; // old line numbers; added lines lie before line 0
    for (std::size_t i = 0; i < old_lines.size(); ++i)
        if (old_lines[i] != new_lines[i + added] || (i == 0 && added > 0)) changed.push_back(i);
    std::string diff;
    for (std::size_t i = 0; i < changed.size();) {
        std::size_t const from = changed[i] - std::min(changed[i], context_lines);
        std::size_t last = changed[i];
        while (i < changed.size() && changed[i] <= last + 2 * context_lines)
            last = changed[i++];
        std::size_t const to = std::min(last + context_lines + 1, old_lines.size());
        bool const is_first = from == 0 && added > 0;
        std::size_t const new_from = is_first ? 0 : from + added;
        diff += "@@ -" + std::to_string(from + 1) + "," + std::to_string(to - from) + " +" +
                std::to_string(new_from + 1) + "," + std::to_string(to + added - new_from) + " @@\n";
        if (is_first)
            for (std::size_t k = 0; k < added; ++k)
                diff += "+" + new_lines[k] + "\n";
        for (std::size_t k = from; k < to; ++k) {
            if (old_lines[k] == new_lines[k + added]) {
                diff += " " + old_lines[k] + "\n";
                continue;
            }
            std::size_t end = k;
            while (end < to && old_lines[end] != new_lines[end + added])
                ++end;
            for (std::size_t j = k; j < end; ++j)
                diff += "-" + old_lines[j] + "\n";
            for (std::size_t j = k; j < end; ++j)
                diff += "+" + new_lines[j + added] + "\n";
            k = end - 1;
        }
    }
    return diff.empty() ? diff : "--- " + name + "\n+++ " + name + "\n" + diff;
}

} // namespace rhizome::coalesce

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/text_columns.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace rhizome::cli {

std::string wrapped(std::string_view text, std::size_t first, std::size_t indent) {
    std::string result;
    std::size_t column = first;
    bool begins_line = true;
    while (!text.empty()) {
        std::size_t const end = std::min(text.find(' '), text.size());
        std::string_view const word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!begins_line && column + 1 + word.size() > text_columns) {
            result += '\n' + std::string(indent, ' ');
            column = indent;
            begins_line = true;
        }
        if (!begins_line) {
            result += ' ';
            ++column;
        }
        result += word;
        column += word.size();
        begins_line = false;
    }
    return result;
}

std::string two_columns(std::vector<std::pair<std::string, std::string>> const& entries) {
    std::size_t width = 0;
    for (auto const& entry : entries)
        width = std::max(width, entry.first.size());
    std::size_t const second = 2 + width + 2;
    std::string result;
    for (auto const& [name, text] : entries)
        result += fmt::format("  {:<{}}  {}\n", name, width, wrapped(text, second, second));
    return result;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr char const* units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) return fmt::format("{} B", bytes);
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1024 && unit < 3; ++unit)
        value /= 1024;
    return fmt::format("{:.1f} {}", value, units[unit]);
}

} // namespace rhizome::cli

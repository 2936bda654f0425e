// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/name_text.hpp>

#include <algorithm>
#include <optional>

namespace rhizome::io {
namespace {

constexpr std::size_t escape_bytes = 4; // of \x0a

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::optional<unsigned> hexadecimal_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    return std::nullopt;
}

/// The character for which an escape at the beginning of the text stands. Other backslashes are themselves.
std::optional<char> escaped_character(std::string_view text) {
    if (text.size() < escape_bytes || !text.starts_with("\\x")) return std::nullopt;
    auto const high = hexadecimal_digit(text[2]);
    auto const low = hexadecimal_digit(text[3]);
    if (!high || !low) return std::nullopt;
    auto const c = static_cast<char>(*high << 4 | *low);
    return is_control(c) || c == '\\' ? std::optional(c) : std::nullopt;
}

bool is_word(std::string_view name) {
    return !name.empty() && name[0] != '#' && name[0] != '%' &&
           name.find_first_of(" ,;\"") == std::string_view::npos &&
           std::none_of(name.begin(), name.end(), is_control);
}

} // namespace

std::string name_word(std::string_view name) {
    if (is_word(name)) return std::string(name);
    constexpr char const* digits = "0123456789abcdef";
    std::string word = "\"";
    for (std::size_t i = 0; i < name.size(); ++i) {
        char const c = name[i];
        if (is_control(c) || escaped_character(name.substr(i))) {
            auto const code = static_cast<unsigned char>(c);
            word += {'\\', 'x', digits[code >> 4], digits[code & 15]};
            continue;
        }
        if (c == '"') word += '"';
        word += c;
    }
    return word + '"';
}

std::size_t take_quoted_name(std::string_view text, std::string& name) {
    name.clear();
    for (std::size_t at = 1; at < text.size() && text[at] != '\n'; ++at) {
        if (text[at] == '"') {
            if (at + 1 == text.size() || text[at + 1] != '"') return at + 1;
            ++at;
        } else if (std::optional<char> const c = escaped_character(text.substr(at))) {
            name += *c;
            at += escape_bytes - 1;
            continue;
        }
        name += text[at];
    }
    return 0;
}

} // namespace rhizome::io

// SPDX-License-Identifier: Apache-2.0
// Text of users and files, such as names and words, inside messages and reports.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rhizome::io {

/// Returns the text in quotes for a message of one line. Bytes that cannot be printed are escaped; text
/// beyond 40 bytes is cut.
[[nodiscard]] inline std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 40;
    constexpr char const* digits = "0123456789abcdef";
    std::string result = "'";
    for (char const c : text.substr(0, longest)) {
        auto const code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code < 0x7f) {
            result += c;
        } else {
            result += {'\\', 'x', digits[code >> 4], digits[code & 15]};
        }
    }
    return result + (text.size() > longest ? "'..." : "'");
}

/// The longest text that shown() leaves whole: most names of files are shorter.
inline constexpr std::size_t most_shown_bytes = 400;

/// Returns the text without quotes, for names of files and vertices. UTF-8 stays. A terminal would obey the
/// other bytes: control characters and bytes that are not UTF-8 become "\x1b". In text of more than
/// `longest` bytes "..." replaces the middle.
[[nodiscard]] std::string shown(std::string_view text, std::size_t longest = most_shown_bytes);

} // namespace rhizome::io

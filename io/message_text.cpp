// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/message_text.hpp>

#include <cstdint>

namespace rhizome::io {
namespace {

std::uint32_t byte_at(std::string_view text, std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
}

bool continues_character(std::uint32_t byte) { return (byte & 0xc0u) == 0x80u; }

/// Whether a terminal draws the character: it is no control character, and it does not change lines or the
/// direction of the text.
bool is_drawn(std::uint32_t character) {
    return character >= 0x20 && !(character >= 0x7f && character < 0xa0) &&
           !(character >= 0x2028 && character <= 0x202e) && !(character >= 0x2066 && character <= 0x2069);
}

/// The bytes of the UTF-8 character with which the text begins; 0 where there is none, or none that is drawn.
std::size_t drawn_bytes(std::string_view text) {
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    std::uint32_t const first = byte_at(text, 0);
    std::size_t const bytes = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (bytes == 0 || first >= 0xf8) return 0;
    std::uint32_t character = bytes == 1 ? first : first & (0x7fu >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        std::uint32_t const next = byte_at(text, i);
        if (!continues_character(next)) return 0;
        character = character << 6 | (next & 0x3fu);
    }
    bool const is_surrogate = character >= 0xd800 && character < 0xe000;
    bool const is_utf8 = character >= least[bytes] && character < 0x110000 && !is_surrogate;
    return is_utf8 && is_drawn(character) ? bytes : 0;
}

std::string escaped(std::string_view text) {
    constexpr char const* digits = "0123456789abcdef";
    std::string result;
    while (!text.empty()) {
        std::size_t const bytes = drawn_bytes(text);
        if (bytes == 0) {
            std::uint32_t const code = byte_at(text, 0);
            result += {'\\', 'x', digits[code >> 4], digits[code & 15]};
        } else {
            result += text.substr(0, bytes);
        }
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return result;
}

} // namespace

std::string shown(std::string_view text, std::size_t longest) {
    if (text.size() <= longest) return escaped(text);
    // No character is cut: a part ends, or begins, where a character begins, if one does within four bytes.
    constexpr std::size_t longest_character = 4;
    std::size_t end = longest - longest / 3;
    for (std::size_t i = 0; i < longest_character && continues_character(byte_at(text, end)) && end > 0; ++i)
        --end;
    std::size_t begin = text.size() - longest / 3;
    for (std::size_t i = 0; i < longest_character && continues_character(byte_at(text, begin)); ++i)
        ++begin;
    return escaped(text.substr(0, end)) + "..." + escaped(text.substr(begin));
}

} // namespace rhizome::io

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/formats/gml_tokens.hpp>
#include <rhizome/io/parse_error.hpp>

#include <array>
#include <charconv>
#include <utility>

namespace rhizome::io {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_number(char c) { return is_digit(c) || c == '-' || c == '+' || c == '.'; }
bool ends_word(char c) { return is_space(c) || c == '[' || c == ']' || c == '"' || c == '#'; }

constexpr std::array<std::pair<std::string_view, char>, 5> entities{
    {{"quot", '"'}, {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"apos", '\''}}};

void append_utf_8(std::string& to, std::uint32_t code) {
    auto const put = [&](std::uint32_t byte) { to += static_cast<char>(static_cast<unsigned char>(byte)); };
    auto const put_rest = [&](std::uint32_t shift) { put(0x80 | ((code >> shift) & 0x3f)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0 | (code >> 6));
        put_rest(0);
    } else if (code < 0x10000) {
        put(0xe0 | (code >> 12));
        put_rest(6);
        put_rest(0);
    } else {
        put(0xf0 | (code >> 18));
        put_rest(12);
        put_rest(6);
        put_rest(0);
    }
}

/// Appends the character that the entity stands for. Returns false if it is not known.
bool append_entity(std::string& to, std::string_view entity) {
    for (auto const& [name, character] : entities)
        if (entity == name) return to += character, true;
    if (entity.size() < 2 || entity.front() != '#') return false;
    std::uint32_t code = 0;
    char const* const end = entity.data() + entity.size();
    auto const [stop, error] = std::from_chars(entity.data() + 1, end, code);
    if (error != std::errc{} || stop != end || code > 0x10ffff) return false;
    append_utf_8(to, code);
    return true;
}

} // namespace

bool gml_tokens::next_line() {
    at_ = 0;
    if (!at_end_ && from_.next_line(line_)) return true;
    line_ = {};
    at_end_ = true;
    return false;
}

gml_token const& gml_tokens::next() {
    for (;;) {
        while (at_ < line_.size() && is_space(line_[at_]))
            ++at_;
        if (at_ < line_.size() && line_[at_] != '#') break;
        if (next_line()) continue;
        token_ = {gml_kind::end, {}, from_.line_number() + 1, 1};
        return token_;
    }
    token_ = {gml_kind::key, line_.substr(at_, 1), from_.line_number(), at_ + 1};
    char const first = line_[at_];
    if (first == '[' || first == ']') {
        token_.kind = first == '[' ? gml_kind::open : gml_kind::close;
        ++at_;
    } else if (first == '"') {
        take_string();
    } else {
        take_word(begins_number(first) ? gml_kind::number : gml_kind::key);
        if (!is_letter(first) && !begins_number(first)) fail("a key, a number, a string, '[' or ']'");
    }
    return token_;
}

void gml_tokens::take_word(gml_kind kind) {
    std::size_t const begin = at_;
    while (at_ < line_.size() && !ends_word(line_[at_]))
        ++at_;
    if (at_ == begin) ++at_;
    token_.kind = kind;
    token_.text = line_.substr(begin, at_ - begin);
}

void gml_tokens::take_string() {
    token_.kind = gml_kind::string;
    std::size_t begin = at_ + 1;
    std::size_t end = line_.find('"', begin);
    if (end != std::string_view::npos) {
        token_.text = line_.substr(begin, end - begin);
        at_ = end + 1;
        return;
    }
    long_string_.clear();
    do {
        long_string_ += line_.substr(begin);
        if (!next_line())
            throw parse_error(from_.name(), token_.line, token_.column, "a string without an end",
                              "'\"' at its end");
        long_string_ += '\n';
        begin = 0;
        end = line_.find('"');
    } while (end == std::string_view::npos);
    long_string_ += line_.substr(0, end);
    at_ = end + 1;
    token_.text = long_string_;
}

void gml_tokens::skip_value() {
    std::uint64_t depth = 0;
    bool expects_value = true; // in a list keys and values alternate
    do {
        gml_kind const kind = next().kind;
        if (expects_value) {
            if (kind == gml_kind::open) {
                ++depth;
            } else if (kind != gml_kind::number && kind != gml_kind::string) {
                fail("a number, a string or '['");
            }
            expects_value = false;
        } else if (kind == gml_kind::close) {
            --depth;
        } else if (kind == gml_kind::key) {
            expects_value = true;
        } else {
            fail("a key or ']'");
        }
    } while (depth > 0 || expects_value);
}

void gml_tokens::open_list(char const* what) {
    if (next().kind != gml_kind::open) fail(std::string("'[' after '") + what + "'");
}

std::int64_t gml_tokens::whole_number(char const* what) {
    std::int64_t value = 0;
    if (next().kind != gml_kind::number) fail(std::string(what) + ", a whole number");
    std::string_view text = token_.text;
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size())
        fail(std::string(what) + ", a whole number of 64 bits");
    return value;
}

void gml_tokens::fail(std::string const& expected) const {
    throw parse_error(from_.name(), token_.line, token_.column,
                      token_.kind == gml_kind::end ? "the end of the file" : quoted(token_.text), expected);
}

std::string gml_text(std::string_view raw) {
    constexpr std::size_t longest_entity = 12; // &#1114111; and two zeros: a text of '&'s alone costs no more
    std::string text;
    while (!raw.empty()) {
        std::size_t const mark = raw.find('&');
        text += raw.substr(0, mark);
        if (mark == std::string_view::npos) break;
        raw.remove_prefix(mark);
        std::size_t const end = raw.substr(0, longest_entity).find(';');
        if (end != std::string_view::npos && append_entity(text, raw.substr(1, end - 1))) {
            raw.remove_prefix(end + 1);
        } else { // no entity: the character itself
            text += '&';
            raw.remove_prefix(1);
        }
    }
    return text;
}

void append_gml_text(std::string& to, std::string_view text) {
    for (char const c : text) {
        auto const code = static_cast<unsigned char>(c);
        if (c == '"') {
            to += "&quot;";
        } else if (c == '&') {
            to += "&amp;";
        } else if (code < 0x20 || code == 0x7f) {
            to += "&#" + std::to_string(code) + ";";
        } else {
            to += c;
        }
    }
}

} // namespace rhizome::io

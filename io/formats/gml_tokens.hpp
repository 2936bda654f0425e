// SPDX-License-Identifier: Apache-2.0
// The tokens of GML: keys, numbers, strings and brackets, with errors that name line and column.
#pragma once

#include <rhizome/io/input.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace rhizome::io {

enum class gml_kind { key, number, string, open, close, end };

/// One token.
struct gml_token {
    gml_kind kind = gml_kind::end;
    std::string_view text;    ///< as in the file; of a string without its quotes
    std::uint64_t line = 0;   ///< where it begins, from 1
    std::uint64_t column = 0; ///< in bytes, from 1
};

/// Takes the tokens of a file one by one. White space separates them where needed; '#' begins a comment up to
/// the end of the line, except in a string. A string may go over several lines.
class gml_tokens {
public:
    /// `from` must outlive this object, and only this object reads from it.
    explicit gml_tokens(input& from) : from_(from) {}

    /// Takes the next token. Its text is valid until the next call. Throws parse_error for a character that
    /// begins no token and for a string without an end.
    gml_token const& next();
    /// Returns the token that next() returned last.
    [[nodiscard]] gml_token const& token() const { return token_; }

    /// Skips one value: the next token, and all of the list that it may open. Throws parse_error if there is
    /// none.
    void skip_value();
    /// Takes the '[' of a list; `what` names its key in messages.
    void open_list(char const* what);
    /// Takes a whole number; `what` names it in messages.
    std::int64_t whole_number(char const* what);

    /// Throws parse_error: found the last token, expected `expected`.
    [[noreturn]] void fail(std::string const& expected) const;

private:
    bool next_line();
    void take_string();
    void take_word(gml_kind kind);

    input& from_;
    std::string_view line_; ///< the present line
    std::size_t at_ = 0;    ///< what is left of it begins here
    bool at_end_ = false;
    std::string long_string_; ///< of several lines
    gml_token token_;
};

/// Returns the text of a string: &quot; &amp; &lt; &gt; &apos; and &#N; stand for characters.
[[nodiscard]] std::string gml_text(std::string_view raw);

/// Appends the characters of a text as they stand in a string of ASCII or UTF-8.
void append_gml_text(std::string& to, std::string_view text);

} // namespace rhizome::io

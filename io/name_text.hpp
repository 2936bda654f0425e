// SPDX-License-Identifier: Apache-2.0
// How the name of a vertex is written into a line of text, and read from it: in quotes if it holds blanks or
// other characters that separate words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rhizome::io {

/// Returns the name as one word of a line. A name that is empty, begins with '#' or '%', or holds blanks,
/// commas, semicolons, quotes or control characters, stands in double quotes. In these, "" is a quote, and
/// \x0a is the control character (or the backslash, 5c) with this hexadecimal number.
[[nodiscard]] std::string name_word(std::string_view name);

/// Returns how many bytes the quoted name takes with which the text begins, and sets `name` to it; 0 if no
/// quote closes it in the same line. Precondition: the text begins with a quote.
[[nodiscard]] std::size_t take_quoted_name(std::string_view text, std::string& name);

} // namespace rhizome::io

// SPDX-License-Identifier: Apache-2.0
// Names that a user may have misspelt: commands, options, choices.
#pragma once

#include <rhizome/runtime/catalogue.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace rhizome::cli {

/// The name that the user most likely meant: the one with the fewest edits (insertions, deletions,
/// replacements, swaps of neighbours), if these are at most a third of its length. "" where none is that
/// close.
[[nodiscard]] std::string closest_name(std::string_view given, std::vector<std::string> const& names);

/// "; did you mean 'stream'?", or "" where no name is close.
[[nodiscard]] std::string did_you_mean(std::string_view given, std::vector<std::string> const& names);

/// The same with up to three names: the close ones, those with the fewest edits first, then those that
/// contain `given`.
[[nodiscard]] std::string did_you_mean_one_of(std::string_view given, std::vector<std::string> const& names);

/// The message with advice in lower case behind it: "...; try this", or "... did you mean 'info'? Try this".
[[nodiscard]] std::string with_advice(std::string message, std::string advice);

[[nodiscard]] std::vector<std::string> names_of(std::vector<runtime::named_choice> const& choices);

/// Returns `given` if it is one of the names. Throws usage_error otherwise, with the names and the closest.
std::string const& checked_name(std::string_view option, std::string const& given,
                                std::vector<std::string> const& names);

} // namespace rhizome::cli

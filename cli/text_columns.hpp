// SPDX-License-Identifier: Apache-2.0
// Text for a terminal: lines of at most 100 columns, lists in two columns, counts with their nouns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rhizome::cli {

inline constexpr std::size_t text_columns =
    100; ///< what the tool prints is no wider, but for long file names

/// The words of `text` in lines of at most text_columns columns. The first line begins at column `first`,
/// where the caller has put something already; the others are indented by `indent` spaces. No line end behind
/// the last.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t first, std::size_t indent);

/// One entry a line, two spaces in front: the first parts aligned, the second ones wrapped beside them.
[[nodiscard]] std::string two_columns(std::vector<std::pair<std::string, std::string>> const& entries);

/// "1 batch", "2 batches".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

/// "1.5 MiB"
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

} // namespace rhizome::cli

// Files that people take for graph files, and that no reader here reads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rhizome::io {

/// The least length of `head` that other_format_of() needs, unless the file is shorter.
inline constexpr std::size_t other_format_head_bytes = 1024;

/// Returns what a file that begins with `head` is, with its article, if it is known and not readable: "a
/// GraphML file", "a ZIP archive, which must be unpacked first"; otherwise "".
[[nodiscard]] std::string other_format_of(std::string_view head);

} // namespace rhizome::io

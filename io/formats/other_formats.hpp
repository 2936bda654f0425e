// Files that people take for graph files, and that no reader here reads.
#pragma once

#include <string>
#include <string_view>

namespace rhizome::io {

/// Returns what a file is that begins with `head` (the first 64 KiB, or all of it), with its article, if it
/// is known and not readable: "a GraphML file", "a ZIP archive, which must be unpacked first"; otherwise "".
[[nodiscard]] std::string other_format_of(std::string_view head);

} // namespace rhizome::io

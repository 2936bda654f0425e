// SPDX-License-Identifier: Apache-2.0
// Files of well-known kinds that no reader takes: what a message calls them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rhizome::io {

/// A kind of file that no reader takes.
struct foreign_kind {
    std::string_view name;   ///< behind "is ": "a GraphML file"
    std::string_view advice; ///< what the user can do; "": convert it
};

/// Returns the kind of a file that begins like this, if it is one of those that users mistake for graphs that
/// can be read: GraphML, GEXF, JSON, HTML, Pajek, DOT, graph6, sparse6, digraph6, LGL, Ligra, archives, and
/// files that were compressed twice. `head`: at least the first 64 KiB, or the whole file if it is shorter,
/// unpacked.
[[nodiscard]] std::optional<foreign_kind> foreign_kind_of(std::string_view head);

} // namespace rhizome::io

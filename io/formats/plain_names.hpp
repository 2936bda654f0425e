// SPDX-License-Identifier: Apache-2.0
// Names of vertices that say no more than the ids do.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <utility>

namespace rhizome::io {

/// Gives the file these names, one per vertex, unless they are the numbers of the vertices, counted from 0 or
/// from 1.
inline void give_names(graph_file& file, vertex_names&& names) {
    if (names.empty()) return;
    std::uint64_t const first = names.is_text() ? 0 : names.number(0);
    bool plain = !names.is_text() && first <= 1;
    for (std::uint64_t v = 0; plain && v < names.size(); ++v)
        plain = names.number(static_cast<graph::vertex_id>(v)) == v + first;
    if (!plain) {
        file.names = std::move(names);
    } else {
        file.counts_from_one = first == 1;
    }
}

} // namespace rhizome::io

// Names of vertices that say no more than the ids do.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <utility>

namespace rhizome::io {

/// Gives the file these names, one per vertex, unless each vertex has its own id as its name.
inline void give_names(graph_file& file, vertex_names&& names) {
    bool plain = !names.is_text();
    for (std::uint64_t v = 0; plain && v < names.size(); ++v)
        plain = names.number(static_cast<graph::vertex_id>(v)) == v;
    if (!plain) file.names = std::move(names);
}

} // namespace rhizome::io

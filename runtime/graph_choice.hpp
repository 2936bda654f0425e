// SPDX-License-Identifier: Apache-2.0
// What a program chooses at run time when it opens a graph.
#pragma once

#include <rhizome/graph/options.hpp>
#include <rhizome/runtime/values.hpp>

#include <cstdint>
#include <string>

namespace rhizome::runtime {

/// Types by name. An empty name means the default. Space: cuda if a GPU is usable, else host. Layout: the
/// first of layouts() (catalogue.hpp). Allocator: the first in graph_types() that can be combined with the
/// layout and the value type.
struct graph_choice {
    std::string space{};
    std::string layout{};
    std::string allocator{};
    value_type values = value_type::none; ///< of the edges

    std::uint64_t vertices = 0; ///< at the start
    bool directed = false;
    bool in_arcs = false;                ///< directed graphs only: keep the reverse adjacency as well
    bool self_loops = true;              ///< keep self-loops; false refuses and counts them
    bool refuses_unknown_ids = false;    ///< as in graph::graph_options
    std::uint64_t heap_bytes = 2u << 20; ///< the heap's size at the start; it grows by itself
    graph::page_requests pages = graph::page_requests::bulk_loads; ///< how batches request pages
    bool compacts = true;                                          ///< as in graph::graph_options
    std::uint64_t memory_limit_bytes = 0; ///< all memory that the graph may take on its space; 0: no limit
    unsigned threads = 0;                 ///< host space: 0 means one per core
    std::uint64_t seed = 1;               ///< simt space: seed of its scheduler
};

} // namespace rhizome::runtime

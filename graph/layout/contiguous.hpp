// SPDX-License-Identifier: Apache-2.0
// The contiguous layout: one page per vertex, neighbours ascending. It is the layout of ouroGraph (Winter et
// al., Ouroboros, ICS 2020, section 6.2).
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/format/row_format.hpp>
#include <rhizome/graph/format/vertex_record.hpp>
#include <rhizome/graph/limits.hpp>

#include <cstdint>

namespace rhizome::graph {

namespace batch {
template <class Format, bool Erasing>
struct contiguous_steps;
}

/// The default layout. Up to three neighbours are in the vertex record (one with 64-bit ids, none if edges
/// have values); more are in one page. Neighbours ascend. A row that outgrows its page is copied to a larger
/// one. Needs an allocator that serves blocks of any size.
struct contiguous {
    /// The name of the layout in runtime::layouts().
    static constexpr char const* name = "contiguous";
    /// Whether neighbours ascend.
    static constexpr bool sorted = true;
    /// A small batch groups its arcs by counting them per row. It requests pages as if every arc were new: an
    /// upper bound. (A batch that sorts its arcs requests exactly what it fills.)
    static constexpr bool exact = false;
    /// Each row is one page, so the graph may move rows when it frees sparse chunks of the heap.
    static constexpr bool one_page_per_row = true;

    template <class Id, class Value>
    using format = row_format<Id, Value>;

    /// The largest request of this layout, in bytes: each row, however long, is one page. The allocator must
    /// serve it.
    template <class Id, class Value>
    static constexpr std::uint64_t
        largest_request_bytes = needed_of_allocators(format<Id, Value>::bytes_for(most_neighbours<Id>));

    template <class Format, bool Erasing>
    using steps = batch::contiguous_steps<Format, Erasing>;
};

} // namespace rhizome::graph

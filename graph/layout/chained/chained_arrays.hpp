// SPDX-License-Identifier: Apache-2.0
// What the steps of a batch pass to one another where rows lie in several pages.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/merge_context.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// A row that the batch touches: its arcs of the batch, and the pages that it gets or loses.
struct chain_slice {
    std::uint64_t row;
    std::uint32_t begin;
    std::uint32_t count;      ///< once judged: of the distinct arcs, ascending
    std::uint32_t changes;    ///< how many of them change the row
    std::uint32_t first_page; ///< in the list of pages
    std::uint32_t page_count; ///< inserting: new pages; erasing: pages with the last `changes` neighbours
    batch::merger merger;
};

/// M: arcs of the batch. R: the most rows that it can touch.
template <class Format>
struct chain_context : merge_context<Format> {
    using id_type = typename Format::id_type;

    chain_slice* slices;  ///< R
    id_type** found;      ///< M: the page of the arc's target, or nullptr; its number is in `places`
    std::uint64_t* pages; ///< first the bytes that are wanted, then addresses; 0: no page

    /// The most pages that the list can have.
    [[nodiscard]] static constexpr std::uint64_t pages_at_most(std::uint64_t arcs, std::uint64_t touched) {
        return arcs / Format::least_room + 2 * touched;
    }
};

} // namespace rhizome::graph::batch

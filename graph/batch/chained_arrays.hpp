// What the programs of a batch hand to one another where rows lie in several pages.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/merge_context.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// A touched row: its arcs of the batch, and the pages that it gets or loses.
struct chain_segment {
    std::uint64_t row;
    std::uint32_t begin;
    std::uint32_t count;      ///< once judged: distinct ones, ascending
    std::uint32_t changes;    ///< of them, those that change the row
    std::uint32_t first_page; ///< in the list of pages
    std::uint32_t page_count; ///< inserting: new ones; erasing: those that hold the last `changes` neighbours
    batch::merger merger;
};

/// M arcs, R rows touched at most.
template <class Format>
struct chain_context : merge_context<Format> {
    using id_type = typename Format::id_type;

    chain_segment* segments; ///< R
    id_type** found;      ///< M: the page where the arc's target lies, or nullptr; its number is in `places`
    std::uint64_t* pages; ///< first the bytes that are wanted, then addresses; 0: none

    /// How long the list of pages can become.
    [[nodiscard]] static constexpr std::uint64_t pages_at_most(std::uint64_t arcs, std::uint64_t touched) {
        return arcs / Format::least_room + 2 * touched;
    }
};

} // namespace rhizome::graph::batch

// SPDX-License-Identifier: Apache-2.0
// The steps of a compaction, below the interface of select.hpp.
#pragma once

#include <rhizome/compaction/bit_mask.hpp>
#include <rhizome/compaction/detail/look_back.hpp>
#include <rhizome/compaction/detail/source.hpp>
#include <rhizome/compaction/detail/stage.hpp>
#include <rhizome/compaction/selectable.hpp>
#include <rhizome/compaction/tuning.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace rhizome::compaction::detail {

/// How a mask is cut up, and what that takes.
struct selection_plan {
    std::uint64_t tiles = 0; ///< of a chunk per warp of a block
    exec::launch_shape scan_shape{1, 1};
    exec::launch_shape write_shape{1, 1};
    exec::launch_shape move_shape{1, 1}; ///< in place
    std::uint64_t state_words = 0;       ///< tickets, and those of look_back()
    /// In pairs: the number of steps, and the listed steps, at most one per part of a row. On the host: an
    /// offset per piece and the total.
    std::uint64_t list_words = 0;
    std::uint64_t progress_words = 0; ///< of 4 bytes, in place only: a ticket of 8 bytes, and a bit per part
};
/// The ticket has a line of the cache for itself.
inline constexpr std::uint64_t ticket_words = line_bytes / sizeof(std::uint64_t);

/// Memory of the space for one call.
struct selection_scratch {
    std::uint64_t* states = nullptr;   ///< all zero before a call and after it
    std::uint64_t* list = nullptr;     ///< any contents; begins at a multiple of 16 bytes
    std::uint32_t* progress = nullptr; ///< any contents
};

template <class Space>
[[nodiscard]] selection_plan plan_selection(Space const& space, std::uint64_t bits,
                                            std::uint32_t element_bytes, launch_options const& options) {
    selection_plan plan;
    if constexpr (exec::threads_take_runs<Space>) {
        constexpr std::uint64_t piece_items = std::uint64_t{host_piece_words} * bits_per_word;
        plan.list_words = (bits + piece_items - 1) / piece_items + 1;
    } else {
        constexpr std::uint32_t least_threads = 2 * warp_lanes; // look_back() needs two warps
        std::uint32_t const wanted_threads =
            std::min({options.block_threads != 0 ? options.block_threads : most_block_threads,
                      most_block_threads, space.max_block_threads()});
        std::uint32_t const block_threads =
            std::max(wanted_threads / least_threads * least_threads, least_threads);
        std::uint64_t const block_warps = block_threads / warp_lanes;
        std::uint64_t const chunks = (bits + chunk_items - 1) / chunk_items;
        plan.tiles = (chunks + block_warps - 1) / block_warps;
        plan.scan_shape = {static_cast<std::uint32_t>(std::max<std::uint64_t>(plan.tiles, 1)), block_threads};
        std::uint64_t const parts = row_items / part_items_of(element_bytes);
        std::uint64_t const most_steps = chunks * chunk_rows * parts;
        auto const shape_of = [&](std::uint32_t side_by_side, std::uint32_t rounds) {
            std::uint64_t const resident = space.concurrency() * side_by_side /
                                           (most_side_by_side_threads / most_block_threads * block_threads);
            std::uint64_t const wanted = options.write_blocks != 0 ? options.write_blocks : resident * rounds;
            return exec::launch_shape{static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
                                          wanted, 1, std::max<std::uint64_t>(most_steps / block_warps, 1))),
                                      block_threads};
        };
        plan.write_shape = shape_of(write_blocks_side_by_side, write_rounds);
        plan.move_shape = shape_of(move_blocks_side_by_side, 1); // a block waits for others
        plan.state_words = ticket_words + tile_words * plan.tiles;
        plan.list_words = 2 + 2 * most_steps;
        plan.progress_words = 2 + plan.tiles * block_warps * parts;
    }
    return plan;
}

/// The scratch of a call out of memory with any contents.
template <class Space>
[[nodiscard]] selection_scratch carve(Space& space, selection_plan const& plan,
                                      exec::workspace<Space>& scratch) {
    auto* const all = scratch.template at_least_of<std::uint64_t>(plan.state_words + plan.list_words +
                                                                  (plan.progress_words + 1) / 2);
    if (plan.state_words != 0) space.fill(all, 0, plan.state_words * sizeof(std::uint64_t));
    return {all, all + plan.state_words,
            reinterpret_cast<std::uint32_t*>(all + plan.state_words + plan.list_words)};
}

/// Compiled in the library for common spaces and elements (compiled.hpp).
template <class Space>
struct selection {
    template <class Source, class Element>
    static void select(Space& space, selection_plan const& plan, selection_scratch const& scratch,
                       Source const& source, bit_mask const& mask, Element* output, std::uint64_t* count);
    template <class Element>
    static void select_in_place(Space& space, selection_plan const& plan, selection_scratch const& scratch,
                                Element* data, bit_mask const& mask, std::uint64_t* count);
};

template <class Element>
[[nodiscard]] array_source<Element> source_of(Element const* data) {
    return {data};
}

/// Calls body(from, to) with pointers to the element type that the kernels are compiled for.
template <class T, class Body>
void with_element(T const* from, T* to, Body const& body) {
    using natural = aligned_element<T>;
    using declared = declared_element<T>;
    if constexpr (alignof(natural) > alignof(T)) {
        std::uintptr_t const places =
            reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
        if (places % alignof(natural) != 0)
            return body(reinterpret_cast<declared const*>(from), reinterpret_cast<declared*>(to));
    }
    body(reinterpret_cast<natural const*>(from), reinterpret_cast<natural*>(to));
}

template <class Index>
void require_index(std::uint64_t bits) {
    if (bits != 0 && bits - 1 > std::numeric_limits<Index>::max())
        throw std::invalid_argument("select_indices: " + std::to_string(bits) + " items, but indices have " +
                                    std::to_string(8 * sizeof(Index)) + " bits");
}

} // namespace rhizome::compaction::detail

#include <rhizome/compaction/selection.inl>

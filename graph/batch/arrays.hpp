// SPDX-License-Identifier: Apache-2.0
// What the steps of a batch pass to one another, in the memory of the space.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/size_lists.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::graph::batch {

/// One share of a batch's counts. There are several shares, since additions of the whole device to one word
/// would take longer than the batch.
struct alignas(64) counters {
    static constexpr std::uint32_t shares = 32;

    std::uint64_t rejected;        ///< edges with an end that is no live vertex
    std::uint64_t self_loops;      ///< edges refused as self-loops
    std::uint64_t edges;           ///< distinct edges
    std::uint64_t effective_arcs;  ///< arcs that change something
    std::uint64_t effective_edges; ///< edges that change something
    std::uint64_t needed_bytes;    ///< of pages, for the whole batch

    RZ_HD void operator+=(counters const& other) {
        rejected += other.rejected;
        self_loops += other.self_loops;
        edges += other.edges;
        effective_arcs += other.effective_arcs;
        effective_edges += other.effective_edges;
        needed_bytes += other.needed_bytes;
    }
};

/// How far a batch is, and what stops it before it has changed anything.
struct alignas(64) progress {
    std::uint64_t cursor;         ///< slices << 32 | arcs: how many have a place so far
    std::uint64_t measured_bytes; ///< of pages that will be asked for, if that was measured
    std::uint64_t dropped;        ///< arcs that are not taken, if arcs are sorted: the last ones
    std::uint32_t middling;       ///< slices in the list of those that warps merge
    std::uint32_t heavy;          ///< slices in the list of those that blocks merge
    std::uint32_t refused_pages;  ///< not 0: the allocator refused a page that is needed
    std::uint32_t refused_wishes; ///< not 0: the allocator refused a page that would only save time
    std::uint32_t unsorted;       ///< not 0: the batch must be sorted; `overflowing`: it overflows a row
    std::uint32_t pieces;         ///< of rows that blocks merge, if arcs were sorted
    std::uint32_t pages;          ///< in the list of those that rows of several pages get or lose
    std::uint32_t crowded;        ///< not 0: a row has more arcs than a block sorts (if arcs were sorted)
    std::uint32_t unordered;      ///< not 0: a key is less than the one before it, in the order of the batch
    std::uint32_t called_off;     ///< not 0: the caller decided against the batch (decision.hpp)
    std::uint32_t skewed;         ///< not 0: a bin of rows has so many arcs that it would delay the batch
    std::uint32_t unknown_ids; ///< not 0: the batch has a rejected edge, and the graph refuses such batches

    static constexpr std::uint32_t overflowing = 2; ///< of `unsorted`: exactly these arcs would overflow a
                                                    ///< row

    [[nodiscard]] RZ_HD bool stopped() const {
        return refused_pages != 0 || unsorted != 0 || called_off != 0 || skewed != 0 || unknown_ids != 0;
    }
    [[nodiscard]] RZ_HD std::uint32_t slices() const { return static_cast<std::uint32_t>(cursor >> 32); }
};

/// What the host reads at the end of a batch.
struct tallies {
    progress now;
    counters share[counters::shares];
};

/// All that is zero at the start of a batch.
struct beginning {
    tallies all;
    size_counts asked;            ///< of pages that the allocator is asked for
    size_counts freed;            ///< of pages that go back to it
    std::uint64_t changes_listed; ///< updated << 32 | applied: how many edges are in the lists of changes
    std::uint32_t blocks_done;
};

/// An arc within its row. With values it has the number of the edge of the batch that brings its value. Of
/// equal arcs the last one of the batch counts.
template <class Id, bool HasValues>
struct slice_arc {
    Id target;
    [[nodiscard]] static RZ_HD slice_arc of(Id target, std::uint64_t) { return {target}; }
    [[nodiscard]] RZ_HD bool before(slice_arc const& other) const { return target < other.target; }
};
template <class Id>
struct slice_arc<Id, true> {
    Id target;
    std::uint32_t index;
    [[nodiscard]] static RZ_HD slice_arc of(Id target, std::uint64_t edge) {
        return {target, static_cast<std::uint32_t>(edge)};
    }
    [[nodiscard]] RZ_HD std::uint32_t edge() const { return index; }
    [[nodiscard]] RZ_HD bool before(slice_arc const& other) const {
        return target != other.target ? target < other.target : index < other.index;
    }
};

/// Which threads merge a row that the batch touches.
enum class merger : std::uint32_t {
    nobody,    ///< it does not change
    registers, ///< a tile, in its registers
    tile,      ///< a tile, one window after the other
    warp,
    block,
    blocks, ///< several blocks, one piece each, into a new page
};

/// The slice of a batch that belongs to one row: the row, its arcs of the batch, and the page obtained for
/// it.
struct alignas(16) slice {
    std::uint64_t row;
    void* page; ///< before apply: the page obtained, or nullptr; after it: the page to give back, or nullptr
    std::uint32_t begin;
    std::uint32_t count;    ///< of arcs
    std::uint32_t capacity; ///< of the page, in neighbours
    batch::merger merger;
};

/// M: arcs of the batch's edges, taken or not. R: the most rows that the batch can touch.
template <class Id, bool HasValues>
struct arrays {
    using arc_type = slice_arc<Id, HasValues>;

    beginning* zeros;
    tallies* all;           ///< among the zeros
    std::uint32_t* numbers; ///< M: the number of the arc in its row; of arcs that are not taken: no_number.
                            ///< If arcs are sorted: as `places`, of each arc
    arc_type* arcs;         ///< M: grouped by row; once merged, the effective ones of each row, ascending
    std::uint32_t* places;  ///< M: of each effective arc: how many neighbours of the row are smaller. May lie
                            ///< where sorted keys lay: written when those are not needed
    batch::slice* slices;   ///< R
    std::uint32_t* listed;  ///< R: middling slices from the front, heavy ones from the back
    std::uint32_t rows_at_most;
    std::uint32_t piece_degree; ///< neighbours, and arcs, of each piece of a row that several blocks merge
    std::uint32_t wish_degree;  ///< longer rows get a new page, if there is one, so that several blocks can
                                ///< merge them

    static constexpr std::uint32_t no_number = 0xffff'ffffu;

    [[nodiscard]] RZ_HD progress& now() const { return all->now; }
    [[nodiscard]] RZ_HD counters& share(std::uint64_t thread_rank) const {
        return all->share[thread_rank / 32 % counters::shares];
    }
    [[nodiscard]] RZ_HD std::uint32_t& heavy(std::uint32_t number) const {
        return listed[rows_at_most - 1 - number];
    }
};

} // namespace rhizome::graph::batch

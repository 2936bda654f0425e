// What the programs of a batch hand to one another, in the memory of the space.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/size_lists.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::graph::batch {

/// One share of a batch's counts. There are several, since one word that a whole device adds to would take
/// longer than the batch.
struct alignas(64) counters {
    static constexpr std::uint32_t shares = 32;

    std::uint64_t rejected;        ///< edges with an endpoint that is no live vertex
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

/// What stops a batch before it has changed anything; and how far it is.
struct alignas(64) progress {
    std::uint64_t cursor;         ///< segments << 32 | arcs: placed so far
    std::uint64_t measured_bytes; ///< of pages that will be asked for, where that was measured
    std::uint64_t dropped;        ///< arcs that are not taken, where arcs are sorted: the last of all
    std::uint32_t middling;       ///< segments in the list of those that a warp merges
    std::uint32_t heavy;          ///< segments in the list of those that a block merges
    std::uint32_t refused_pages;  ///< not 0: the allocator did not have a page that is needed
    std::uint32_t refused_wishes; ///< not 0: it did not have one that would only be of use
    std::uint32_t unsorted;       ///< not 0: only sorted can the batch be done; or it overflows a row
    std::uint32_t pieces;         ///< of rows that blocks merge, where arcs were sorted
    std::uint32_t pages;          ///< in the list of those that chained rows get or lose
    std::uint32_t crowded;        ///< not 0: a row has more arcs than a block sorts; where they were sorted
    std::uint32_t unordered;      ///< not 0: a key is less than the one before it, as they came

    static constexpr std::uint32_t overflowing = 2; ///< `unsorted`: found of exactly what is to be done

    [[nodiscard]] RZ_HD bool stopped() const { return refused_pages != 0 || unsorted != 0; }
    [[nodiscard]] RZ_HD std::uint32_t segments() const { return static_cast<std::uint32_t>(cursor >> 32); }
};

/// What the host is told, in the end.
struct tallies {
    progress now;
    counters share[counters::shares];
};

/// All that a batch begins with as zeros.
struct beginning {
    tallies all;
    size_counts asked; ///< of pages that the allocator is asked for
    size_counts freed; ///< of pages that go back to it
    std::uint32_t blocks_done;
};

/// An arc within its row. With values it names the edge of the batch whose value it brings; of equal arcs
/// the last of the batch counts.
template <class Id, bool HasValues>
struct segment_arc {
    Id target;
    [[nodiscard]] static RZ_HD segment_arc of(Id target, std::uint64_t) { return {target}; }
    [[nodiscard]] RZ_HD bool before(segment_arc const& other) const { return target < other.target; }
};
template <class Id>
struct segment_arc<Id, true> {
    Id target;
    std::uint32_t index;
    [[nodiscard]] static RZ_HD segment_arc of(Id target, std::uint64_t edge) {
        return {target, static_cast<std::uint32_t>(edge)};
    }
    [[nodiscard]] RZ_HD std::uint32_t edge() const { return index; }
    [[nodiscard]] RZ_HD bool before(segment_arc const& other) const {
        return target != other.target ? target < other.target : index < other.index;
    }
};

/// Who merges a touched row.
enum class merger : std::uint32_t {
    nobody,    ///< it does not change
    registers, ///< a tile, in its registers
    tile,      ///< a tile, window after window
    warp,
    block,
    blocks, ///< several, a piece each, into a new page
};

/// A touched row: its arcs of the batch, and the page obtained for it.
struct alignas(16) segment {
    std::uint64_t row;
    void* page; ///< before apply: obtained, or nullptr; after it: to be given back, or nullptr
    std::uint32_t begin;
    std::uint32_t count;    ///< of arcs
    std::uint32_t capacity; ///< of the page, in neighbours
    batch::merger merger;
};

/// M arcs (of edges, taken or not), R rows touched at most.
template <class Id, bool HasValues>
struct arrays {
    using arc_type = segment_arc<Id, HasValues>;

    beginning* zeros;
    tallies* all;             ///< among the zeros
    std::uint32_t* rank;      ///< M: which arc of its row it is; dropped: no_rank
    arc_type* arcs;           ///< M: grouped by row; once merged, the effective ones of each row, ascending
    std::uint32_t* places;    ///< M: of effective arcs: neighbours of the row that are smaller
    batch::segment* segments; ///< R
    std::uint32_t* listed;    ///< R: middling segments from the front, heavy ones from the back
    std::uint32_t rows_at_most;
    std::uint32_t piece_degree; ///< of rows that several blocks merge: neighbours and arcs each
    std::uint32_t wish_degree;  ///< rows with more get a new page so that several blocks can, if there is one

    static constexpr std::uint32_t no_rank = 0xffff'ffffu;

    [[nodiscard]] RZ_HD progress& now() const { return all->now; }
    [[nodiscard]] RZ_HD counters& share(std::uint64_t thread_rank) const {
        return all->share[thread_rank / 32 % counters::shares];
    }
    [[nodiscard]] RZ_HD std::uint32_t& heavy(std::uint32_t number) const {
        return listed[rows_at_most - 1 - number];
    }
};

} // namespace rhizome::graph::batch

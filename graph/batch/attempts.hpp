// SPDX-License-Identifier: Apache-2.0
// The tries of a batch: what comes next if a try was stopped, or had no scratch.
#pragma once

#include <rhizome/graph/batch/arrays.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// The state of a batch that has not been applied yet. `trimmed` and `grown` ask the caller to trim or
/// enlarge the heap and try again; `counted` and `sorted` ask only to try again.
enum class attempt : std::uint8_t {
    counted, ///< its arcs are grouped by counting
    sorted,  ///< its arcs are grouped by a sort over the whole device
    trimmed, ///< the heap is trimmed; arcs are grouped as before
    grown,   ///< the heap is enlarged; arcs are grouped as before
    refused, ///< there is nothing left to try
};

/// Why a try has changed nothing.
enum class stop : std::uint8_t {
    lacks_pages,   ///< the allocator refused a page
    needs_sorting, ///< a row has more arcs of the batch than a block can sort
    overflows_row, ///< a row would have more neighbours than a row can have
};

/// Why the batch was stopped. Precondition: it was stopped.
[[nodiscard]] constexpr stop reason_of(progress const& now) {
    if (now.unsorted == progress::overflowing) return stop::overflows_row;
    return now.unsorted != 0 ? stop::needs_sorting : stop::lacks_pages;
}

/// The state machine of the tries. Of the rows for an event, the first whose condition holds is taken:
///
///   event            | condition                               | next state
///   -----------------|-----------------------------------------|-----------------------------------------
///   lacks scratch    | pages are requested in bulk             | as before, pages lane by lane
///                    | sorted, rows in pieces, heap untrimmed  | sorted, without the list of row pieces
///                    | sorted by choice                        | counted
///                    | otherwise                               | refused
///   stopped          | overflows_row                           | refused
///                    | needs_sorting, was counted              | sorted, on demand
///                    | heap untrimmed                          | trimmed
///                    | was counted, the layout is not exact    | sorted, on demand
///                    | the heap may grow                       | grown
///                    | otherwise                               | refused
///
/// The list of row pieces grows with the graph, not with the batch, so it is dropped first. Counting takes
/// less scratch than sorting. Trimming frees pages of sizes that the graph has outgrown. A sorted batch asks
/// for exactly what it needs, a counted one for the most that it may need, unless the layout is exact either
/// way.
///
/// Bulk requests take no single free pages. So after a refusal the pages are requested lane by lane, before
/// the heap grows; in a heap that has grown, in bulk once more.
class attempts {
public:
    /// `sorts`: the first try sorts, although counting would be possible. `exact`: the layout asks for
    /// exactly the pages that a batch needs, also if its arcs are counted. `bulk`: pages are requested in
    /// bulk.
    constexpr attempts(bool sorts, bool exact, bool bulk = false)
        : state_(sorts ? attempt::sorted : attempt::counted), sorts_(sorts), exact_(exact), bulk_(bulk) {}

    [[nodiscard]] constexpr attempt state() const { return state_; }
    [[nodiscard]] constexpr bool sorts() const { return sorts_; }
    /// Whether several blocks merge a large row. That takes pages that only save time. They are no longer
    /// asked for once the allocator has refused a page that is needed.
    [[nodiscard]] constexpr bool merges_in_pieces() const { return in_pieces_ && !trimmed_; }
    [[nodiscard]] constexpr bool has_trimmed() const { return trimmed_; }

    /// Whether this try requests pages in bulk.
    [[nodiscard]] constexpr bool bulk() const { return bulk_ && (!trimmed_ || growths_ == 1); }

    /// There was no memory for the arrays of the try.
    constexpr attempt lacks_scratch() {
        if (bulk()) {
            bulk_ = false;
            return state_ = sorts_ ? attempt::sorted : attempt::counted;
        }
        if (sorts_ && merges_in_pieces()) {
            in_pieces_ = false;
            return state_ = attempt::sorted;
        }
        if (!sorts_ || must_sort_) return state_ = attempt::refused;
        sorts_ = false;
        return state_ = attempt::counted;
    }

    /// The try was stopped. `heap_may_grow`: the caller is willing to enlarge the heap.
    constexpr attempt stopped(stop why, bool heap_may_grow) {
        if (why == stop::overflows_row) return state_ = attempt::refused;
        if (why == stop::needs_sorting && !sorts_) return sort_on_demand();
        if (!trimmed_) {
            trimmed_ = true;
            return state_ = attempt::trimmed;
        }
        if (!sorts_ && !exact_) return sort_on_demand();
        if (!heap_may_grow) return state_ = attempt::refused;
        ++growths_;
        return state_ = attempt::grown;
    }

private:
    constexpr attempt sort_on_demand() {
        sorts_ = must_sort_ = true;
        return state_ = attempt::sorted;
    }

    attempt state_;
    bool sorts_;
    bool exact_;
    bool bulk_;
    std::uint32_t growths_ = 0;
    bool must_sort_ = false; ///< until then sorting is a choice
    bool trimmed_ = false;
    bool in_pieces_ = true;
};

} // namespace rhizome::graph::batch

// The contiguous layout: one page a vertex, neighbours ascending (OuroGraph: papers/ouroboros, section 6.2).
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/vertex_record.hpp>

#include <cstdint>

namespace rhizome::graph {

/// The arcs of one batch that belong to one row: targets ascend; of them, some are effective.
template <class TargetOf>
struct row_batch {
    TargetOf target_of;          ///< target_of(i), begin <= i < end
    std::uint32_t const* before; ///< effective arcs of the batch before arc i
    std::uint64_t begin;
    std::uint64_t end;

    [[nodiscard]] RZ_HD std::uint64_t first_not_less(vertex_id target) const {
        std::uint64_t low = begin;
        for (std::uint64_t high = end; low < high;) {
            std::uint64_t const middle = low + (high - low) / 2;
            if (target_of(middle) < target)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    /// Effective arcs of this row before arc i.
    [[nodiscard]] RZ_HD std::uint32_t rank(std::uint64_t i) const { return before[i] - before[begin]; }
    [[nodiscard]] RZ_HD std::uint32_t size() const { return rank(end); }
    [[nodiscard]] RZ_HD bool effective(std::uint64_t i) const { return before[i + 1] != before[i]; }
};

struct contiguous {
    struct position {
        std::uint32_t place; ///< neighbours smaller than the target
        bool present;
    };

    /// Cost: a binary search.
    [[nodiscard]] static RZ_HD position find(vertex_record const& row, vertex_id target) {
        std::uint32_t low = 0;
        for (std::uint32_t high = row.degree; low < high;) {
            std::uint32_t const middle = low + (high - low) / 2;
            if (row.neighbours[middle] < target)
                low = middle + 1;
            else
                high = middle;
        }
        return {low, low < row.degree && row.neighbours[low] == target};
    }

    /// Moves the row's neighbours to where they lie once the batch is merged: into `page`, or up in place
    /// where page is the row's own. From the end, so that in place nothing is overwritten before it is read.
    /// Called by all threads of the group.
    template <class Group, class Batch>
    static RZ_HD void make_gaps(Group const& group, vertex_record const& row, vertex_id* page,
                                Batch const& batch, std::uint32_t first_place) {
        // In place, what lies before the first new arc stays where it is.
        std::uint32_t const stop = page == row.neighbours ? first_place : 0;
        for (std::uint32_t end = row.degree; end > stop;) {
            std::uint32_t const window = end - stop < group.size() ? end - stop : group.size();
            std::uint32_t const i = end - window + group.rank();
            bool const mine = group.rank() < window;
            vertex_id value = 0;
            std::uint32_t shift = 0;
            if (mine) {
                value = row.neighbours[i];
                shift = batch.rank(batch.first_not_less(value));
            }
            group.sync(); // the window is read before any of it is written
            if (mine) page[i + shift] = value;
            end -= window;
        }
    }

    /// Closes up over the neighbours that the batch erases, in place, from the front.
    /// Called by all threads of the group.
    template <class Group, class Batch>
    static RZ_HD void close_gaps(Group const& group, vertex_record const& row, Batch const& batch,
                                 std::uint32_t first_place) {
        for (std::uint32_t begin = first_place; begin < row.degree; begin += group.size()) {
            std::uint32_t const i = begin + group.rank();
            bool keep = false;
            vertex_id value = 0;
            std::uint32_t shift = 0;
            if (i < row.degree) {
                value = row.neighbours[i];
                std::uint64_t const arc = batch.first_not_less(value);
                shift = batch.rank(arc);
                keep = !(arc < batch.end && batch.target_of(arc) == value && batch.effective(arc));
            }
            group.sync(); // the window is read before any of it is written
            if (keep) row.neighbours[i - shift] = value;
        }
    }
};

} // namespace rhizome::graph

// SPDX-License-Identifier: Apache-2.0
// Whether compressed sparse rows ascend.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::graph {

/// How many targets are not greater than the one before. No branch per target.
template <class Id>
[[nodiscard]] RZ_HD std::uint64_t count_descents(Id const* targets, std::uint64_t count) {
    constexpr std::uint64_t run = 1u << 16; // few enough to be counted in 32 bits, which takes half the time
    std::uint64_t descents = 0;
    for (std::uint64_t first = 1; first < count; first += run) {
        std::uint64_t const last = first + run < count ? first + run : count;
        std::uint32_t here = 0;
        for (std::uint64_t i = first; i < last; ++i)
            here += targets[i] <= targets[i - 1] ? 1 : 0;
        descents += here;
    }
    return descents;
}

/// What look_at_order() finds in some rows.
template <class Id>
struct row_order {
    bool ascends; ///< all rows ascend strictly
    Id least;     ///< target, if the rows ascend
    Id most;      ///< target, if the rows ascend
    /// If the rows ascend: rows whose first target is less than their vertex, or is their vertex.
    std::uint64_t begin_below;
    std::uint64_t begin_with_loop;
};

/// Looks at the rows `first` to `last` - 1 of compressed sparse rows. Row v has the targets number offsets[v]
/// to offsets[v + 1] - 1. Cost: one pass over the targets, and one over the offsets. Neither has a loop whose
/// length depends on a row: mispredicted branches would take longer than the rest.
template <class Id>
[[nodiscard]] RZ_HD row_order<Id> look_at_order(std::uint64_t const* offsets, Id const* targets,
                                                std::uint64_t first, std::uint64_t last) {
    row_order<Id> found{true, static_cast<Id>(~Id{0}), 0, 0, 0};
    std::uint64_t const begin = offsets[first];
    std::uint64_t descents = 0; // from a row to the next
    for (std::uint64_t v = first; v < last; ++v) {
        std::uint64_t const from = offsets[v];
        std::uint64_t const past = offsets[v + 1];
        if (from == past) continue;
        Id const least = targets[from];
        Id const most = targets[past - 1];
        descents += from != begin && least <= targets[from - (from != begin ? 1 : 0)] ? 1 : 0;
        found.least = least < found.least ? least : found.least;
        found.most = most > found.most ? most : found.most;
        found.begin_below += least < v ? 1 : 0;
        found.begin_with_loop += least == v ? 1 : 0;
    }
    found.ascends = count_descents(targets + begin, offsets[last] - begin) == descents;
    return found;
}

/// Whether one of these rows has its own vertex among its targets.
template <class Id>
[[nodiscard]] RZ_HD bool has_self_loop(std::uint64_t const* offsets, Id const* targets, std::uint64_t first,
                                       std::uint64_t last) {
    bool found = false;
    for (std::uint64_t v = first; v < last; ++v)
        for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i)
            found |= targets[i] == v;
    return found;
}

} // namespace rhizome::graph

// SPDX-License-Identifier: Apache-2.0
// Plans which chunks of a heap move, so that all chunks in use lie below a lower end. On the host.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <vector>

namespace rhizome::alloc {

/// The contents of chunk `from` move to chunk `to`.
struct chunk_move {
    std::uint32_t from;
    std::uint32_t to;
};

/// Moves in two rounds. Invariant: in each round all chunks `from` are in use, all chunks `to` are free at
/// its start, and no chunk occurs twice. So the moves of a round can be made in any order, or together.
struct chunk_move_plan {
    std::vector<chunk_move> pages;   ///< first round: chunks of pages
    std::vector<chunk_move> extents; ///< second round: extents, chunk by chunk
    std::uint64_t end = 0;           ///< afterwards all chunks in use are below this one

    [[nodiscard]] std::uint64_t moves() const { return pages.size() + extents.size(); }
};

namespace detail {

/// What moves as a whole: a chunk of pages, or an extent.
struct unit {
    std::uint64_t first;
    std::uint64_t chunks;
    bool is_extent;

    [[nodiscard]] std::uint64_t end() const { return first + chunks; }
};

[[nodiscard]] inline std::vector<unit> units_of(std::span<std::uint32_t const> headers) {
    std::vector<unit> units;
    for (std::uint64_t chunk = 0; chunk < headers.size();) {
        std::uint32_t const header = headers[chunk];
        bool const is_extent = kind_of(header) == chunk_kind::extent;
        std::uint64_t const chunks = is_extent ? detail_of(header) : 1;
        if (kind_of(header) != chunk_kind::free) units.push_back({chunk, chunks, is_extent});
        chunk += chunks;
    }
    return units;
}

/// The lowest end for which the moves suffice.
[[nodiscard]] inline std::uint64_t lowest_end(std::vector<unit> const& units, std::uint64_t least_end,
                                              std::uint64_t most_moves) {
    std::uint64_t moves = 0;
    for (auto last = units.rbegin(); last != units.rend(); ++last) {
        // The chunks of an extent may have to be emptied before it moves there.
        moves += last->is_extent ? 2 * last->chunks : 1;
        if (last->first < least_end || moves > most_moves) return std::max(last->end(), least_end);
    }
    return least_end;
}

/// Runs of chunks without an extent, by length: the shortest one that is long enough is taken.
class extent_room {
public:
    void add(std::uint64_t first, std::uint64_t end) {
        if (first < end) runs_.emplace(end - first, first);
    }
    /// The first of `chunks` chunks, or `none`.
    [[nodiscard]] std::uint64_t take(std::uint64_t chunks) {
        auto const run = runs_.lower_bound(chunks);
        if (run == runs_.end()) return none;
        auto const [length, first] = *run;
        runs_.erase(run);
        // From its end: chunks of pages are at the low end of a heap.
        add(first, first + length - chunks);
        return first + length - chunks;
    }
    static constexpr std::uint64_t none = ~std::uint64_t{0};

private:
    std::multimap<std::uint64_t, std::uint64_t> runs_;
};

} // namespace detail

/// `headers`: of all chunks of a heap (chunk_records.hpp); chunks of queues do not occur. Plans at most
/// `most_moves` moves. Below the end remain free chunks, at least 1/free_share of those in use, if that many
/// are free now. rounded(end): the lowest end that is at least `end` and to which the heap can shrink, or
/// more than all chunks.
///
/// The end becomes as low as the limit allows, but for extents: one that crosses the lowest end stays, and so
/// does one for which there is no run of chunks without an extent. If there are no moves, and the limit is
/// twice the length of the last extent, the end is as low as it will be. Cost: a pass over the headers, and
/// O(log n) for each of n extents. Throws std::bad_alloc; std::logic_error if the headers contradict each
/// other.
[[nodiscard]] inline chunk_move_plan
plan_chunk_moves(std::span<std::uint32_t const> headers, std::uint64_t free_share, std::uint64_t most_moves,
                 std::function<std::uint64_t(std::uint64_t)> const& rounded) {
    std::vector<detail::unit> const units = detail::units_of(headers);
    std::uint64_t used = 0;
    for (detail::unit const& u : units)
        used += u.chunks;
    chunk_move_plan plan;
    std::uint64_t const least_end =
        std::min<std::uint64_t>(rounded(used + used / free_share), headers.size());
    plan.end = detail::lowest_end(units, least_end, most_moves);

    std::vector<detail::unit> leaving; // extents
    detail::extent_room room;
    std::uint64_t from = 0;
    for (detail::unit const& u : units) {
        if (!u.is_extent) continue;
        if (u.first >= plan.end) {
            leaving.push_back(u);
        } else {
            room.add(from, u.first);
            from = u.end();
        }
    }
    room.add(from, plan.end);

    // The longest extents are the hardest to place.
    std::stable_sort(leaving.begin(), leaving.end(),
                     [](detail::unit const& a, detail::unit const& b) { return a.chunks > b.chunks; });
    std::vector<bool> reserved(plan.end); // for extents
    std::uint64_t stays_below = 0;
    for (detail::unit const& u : leaving) {
        std::uint64_t const to = room.take(u.chunks);
        if (to == detail::extent_room::none) {
            stays_below = std::max(stays_below, u.end());
            continue;
        }
        for (std::uint64_t i = 0; i < u.chunks; ++i) {
            reserved[to + i] = true;
            plan.extents.push_back(
                {static_cast<std::uint32_t>(u.first + i), static_cast<std::uint32_t>(to + i)});
        }
    }

    std::vector<bool> in_use(headers.size());
    for (detail::unit const& u : units)
        std::fill_n(in_use.begin() + static_cast<std::ptrdiff_t>(u.first), u.chunks, true);
    std::uint64_t to = 0;
    for (auto u = units.rbegin(); u != units.rend(); ++u) {
        if (u->is_extent || (u->first < plan.end && !reserved[u->first])) continue;
        while (to < plan.end && (in_use[to] || reserved[to]))
            ++to;
        if (to >= plan.end)
            throw std::logic_error(
                "ouroboros: below the new end of the heap is no room for all chunks in use");
        plan.pages.push_back({static_cast<std::uint32_t>(u->first), static_cast<std::uint32_t>(to++)});
    }
    plan.end = std::max(plan.end, stays_below);
    return plan;
}

} // namespace rhizome::alloc

// SPDX-License-Identifier: Apache-2.0
// Lanes of a group that are served a few at a time, in the order of their ranks.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::exec {

/// How many lanes of a group have been served. Each lane wants one item, items come in batches, and lanes of
/// lower rank are served first. Every lane of the group holds a copy and makes the same calls, so all copies
/// are equal. Cost: one or two comparisons in registers; lanes do not communicate.
///
///     exec::rank_order lanes;
///     do {
///         batch const got = /* by the leader, up to lanes.missing(group) items, broadcast to all */;
///         if (lanes.is_next(group, got.count)) mine = got.first + lanes.turn(group);
///     } while (!lanes.serve(group, got.count));
class rank_order {
public:
    /// The number of lanes without an item.
    template <class Group>
    [[nodiscard]] RZ_HD std::uint32_t missing(Group const& group) const {
        return group.size() - served_;
    }
    /// Whether the caller is one of the next `items` lanes.
    template <class Group>
    [[nodiscard]] RZ_HD bool is_next(Group const& group, std::uint32_t items) const {
        return group.rank() >= served_ && group.rank() - served_ < items;
    }
    /// The number, from 0, of the caller's item in the batch. Precondition: is_next().
    template <class Group>
    [[nodiscard]] RZ_HD std::uint32_t turn(Group const& group) const {
        return group.rank() - served_;
    }
    /// Counts the next `items` lanes, at most missing(), as served; returns whether all lanes are served now.
    template <class Group>
    [[nodiscard]] RZ_HD bool serve(Group const& group, std::uint32_t items) {
        served_ += items;
        return served_ == group.size();
    }

private:
    std::uint32_t served_ = 0;
};

} // namespace rhizome::exec

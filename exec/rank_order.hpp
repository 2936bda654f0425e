// Lanes of a group that are served a few at a time, in the order of their ranks.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::exec {

/// How far a group of lanes has been served, where each lane wants one item and items come in batches: the
/// lane of rank 0 first. Every lane of the group holds one of these and makes the same calls, so all copies
/// are equal. Cost: a comparison or two in registers; no lane asks another.
///
///     exec::rank_order lanes;
///     do {
///         batch const got = /* by the leader, up to lanes.missing(group) items, broadcast to all */;
///         if (lanes.is_next(group, got.count)) mine = got.first + lanes.turn(group);
///     } while (!lanes.serve(group, got.count));
class rank_order {
public:
    /// Lanes that are still without an item.
    template <class Group>
    [[nodiscard]] RZ_HD std::uint32_t missing(Group const& group) const {
        return group.size() - served_;
    }
    /// Whether the caller is one of the next `items` lanes.
    template <class Group>
    [[nodiscard]] RZ_HD bool is_next(Group const& group, std::uint32_t items) const {
        return group.rank() >= served_ && group.rank() - served_ < items;
    }
    /// Which of the batch's items is the caller's, counted from 0; is_next() holds for it.
    template <class Group>
    [[nodiscard]] RZ_HD std::uint32_t turn(Group const& group) const {
        return group.rank() - served_;
    }
    /// Counts the next `items` lanes, at most missing(), as served; whether all lanes are.
    template <class Group>
    [[nodiscard]] RZ_HD bool serve(Group const& group, std::uint32_t items) {
        served_ += items;
        return served_ == group.size();
    }

private:
    std::uint32_t served_ = 0;
};

} // namespace rhizome::exec

// SPDX-License-Identifier: Apache-2.0
// What results that follow a graph have in common: after each batch they are repaired or computed anew,
// whichever is expected to take less time.
//
// A maintained result is made for a space, starts from a view, and then gets what each batch changed:
//
//     graph::graph_changes<Space> changes(space);
//     maintained_triangles<Space> triangles(space);
//     triangles.start(g.view());
//     for (each batch) {
//         changes.clear();
//         g.insert_edges(batch, &changes);
//         triangles.update(g.view(), changes);    // triangles.total() is that of the graph now
//     }
//
// `changes` holds the net effect of all changes since the last start() or update(): one batch, or several
// that have no edge in common. A result whose update() throws is stale: is_current() is false, and the next
// update() computes it anew.
#pragma once

#include <rhizome/exec/stopwatch.hpp>

#include <cstdint>

namespace rhizome::algorithms {

/// How an update brings a result up to date.
enum class maintenance : std::uint8_t {
    cheaper,  ///< by the way that is expected to take less time
    repair,   ///< from the changes, whatever that costs
    recompute ///< anew, as the static algorithm does
};

/// What an update did.
struct update_report {
    bool recomputed = false; ///< the result was computed anew
    std::uint64_t work = 0;  ///< of repairing, in the unit that the result states; 0: not estimated
};

/// Chooses between repairing and computing anew from the times that both took before. Computing anew is
/// expected to take as long as last time. Repairing is expected to take, for each unit of its work, as long
/// as in earlier updates (their mean, weighted by work; recent updates count more). Launches and waits count
/// as work too, so that small updates do not make large ones look slow.
class maintenance_choice {
public:
    /// `fixed_work`: takes as long as the launches and waits of an update. `first_work_per_ms`: assumed
    /// before the first repair.
    maintenance_choice(double fixed_work, double first_work_per_ms)
        : fixed_work_(fixed_work), repaired_work_(first_work_per_ms), repaired_ms_(1) {}

    /// The most work for which it repairs.
    [[nodiscard]] std::uint64_t most_work(maintenance way) const {
        if (way == maintenance::repair) return ~std::uint64_t{0};
        if (way == maintenance::recompute) return 0;
        double const work = recomputed_ms_ * repaired_work_ / repaired_ms_ - fixed_work_;
        return work <= 0 ? 0 : work >= 1e18 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(work);
    }
    /// Whether it repairs where that takes so much work.
    [[nodiscard]] bool repairs(maintenance way, std::uint64_t work) const {
        return work <= most_work(way) && way != maintenance::recompute;
    }
    void repaired(std::uint64_t work, exec::wall_timer const& timer) {
        repaired_work_ = keeps * repaired_work_ + all_work(work);
        repaired_ms_ = keeps * repaired_ms_ + timer.elapsed_ms();
    }
    void recomputed(exec::wall_timer const& timer) { recomputed_ms_ = timer.elapsed_ms(); }

private:
    static constexpr double keeps = 0.75; ///< of what was known, with each update

    [[nodiscard]] double all_work(std::uint64_t work) const {
        return fixed_work_ + static_cast<double>(work);
    }

    double fixed_work_;
    double repaired_work_;
    double repaired_ms_;
    double recomputed_ms_ = 0;
};

} // namespace rhizome::algorithms

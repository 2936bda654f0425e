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
#include <rhizome/graph/changes.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <span>
#include <utility>

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

/// The edges that were inserted and erased, without values: the same type for graphs with any values.
class changed_edges {
public:
    changed_edges(std::span<graph::edge const> inserted, std::span<graph::edge const> erased)
        : inserted_(inserted), erased_(erased) {}
    [[nodiscard]] std::span<graph::edge const> inserted() const { return inserted_; }
    [[nodiscard]] std::span<graph::edge const> erased() const { return erased_; }

private:
    std::span<graph::edge const> inserted_;
    std::span<graph::edge const> erased_;
};

/// The base of results that follow a graph. `Derived` declares it a friend and has
///
///     template <class View> void find(View const&);             // computes the result anew
///     template <class View, class Changes>
///     update_report follow(View const&, Changes const&);        // repairs it, or calls find()
///     static constexpr bool reads_values;
///
/// Either may throw; the result is then stale. If it reads values they get the view and the graph_changes as
/// they are, else a view without values and changed_edges.
template <class Derived, class Space>
class maintained_result {
public:
    /// Computes the result for a view. Waits. Throws what the static algorithm throws, out_of_memory among
    /// it. Cost: that of the static algorithm.
    template <graph::graph_view View>
    void start(View const& view) {
        current_ = false;
        derived().find(seen(view));
        current_ = true;
    }

    /// Brings the result up to date. `view`: the graph after the changes. `changes`: their net effect since
    /// the last start() or update(). Waits. Throws as start(); the result is then stale, and the next update
    /// computes it anew, as the first one does without start().
    template <graph::graph_view View, class EdgeValue>
    update_report update(View const& view,
                         graph::graph_changes<Space, EdgeValue, graph::vertex_id> const& changes) {
        static_assert(sizeof(typename View::id_type) == sizeof(graph::vertex_id),
                      "the ids of the view must have 32 bits");
        bool const repairable = std::exchange(current_, false) && way_ != maintenance::recompute;
        update_report report{.recomputed = true};
        if (repairable)
            report = follow(view, changes);
        else
            derived().find(seen(view));
        current_ = true;
        return report;
    }

    /// Whether the result is that of the last view. False before start(), and after a call that threw.
    [[nodiscard]] bool is_current() const { return current_; }

protected:
    explicit maintained_result(maintenance way) : way_(way) {}

    [[nodiscard]] maintenance way() const { return way_; }

private:
    template <class View>
    [[nodiscard]] static auto seen(View const& view) {
        if constexpr (Derived::reads_values)
            return view;
        else
            return graph::untyped(view);
    }
    template <class View, class Changes>
    update_report follow(View const& view, Changes const& changes) {
        if constexpr (Derived::reads_values)
            return derived().follow(view, changes);
        else
            return derived().follow(seen(view), changed_edges(changes.inserted(), changes.erased()));
    }
    [[nodiscard]] Derived& derived() { return static_cast<Derived&>(*this); }

    maintenance way_;
    bool current_ = false;
};

} // namespace rhizome::algorithms

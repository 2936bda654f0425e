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

#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/graph/changes.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
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
    std::uint64_t work = 0;  ///< of repairing, in the unit that the result states; 0: did not repair
};

/// What a repair came to.
struct repair_outcome {
    enum class end : std::uint8_t {
        repaired,
        recomputed, ///< found anew by the repair itself
        gave_up     ///< at the limit of work: the result is undefined
    };
    std::uint64_t work = 0; ///< that was done
    end how = end::repaired;
};

/// How large an update is.
struct update_size {
    std::uint64_t inserted = 0; ///< edges
    std::uint64_t erased = 0;   ///< edges, with those that got another value
    std::uint64_t graph = 0;    ///< vertices and arcs, after the update

    [[nodiscard]] std::uint64_t changes() const { return inserted + erased; }
};

/// Chooses between repairing and computing anew from the times that both took before.
///
/// Updates are of one kind if they insert, erase, or do both, and have about as many changes: 1, 2 to 7, 8 to
/// 31, and so on. Each kind has a budget, the time by which its repairs may exceed computing anew:
/// - Each update adds the share tuning::excess_share of what computing anew takes.
/// - A repair adds the time by which it was faster than computing anew, or subtracts that by which it was
///   slower. If it gave up, computing anew counts as part of it.
/// - The budget is at most tuning::most_saved times what computing anew takes, so that repairs which become
///   expensive stop soon. When computing anew turns out to take less time than was thought, nothing of what
///   was saved counts: it may have been saved from a time that was never right, as that of loading kernels.
///
/// While the budget is negative, updates are computed anew.
///
/// The first repair after computing anew is a restart, of updates that insert, that erase and that do both
/// the first of each. It may take longer than those after it, which find what it has set up (core numbers:
/// the first insertion an order of the vertices). So that one which took long does not end the repairs that
/// it was made for, restarts of a kind have a budget and a rate of their own.
///
/// So all updates of a kind take at most 1 + 2 excess_share times as long as if each were computed anew, plus
/// what three of its repairs take: the last one, the last restart, and the first one of the result. The
/// latter may load kernels: it subtracts at most what computing anew takes, and its time says nothing about
/// the next repairs.
///
/// A repair gets a limit of work, which is expected to take as long as computing anew, for a restart
/// tuning::most_restart times as long. Each kind has its own rate: repairs of one kind may take their time
/// for a few launches, and those of another for many arcs.
///
/// Computing anew is expected to take as long, for each vertex and arc, as in the faster one of its last two
/// times: one alone may have waited for memory or for kernels to be loaded. It is measured again after
/// repairs have taken 1, 2, 4, and up to 128 times as long since the last time.
class maintenance_choice {
public:
    /// The most work that a repair of such an update may take; 0: it is to be computed anew. To be called
    /// once for each update. Precondition: recomputed() was called.
    [[nodiscard]] std::uint64_t most_work(update_size const& update) {
        double const anew = anew_ms(update.graph);
        restarts_ = std::exchange(is_anew_[changes_of(update)], false);
        bool has_budget = true;
        for (bool const restarts : {false, true}) {
            kind& its = kind_of(update, restarts);
            add(its, tuning::excess_share * anew, anew);
            has_budget = has_budget && (its.budget_ms >= 0 || (restarts && !restarts_));
        }
        if (!has_budget || repaired_since_ >= measured_after_ * anew) return 0;
        kind const& its = kind_of(update, restarts_);
        double const most_ms = restarts_ ? tuning::most_restart * anew : anew;
        double const work = most_ms * its.repaired_work / its.repaired_ms - tuning::update_work;
        return static_cast<std::uint64_t>(std::clamp(work, tuning::update_work, 1e18));
    }
    /// A repair did so much work in `repair_ms`. `all_ms`: with computing anew, if it gave up.
    void repaired(update_size const& update, std::uint64_t work, double repair_ms, double all_ms) {
        double const anew = anew_ms(update.graph);
        bool const is_first = std::exchange(is_first_repair_, false);
        kind& its = kind_of(update, restarts_);
        add(its, anew - (is_first ? std::min(all_ms, 2 * anew) : all_ms), anew);
        repaired_since_ += repair_ms;
        if (is_first || work == 0) return; // without work it shows no rate
        its.repaired_work = keeps * its.repaired_work + all_work(work);
        its.repaired_ms = keeps * its.repaired_ms + repair_ms;
    }
    /// Computing the result of a graph anew took so long.
    void recomputed(std::uint64_t graph, double ms) {
        bool const is_first = anew_ms_[0] == 0;
        double const before_ms = anew_ms(graph);
        anew_ms_[1] = is_first ? ms / all_work(graph) : anew_ms_[0];
        anew_ms_[0] = ms / all_work(graph);
        if (anew_ms(graph) < less_time * before_ms) forget_savings();
        measured_after_ = is_first ? 1 : std::min(2 * measured_after_, most_measured_after);
        repaired_since_ = 0;
        std::fill(std::begin(is_anew_), std::end(is_anew_), true);
    }

private:
    static constexpr double most_measured_after = 128;
    static constexpr double less_time = 0.9; ///< of computing anew than was thought: not by chance
    static constexpr double keeps = 0.75;    ///< of what repairs before took, with each of them
    static constexpr std::size_t sizes = 17; ///< of updates: 1, 2 to 7, 8 to 31, ..., 2^31 and more

    struct kind {
        double budget_ms = 0;
        double repaired_work = tuning::first_work_per_ms; ///< in repaired_ms
        double repaired_ms = 1;
    };

    [[nodiscard]] static double all_work(std::uint64_t work) {
        return tuning::update_work + static_cast<double>(work);
    }
    [[nodiscard]] double anew_ms(std::uint64_t graph) const {
        return std::min(anew_ms_[0], anew_ms_[1]) * all_work(graph);
    }
    [[nodiscard]] kind& kind_of(update_size const& update, bool restarts) {
        std::size_t const size = std::min<std::size_t>(std::bit_width(update.changes()) / 2, sizes - 1);
        return kinds_[changes_of(update)][size][restarts ? 1 : 0];
    }
    /// 0: it inserts, 1: it erases, 2: both.
    [[nodiscard]] static std::size_t changes_of(update_size const& update) {
        return update.erased == 0 ? 0 : update.inserted == 0 ? 1 : 2;
    }
    void forget_savings() {
        for (auto& of_change : kinds_)
            for (auto& of_size : of_change)
                for (kind& its : of_size)
                    its.budget_ms = std::min(its.budget_ms, 0.0);
    }
    static void add(kind& its, double ms, double anew) {
        its.budget_ms = std::min(its.budget_ms + ms, tuning::most_saved * anew);
    }

    kind kinds_[3][sizes][2];   ///< updates that insert, that erase, and that do both; restarts last
    double repaired_since_ = 0; ///< milliseconds of repairs, since a result was computed anew
    double measured_after_ = 1; ///< repaired_since_ over computing anew, at which that is measured
    double anew_ms_[2] = {};    ///< per vertex, arc and unit of update_work; the last one first
    bool is_first_repair_ = true;
    bool is_anew_[3] = {};  ///< no update with such changes came since the result was computed anew
    bool restarts_ = false; ///< none had, before the present update
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
///     template <class View, class Changes>                       // gives up rather than do more work
///     repair_outcome repair(View const&, Changes const&, std::uint64_t most_work);
///     static constexpr bool reads_values;
///
/// Either may throw; the result is then stale. If it reads values they get the view and the graph_changes as
/// they are, else a view without values and changed_edges. They wait for the end of what they launch, as
/// their times are measured. These times include work of the same space that the caller has launched before
/// and not waited for; batches with changes wait themselves. `Choice`: maintenance_choice, or another one in
/// tests.
template <class Derived, class Space, class Choice = maintenance_choice>
class maintained_result {
public:
    /// Computes the result for a view. Waits. Throws what the static algorithm throws, out_of_memory among
    /// it. Cost: that of the static algorithm.
    template <graph::graph_view View>
    void start(View const& view) {
        current_ = false;
        recompute(seen(view));
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
        if (!repairable)
            recompute(seen(view));
        else if constexpr (Derived::reads_values)
            report = follow(view, changes, changes.updated().size());
        else
            report = follow(seen(view), changed_edges(changes.inserted(), changes.erased()), 0);
        current_ = true;
        return report;
    }

    /// Whether the result is that of the last view. False before start(), and after a call that threw.
    [[nodiscard]] bool is_current() const { return current_; }

protected:
    explicit maintained_result(maintenance way) : way_(way) {}

    /// What most_work is if there is no limit.
    static constexpr std::uint64_t no_limit = ~std::uint64_t{0};

    /// As update_size has it.
    template <class View>
    [[nodiscard]] static std::uint64_t size_of(View const& view) {
        return view.vertex_count() + view.arc_count();
    }

private:
    template <class View>
    [[nodiscard]] static auto seen(View const& view) {
        if constexpr (Derived::reads_values)
            return view;
        else
            return graph::untyped(view);
    }
    template <class View>
    void recompute(View const& view) {
        exec::wall_timer const timer;
        derived().find(view);
        choice_.recomputed(size_of(view), timer.elapsed_ms());
    }
    template <class View, class Changes>
    update_report follow(View const& view, Changes const& changes, std::uint64_t updated) {
        update_size const update{changes.inserted().size(), changes.erased().size() + updated, size_of(view)};
        bool const is_free = way_ == maintenance::repair || update.changes() == 0;
        std::uint64_t const most_work = is_free ? no_limit : choice_.most_work(update);
        if (most_work == 0) {
            recompute(view);
            return {.recomputed = true};
        }
        exec::wall_timer const timer;
        repair_outcome const outcome = derived().repair(view, changes, most_work);
        double const repair_ms = timer.elapsed_ms();
        if (outcome.how == repair_outcome::end::gave_up) recompute(view);
        if (!is_free) choice_.repaired(update, outcome.work, repair_ms, timer.elapsed_ms());
        return {outcome.how != repair_outcome::end::repaired, outcome.work};
    }
    [[nodiscard]] Derived& derived() { return static_cast<Derived&>(*this); }

    maintenance way_;
    Choice choice_;
    bool current_ = false;
};

} // namespace rhizome::algorithms

// SPDX-License-Identifier: Apache-2.0
// The steps of PageRank. Ranks are stored as Real; sums of many terms are formed in double.
#pragma once

#include <rhizome/algorithms/detail/fixed_sum.hpp>
#include <rhizome/algorithms/detail/row_strips.hpp>
#include <rhizome/algorithms/pagerank_options.hpp>
#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::algorithms::detail {

/// Sums over all vertices in one iteration.
struct pagerank_sums {
    fixed_sum dangling; ///< sum of the ranks of vertices without out-arcs, after the iteration
    fixed_sum residual; ///< L1 distance to the ranks before the iteration
};

/// Sums of the latest iterations: iteration i has ring[i % size]. Iteration i reads those of i - 1, adds to
/// its own, and clears those of i + 1.
struct pagerank_ring {
    static constexpr unsigned size = 2 * tuning::iterations_per_look;
    pagerank_sums sums[size];
};

/// Updates `result` after `more` further iterations, some of which may come after convergence and have
/// changed nothing. `ring`: the sums of these iterations, in host memory.
template <class Result>
void count_iterations(pagerank_ring const& ring, unsigned more, pagerank_options const& options,
                      Result& result) {
    auto const residual_of = [&](unsigned number) {
        return ring.sums[number % pagerank_ring::size].residual.get();
    };
    // All of them were done, unless one converged: that one is the last that changed anything.
    unsigned const last = result.iterations + more;
    while (result.iterations < last && !result.converged)
        result.converged = residual_of(++result.iterations) <= options.tolerance && options.tolerance > 0;
    result.residual = residual_of(result.iterations);
    result.converged = result.residual <= options.tolerance;
    if (options.progress != nullptr) (*options.progress)(result.iterations, result.residual);
}

/// The arguments of an iteration. The defaults are those of the zeroth, which writes the first ranks.
template <class Real>
struct pagerank_iteration {
    Real* ranks = nullptr;
    Real* given = nullptr;      ///< what each vertex gives to each of its targets, before damping
    Real* next_given = nullptr; ///< the same from the new ranks
    pagerank_ring* ring = nullptr;
    unsigned number = 0; ///< from 1
    double damping = 0;
    double tolerance = 0; ///< 0: never stop
    double uniform = 0;   ///< 1 / live vertices
    double share = 0; ///< what each vertex gets of what is given to all: as `uniform`, or 1 with `teleport`
    bool some_dead = false;      ///< some vertex ids are of erased vertices
    bool dangles = true;         ///< some vertex may have no out-arcs
    bool measures = false;       ///< the residual; `ranks` are then those before this iteration
    bool keeps = true;           ///< stores the new ranks in `ranks`
    Real const* start = nullptr; ///< ranks of ids below start_count to start from; nullptr: uniform
    std::uint64_t start_count = 0;
    fixed_sum const* start_sum =
        nullptr;                    ///< of the ranks to start from, those of other live vertices included
    Real const* teleport = nullptr; ///< per vertex, of sum 1; nullptr: uniform

    /// Whether an earlier iteration has converged. This one then must do nothing but move_ring(), after which
    /// the next one does nothing either.
    [[nodiscard]] RZ_HD bool is_over() const {
        return tolerance > 0 && number > 1 && before().residual.get() <= tolerance;
    }
    template <class Thread>
    RZ_HD void move_ring(Thread const& thread) const {
        if (thread.rank() == 0) ring->sums[(number + 1) % pagerank_ring::size] = {};
    }
    /// Times `teleport` if there is one.
    [[nodiscard]] RZ_HD double given_to_all() const {
        return (1.0 - damping) * share + damping * before().dangling.get() * share;
    }

    /// Of a live vertex.
    [[nodiscard]] RZ_HD Real first_rank(std::uint64_t v) const {
        if (start == nullptr) return static_cast<Real>(uniform);
        double const sum = start_sum->get();
        return static_cast<Real>(sum > 0 ? unscaled_first_rank(v) / sum : uniform);
    }
    [[nodiscard]] RZ_HD double unscaled_first_rank(std::uint64_t v) const {
        return v < start_count ? static_cast<double>(start[v]) : uniform;
    }

private:
    [[nodiscard]] RZ_HD pagerank_sums const& before() const {
        return ring->sums[(number - 1) % pagerank_ring::size];
    }
};

/// Runs iterations from number now.number + 1 on, until one converges or options.max_iterations are done, and
/// updates `result`. step(now) gives an iteration to the space. read_ring() returns a copy of the ring once
/// these iterations are done. The host calls it once per tuning::iterations_per_look iterations; if the
/// tolerance is 0, only after the last.
template <class Real, class Result, class Step, class Read>
void run_iterations(pagerank_options const& options, pagerank_iteration<Real> now, Result& result,
                    Step const& step, Read const& read_ring) {
    bool const stops = options.tolerance > 0;
    while (result.iterations < options.max_iterations && !result.converged) {
        unsigned const left = options.max_iterations - result.iterations;
        unsigned const more = stops ? std::min(left, tuning::iterations_per_look) : left;
        for (unsigned i = 1; i <= more; ++i) {
            ++now.number;
            // If all iterations are wanted, only the last ranks and those before them are read.
            now.measures = stops || i == more;
            now.keeps = stops || i + 1 >= more;
            step(now);
        }
        count_iterations(read_ring(), more, options, result);
    }
}

/// What a thread adds to an iteration's sums from rows that the same thread takes in every run, so that the
/// order of its additions is always the same.
struct pagerank_tally {
    double dangling = 0;
    double residual = 0;
};

/// The same as integers, whose sum does not depend on the order, for rows that any free thread takes. Each
/// warp has a place in shared memory, so that the sums take no registers.
struct fixed_tally {
    fixed_total_storage dangling;
    fixed_total_storage residual;

    /// Called by lane 0 of each warp, or by all its lanes, before all else.
    template <class Thread>
    RZ_HD void clear(Thread const& thread) {
        if (thread.warp().rank() != 0) return;
        dangling.totals[place_of(thread)] = 0;
        residual.totals[place_of(thread)] = 0;
    }
    /// Called by lane 0 of a warp alone, since no other thread uses its place.
    template <class Thread>
    RZ_HD void add(Thread const& thread, pagerank_tally const& terms) {
        dangling.totals[place_of(thread)] += fixed_sum::fixed(terms.dangling);
        residual.totals[place_of(thread)] += fixed_sum::fixed(terms.residual);
    }
    /// Adds these sums, and what the threads have from their own rows, to the iteration's sums. Called by all
    /// threads of the block, once.
    template <class Thread, class Real>
    RZ_HD void add_to(Thread const& thread, pagerank_iteration<Real> const& now, pagerank_tally const& own) {
        pagerank_sums& sums = now.ring->sums[now.number % pagerank_ring::size];
        if (now.dangles) sums.dangling.add(thread, dangling, own.dangling);
        if (now.measures) sums.residual.add(thread, residual, own.residual);
    }

private:
    template <class Thread>
    [[nodiscard]] static RZ_HD std::uint32_t place_of(Thread const& thread) {
        return thread.block().rank() / thread.warp().size();
    }
};

/// Calls step(v, tally) for the vertices of each thread, and returns the thread's tally, added up in an order
/// that the shape of the launch decides. Where one thread walks each row, a strip of vertices is added up at
/// a time and put into `sums`, so that neither the thread that takes a strip nor the number of threads
/// changes the result.
template <class Thread, class Step>
[[nodiscard]] RZ_HD pagerank_tally tally_vertices(Thread const& thread, fixed_tally& sums,
                                                  std::uint64_t vertices, Step&& step) {
    pagerank_tally own;
    if constexpr (Thread::prefers_runs) {
        exec::for_each_item(thread, strips_for(vertices), [&](std::uint64_t strip) {
            std::uint64_t const first = strip * tuning::strip_rows;
            std::uint64_t const left = vertices - first;
            std::uint64_t const end = first + (left < tuning::strip_rows ? left : tuning::strip_rows);
            pagerank_tally of_strip;
            for (std::uint64_t v = first; v < end; ++v)
                step(v, of_strip);
            sums.add(thread, of_strip);
        });
    } else {
        exec::for_each_item(thread, vertices, [&](std::uint64_t v) { step(v, own); });
    }
    return own;
}

/// Writes the new rank of a vertex from the sum of what it is given. `outflow`: the sum of the weights of its
/// out-arcs, which all weigh 1 where the algorithm has no weights. Returns what the vertex gives next.
template <class View, class Real, class Weight>
RZ_HD Real update_rank(View const& view, pagerank_iteration<Real> const& now, typename View::id_type v,
                       Weight outflow, double given_to_all, double sum, pagerank_tally& tally) {
    bool const live = !now.some_dead || view.is_live(v);
    if (now.teleport != nullptr) given_to_all *= static_cast<double>(now.teleport[v]);
    Real const rank = live ? static_cast<Real>(given_to_all + now.damping * sum) : Real{0};
    // Without a branch, which would make the compiler double the loop around it. If the residual is not
    // measured, this difference has no meaning and is not read.
    Real const before = now.ranks[v];
    tally.residual += static_cast<double>(rank < before ? before - rank : rank - before);
    if (now.keeps) now.ranks[v] = rank;
    Real const given = outflow != 0 ? rank / static_cast<Real>(outflow) : Real{0};
    now.next_given[v] = given;
    if (outflow == 0) tally.dangling += static_cast<double>(rank);
    return given;
}

/// Adds up the ranks to start from.
template <class View, class Real>
struct sum_first_ranks {
    struct shared {
        fixed_tally total;
    };
    View view;
    pagerank_iteration<Real> zeroth;
    fixed_sum* sum;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto& total = thread.block().storage().total;
        total.clear(thread);
        pagerank_tally const own =
            tally_vertices(thread, total, view.vertex_count(), [&](std::uint64_t i, pagerank_tally& tally) {
                if (!zeroth.some_dead || view.is_live(static_cast<typename View::id_type>(i)))
                    tally.dangling += zeroth.unscaled_first_rank(i);
            });
        sum->add(thread, total.dangling, own.dangling);
    }
};

/// Writes the first ranks and what they give, and counts the totals of the rows.
template <class Rows, class Real>
struct begin_pagerank {
    struct shared {
        exec::block_sum_storage<std::uint64_t> counts;
        fixed_tally sums;
    };
    Rows rows;
    graph::row_totals* totals;
    pagerank_iteration<Real> zeroth;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto& storage = thread.block().storage();
        storage.sums.clear(thread);
        std::uint64_t arcs = 0;
        std::uint64_t pieces = 0;
        pagerank_tally const own = tally_vertices(
            thread, storage.sums, rows.view.vertex_count(), [&](std::uint64_t i, pagerank_tally& tally) {
                auto const v = static_cast<typename Rows::id_type>(i);
                std::uint64_t const size = rows(v).size();
                std::uint64_t const degree = rows.view.degree(v);
                arcs += size;
                pieces += graph::pieces_of_row(size);
                Real const rank = !zeroth.some_dead || rows.view.is_live(v) ? zeroth.first_rank(i) : Real{0};
                zeroth.ranks[v] = rank;
                zeroth.next_given[v] = degree != 0 ? rank / static_cast<Real>(degree) : Real{0};
                if (degree == 0) tally.dangling += static_cast<double>(rank);
            });
        totals->add(thread, storage.counts, arcs, pieces);
        storage.sums.add_to(thread, zeroth, own);
    }
};

/// Adds what v is given to sums[v], by pushing. The sums are 0 before.
template <class Rows, class Real>
struct push_ranks {
    using id_type = typename Rows::id_type;

    Rows rows;
    graph::basic_row_schedule<id_type> schedule;
    pagerank_iteration<Real> now;
    double* sums;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (now.is_over()) return;
        graph::for_each_row_piece(
            thread, rows, schedule,
            [&](auto const& group, id_type v, auto const& row, std::uint64_t begin, std::uint64_t end) {
                auto const given = static_cast<double>(now.given[v]);
                row.for_each(group, begin, end, [&](std::uint64_t, id_type id) {
                    thread.device(sums[id]).fetch_add(given, exec::order::relaxed);
                });
            });
    }
};

/// The number of the out-arcs of a vertex.
template <class View>
struct out_degrees {
    View view;
    [[nodiscard]] RZ_HD std::uint64_t operator()(typename View::id_type v) const { return view.degree(v); }
};

/// Writes new ranks from the sums, and clears the sums. Outflow: as update_rank() takes it.
template <class View, class Real, class Outflow = out_degrees<View>>
struct update_pushed_ranks {
    struct shared {
        fixed_tally total;
    };
    View view;
    pagerank_iteration<Real> now;
    double* sums;
    Outflow outflow;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        now.move_ring(thread);
        if (now.is_over()) return;
        double const given_to_all = now.given_to_all();
        auto& total = thread.block().storage().total;
        total.clear(thread);
        pagerank_tally const own =
            tally_vertices(thread, total, view.vertex_count(), [&](std::uint64_t i, pagerank_tally& tally) {
                auto const v = static_cast<typename View::id_type>(i);
                update_rank(view, now, v, outflow(v), given_to_all, sums[v], tally);
                sums[v] = 0;
            });
        total.add_to(thread, now, own);
    }
};

} // namespace rhizome::algorithms::detail

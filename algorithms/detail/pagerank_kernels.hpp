// The steps of PageRank. Ranks are kept as Real; what is summed over many terms is summed in double.
#pragma once

#include <rhizome/algorithms/detail/fixed_sum.hpp>
#include <rhizome/algorithms/detail/row_schedule.hpp>
#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Sums over all vertices, of one iteration.
struct pagerank_sums {
    fixed_sum dangling; ///< rank of the vertices without out-arcs, after it
    fixed_sum residual; ///< L1 distance to the ranks before it
};

/// Sums of the latest iterations: number i has ring[i % size]. Iteration i reads those of i - 1, adds to its
/// own, and clears those of i + 1.
struct pagerank_ring {
    static constexpr unsigned size = 2 * tuning::iterations_a_look;
    pagerank_sums sums[size];
};

/// What an iteration knows.
template <class Real>
struct pagerank_iteration {
    Real* ranks;
    Real* given;      ///< by each vertex to each of its targets, before damping
    Real* next_given; ///< by the new ranks
    pagerank_ring* ring;
    unsigned number; ///< from 1
    double damping;
    double tolerance; ///< 0: never stop
    double share;     ///< 1 / live vertices
    bool some_dead;   ///< vertex ids
    bool dangles;     ///< some vertex may have no out-arcs
    bool measures;    ///< the residual: `ranks` are those before
    bool keeps;       ///< the new ranks, in `ranks`

    /// Whether an earlier iteration has converged: then this one must not do anything but move_ring(),
    /// whereby the next one does not either.
    [[nodiscard]] RZ_HD bool is_over() const {
        return tolerance > 0 && number > 1 && before().residual.get() <= tolerance;
    }
    template <class Thread>
    RZ_HD void move_ring(Thread const& thread) const {
        if (thread.rank() == 0) ring->sums[(number + 1) % pagerank_ring::size] = {};
    }
    [[nodiscard]] RZ_HD double given_to_all() const {
        return (1.0 - damping) * share + damping * before().dangling.get() * share;
    }

private:
    [[nodiscard]] RZ_HD pagerank_sums const& before() const {
        return ring->sums[(number - 1) % pagerank_ring::size];
    }
};

/// What a thread has of an iteration's sums.
struct pagerank_tally {
    double dangling = 0;
    double residual = 0;

    struct storage {
        block_total_storage dangling;
        block_total_storage residual;
    };

    /// Called by all threads of the block, once.
    template <class Thread, class Real>
    RZ_HD void add_to(Thread const& thread, storage& shared, pagerank_iteration<Real> const& now) const {
        pagerank_sums& sums = now.ring->sums[now.number % pagerank_ring::size];
        if (now.dangles) sums.dangling.add(thread, block_total(thread, shared.dangling, dangling));
        if (now.measures) sums.residual.add(thread, block_total(thread, shared.residual, residual));
    }
};

/// The new rank of a vertex, from the sum of what it is given.
template <class View, class Real>
RZ_HD void update_rank(View const& view, pagerank_iteration<Real> const& now, typename View::id_type v,
                       std::uint64_t out_degree, double given_to_all, double sum, pagerank_tally& tally) {
    bool const live = !now.some_dead || view.is_live(v);
    Real const rank = live ? static_cast<Real>(given_to_all + now.damping * sum) : Real{0};
    // Without a branch, which would make the compiler double the loop around it: where nobody measures, the
    // difference is to something and not looked at.
    Real const before = now.ranks[v];
    tally.residual += static_cast<double>(rank < before ? before - rank : rank - before);
    if (now.keeps) now.ranks[v] = rank;
    now.next_given[v] = out_degree != 0 ? rank / static_cast<Real>(out_degree) : Real{0};
    if (out_degree == 0) tally.dangling += static_cast<double>(rank);
}

/// Uniform ranks, what they give, and the totals of the rows.
template <class Rows, class Real>
struct begin_pagerank {
    struct shared {
        exec::block_sum_storage<std::uint64_t> counts;
        pagerank_tally::storage sums;
    };
    Rows rows;
    row_totals* totals;
    pagerank_iteration<Real> zeroth;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t arcs = 0;
        std::uint64_t pieces = 0;
        pagerank_tally tally;
        exec::for_each_item(thread, rows.view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<typename Rows::id_type>(i);
            std::uint64_t const size = rows(v).size();
            arcs += size;
            pieces += pieces_of(size);
            update_rank(rows.view, zeroth, v, rows.view.degree(v), zeroth.share, 0.0, tally);
        });
        auto& storage = thread.block().storage();
        totals->add(thread, storage.counts, arcs, pieces);
        tally.add_to(thread, storage.sums, zeroth);
    }
};

/// sums[v] += what v is given, by pushing; they are 0 before.
template <class Rows, class Real>
struct push_ranks {
    using id_type = typename Rows::id_type;

    Rows rows;
    basic_row_schedule<id_type> schedule;
    pagerank_iteration<Real> now;
    double* sums;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (now.is_over()) return;
        for_each_row_piece(
            thread, rows, schedule,
            [&](auto const& group, id_type v, auto const& row, std::uint64_t begin, std::uint64_t end) {
                auto const given = static_cast<double>(now.given[v]);
                row.for_each(group, begin, end, [&](std::uint64_t, id_type id) {
                    thread.device(sums[id]).fetch_add(given, exec::order::relaxed);
                });
            });
    }
};

/// New ranks from the sums, which become 0.
template <class View, class Real>
struct update_pushed_ranks {
    struct shared {
        pagerank_tally::storage sums;
    };
    View view;
    pagerank_iteration<Real> now;
    double* sums;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        now.move_ring(thread);
        if (now.is_over()) return;
        double const given_to_all = now.given_to_all();
        pagerank_tally tally;
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<typename View::id_type>(i);
            update_rank(view, now, v, view.degree(v), given_to_all, sums[v], tally);
            sums[v] = 0;
        });
        tally.add_to(thread, thread.block().storage().sums, now);
    }
};

} // namespace rhizome::algorithms::detail

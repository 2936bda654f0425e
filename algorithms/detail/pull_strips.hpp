// An iteration of PageRank where a thread walks rows alone, by pulling: strip after strip.
#pragma once

#include <rhizome/algorithms/detail/pagerank_kernels.hpp>
#include <rhizome/algorithms/detail/pull_pieces.hpp>
#include <rhizome/algorithms/detail/row_strips.hpp>
#include <rhizome/algorithms/detail/strip_sums.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// What each vertex gives of its rank to each of its targets: 1 / its out-degree, or 0.
template <class View, class Real>
struct write_shares {
    View view;
    Real* shares;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t v) {
            std::uint64_t const degree = view.degree(static_cast<graph::vertex_id>(v));
            shares[v] = degree != 0 ? Real{1} / static_cast<Real>(degree) : Real{0};
        });
    }
};

/// The sums over rows that are not light: they wait in the place of what their vertices will give.
template <class Rows, class Real>
struct pull_long_rows {
    Rows rows;
    row_schedule schedule;
    pagerank_iteration<Real> now;
    piece_sums pieces;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (now.is_over()) return;
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, schedule.piece_count, [&](std::uint64_t i) {
            pull_piece(thread, warp, rows, schedule, pieces, i, now.given,
                       [&](graph::vertex_id v, std::uint64_t, double sum) {
                           now.next_given[v] = static_cast<Real>(sum);
                       });
        });
    }
};

/// The sums over light rows, and what follows from all sums. Loops over a strip's vertices have no branches:
/// compilers make vector instructions of them.
template <class Rows, class Real>
struct pull_strips {
    struct shared {
        pagerank_tally::storage sums;
    };
    Rows rows;
    row_strips strips;
    Real const* shares;
    pagerank_iteration<Real> now;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        now.move_ring(thread);
        if (now.is_over()) return;
        auto const given_to_all = static_cast<Real>(now.given_to_all());
        pagerank_tally tally;
        exec::for_each_item(thread, row_strips::count_for(strips.vertices), [&](std::uint64_t strip) {
            std::uint64_t const first = strips.first(strip);
            sum_light_rows(rows, strips, strip, now.given, now.next_given + first);
            update(first, strips.size(strip), given_to_all, tally);
        });
        tally.add_to(thread, thread.block().storage().sums, now);
    }

private:
    RZ_HD void update(std::uint64_t first, std::uint32_t size, Real given_to_all,
                      pagerank_tally& tally) const {
        Real* const given = now.next_given + first;
        Real* const ranks = now.ranks + first;
        Real const* const part = shares + first;
        auto const damping = static_cast<Real>(now.damping);
        for (std::uint32_t k = 0; k < size; ++k) // the new ranks, for the time being
            given[k] = given_to_all + damping * given[k];
        if (now.some_dead)
            for (std::uint32_t k = 0; k < size; ++k)
                if (!rows.view.is_live(static_cast<graph::vertex_id>(first + k))) given[k] = 0;
        if (now.measures)
            tally.residual += sum_of(size, [&](std::uint32_t k) {
                Real const change = given[k] - ranks[k];
                return change < 0 ? -change : change;
            });
        if (now.dangles)
            tally.dangling +=
                sum_of(size, [&](std::uint32_t k) { return part[k] == 0 ? given[k] : Real{0}; });
        if (now.keeps)
            for (std::uint32_t k = 0; k < size; ++k)
                ranks[k] = given[k];
        for (std::uint32_t k = 0; k < size; ++k)
            given[k] *= part[k];
    }

    /// In double, several sums side by side, so that no addition waits for the one before it.
    template <class Term>
    [[nodiscard]] static RZ_HD double sum_of(std::uint32_t size, Term const& term) {
        constexpr std::uint32_t side_by_side = 8;
        double sums[side_by_side] = {};
        std::uint32_t k = 0;
        for (; k + side_by_side <= size; k += side_by_side)
            for (std::uint32_t i = 0; i < side_by_side; ++i)
                sums[i] += static_cast<double>(term(k + i));
        for (; k < size; ++k)
            sums[0] += static_cast<double>(term(k));
        double all = 0;
        for (double const sum : sums)
            all += sum;
        return all;
    }
};

} // namespace rhizome::algorithms::detail

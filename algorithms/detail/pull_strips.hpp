// SPDX-License-Identifier: Apache-2.0
// An iteration of PageRank by pulling, where one thread walks each row: one strip after the other.
#pragma once

#include <rhizome/algorithms/detail/pagerank_kernels.hpp>
#include <rhizome/algorithms/detail/pull_pieces.hpp>
#include <rhizome/algorithms/detail/row_strips.hpp>
#include <rhizome/algorithms/detail/strip_sums.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::algorithms::detail {

/// The same as begin_pagerank, without branches. Also writes for each vertex 1 / out-degree, or 0: the share
/// of its rank that it gives to each of its targets.
template <class Rows, class Real>
struct begin_strips {
    struct shared {
        exec::block_sum_storage<std::uint64_t> counts;
        fixed_tally sums;
    };
    Rows rows;
    graph::row_totals* totals;
    pagerank_iteration<Real> zeroth;
    Real* shares;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto& storage = thread.block().storage();
        storage.sums.clear(thread);
        bool const symmetric = rows.view.symmetric();
        auto const uniform = static_cast<Real>(zeroth.uniform);
        std::uint64_t arcs = 0;
        std::uint64_t pieces = 0;
        std::uint64_t const vertices = rows.view.vertex_count();
        exec::for_each_item(thread, strips_for(vertices), [&](std::uint64_t strip) {
            std::uint64_t const first = strip * tuning::strip_rows;
            std::uint64_t const end = std::min<std::uint64_t>(first + tuning::strip_rows, vertices);
            std::uint64_t dangling = 0;
            for (std::uint64_t i = first; i < end; ++i) {
                auto const v = static_cast<typename Rows::id_type>(i);
                std::uint64_t const size = rows(v).size();
                std::uint64_t const degree = symmetric ? size : rows.view.degree(v);
                arcs += size;
                pieces += graph::pieces_of_row(size);
                bool const live = !zeroth.some_dead || rows.view.is_live(v);
                std::uint32_t const gives = degree != 0 ? 1 : 0;
                shares[v] = static_cast<Real>(gives) / static_cast<Real>(degree + 1 - gives);
                dangling += live ? 1 - gives : 0;
            }
            pagerank_tally of_strip;
            if (zeroth.start == nullptr) {
                of_strip.dangling = static_cast<double>(dangling) * static_cast<double>(uniform);
                for (std::uint64_t i = first; i < end; ++i)
                    (void)start_from(i, uniform);
            } else {
                for (std::uint64_t i = first; i < end; ++i)
                    of_strip.dangling += start_from(i, zeroth.first_rank(i));
            }
            storage.sums.add(thread, of_strip);
        });
        totals->add(thread, storage.counts, arcs, pieces);
        storage.sums.add_to(thread, zeroth, {});
    }

private:
    /// Gives vertex i, whose share is known, its first rank. Returns the rank if the vertex dangles, else 0.
    [[nodiscard]] RZ_HD double start_from(std::uint64_t i, Real first_rank) const {
        bool const live = !zeroth.some_dead || rows.view.is_live(static_cast<typename Rows::id_type>(i));
        Real const rank = live ? first_rank : Real{0};
        zeroth.ranks[i] = rank;
        zeroth.next_given[i] = rank * shares[i];
        return shares[i] == 0 ? static_cast<double>(rank) : 0.0;
    }
};

/// Sums over rows that are not light. The sums are stored where the vertices will store what they give.
template <class Rows, class Real>
struct pull_long_rows {
    using id_type = typename Rows::id_type;

    Rows rows;
    graph::basic_row_schedule<id_type> schedule;
    row_strips<id_type> strips;
    pagerank_iteration<Real> now;
    piece_sums pieces;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (now.is_over()) return;
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, schedule.piece_count, [&](std::uint64_t i) {
            pull_piece(
                thread, warp, rows, schedule, pieces, i,
                [&](graph::basic_row_piece<id_type> const& piece, graph::range_of_rows<Rows> const& row) {
                    return sum_of_many(strips.copies_of_piece(i), piece.end(row.size()) - piece.begin(),
                                       now.given);
                },
                [&](id_type v, std::uint64_t, double sum) { now.next_given[v] = static_cast<Real>(sum); });
        });
    }
};

/// Sums over light rows, and computes the new ranks from all sums. Loops over a strip's vertices have no
/// branches, so that compilers vectorise them. Each strip adds integers to the sums over all vertices, so
/// that it does not matter which thread takes it.
template <class Rows, class Real>
struct pull_strips {
    struct shared {
        fixed_tally sums;
    };
    Rows rows;
    row_strips<typename Rows::id_type> strips;
    Real const* shares;
    pagerank_iteration<Real> now;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        now.move_ring(thread);
        if (now.is_over()) return;
        auto const given_to_all = static_cast<Real>(now.given_to_all());
        auto& sums = thread.block().storage().sums;
        sums.clear(thread);
        exec::for_each_item(thread, strips_for(strips.vertices), [&](std::uint64_t strip) {
            std::uint64_t const first = strips.first(strip);
            sum_light_rows(rows, strips, strip, now.given, now.next_given + first);
            pagerank_tally of_strip;
            update(first, strips.size(strip), given_to_all, of_strip);
            sums.add(thread, of_strip);
        });
        sums.add_to(thread, now, {});
    }

private:
    RZ_HD void update(std::uint64_t first, std::uint32_t size, Real given_to_all,
                      pagerank_tally& tally) const {
        Real* const given = now.next_given + first;
        Real* const ranks = now.ranks + first;
        Real const* const part = shares + first;
        auto const damping = static_cast<Real>(now.damping);
        // The new ranks, for now.
        if (now.teleport == nullptr)
            for (std::uint32_t k = 0; k < size; ++k)
                given[k] = given_to_all + damping * given[k];
        else
            for (std::uint32_t k = 0; k < size; ++k)
                given[k] = given_to_all * now.teleport[first + k] + damping * given[k];
        if (now.some_dead)
            for (std::uint32_t k = 0; k < size; ++k)
                if (!rows.view.is_live(static_cast<typename Rows::id_type>(first + k))) given[k] = 0;
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

    /// In double, as several partial sums, so that no addition waits for the one before it.
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

// SPDX-License-Identifier: Apache-2.0
// Rounds of PageRank that follows a graph in which all vertices pull.
#pragma once

#include <rhizome/algorithms/detail/bfloat16.hpp>
#include <rhizome/algorithms/detail/maintained_rank_state.hpp>
#include <rhizome/algorithms/detail/pull_rows.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/read_only.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/rows.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::algorithms::detail {

/// Begins where maintained_rank_program ends before a round that pulls, and ends where pushing may pay again.
/// In a round each vertex adds its residual to its estimate, and gets the new one from its in-neighbours. A
/// step does both: it writes what vertices give in the next round to another array than it reads. A program
/// of its own, since it needs fewer registers than the other one, so that more threads wait for memory.
///
/// Without weights, what a vertex gives to each neighbour is rounded to 16 bits, of which far more stay in
/// the caches than of 64. No error comes from that: the vertex adds as much of its residual to its estimate
/// as it gives, and keeps the rest, at most 1/128 of it.
template <class View, bool Weighted>
struct pulling_rank_program : maintained_rank_base<View, Weighted> {
    static constexpr std::uint32_t block_threads = 256;
    static constexpr std::uint32_t blocks_side_by_side = 3; // 80 registers: the kernel waits for memory
    using base = maintained_rank_base<View, Weighted>;
    using typename base::id_type;
    using typename base::progress;
    using typename base::step_kind;

    using pulled_type = std::conditional_t<Weighted, double, bfloat16>;
    pulled_type* pulled; ///< 2 per vertex: what it gives for a weight of 1, in even rounds and in odd ones;
                         ///< without weights, before the damping
    row_part* parts;     ///< of all rows that are not light: most_rows() more than vertices at most
    row_sum* rows;       ///< with several parts: most_rows() at most
    std::uint64_t round_work; ///< as in maintained_rank_program

    template <bool Alone>
    static constexpr std::uint64_t part_arcs = Alone ? tuning::pulled_part_alone : tuning::pulled_part;
    template <bool Alone>
    [[nodiscard]] static std::uint64_t most_rows(std::uint64_t arcs) {
        return arcs / part_arcs<Alone> + 1;
    }
    [[nodiscard]] RZ_HD bool next(progress& now) const {
        if (now.enters) {
            now.enters = !begins_with(now.kind) || base::state->refuses();
            now.series = 0;
            return !now.enters;
        }
        ++now.number;
        delta_round const& left = base::passing.ring[now.number % 4];
        now.rounded += left.sums[of_rounding];
        if (base::state->refused(now.kind)) return false;
        if (begins_with(now.kind)) {
            now.spreads = now.kind == step_kind::spread;
            if (!now.spreads) ++now.rounds;
            now.go_to(left);
            now.pulls = 0;
            now.kind = step_kind::pull;
            return true;
        }
        double const residual = left.sums[of_residuals];
        ++now.pulls;
        ++now.series;
        now.sum = left.sums[of_estimates];
        // But for what is rounded off, a round shrinks the sum of residuals at least by the damping, which
        // may be near 1. One that leaves as much as it found is at the limit of rounding.
        bool const scaled = now.pulls == 1 && (now.scale != 1 || now.shift != 0);
        double const shrunk = now.residual > 0 ? residual / now.residual : now.left;
        now.stalled = shrunk >= 1 && !scaled;
        // Where few vertices have most residuals of one sign, scaling gives others to all vertices.
        if (scaled && shrunk > base::passing.damping) now.scales_no_more = true;
        if (!scaled) now.left = shrunk < base::passing.damping ? shrunk : base::passing.damping;
        now.residual = residual;
        if (base::counted(residual, left.sums[of_signed]) <= base::allowed_residual(now) || now.stalled ||
            now.rounds >= base::max_rounds)
            return false;
        if (base::choose_shift(now, left.sums[of_signed], residual)) {
            now.kind = step_kind::take_all;
            return true;
        }
        if (now.series >= now.patience && shrunk > tuning::slow_pull && looks_pay()) return false;
        ++now.rounds;
        return true;
    }

    RZ_HD void finish(progress const& now) const {
        if (!now.enters) base::state->saved = now;
        base::state->barrier = {};
    }

    [[nodiscard]] RZ_HD std::uint64_t items(progress const& now) const {
        return now.kind == step_kind::pull ? base::all_arcs : base::passing.view.vertex_count();
    }

    template <class Thread>
    RZ_HD void step(Thread const& thread, progress const& now) const {
        auto const& rounds = base::passing;
        delta_round& left = rounds.ring[(now.number + 1) % 4];
        if (thread.rank() == 0) rounds.ring[(now.number + 2) % 4] = {};
        double sums[5] = {};
        if (now.kind == step_kind::pull) {
            pull(thread, now, left, sums);
        } else {
            exec::for_each_item(thread, rounds.view.vertex_count(), [&](std::uint64_t i) {
                auto const v = static_cast<id_type>(i);
                if (now.kind == step_kind::spread)
                    base::spread(thread, v, sums[of_rounding]);
                else
                    take(now, v, sums[of_rounding]);
                std::uint64_t const size = rounds.view.in_neighbours(v).size();
                if (!graph::is_light_row(size)) list_parts(thread, v, size, left);
            });
        }
        rounds.leave(thread, left, sums, 0);
    }

private:
    /// A look at what to push takes about as long as a push without arcs.
    [[nodiscard]] RZ_HD bool looks_pay() const { return base::pull_work() > 2 * round_work; }
    [[nodiscard]] static RZ_HD bool begins_with(step_kind kind) {
        return kind == step_kind::take_all || kind == step_kind::spread;
    }

    RZ_HD void take(progress const& now, id_type v, double& rounded_here) const {
        auto const& rounds = base::passing;
        double estimate = rounds.estimates[v];
        double residual = rounds.residuals[v];
        if (now.shift != 0) {
            auto const degree = static_cast<double>(rounds.view.degree(v));
            double const added = now.shift * degree;
            double const lost = (1 - rounds.damping) * now.shift * degree;
            estimate += added;
            residual -= lost;
            rounded_here += 2 * (rounds.magnitude(estimate) + rounds.magnitude(added)) +
                            3 * rounds.magnitude(lost) + rounds.magnitude(residual);
        } else if (now.scale != 1) {
            double const rest = (1 - now.scale) * (1 - rounds.damping) * base::base_of(v);
            residual = now.scale * residual + rest;
            estimate *= now.scale;
            rounded_here +=
                2 * rounds.magnitude(estimate) + 3 * rounds.magnitude(rest) + 3 * rounds.magnitude(residual);
        }
        rounds.estimates[v] = estimate;
        rounds.residuals[v] = residual;
        rounded_here += base::row_depth * rounds.magnitude(residual);
        give(v, residual, rounds.arcs.outflow(rounds.view, v), pulled);
    }
    template <class Thread>
    RZ_HD void list_parts(Thread const& thread, id_type v, std::uint64_t size, delta_round& left) const {
        constexpr std::uint64_t part = part_arcs<Thread::prefers_runs>;
        auto const count = static_cast<std::uint32_t>((size + part - 1) / part);
        auto const access = [&](auto& word) { return thread.device(word); };
        if (count == 1) {
            parts[take_place(thread, left.listed, delta_round::heavy, access)] = {v, row_part::none};
            return;
        }
        std::uint32_t const row = take_place(thread, left.listed, delta_round::giant, access);
        // relaxed: the places are disjoint, and a barrier publishes what is written there
        std::uint32_t const first =
            thread.device(left.listed[delta_round::heavy]).fetch_add(count, exec::order::relaxed);
        rows[row] = {0, first, 0};
        for (std::uint32_t i = 0; i < count; ++i)
            parts[first + i] = {v, row};
    }
    /// What vertices give in a round, and in the next one.
    template <class Values>
    struct exchange {
        Values values;
        double factor;            ///< of the values
        pulled_type const* given; ///< nullptr: estimates, for residuals that are computed anew
        pulled_type* next;
    };

    /// What get() needs of a vertex.
    struct vertex_values {
        double residual;
        double estimate;
        double outflow;
        double taken; ///< of the residual
    };

    /// Writes what v gives of its residual in the next round.
    RZ_HD void give(id_type v, double residual, double outflow, pulled_type* next) const {
        if constexpr (Weighted)
            next[v] = outflow > 0 ? base::passing.damping * residual / outflow : 0;
        else
            next[v] = bfloat16::of(outflow > 0 ? residual / outflow : 0);
    }

    template <class Thread>
    RZ_HD void pull(Thread const& thread, progress const& now, delta_round& left, double (&sums)[5]) const {
        pulled_type* const other = pulled + base::passing.view.vertex_count();
        pulled_type* const given = now.pulls % 2 == 0 ? pulled : other;
        pulled_type* const next = now.pulls % 2 == 0 ? other : pulled;
        std::uint64_t const count = now.frontier.listed[delta_round::heavy];
        if (now.pulls == 0 && now.spreads)
            pull(thread, count, left, exchange<double const*>{base::passing.given, 1, nullptr, next}, sums);
        else if constexpr (Weighted)
            pull(thread, count, left, exchange<double const*>{given, 1, given, next}, sums);
        else
            pull(thread, count, left, exchange<bfloat16_values>{{given}, base::passing.damping, given, next},
                 sums);
    }
    template <class Thread, class Values>
    RZ_HD void pull(Thread const& thread, std::uint64_t count, delta_round& left,
                    exchange<Values> const& round, double (&sums)[5]) const {
        auto const& view = base::passing.view;
        auto const given = round.values;
        auto const warp = thread.warp();
        std::uint32_t const together =
            warp.size() < tuning::pulled_parts ? warp.size() : tuning::pulled_parts;
        for_each_ticket(warp, thread.device(left.fetched[0]), (count + together - 1) / together, 1,
                        [&](std::uint64_t ticket) {
                            pull_parts(thread, warp, ticket * together, together, count, round, sums);
                        });
        auto const tile = thread.tile(exec::width<graph::tuning::row_tile>);
        std::uint64_t const vertices = view.vertex_count();
        for_each_ticket(warp, thread.device(left.fetched[1]), (vertices + warp.size() - 1) / warp.size(), 2,
                        [&](std::uint64_t group) {
                            std::uint64_t const i = group * warp.size() + warp.rank();
                            bool const exists = i < vertices;
                            auto const v = static_cast<id_type>(i);
                            auto const row = view.in_neighbours(exists ? v : 0);
                            std::uint64_t const size = row.size();
                            bool const own = exists && graph::is_light_row(size);
                            double const sum = pull_light_row(
                                tile, v, row, own ? static_cast<std::uint32_t>(size) : 0, given);
                            if (own) get(v, sum, values_of(v, round), round, sums);
                        });
    }
    /// Calls work(i) for 0 to count - 1 by warps, of which each takes the next `batch` as soon as it is free:
    /// rows differ in length. Where one thread walks each row, threads take equal shares.
    template <class Warp, class Counter, class Work>
    RZ_HD void for_each_ticket(Warp const& warp, Counter const& fetched, std::uint64_t count,
                               std::uint64_t batch, Work const& work) const {
        if constexpr (Warp::prefers_runs) {
            exec::for_each_group_item(warp, count, work);
        } else {
            // relaxed: hands out numbers. The next one is on its way while the warp works.
            std::uint64_t next = 0;
            if (warp.rank() == 0) next = fetched.fetch_add(batch, exec::order::relaxed);
            for (;;) {
                std::uint64_t const first = warp.shuffle(next, 0);
                if (first >= count) return;
                if (warp.rank() == 0) next = fetched.fetch_add(batch, exec::order::relaxed);
                for (std::uint64_t i = first; i < first + batch && i < count; ++i)
                    work(i);
            }
        }
    }
    /// Sums parts first to first + together - 1, of `count`. A lane for each of them loads what is needed
    /// before, and does what comes after.
    template <class Thread, class Warp, class Values>
    RZ_HD void pull_parts(Thread const& thread, Warp const& warp, std::uint64_t first, std::uint32_t together,
                          std::uint64_t count, exchange<Values> const& round, double (&sums)[5]) const {
        constexpr auto part = static_cast<std::uint32_t>(part_arcs<Thread::prefers_runs>);
        std::uint64_t const place = first + warp.rank();
        bool const has_own = warp.rank() < together && place < count;
        row_part own{};
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
        if (has_own) {
            own = parts[place];
            size = static_cast<std::uint32_t>(base::passing.view.in_neighbours(own.vertex).size());
            if (own.row != row_part::none)
                begin = (static_cast<std::uint32_t>(place) - rows[own.row].first) * part;
        }
        double own_sum = 0;
        for (std::uint32_t i = 0; i < together && first + i < count; ++i) {
            id_type const v = warp.shuffle(own.vertex, i);
            std::uint32_t const from = warp.shuffle(begin, i);
            std::uint32_t const left = warp.shuffle(size, i) - from;
            double const sum =
                sum_part(warp, v, from, from + (left < part ? left : part), round.values, sums);
            if (warp.rank() == i) own_sum = sum;
        }
        if (!has_own) return;
        vertex_values const before = values_of(own.vertex, round);
        if (own.row == row_part::none)
            get(own.vertex, own_sum, before, round, sums);
        else
            add_part(thread, own, (size - 1) / part + 1, own_sum, before, round, sums);
    }
    template <class Warp, class Values>
    [[nodiscard]] RZ_HD double sum_part(Warp const& warp, id_type v, std::uint32_t first, std::uint32_t last,
                                        Values const& given, double (&sums)[5]) const {
        auto const& view = base::passing.view;
        constexpr std::uint32_t at_a_time = static_cast<std::uint32_t>(
            Warp::prefers_runs ? graph::tuning::light_degree : tuning::pulled_part);
        static_assert(at_a_time / (Warp::prefers_runs ? 1 : 32) <= graph::tuning::light_degree);
        double all = 0;
        for (std::uint32_t at = first; at < last; at += at_a_time) {
            std::uint32_t const end = last - at > at_a_time ? at + at_a_time : last;
            double sum = 0;
            if constexpr (Weighted)
                base::passing.arcs.for_each_in(view, warp, v, at, end,
                                               [&](id_type id, double weight) { sum += given[id] * weight; });
            else
                sum = gather(warp, view.in_neighbours(v), at, end, given);
            all += warp.sum(sum);
            if (warp.rank() == 0) sums[of_rounding] += base::passing.magnitude(all);
        }
        return all;
    }
    /// As pull_part(), but with all loads of a lane side by side at the end of a row, too: most rows have
    /// fewer than 256 arcs there, and the lane waits once instead of once for each of its arcs.
    template <class Warp, class Range, class Values>
    [[nodiscard]] RZ_HD double gather(Warp const& warp, Range const& row, std::uint64_t first,
                                      std::uint64_t last, Values const& values) const {
        if constexpr (Warp::prefers_runs || !Range::contiguous) {
            return pull_part(warp, row, first, last, values);
        } else {
            constexpr std::uint32_t side_by_side = 8;
            std::uint32_t const stride = warp.size();
            auto const* const ids = row.begin() + first;
            auto const count = static_cast<std::uint32_t>(last - first);
            double sum = 0;
            for (std::uint32_t at = warp.rank(); at < count; at += side_by_side * stride) {
                id_type near[side_by_side];
                for (std::uint32_t k = 0; k < side_by_side; ++k)
                    if (at + k * stride < count) near[k] = exec::load_once(ids + at + k * stride);
                double taken[side_by_side];
                for (std::uint32_t k = 0; k < side_by_side; ++k)
                    taken[k] = at + k * stride < count ? values[near[k]] : 0;
                for (std::uint32_t k = 0; k < side_by_side; k += 2)
                    sum += taken[k] + taken[k + 1];
            }
            return sum;
        }
    }
    /// What this lane's vertex v gets from its in-neighbours. All lanes of the tile take the rows of its
    /// lanes in turn.
    template <class Tile, class Row, class Values>
    [[nodiscard]] RZ_HD double pull_light_row(Tile const& tile, id_type v, Row const& row, std::uint32_t size,
                                              Values given) const {
        constexpr std::uint32_t lanes = Tile::prefers_runs ? 1 : graph::tuning::row_tile;
        if constexpr (Weighted) {
            double sums[lanes];
            for (std::uint32_t r = 0; r < tile.size(); ++r) {
                std::uint32_t const size_of = tile.shuffle(size, r);
                double sum = 0;
                if (size_of != 0)
                    base::passing.arcs.for_each_in(
                        base::passing.view, tile, v - tile.rank() + r, 0, size_of,
                        [&](id_type id, double weight) { sum += given[id] * weight; });
                sums[r] = sum;
            }
            return sum_transposed<lanes>(tile, sums);
        } else {
            return pull_own_row<lanes>(tile, graph::in_rows<View>{base::passing.view}, v, row, size, given);
        }
    }
    /// Adds a part of a row of so many. The thread that adds the last one goes on.
    template <class Thread, class Values>
    RZ_HD void add_part(Thread const& thread, row_part const& part, std::uint32_t of_row, double sum,
                        vertex_values const& values, exchange<Values> const& round, double (&sums)[5]) const {
        auto const total = thread.device(rows[part.row].sum);
        // relaxed: released with the count of parts
        double const before = total.fetch_add(sum, exec::order::relaxed);
        sums[of_rounding] += base::passing.magnitude(before + sum);
        auto const added = thread.device(rows[part.row].added);
        if (added.fetch_add(1u, exec::order::acq_rel) + 1 != of_row)
            return; // acquires what others have added
        double const all = total.load(exec::order::relaxed);
        total.store(0.0, exec::order::relaxed);
        added.store(0u, exec::order::relaxed);
        get(part.vertex, all, values, round, sums);
    }
    template <class Values>
    [[nodiscard]] RZ_HD vertex_values values_of(id_type v, exchange<Values> const& round) const {
        auto const& rounds = base::passing;
        vertex_values of{rounds.residuals[v], rounds.estimates[v], rounds.arcs.outflow(rounds.view, v), 0};
        if (round.given == nullptr) return of;
        of.taken = of.residual;
        if constexpr (!Weighted)
            if (of.outflow > 0) of.taken = round.given[v].value() * of.outflow; // exact
        return of;
    }
    /// Vertex v has got `sum`, but for the factor.
    template <class Values>
    RZ_HD void get(id_type v, double sum, vertex_values const& before, exchange<Values> const& round,
                   double (&sums)[5]) const {
        auto const& rounds = base::passing;
        double estimate = before.estimate + before.taken;
        double residual = before.residual - before.taken + round.factor * sum;
        sums[of_rounding] += (4 + base::row_depth) * rounds.magnitude(residual);
        // A vertex that gives nothing has its rank at once: counted() relies on it.
        bool const absorbs = !(before.outflow > 0);
        if (absorbs) {
            sums[of_rounding] += 2 * rounds.magnitude(estimate);
            estimate += residual;
            residual = 0;
        }
        if (round.given != nullptr || absorbs) {
            rounds.estimates[v] = estimate;
            sums[of_rounding] += 2 * rounds.magnitude(estimate) + 3 * rounds.magnitude(before.residual);
        }
        rounds.residuals[v] = residual;
        give(v, residual, before.outflow, round.next);
        sums[of_residuals] += rounds.magnitude(residual);
        if (before.outflow > 0) sums[of_signed] += residual;
        sums[of_estimates] += estimate;
    }
};

} // namespace rhizome::algorithms::detail

// SPDX-License-Identifier: Apache-2.0
// Rounds of delta PageRank: listed vertices add their residuals to their estimates and pass them on.
#pragma once

#include <rhizome/algorithms/detail/lane_groups.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// What a step leaves to the next one, added to by all threads.
struct delta_round {
    /// Vertices of the next frontier, by the length of their rows. `giant` also counts those for which the
    /// list of giant rows had no room, and which are in the list of heavy ones.
    std::uint32_t listed[3];
    std::uint64_t arcs;       ///< of these vertices
    std::uint64_t fetched[2]; ///< what threads of this step have taken of its work, if it is handed out
    double sums[5]; ///< of what the step states; [2] is for what take() and push() return as rounded,
                    ///< [0] for how push() changes the sum of residuals

    enum : std::uint32_t { light, heavy, giant };
    [[nodiscard]] RZ_HD std::uint32_t giants() const {
        return listed[giant] < tuning::listed_giants ? listed[giant] : tuning::listed_giants;
    }
    [[nodiscard]] RZ_HD std::uint64_t vertices() const {
        return std::uint64_t{listed[light]} + listed[heavy] + giants();
    }
};

/// Shared storage of the programs of rounds: what the warps of a block have summed in a step.
struct delta_sums {
    double of_warps[32][5];
    std::uint64_t arcs[32];
};

/// Arcs that weigh 1 each. All vertices have the same limit.
template <class View>
struct equal_arcs {
    using id_type = typename View::id_type;
    /// Whether rounding errors are bounded.
    static constexpr bool bounds_rounding = false;

    /// The sum of the weights of v's out-arcs.
    [[nodiscard]] RZ_HD double outflow(View const& view, id_type v) const {
        return static_cast<double>(view.degree(v));
    }
    /// The limit of v's residual, in units of the limit of all; at least 1.
    [[nodiscard]] RZ_HD double limit_factor(View const&, id_type) const { return 1; }
    /// Calls function(neighbour, weight) for out-arcs `first` to `last` - 1 of v, by the lanes of a group.
    template <class Group, class Function>
    RZ_HD void for_each(View const& view, Group const& group, id_type v, std::uint64_t first,
                        std::uint64_t last, Function const& function) const {
        view.neighbours(v).for_each(group, first, last,
                                    [&](std::uint64_t, id_type id) { function(id, 1.0); });
    }
};

/// Where rounds are. Programs derive their progress from it.
struct delta_progress {
    std::uint64_t number; ///< of the step
    std::uint32_t rounds;
    std::uint32_t parity; ///< which list holds the frontier
    bool settles;         ///< the push is followed by a step that looks at all vertices
    double limit;         ///< larger residuals are pushed
    delta_round frontier;
    std::uint64_t vertices; ///< that were taken
    std::uint64_t arcs;     ///< that were pushed along

    /// The frontier is what the last step listed.
    RZ_HD void go_to(delta_round const& left) {
        frontier = left;
        parity = 1 - parity;
    }
    RZ_HD void count_round() {
        arcs += frontier.arcs;
        vertices += frontier.vertices();
        ++rounds;
    }
};

/// Invariant after each push, apart from rounding: residual = (1 - damping) * t + damping * transposed(P) *
/// estimate - estimate, where row u of P has weight/outflow(u) for each arc of u; it is 0 for vertices
/// without outflow. Step i reads ring[i % 4], adds to ring[(i + 1) % 4] and clears ring[(i + 2) % 4].
template <class View, class Arcs = equal_arcs<View>>
struct delta_rounds {
    using id_type = typename View::id_type;

    View view;
    Arcs arcs;
    double damping;
    double* estimates;
    double* residuals;
    double* given;         ///< what listed vertices give to each neighbour, for a weight of 1
    std::uint32_t* rounds; ///< in which a vertex was listed last
    id_type* lists;        ///< 2 per vertex
    id_type* giants;       ///< 2 * tuning::listed_giants
    delta_round* ring;

    [[nodiscard]] static RZ_HD double magnitude(double value) { return value < 0 ? -value : value; }
    /// What v gives to each neighbour of an amount, for a weight of 1.
    [[nodiscard]] RZ_HD double gives(id_type v, double amount) const {
        double const outflow = arcs.outflow(view, v);
        return outflow > 0 ? damping * amount / outflow : 0;
    }
    [[nodiscard]] RZ_HD double limit_of(double limit, id_type v) const {
        return limit * arcs.limit_factor(view, v);
    }

    /// Puts v, whose row has `degree` arcs, into the list for the next step. Returns `degree`.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t put(Thread const& thread, delta_progress const& now, id_type v,
                                          std::uint64_t degree, delta_round& left) const {
        std::uint32_t kind = degree <= tuning::light_degree   ? delta_round::light
                             : degree <= tuning::block_degree ? delta_round::heavy
                                                              : delta_round::giant;
        auto const access = [&](auto& word) { return thread.device(word); };
        std::uint64_t place = take_place(thread, left.listed, kind, access);
        if (kind == delta_round::giant && place >= tuning::listed_giants) {
            kind = delta_round::heavy;
            place = take_place(thread, left.listed, kind, access);
        }
        *place_of(1 - now.parity, kind, place) = v;
        return degree;
    }
    [[nodiscard]] RZ_HD id_type listed(delta_progress const& now, std::uint32_t kind, std::uint64_t i) const {
        return *place_of(now.parity, kind, i);
    }
    template <class Thread, class Function>
    RZ_HD void for_each_listed(Thread const& thread, delta_progress const& now,
                               Function const& function) const {
        for (std::uint32_t kind = delta_round::light; kind <= delta_round::giant; ++kind) {
            std::uint64_t const count =
                kind == delta_round::giant ? now.frontier.giants() : now.frontier.listed[kind];
            exec::for_each_item(thread, count, [&](std::uint64_t i) { function(listed(now, kind, i)); });
        }
    }
    /// Calls walk(group, v, first, last) for parts of the listed rows that are not light: for a heavy row of
    /// a block, and for parts of giant rows. The lanes of the group share arcs `first` to `last` - 1.
    template <class Thread, class Walk>
    RZ_HD void for_each_long_row(Thread const& thread, delta_progress const& now, Walk const& walk) const {
        auto const block = thread.block();
        std::uint64_t const blocks = block.count();
        // Each lane waits for one arc after another: few rows are cut for more blocks.
        auto const share = [&](std::uint64_t rows) {
            std::uint64_t parts = 1;
            while (parts < tuning::row_shares && rows * parts * 2 <= blocks)
                parts *= 2;
            return parts;
        };
        std::uint64_t const heavy = now.frontier.listed[delta_round::heavy];
        std::uint64_t const shares = share(heavy);
        exec::for_each_group_item(block, heavy * shares, [&](std::uint64_t i) {
            id_type const v = listed(now, delta_round::heavy, i / shares);
            std::uint64_t const arcs_of_row = view.degree(v);
            std::uint64_t const usual = tuning::block_degree / shares;
            // Giant rows for which there was no room in their list are longer.
            std::uint64_t const part =
                arcs_of_row <= tuning::block_degree ? usual : (arcs_of_row + shares - 1) / shares;
            walk_part(block, v, i % shares * part, part, walk);
        });
        std::uint64_t const arcs_of_part =
            tuning::block_degree / share(now.frontier.giants() * tuning::row_shares);
        for (std::uint64_t i = 0; i < now.frontier.giants(); ++i) {
            id_type const v = listed(now, delta_round::giant, i);
            std::uint64_t const arcs_of_row = view.degree(v);
            // The first parts of different rows go to different blocks.
            std::uint64_t first = (block.index() + blocks - i % blocks) % blocks * arcs_of_part;
            for (; first < arcs_of_row; first += blocks * arcs_of_part)
                walk_part(block, v, first, arcs_of_part, walk);
        }
    }
    /// The same for all listed rows, those of out-arcs.
    template <class Thread, class Walk>
    RZ_HD void for_each_listed_row(Thread const& thread, delta_progress const& now, Walk const& walk) const {
        for_each_long_row(thread, now, walk);
        // Lanes that would have no row take part in one that may be longer than others.
        std::uint64_t const rows = now.frontier.listed[delta_round::light];
        std::uint64_t const spare = rows == 0 ? 0 : thread.size() / rows;
        std::uint64_t const lanes = spare < 32 ? spare : 32;
        std::uint64_t const arcs_of_rows =
            now.frontier.arcs > rows * lanes ? now.frontier.arcs : rows * lanes;
        for_each_short_row(thread, false, rows, arcs_of_rows, [&](lane_group const& group, std::uint64_t i) {
            id_type const v = listed(now, delta_round::light, i);
            walk(group, v, std::uint64_t{0}, std::uint64_t{view.degree(v)});
        });
    }

    /// v adds its residual to its estimate. Returns the sum of the magnitudes of rounded numbers, which
    /// bounds the rounding errors (see rounding_unit).
    [[nodiscard]] RZ_HD double take(id_type v) const {
        double const change = residuals[v];
        double const estimate = estimates[v] + change;
        estimates[v] = estimate;
        residuals[v] = 0;
        given[v] = gives(v, change);
        return 2 * magnitude(estimate) + 3 * magnitude(change);
    }

    /// Returns the arcs of the vertices that it lists. Only with Arcs::bounds_rounding: `rounded` as take()
    /// returns it, `grown`: by how much the sum of the magnitudes of residuals grows.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t push(Thread const& thread, delta_progress const& now, delta_round& left,
                                           double& rounded, double& grown) const {
        std::uint64_t arcs_of_listed = 0;
        for_each_listed_row(
            thread, now, [&](auto const& group, id_type v, std::uint64_t first, std::uint64_t last) {
                double const for_one = given[v];
                arcs.for_each(view, group, v, first, last, [&](id_type id, double weight) {
                    // relaxed: which additions cross the limit depends on this word alone; a barrier follows
                    double const change = for_one * weight;
                    double const before =
                        thread.device(residuals[id]).fetch_add(change, exec::order::relaxed);
                    if constexpr (Arcs::bounds_rounding) {
                        rounded += magnitude(before + change);
                        grown += magnitude(before + change) - magnitude(before);
                    }
                    if (now.settles || magnitude(before + change) <= now.limit) return;
                    double const limit = limit_of(now.limit, id);
                    if (magnitude(before) > limit || magnitude(before + change) <= limit) return;
                    // A residual can cross the limit several times. relaxed: of the threads that exchange,
                    // one gets another round
                    if (thread.device(rounds[id]).exchange(now.rounds, exec::order::relaxed) != now.rounds)
                        arcs_of_listed += put(thread, now, id, view.degree(id), left);
                });
            });
        return arcs_of_listed;
    }

    /// Adds what a step sums to what it leaves, once per block: atomics on one word take their turns, and
    /// with one per warp these took longer than the step. Called by all threads of a block, which pass
    /// another barrier before the next call.
    template <class Thread>
    RZ_HD void leave(Thread const& thread, delta_round& left, double const (&sums)[5],
                     std::uint64_t arcs_of_listed) const {
        constexpr std::uint32_t used = Arcs::bounds_rounding ? 5 : 2;
        auto const block = thread.block();
        auto const warp = thread.warp();
        delta_sums& storage = block.storage();
        std::uint32_t const own = block.rank() / warp.size();
        for (std::uint32_t i = 0; i < used; ++i) {
            double const sum = warp.sum(sums[i]);
            if (warp.rank() == 0) storage.of_warps[own][i] = sum;
        }
        std::uint64_t const of_warp = warp.sum(arcs_of_listed);
        if (warp.rank() == 0) storage.arcs[own] = of_warp;
        block.sync();
        std::uint32_t const warps = (block.size() + warp.size() - 1) / warp.size();
        for (std::uint32_t i = block.rank(); i <= used; i += block.size()) {
            // relaxed: sums that are read behind the barrier
            if (i == used) {
                std::uint64_t all = 0;
                for (std::uint32_t w = 0; w < warps; ++w)
                    all += storage.arcs[w];
                if (all != 0) (void)thread.device(left.arcs).fetch_add(all, exec::order::relaxed);
            } else {
                double all = 0;
                for (std::uint32_t w = 0; w < warps; ++w)
                    all += storage.of_warps[w][i];
                if (all != 0) (void)thread.device(left.sums[i]).fetch_add(all, exec::order::relaxed);
            }
        }
    }

private:
    template <class Block, class Walk>
    RZ_HD void walk_part(Block const& block, id_type v, std::uint64_t first, std::uint64_t arcs_of_part,
                         Walk const& walk) const {
        std::uint64_t const arcs_of_row = view.degree(v);
        std::uint64_t const end = first + arcs_of_part;
        if (first < arcs_of_row) walk(block, v, first, end < arcs_of_row ? end : arcs_of_row);
    }
    /// Light rows from the beginning of a list, heavy ones from its end.
    [[nodiscard]] RZ_HD id_type* place_of(std::uint32_t parity, std::uint32_t kind, std::uint64_t i) const {
        if (kind == delta_round::giant) return giants + parity * tuning::listed_giants + i;
        std::uint64_t const size = view.vertex_count();
        return lists + parity * size + (kind == delta_round::light ? i : size - 1 - i);
    }
};

} // namespace rhizome::algorithms::detail

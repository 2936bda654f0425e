// SPDX-License-Identifier: Apache-2.0
// The steps of the k-core decomposition.
#pragma once

#include <rhizome/algorithms/detail/block_queue.hpp>
#include <rhizome/algorithms/detail/core_order.hpp>
#include <rhizome/algorithms/detail/frontier_lists.hpp>
#include <rhizome/algorithms/detail/lane_groups.hpp>
#include <rhizome/algorithms/kcore_options.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/grid_barrier.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/find_edge.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Degrees, two lists of remaining vertices, and frontier_lists.
inline constexpr std::uint64_t core_words_per_vertex = 7;

/// What a step leaves to the next one; all threads add to it.
struct core_round {
    frontier_counts passed; ///< removed vertices whose rows are still to be visited
    std::uint64_t removed;  ///< vertices
    std::uint64_t arcs;     ///< sum of all degrees
    std::uint32_t kept;     ///< length of the new list of remaining vertices
    /// Complement of the least degree that a remaining vertex had when the step looked at it, so that 0 is
    /// none.
    std::uint32_t above_least;
};

/// In the memory of the space; zero at the beginning.
struct core_state {
    exec::grid_barrier barrier;
    core_round ring[4]; ///< step i reads ring[i % 4], adds to ring[(i + 1) % 4], clears ring[(i + 2) % 4]
};

enum class core_step : std::uint8_t {
    none,
    list,   ///< unsorted neighbours only: lists all rows
    loops,  ///< unsorted neighbours only: looks for self-loops
    begin,  ///< degrees without self-loops
    shell,  ///< removes the vertices of degree k, and those that fall to it
    passed, ///< the same, beginning with vertices that blocks passed on
};

/// The k-core decomposition as a program of exec::run_steps().
template <class View, class Order = no_core_order>
struct core_program {
    static constexpr std::uint32_t block_threads = 1024;
    using id_type = typename View::id_type;
    struct shared {
        block_queue<id_type> queue;
        std::uint32_t above_least; ///< as in core_round, of the block
    };
    /// The core number of a vertex that is not removed yet.
    static constexpr std::uint32_t remains = 0xffff'ffffu;

    View view;
    k_core_options options;
    core_state* state;
    std::uint32_t* cores;
    std::uint32_t* words; ///< core_words_per_vertex per vertex
    k_core_report* report;
    Order order{};

    struct progress {
        std::uint64_t number;
        core_step kind;
        bool compacts; ///< the step makes a new list of the remaining vertices
        bool has_list; ///< there is such a list; else each vertex may remain
        std::uint32_t k;
        std::uint32_t parity; ///< of the list of remaining vertices
        std::uint64_t listed; ///< vertices that may remain
        std::uint64_t remaining;
        std::uint64_t mean; ///< arcs per vertex that has any
        std::uint64_t rounds;
        frontier_counts frontier;
    };

    [[nodiscard]] RZ_HD progress begin() const { return {}; }

    [[nodiscard]] RZ_HD bool next(progress& now) const {
        constexpr core_step first = View::sorted ? core_step::begin : core_step::list;
        if (now.kind == core_step::none) {
            now.kind = first;
            return true;
        }
        ++now.number;
        core_round const& left = state->ring[now.number % 4];
        switch (now.kind) {
        case core_step::list:
            now.frontier = left.passed;
            now.kind = core_step::loops;
            return true;
        case core_step::loops:
            now.kind = core_step::begin;
            return true;
        case core_step::begin:
            now.remaining = left.kept;
            now.listed = view.vertex_count();
            if (now.remaining == 0) return false;
            now.mean = left.arcs / now.remaining;
            now.k = ~left.above_least;
            break;
        default:
            now.remaining -= left.removed;
            now.frontier = left.passed;
            if (now.kind == core_step::passed || left.removed != 0) ++now.rounds;
            if (now.compacts) {
                now.listed = left.kept;
                now.has_list = true;
                ++now.parity;
                now.compacts = false;
            }
            if (now.remaining == 0) return false; // removed vertices have no neighbours but each other
            if (now.frontier.vertices() != 0) {
                now.kind = core_step::passed;
                return true;
            }
            // If nothing was removed, all vertices kept the degrees that the step saw.
            now.k = now.kind == core_step::shell && left.removed == 0 ? ~left.above_least : now.k + 1;
        }
        now.kind = core_step::shell;
        now.compacts = now.remaining < now.listed / 2;
        return true;
    }

    RZ_HD void finish(progress const& now) const { *report = {now.k, now.rounds}; }

    [[nodiscard]] RZ_HD std::uint64_t items(progress const& now) const {
        switch (now.kind) {
        case core_step::loops:
        case core_step::passed:
            return now.frontier.arcs;
        case core_step::shell:
            return now.listed;
        default:
            return view.vertex_count();
        }
    }

    template <class Thread>
    RZ_HD void step(Thread const& thread, progress const& now) const {
        core_round& left = state->ring[(now.number + 1) % 4];
        if (thread.rank() == 0) state->ring[(now.number + 2) % 4] = {};
        switch (now.kind) {
        case core_step::list:
            list(thread, now, left);
            return;
        case core_step::loops:
            frontiers().for_each_row(
                thread, view, frontiers().of(list_parity(now)), now.frontier,
                [&](auto const& group, id_type v, std::uint64_t begin, std::uint64_t end) {
                    for_each_neighbour(view, group, v, begin, end, [&](id_type id) {
                        if (id == v) --degrees()[v]; // one arc, so one thread
                    });
                });
            return;
        case core_step::begin:
            count(thread, left);
            return;
        default:
            remove(thread, now, left);
        }
    }

private:
    [[nodiscard]] RZ_HD std::uint32_t* degrees() const { return words; }
    [[nodiscard]] RZ_HD id_type* remaining_of(std::uint32_t parity) const {
        return words + (1 + parity % 2) * view.vertex_count();
    }
    [[nodiscard]] RZ_HD frontier_lists<id_type> frontiers() const {
        return {words + 3 * view.vertex_count(), view.vertex_count()};
    }
    /// Which lists the step reads; it fills the others.
    [[nodiscard]] static RZ_HD std::uint32_t list_parity(progress const& now) {
        return static_cast<std::uint32_t>(now.number % 2);
    }

    template <class Thread>
    RZ_HD void list(Thread const& thread, progress const& now, core_round& left) const {
        auto const device = [&](auto& word) { return thread.device(word); };
        std::uint64_t arcs = 0;
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<id_type>(i);
            std::uint64_t const degree = view.degree(v);
            degrees()[v] = static_cast<std::uint32_t>(degree);
            arcs += degree;
            if (degree != 0)
                frontiers().put(thread, v, degree, frontiers().of(list_parity(now) + 1), left.passed, device);
        });
        exec::add_to_total(thread, left.passed.arcs, arcs);
    }

    template <class Thread>
    RZ_HD void count(Thread const& thread, core_round& left) const {
        std::uint64_t arcs = 0;
        std::uint32_t remaining = 0;
        std::uint32_t above_least = 0;
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<id_type>(i);
            if constexpr (View::sorted) {
                std::uint64_t const arcs_of_v = view.degree(v);
                std::uint64_t const loops = arcs_of_v != 0 && graph::has_edge(view, v, v) ? 1 : 0;
                degrees()[v] = static_cast<std::uint32_t>(arcs_of_v - loops);
            }
            std::uint32_t const degree = degrees()[v];
            cores[v] = degree == 0 ? 0 : remains;
            if (degree == 0) {
                if constexpr (Order::kept) order.put_isolated(v);
                return;
            }
            arcs += degree;
            ++remaining;
            above_least = above_least < ~degree ? ~degree : above_least;
        });
        exec::add_to_total(thread, left.arcs, arcs);
        std::uint32_t const all = thread.warp().sum(remaining);
        // Relaxed, here and below: read behind the barrier.
        if (thread.warp().rank() == 0 && all != 0)
            (void)thread.device(left.kept).fetch_add(all, exec::order::relaxed);
        std::uint32_t const most = thread.warp().max(above_least);
        if (thread.warp().rank() == 0 && most != 0)
            (void)thread.device(left.above_least).fetch_max(most, exec::order::relaxed);
    }

    /// Removes vertices of degree k until no vertex that this block has found is left.
    template <class Thread>
    RZ_HD void remove(Thread const& thread, progress const& now, core_round& left) const {
        auto const block = thread.block();
        auto& queue = block.storage().queue;
        if (block.rank() == 0) block.storage().above_least = 0;
        queue.clear(block);
        auto const device = [&](auto& word) { return thread.device(word); };
        std::uint64_t removed = 0;
        std::uint64_t passed_arcs = 0;

        // Leaves the row of v to the next step.
        auto const pass = [&](id_type v, std::uint64_t degree) {
            passed_arcs += degree;
            frontiers().put(thread, v, degree, frontiers().of(list_parity(now) + 1), left.passed, device);
        };
        // Removes v, if no other thread has done so. Its row is visited in that wave, or in the next step.
        auto const claim = [&](id_type v, std::uint32_t wave) {
            std::uint32_t before = remains;
            // Relaxed, here and below: threads hand over no memory but the word itself. Rows are visited
            // behind a barrier.
            if (!thread.device(cores[v]).compare_exchange(before, now.k, exec::order::relaxed)) return;
            ++removed;
            if constexpr (Order::kept) order.put(v, now.k, now.number, wave);
            std::uint64_t const degree = view.degree(v);
            if (!queue.take(thread, wave, v, degree)) pass(v, degree);
        };
        // Degrees of vertices that are to be removed no longer matter, so they need not be exact.
        auto const visit = [&](auto const& group, id_type v, std::uint64_t begin, std::uint64_t end,
                               std::uint32_t wave) {
            for_each_neighbour(view, group, v, begin, end, [&](id_type id) {
                if (id == v) return;
                auto const word = thread.device(degrees()[id]);
                if (word.load(exec::order::relaxed) <= now.k) return;
                if (word.fetch_sub(1u, exec::order::relaxed) == now.k + 1) claim(id, wave);
            });
        };
        if (now.kind == core_step::shell)
            scan(thread, now, left, [&](id_type v) { claim(v, 0); });
        else
            frontiers().for_each_row(thread, view, frontiers().of(list_parity(now)), now.frontier,
                                     [&](auto const& group, id_type v, std::uint64_t begin,
                                         std::uint64_t end) { visit(group, v, begin, end, 0); });
        queue.drain(
            thread, options.block_arcs, now.mean,
            [&](auto const& group, id_type v, std::uint64_t begin, std::uint64_t end, std::uint32_t wave) {
                visit(group, v, begin, end, wave + 1);
            },
            [&](id_type v) { pass(v, view.degree(v)); });
        if (block.rank() == 0) {
            std::uint32_t const most = block.storage().above_least; // drain() has met behind the scan
            if (most != 0) (void)device(left.above_least).fetch_max(most, exec::order::relaxed);
        }
        exec::add_to_total(thread, left.removed, removed);
        exec::add_to_total(thread, left.passed.arcs, passed_arcs);
    }

    /// Calls use(v) for remaining vertices of degree k. While this goes on, threads that have removed others
    /// lower degrees: they claim what they lower to k.
    template <class Thread, class Use>
    RZ_HD void scan(Thread const& thread, progress const& now, core_round& left, Use const& use) const {
        id_type const* const old_list = remaining_of(now.parity);
        id_type* const new_list = remaining_of(now.parity + 1);
        auto const device = [&](auto& word) { return thread.device(word); };
        std::uint32_t above_least = 0;
        // Few vertices go to the blocks in turn, so that all blocks share what follows from them.
        auto const block = thread.block();
        std::uint64_t const member =
            now.listed < thread.size() ? block.rank() * block.count() + block.index() : thread.rank();
        exec::for_each_item_of(thread, member, thread.size(), now.listed, [&](std::uint64_t i) {
            id_type const v = now.has_list ? old_list[i] : static_cast<id_type>(i);
            std::uint32_t const degree = thread.device(degrees()[v]).load(exec::order::relaxed);
            if (thread.device(cores[v]).load(exec::order::relaxed) != remains) return;
            if (degree <= now.k) {
                use(v);
                return;
            }
            above_least = above_least < ~degree ? ~degree : above_least;
            if (now.compacts) new_list[take_place(thread, &left.kept, 0, device, 2)] = v;
        });
        // With an atomic per warp, those of all blocks would take longer than the scan.
        std::uint32_t const most = thread.warp().max(above_least);
        if (thread.warp().rank() == 0 && most != 0)
            (void)thread.shared(block.storage().above_least).fetch_max(most, exec::order::relaxed);
    }
};

} // namespace rhizome::algorithms::detail

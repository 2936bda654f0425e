// SPDX-License-Identifier: Apache-2.0
// The steps of breadth-first search.
#pragma once

#include <rhizome/algorithms/bfs_options.hpp>
#include <rhizome/algorithms/detail/frontier_lists.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/grid_barrier.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// A frontier: lists of vertices, or a bit mask of them.
struct bfs_frontier : frontier_counts {
    std::uint32_t marked; ///< vertices in the bit mask; those are not listed

    [[nodiscard]] RZ_HD std::uint64_t vertices() const { return frontier_counts::vertices() + marked; }
};

/// What a step leaves to the next one.
struct bfs_round {
    bfs_frontier frontier; ///< added to by all threads
    // Written by one thread:
    std::uint64_t explored; ///< arcs of the vertices that the step expanded
    std::uint64_t passed;   ///< vertices that the step both found and expanded
    std::uint32_t levels;   ///< by how many levels the frontier moved
    std::uint32_t grew;     ///< the last level has more vertices than the one before
};

struct bfs_outcome {
    bfs_report report;
    std::uint32_t dead_source; ///< a source is the id of an erased vertex
};

/// In the memory of the space; zero at the beginning.
struct bfs_state {
    exec::grid_barrier barrier;
    std::uint32_t dead_source;
    /// Step i reads ring[i % 4], adds to ring[(i + 1) % 4] and clears ring[(i + 2) % 4]. While a thread still
    /// reads that of step i, others may be in step i, but not in i + 1.
    bfs_round ring[4];
};

enum class bfs_step : std::uint8_t {
    none,
    fill,      ///< no vertex is reached; counts arcs
    sources,   ///< lists the sources
    narrow,    ///< one block expands one level after another
    top_down,  ///< all blocks expand the listed frontier
    mark,      ///< from the levels, makes a bit mask of the frontier
    bottom_up, ///< unvisited vertices look for a neighbour in the mask
    list,      ///< lists the vertices of the mask
};

/// Breadth-first search as a program of exec::run_steps().
template <class View>
struct bfs_program {
    static constexpr std::uint32_t block_threads = 1024;
    using id_type = typename View::id_type;
    struct shared {
        bfs_frontier counts[3];
    };

    View view;
    bfs_options options;
    bfs_state* state;
    id_type const* sources;
    std::uint64_t source_count;
    std::uint32_t* levels;
    id_type* parents;     ///< nullptr: not wanted
    id_type* lists;       ///< 4 per vertex
    std::uint32_t* masks; ///< 2 of mask_words()
    bfs_outcome* outcome;

    struct progress {
        std::uint64_t number;
        bfs_step kind;
        bool grew;
        std::uint32_t parity; ///< which lists and mask hold the frontier
        std::uint32_t depth;  ///< level of the frontier
        std::uint32_t bottom_up;
        bfs_frontier frontier;
        std::uint64_t unexplored; ///< arcs of vertices that are not expanded yet
        std::uint64_t total;
        std::uint64_t reached;
    };

    [[nodiscard]] RZ_HD progress begin() const { return {}; }

    [[nodiscard]] RZ_HD bool next(progress& now) const {
        if (now.kind == bfs_step::none) {
            now.kind = bfs_step::fill;
            return true;
        }
        ++now.number;
        bfs_round const& left = state->ring[now.number % 4];
        if (now.kind == bfs_step::fill) {
            now.total = now.unexplored = left.frontier.arcs;
            now.kind = bfs_step::sources;
            return source_count != 0;
        }
        if (state->dead_source != 0) return false;
        bool const marked = now.kind == bfs_step::mark;
        if (marked) {
            now.frontier.marked = static_cast<std::uint32_t>(now.frontier.vertices());
            for (std::uint32_t& count : now.frontier.listed)
                count = 0;
        } else if (now.kind == bfs_step::list) {
            now.frontier = left.frontier;
        } else {
            now.grew = now.kind == bfs_step::narrow ? left.grew != 0
                                                    : left.frontier.vertices() >= now.frontier.vertices();
            now.frontier = left.frontier;
        }
        if (now.kind != bfs_step::list && !marked) now.reached += left.passed + now.frontier.vertices();
        now.depth += left.levels;
        now.unexplored -= left.explored;
        // A narrow step moves the lists by several levels.
        now.parity = (now.parity + (now.kind == bfs_step::narrow ? left.levels : 1)) % 2;
        if (now.frontier.vertices() == 0) return false;
        now.kind = choose(now);
        if (now.kind == bfs_step::bottom_up) ++now.bottom_up;
        return true;
    }

    RZ_HD void finish(progress const& now) const {
        outcome->report = {now.reached, now.depth + (now.frontier.vertices() == 0 ? 0u : 1u), now.bottom_up,
                           now.total - now.unexplored};
        outcome->dead_source = state->dead_source;
    }

    [[nodiscard]] RZ_HD std::uint64_t items(progress const& now) const {
        switch (now.kind) {
        case bfs_step::narrow:
            return 1;
        case bfs_step::sources:
            return source_count;
        case bfs_step::top_down:
            return now.frontier.arcs;
        default:
            return view.vertex_count();
        }
    }

    template <class Thread>
    RZ_HD void step(Thread const& thread, progress const& now) const {
        bfs_round& left = state->ring[(now.number + 1) % 4];
        if (thread.rank() == 0) {
            state->ring[(now.number + 2) % 4] = {};
            if (now.kind == bfs_step::top_down || now.kind == bfs_step::bottom_up) {
                left.levels = 1;
                left.explored = now.frontier.arcs;
            }
        }
        auto const device = [&](auto& word) { return thread.device(word); };
        std::uint64_t arcs = 0;
        std::uint32_t marked = 0;
        switch (now.kind) {
        case bfs_step::fill:
            arcs = fill(thread);
            break;
        case bfs_step::sources:
            exec::for_each_item(thread, source_count, [&](std::uint64_t i) {
                id_type const source = sources[i];
                if (!view.is_live(source))
                    // Relaxed: the barrier after the step publishes it.
                    (void)thread.device(state->dead_source).exchange(1u, exec::order::relaxed);
                else
                    arcs += reach(thread, source, source, 0, lists_of(1), left.frontier, device);
            });
            break;
        case bfs_step::narrow:
            narrow(thread, now, left);
            return;
        case bfs_step::top_down:
            arcs = expand(thread, now, left.frontier);
            break;
        case bfs_step::mark:
            mark(thread, now);
            return;
        case bfs_step::bottom_up:
            arcs = search(thread, now, marked);
            break;
        case bfs_step::list:
            arcs = list(thread, now, left.frontier);
            break;
        default:
            return;
        }
        exec::add_to_total(thread, left.frontier.arcs, arcs);
        std::uint32_t const all = thread.warp().sum(marked);
        // Relaxed: a sum that is read behind the barrier.
        if (thread.warp().rank() == 0 && all != 0)
            thread.device(left.frontier.marked).fetch_add(all, exec::order::relaxed);
    }

private:
    [[nodiscard]] RZ_HD std::uint64_t mask_words() const { return (view.vertex_count() + 31) / 32; }
    [[nodiscard]] RZ_HD std::uint32_t* mask_of(std::uint32_t parity) const {
        return masks + parity % 2 * mask_words();
    }
    [[nodiscard]] RZ_HD frontier_lists<id_type> frontiers() const { return {lists, view.vertex_count()}; }
    [[nodiscard]] RZ_HD id_type* lists_of(std::uint32_t parity) const { return frontiers().of(parity); }

    [[nodiscard]] RZ_HD bool fits_a_block(frontier_counts const& frontier) const {
        return frontier.listed[frontier_counts::heavy] == 0 && frontier.listed[frontier_counts::huge] == 0 &&
               frontier.listed[frontier_counts::light] <= options.narrow_vertices &&
               frontier.arcs <= options.narrow_arcs;
    }
    /// The published rule, and: bottom-up looks at every vertex, so the frontier has as many arcs as a
    /// frontier must have vertices to stay bottom-up. Else the last levels of a long search would go back
    /// and forth.
    [[nodiscard]] RZ_HD bool goes_bottom_up(frontier_counts const& frontier, bool grew,
                                            std::uint64_t unexplored) const {
        auto const arcs = static_cast<double>(frontier.arcs);
        return grew && !options.top_down_only && view.has_in_arcs() &&
               arcs * options.alpha > static_cast<double>(unexplored - frontier.arcs) &&
               arcs * options.beta > static_cast<double>(view.vertex_count());
    }
    [[nodiscard]] RZ_HD bfs_step choose(progress const& now) const {
        if (now.kind == bfs_step::mark) return bfs_step::bottom_up;
        if (now.kind == bfs_step::bottom_up)
            return now.grew || static_cast<double>(now.frontier.marked) * options.beta >=
                                   static_cast<double>(view.vertex_count())
                       ? bfs_step::bottom_up
                       : bfs_step::list;
        if (now.kind != bfs_step::list && now.kind != bfs_step::sources &&
            goes_bottom_up(now.frontier, now.grew, now.unexplored))
            return bfs_step::mark;
        return fits_a_block(now.frontier) ? bfs_step::narrow : bfs_step::top_down;
    }

    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t fill(Thread const& thread) const {
        std::uint64_t arcs = 0;
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
            levels[i] = unreached;
            if (parents != nullptr) parents[i] = graph::no_vertex_of<id_type>;
            arcs += view.degree(static_cast<id_type>(i));
        });
        return arcs;
    }

    /// If v is unvisited, visits it and returns its degree; else returns 0.
    template <class Thread, class Access>
    [[nodiscard]] RZ_HD std::uint64_t reach(Thread const& thread, id_type v, id_type from,
                                            std::uint32_t level, id_type* list, frontier_counts& counts,
                                            Access const& access) const {
        auto const word = thread.device(levels[v]);
        // Relaxed: a level changes once; only who changes it goes on, and the barrier publishes the rest.
        std::uint32_t before = word.load(exec::order::relaxed);
        if (before != unreached) return 0;
        if (!word.compare_exchange(before, level, exec::order::relaxed)) return 0;
        if (parents != nullptr) parents[v] = from;
        std::uint64_t const degree = view.degree(v);
        frontiers().put(thread, v, degree, list, counts, access);
        return degree;
    }

    /// What visits a part of a row: reaches its vertices, and adds their degrees to `arcs`.
    template <class Thread, class Access>
    [[nodiscard]] RZ_HD auto visitor(Thread const& thread, std::uint32_t level, id_type* next_list,
                                     frontier_counts& counts, Access const& access,
                                     std::uint64_t& arcs) const {
        return [&, level, next_list, this](auto const& group, id_type v, std::uint64_t begin,
                                           std::uint64_t end) {
            for_each_neighbour(view, group, v, begin, end, [&](id_type id) {
                arcs += reach(thread, id, v, level, next_list, counts, access);
            });
        };
    }

    /// Returns the arcs of the vertices that this lane reached.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t expand(Thread const& thread, progress const& now,
                                             frontier_counts& counts) const {
        auto const device = [&](auto& word) { return thread.device(word); };
        std::uint64_t arcs = 0;
        frontiers().for_each_row(
            thread, view, lists_of(now.parity), now.frontier,
            visitor(thread, now.depth + 1, lists_of(now.parity + 1), counts, device, arcs));
        return arcs;
    }

    /// Block 0 expands level after level, until the frontier is empty or needs more than a block.
    template <class Thread>
    RZ_HD void narrow(Thread const& thread, progress const& now, bfs_round& left) const {
        auto const block = thread.block();
        if (block.index() != 0) return;
        auto& counts = block.storage().counts;
        auto const shared_word = [&](auto& word) { return thread.shared(word); };
        if (block.rank() == 0) counts[1] = {};
        block.sync();
        bfs_frontier frontier = now.frontier;
        std::uint64_t unexplored = now.unexplored;
        std::uint64_t passed = 0;
        std::uint32_t moved = 0;
        bool grew = false;
        for (;;) {
            // Level `moved` counts into counts[(moved + 1) % 3], which the level before has cleared.
            bfs_frontier& next_counts = counts[(moved + 1) % 3];
            if (block.rank() == 0) counts[(moved + 2) % 3] = {};
            std::uint64_t arcs = 0;
            frontiers().for_each_light_row(thread, true, lists_of(now.parity + moved), frontier,
                                           visitor(thread, now.depth + moved + 1,
                                                   lists_of(now.parity + moved + 1), next_counts, shared_word,
                                                   arcs));
            std::uint64_t const all = thread.warp().sum(arcs);
            // Relaxed: a sum that is read behind the barrier.
            if (thread.warp().rank() == 0 && all != 0)
                (void)thread.shared(next_counts.arcs).fetch_add(all, exec::order::relaxed);
            block.sync();
            ++moved;
            unexplored -= frontier.arcs;
            grew = next_counts.vertices() > frontier.vertices();
            frontier = next_counts;
            if (frontier.listed[frontier_counts::light] == 0 || !fits_a_block(frontier) ||
                goes_bottom_up(frontier, grew, unexplored))
                break;
            passed += frontier.listed[frontier_counts::light];
        }
        if (block.rank() != 0) return;
        left = {frontier, now.unexplored - unexplored, passed, moved, grew ? 1u : 0u};
    }

    /// Calls bit_of(i), which says whether bit i is set, for the bits of each word of a mask, and
    /// use(word, bits) with the word by lane 0 of each warp. A warp makes the calls for a word together.
    template <class Thread, class BitOf, class Use>
    RZ_HD void for_each_word(Thread const& thread, BitOf const& bit_of, Use const& use) const {
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, mask_words(), [&](std::uint64_t word) {
            std::uint32_t bits = 0;
            for (std::uint32_t bit = warp.rank(); bit < 32; bit += warp.size())
                if (bit_of(word * 32 + bit)) bits |= std::uint32_t{1} << bit;
            std::uint32_t const all = warp.sum(bits); // each lane has bits of its own
            if (warp.rank() == 0) use(word, all);
        });
    }

    template <class Thread>
    RZ_HD void mark(Thread const& thread, progress const& now) const {
        std::uint32_t* const mask = mask_of(now.parity + 1);
        for_each_word(
            thread, [&](std::uint64_t v) { return v < view.vertex_count() && levels[v] == now.depth; },
            [&](std::uint64_t word, std::uint32_t bits) { mask[word] = bits; });
    }

    [[nodiscard]] static RZ_HD bool is_marked(std::uint32_t const* mask, id_type v) {
        return (mask[v / 32] >> (v % 32) & 1) != 0;
    }

    /// Some in-neighbour of v in the mask, or no_vertex. A lane alone walks the first neighbours of a row;
    /// the warp walks long rows together. All lanes of the warp call it; `wanted`: v is to be looked at.
    template <class Thread>
    [[nodiscard]] RZ_HD id_type find_parent(Thread const& thread, std::uint32_t const* mask, bool wanted,
                                            id_type v) const {
        constexpr std::uint64_t most =
            Thread::prefers_runs ? ~std::uint64_t{0} : std::uint64_t{tuning::bottom_up_lane_arcs};
        id_type parent = graph::no_vertex_of<id_type>;
        bool is_long = false;
        if (wanted) {
            auto const row = view.in_neighbours(v);
            std::uint64_t seen = 0;
            auto const end = row.end();
            for (auto place = row.begin(); place != end && seen < most; ++place, ++seen) {
                id_type const id = *place;
                if (!is_marked(mask, id)) continue;
                parent = id;
                break;
            }
            is_long = parent == graph::no_vertex_of<id_type> && row.size() > most;
        }
        if constexpr (!Thread::prefers_runs) {
            auto const warp = thread.warp();
            for (std::uint32_t rest = warp.ballot(is_long); rest != 0; rest &= rest - 1) {
                auto const lane = static_cast<std::uint32_t>(exec::countr_zero(rest));
                auto const row = view.in_neighbours(warp.broadcast(v, lane));
                // Again from the beginning: in some layouts iteration and numbers have different orders.
                for (std::uint64_t first = 0; first < row.size(); first += 4 * warp.size()) {
                    id_type mine = graph::no_vertex_of<id_type>;
                    std::uint64_t const last = first + 4 * warp.size();
                    row.for_each(warp, first, last < row.size() ? last : row.size(),
                                 [&](std::uint64_t, id_type id) {
                                     if (is_marked(mask, id)) mine = id;
                                 });
                    std::uint32_t const found = warp.ballot(mine != graph::no_vertex_of<id_type>);
                    if (found == 0) continue;
                    id_type const one =
                        warp.broadcast(mine, static_cast<std::uint32_t>(exec::countr_zero(found)));
                    if (warp.rank() == lane) parent = one;
                    break;
                }
            }
        }
        return parent;
    }

    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t search(Thread const& thread, progress const& now,
                                             std::uint32_t& marked) const {
        std::uint32_t const* const mask = mask_of(now.parity);
        std::uint32_t* const next_mask = mask_of(now.parity + 1);
        std::uint64_t arcs = 0;
        for_each_word(
            thread,
            [&](std::uint64_t i) {
                auto const v = static_cast<id_type>(i);
                // Erased vertices have no neighbours, so none finds a parent.
                bool const wanted = i < view.vertex_count() && levels[v] == unreached;
                id_type const parent = find_parent(thread, mask, wanted, v);
                if (parent == graph::no_vertex_of<id_type>) return false;
                levels[v] = now.depth + 1;
                if (parents != nullptr) parents[v] = parent;
                arcs += view.degree(v);
                return true;
            },
            [&](std::uint64_t word, std::uint32_t bits) {
                next_mask[word] = bits;
                marked += static_cast<std::uint32_t>(exec::popcount(bits));
            });
        return arcs;
    }

    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t list(Thread const& thread, progress const& now,
                                           frontier_counts& counts) const {
        std::uint32_t const* const mask = mask_of(now.parity);
        id_type* const next_list = lists_of(now.parity + 1);
        auto const device = [&](auto& word) { return thread.device(word); };
        std::uint64_t arcs = 0;
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<id_type>(i);
            if (!is_marked(mask, v)) return;
            std::uint64_t const degree = view.degree(v);
            arcs += degree;
            frontiers().put(thread, v, degree, next_list, counts, device);
        });
        return arcs;
    }
};

} // namespace rhizome::algorithms::detail

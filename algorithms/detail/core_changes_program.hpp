// SPDX-License-Identifier: Apache-2.0
// The steps by which core numbers follow the changes of a graph.
#pragma once

#include <rhizome/algorithms/detail/core_order.hpp>
#include <rhizome/algorithms/detail/frontier_lists.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/grid_barrier.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

// Between updates two things hold for each vertex v with core number c. They prove the core numbers:
//     (1) v has at least c neighbours whose core numbers are at least c, so that none is too great.
//     (2) v has at most c neighbours behind it in the order of core_key, so that none is too small.
//
// Falling. The core numbers before are not too small for the graph without the inserted edges. Vertices that
// violate (1) fall by one, or to their degree, and go behind all others that have their new core number.
// Those that counted on them are looked at next. This ends at the greatest numbers, none greater than before,
// for which (1) holds. (The local algorithm of Sariyuce, Seshadhri and Pinar, PVLDB 12(1), 2018.) A vertex
// that falls to c has at most c neighbours that did not fall below c before it, so that (2) holds for it. No
// other vertex gets more neighbours behind it by that.
//
// Rising. (2) is now violated at most by the first ends of inserted edges. In each round the vertices rise
// for which (1) would still hold if all of them rose by one: the largest such set, R. Let k be one of their
// core numbers.
//   - A vertex that violates (2) floats: its neighbours with core number k all count it as behind them.
//     Those that did not are looked at next.
//   - When no other vertex violates (2), all of R floats. Otherwise take the first vertex v of R that does
//     not. It has k + 1 neighbours in R or with greater core numbers. Those in R float or are behind v, so
//     that v violates (2).
//   - Of the floating vertices those drop out, one after another, that have at most k neighbours that float
//     or have greater core numbers. They go behind all others, in this order, so that (2) holds for them. It
//     still holds for their neighbours, which have counted them already. R is left.
//   - R rises, to before all others with the core number k + 1. Only these vertices may violate (2) now: the
//     next round begins with them. A round in which none rises is the last.

/// In the memory of the space; zero at the beginning.
struct core_changes_state {
    exec::grid_barrier barrier;
    frontier_counts ring[4]; ///< of listed vertices, as in core_state
    frontier_counts floating;
    std::uint32_t largest;
};

/// What following the changes has come to.
struct core_changes_report {
    std::uint64_t work;  ///< arcs and vertices looked at, and steps
    std::uint64_t first; ///< all labels are from `first` to `last`
    std::uint64_t last;
    std::uint32_t largest; ///< core number, if `changed`
    bool changed;          ///< a core number
    bool stopped;          ///< at the limit of work: nothing of the result counts
};

/// Scratch per vertex of core_changes_program.
inline constexpr std::uint64_t core_changes_words = 9;
/// So many of these words per vertex, from the first, are zero at the beginning.
inline constexpr std::uint64_t core_changes_zero_words = 3;

/// Core numbers after changes, as a program of exec::run_steps().
template <class View>
struct core_changes_program {
    static constexpr std::uint32_t block_threads = 512;
    using id_type = typename View::id_type;

    View view;
    graph::edge const* inserted;
    std::uint64_t inserted_count;
    graph::edge const* erased;
    std::uint64_t erased_count;
    bool checks_all; ///< any vertex may violate (2)
    std::uint64_t most_work;
    std::uint64_t step_work; ///< of a step, beside arcs and vertices
    std::uint64_t first_label;
    std::uint64_t last_label;
    std::uint64_t* keys;  ///< core_key of each vertex
    std::uint32_t* cores; ///< the core numbers in them
    std::uint32_t* words; ///< core_changes_words per vertex
    core_changes_state* state;
    core_changes_report* report;

    enum class kind : std::uint8_t {
        none,
        shrink, ///< lists ends of erased edges
        grow,   ///< lists ends of inserted edges
        count,  ///< counts the neighbours of listed vertices
        decide, ///< changes the listed vertices for which (1) or (2) does not hold, and lists them
        pass,   ///< lists neighbours of those, and themselves
        sum,    ///< counts the neighbours of floating vertices
        drop,   ///< lists floating vertices that drop out
        follow, ///< lists those that drop out because others did
        rise,   ///< ends the round, and lists those that rise
        largest ///< looks for the largest core number
    };
    struct progress {
        std::uint64_t number;
        kind step;
        bool rises; ///< phase
        bool all;   ///< the list is that of all vertices
        bool changed;
        bool stopped;
        std::uint32_t round;  ///< of rising, from 1
        std::uint32_t parity; ///< of the list that a step reads
        std::uint64_t work;
        std::uint64_t first;
        std::uint64_t last;
        frontier_counts listed;
        frontier_counts floating;
    };
    [[nodiscard]] RZ_HD progress begin() const {
        progress now{};
        now.first = first_label;
        now.last = last_label;
        return now;
    }

    [[nodiscard]] RZ_HD bool next(progress& now) const {
        if (now.step == kind::none) {
            now.step = erased_count != 0 ? kind::shrink : kind::grow;
            now.rises = erased_count == 0;
            now.round = 1;
            return erased_count != 0 || inserted_count != 0;
        }
        ++now.number;
        if (now.step == kind::largest) return false;
        if (now.step != kind::count && now.step != kind::sum) {
            now.listed = state->ring[now.number % 4];
            ++now.parity;
        }
        now.step = behind(now);
        now.work += step_work;
        if (now.work + still_to_do(now) > most_work) {
            now.stopped = true;
            return false;
        }
        return now.step != kind::none;
    }

    RZ_HD void finish(progress const& now) const {
        *report = {now.work, now.first, now.last, state->largest, now.changed, now.stopped};
    }

    [[nodiscard]] RZ_HD std::uint64_t items(progress const& now) const {
        switch (now.step) {
        case kind::shrink:
            return erased_count;
        case kind::grow:
            return checks_all ? view.vertex_count() : inserted_count;
        case kind::largest:
            return view.vertex_count();
        case kind::decide:
            return now.listed.vertices();
        case kind::sum:
        case kind::drop:
        case kind::rise:
            return now.floating.arcs;
        default:
            return now.listed.arcs;
        }
    }

    template <class Thread>
    RZ_HD void step(Thread const& thread, progress const& now) const {
        frontier_counts& left = state->ring[(now.number + 1) % 4];
        if (thread.rank() == 0) state->ring[(now.number + 2) % 4] = {};
        lister<Thread> next_list{*this, thread, lists().of(now.parity + 1), left,
                                 static_cast<std::uint32_t>(now.number + 1)};
        switch (now.step) {
        case kind::shrink:
            list_ends_of_erased(thread, next_list);
            break;
        case kind::grow:
            list_ends_of_inserted(thread, next_list);
            break;
        case kind::count:
            for_each_listed_row(thread, now, [&](auto const& group, id_type v, auto begin, auto end) {
                if (!now.rises)
                    count_holders(thread, group, v, begin, end);
                else if (!is_counted(v, now.round))
                    count_behind(thread, group, v, begin, end);
            });
            return;
        case kind::decide:
            exec::for_each_item(thread, now.listed.vertices(), [&](std::uint64_t i) {
                id_type const v = lists().at(i, lists().of(now.parity), now.listed);
                now.rises ? float_up(thread, v, now.round, next_list) : lower(v, now.last, next_list);
            });
            break;
        case kind::pass:
            for_each_listed_row(thread, now, [&](auto const& group, id_type v, auto begin, auto end) {
                now.rises ? count_in(thread, group, v, begin, end, now.round, next_list)
                          : list_let_down(group, v, begin, end, next_list);
            });
            break;
        case kind::sum:
            floats().for_each_row(thread, view, floats().of(0), now.floating,
                                  [&](auto const& group, id_type v, auto begin, auto end) {
                                      count_floating(thread, group, v, begin, end);
                                  });
            return;
        case kind::drop:
            for_each_floating(thread, now, [&](id_type v) {
                if (counts()[v] <= core_key::core(keys[v])) drop_out(thread, v, now.last, next_list);
            });
            break;
        case kind::follow:
            for_each_listed_row(thread, now, [&](auto const& group, id_type v, auto begin, auto end) {
                drop_followers(thread, group, v, begin, end, now.last, next_list);
            });
            break;
        case kind::rise:
            if (thread.rank() == 0) state->floating = {};
            for_each_floating(thread, now, [&](id_type v) {
                if (!is_floating(v)) return;
                marks()[v] &= ~floating_mark;
                std::uint32_t const core = core_key::core(keys[v]) + 1;
                keys[v] = core_key::of(core, now.first);
                cores[v] = core;
                next_list.add(v);
            });
            break;
        default:
            find_largest(thread);
            return;
        }
        exec::add_to_total(thread, left.arcs, next_list.arcs);
    }

private:
    static constexpr std::uint32_t floating_mark = 1;

    /// Fills a list for the next step.
    template <class Thread>
    struct lister {
        core_changes_program const& program;
        Thread const& thread;
        id_type* list;
        frontier_counts& counts;
        std::uint32_t stamp;
        std::uint64_t arcs = 0;

        /// Adds v, unless it has been added in this step, to have its neighbours counted.
        RZ_HD void add(id_type v) {
            auto const word = thread.device(program.stamps()[v]);
            // Relaxed, here and below: threads hand over no memory but the word itself.
            if (word.load(exec::order::relaxed) == stamp) return;
            if (word.exchange(stamp, exec::order::relaxed) == stamp) return;
            program.counts()[v] = 0;
            put(v);
        }
        /// Adds v, which no other thread adds in this step.
        RZ_HD void put(id_type v) {
            auto const device = [&](auto& word) { return thread.device(word); };
            std::uint64_t const degree = program.view.degree(v);
            arcs += degree;
            program.lists().put(thread, v, degree, list, counts, device);
        }
    };

    [[nodiscard]] RZ_HD std::uint64_t vertices() const { return view.vertex_count(); }
    /// Of neighbours.
    [[nodiscard]] RZ_HD std::uint32_t* counts() const { return words; }
    /// The last step that has listed the vertex.
    [[nodiscard]] RZ_HD std::uint32_t* stamps() const { return words + vertices(); }
    /// Twice the round in which the neighbours of the vertex were counted, and floating_mark.
    [[nodiscard]] RZ_HD std::uint32_t* marks() const { return words + 2 * vertices(); }
    [[nodiscard]] RZ_HD frontier_lists<id_type> lists() const { return {words + 3 * vertices(), vertices()}; }
    /// One set, of the floating vertices.
    [[nodiscard]] RZ_HD frontier_lists<id_type> floats() const {
        return {words + 7 * vertices(), vertices()};
    }
    [[nodiscard]] RZ_HD bool is_counted(id_type v, std::uint32_t round) const {
        return marks()[v] / 2 == round;
    }
    [[nodiscard]] RZ_HD bool is_floating(id_type v) const { return (marks()[v] & floating_mark) != 0; }

    /// The step behind that of `now`, whose list is that of the next one already.
    [[nodiscard]] RZ_HD kind behind(progress& now) const {
        bool const empty = now.listed.vertices() == 0;
        switch (now.step) {
        case kind::shrink:
            return empty ? grow_or_end(now) : count_listed(now);
        case kind::grow:
            now.all = checks_all;
            return empty ? end(now) : count_listed(now);
        case kind::count:
            ++now.last;
            return kind::decide;
        case kind::decide:
            if (empty) return end_of_waves(now);
            now.changed = now.changed || !now.rises;
            now.work += now.listed.arcs;
            return kind::pass;
        case kind::pass:
            return empty ? end_of_waves(now) : count_listed(now);
        case kind::sum:
            ++now.last;
            return kind::drop;
        case kind::drop:
        case kind::follow:
            if (empty) {
                --now.first;
                return kind::rise;
            }
            ++now.last;
            now.work += now.listed.arcs;
            return kind::follow;
        default: // rise
            if (empty) return end(now);
            now.changed = true;
            ++now.round;
            return count_listed(now);
        }
    }
    /// The arcs that are certainly still to be looked at: those of floating vertices.
    [[nodiscard]] RZ_HD std::uint64_t still_to_do(progress const& now) const {
        return now.step == kind::count || now.step == kind::pass ? state->floating.arcs : 0;
    }
    [[nodiscard]] RZ_HD kind count_listed(progress& now) const {
        if (!now.all) now.work += now.listed.vertices() + now.listed.arcs;
        now.all = false;
        return kind::count;
    }
    [[nodiscard]] RZ_HD kind grow_or_end(progress& now) const {
        now.rises = true;
        return inserted_count != 0 ? kind::grow : end(now);
    }
    [[nodiscard]] RZ_HD kind end_of_waves(progress& now) const {
        if (!now.rises) return grow_or_end(now);
        now.floating = state->floating;
        if (now.floating.vertices() == 0) return end(now);
        now.work += now.floating.arcs;
        return kind::sum;
    }
    [[nodiscard]] static RZ_HD kind end(progress const& now) {
        return now.changed ? kind::largest : kind::none;
    }

    template <class Thread, class Visit>
    RZ_HD void for_each_listed_row(Thread const& thread, progress const& now, Visit&& visit) const {
        lists().for_each_row(thread, view, lists().of(now.parity), now.listed, visit);
    }
    template <class Thread, class Use>
    RZ_HD void for_each_floating(Thread const& thread, progress const& now, Use&& use) const {
        exec::for_each_item(thread, now.floating.vertices(),
                            [&](std::uint64_t i) { use(floats().at(i, floats().of(0), now.floating)); });
    }
    /// Calls function(w, its key) for neighbours of v, without v.
    template <class Group, class Function>
    RZ_HD void for_each_other(Group const& group, id_type v, std::uint64_t begin, std::uint64_t end,
                              Function&& function) const {
        for_each_neighbour(view, group, v, begin, end, [&](id_type w) {
            if (w != v) function(w, keys[w]);
        });
    }
    template <class Thread>
    RZ_HD void add_count(Thread const& thread, id_type v, std::uint32_t more) const {
        if (more != 0) (void)thread.device(counts()[v]).fetch_add(more, exec::order::relaxed);
    }

    // Falling.

    template <class Thread>
    RZ_HD void list_ends_of_erased(Thread const& thread, lister<Thread>& next_list) const {
        exec::for_each_item(thread, erased_count, [&](std::uint64_t i) {
            graph::edge const edge = erased[i];
            std::uint32_t const source = core_key::core(keys[edge.source]);
            std::uint32_t const target = core_key::core(keys[edge.target]);
            if (source <= target) next_list.add(edge.source);
            if (target <= source) next_list.add(edge.target);
        });
    }
    /// Neighbours by which v holds its core number.
    template <class Thread, class Group>
    RZ_HD void count_holders(Thread const& thread, Group const& group, id_type v, std::uint64_t begin,
                             std::uint64_t end) const {
        std::uint32_t const core = core_key::core(keys[v]);
        std::uint32_t holders = 0;
        for_each_other(group, v, begin, end, [&](id_type, std::uint64_t key) {
            if (core_key::core(key) >= core) ++holders;
        });
        add_count(thread, v, holders);
    }
    /// Lets v fall if too few neighbours hold it. cores[v] is left as before, until v is looked at again.
    template <class Thread>
    RZ_HD void lower(id_type v, std::uint64_t label, lister<Thread>& next_list) const {
        std::uint32_t const core = core_key::core(keys[v]);
        cores[v] = core;
        if (counts()[v] >= core) return;
        std::uint64_t const degree = view.degree(v);
        keys[v] = core_key::of(degree < core ? static_cast<std::uint32_t>(degree) : core - 1, label);
        next_list.put(v);
    }
    /// Lists v, and the neighbours that v held before and does not hold any more.
    template <class Thread, class Group>
    RZ_HD void list_let_down(Group const& group, id_type v, std::uint64_t begin, std::uint64_t end,
                             lister<Thread>& next_list) const {
        if (begin == 0 && group.rank() == 0) next_list.add(v);
        std::uint32_t const before = cores[v];
        std::uint32_t const core = core_key::core(keys[v]);
        for_each_other(group, v, begin, end, [&](id_type w, std::uint64_t key) {
            std::uint32_t const other = core_key::core(key);
            if (core < other && other <= before) next_list.add(w);
        });
    }

    // Rising.

    template <class Thread>
    RZ_HD void list_ends_of_inserted(Thread const& thread, lister<Thread>& next_list) const {
        if (checks_all) {
            exec::for_each_item(thread, vertices(), [&](std::uint64_t i) {
                auto const v = static_cast<id_type>(i);
                if (view.degree(v) != 0) next_list.add(v);
            });
            return;
        }
        exec::for_each_item(thread, inserted_count, [&](std::uint64_t i) {
            graph::edge const edge = inserted[i];
            bool const source_first =
                core_key::before(keys[edge.source], edge.source, keys[edge.target], edge.target);
            next_list.add(source_first ? edge.source : edge.target);
        });
    }
    /// Neighbours behind v, and floating ones before it with its core number.
    template <class Thread, class Group>
    RZ_HD void count_behind(Thread const& thread, Group const& group, id_type v, std::uint64_t begin,
                            std::uint64_t end) const {
        std::uint64_t const own = keys[v];
        std::uint32_t behind_v = 0;
        for_each_other(group, v, begin, end, [&](id_type w, std::uint64_t key) {
            if (core_key::before(own, v, key, w) ||
                (core_key::core(key) == core_key::core(own) && is_floating(w)))
                ++behind_v;
        });
        add_count(thread, v, behind_v);
    }
    /// Lets v float if too many neighbours are behind it.
    template <class Thread>
    RZ_HD void float_up(Thread const& thread, id_type v, std::uint32_t round,
                        lister<Thread>& next_list) const {
        marks()[v] = 2 * round;
        if (counts()[v] <= core_key::core(keys[v])) return;
        marks()[v] |= floating_mark;
        counts()[v] = 0;
        auto const device = [&](auto& word) { return thread.device(word); };
        std::uint64_t const degree = view.degree(v);
        floats().put(thread, v, degree, floats().of(0), state->floating, device, 2);
        (void)device(state->floating.arcs).fetch_add(degree, exec::order::relaxed);
        next_list.put(v);
    }
    /// Counts v for the neighbours behind it, if they have counted others already. Lists them if they have
    /// not, or have now too many.
    template <class Thread, class Group>
    RZ_HD void count_in(Thread const& thread, Group const& group, id_type v, std::uint64_t begin,
                        std::uint64_t end, std::uint32_t round, lister<Thread>& next_list) const {
        std::uint64_t const own = keys[v];
        std::uint32_t const core = core_key::core(own);
        for_each_other(group, v, begin, end, [&](id_type w, std::uint64_t key) {
            if (core_key::core(key) != core || !core_key::before(own, v, key, w) || is_floating(w)) return;
            if (!is_counted(w, round))
                next_list.add(w);
            else if (thread.device(counts()[w]).fetch_add(1u, exec::order::relaxed) == core)
                next_list.put(w);
        });
    }
    /// Neighbours that float with v or have greater core numbers.
    template <class Thread, class Group>
    RZ_HD void count_floating(Thread const& thread, Group const& group, id_type v, std::uint64_t begin,
                              std::uint64_t end) const {
        std::uint32_t const core = core_key::core(keys[v]);
        std::uint32_t sum = 0;
        for_each_other(group, v, begin, end, [&](id_type w, std::uint64_t key) {
            std::uint32_t const other = core_key::core(key);
            if (other > core || (other == core && is_floating(w))) ++sum;
        });
        add_count(thread, v, sum);
    }
    /// Puts v behind all vertices with its core number. Others look at v at the same time.
    template <class Thread>
    RZ_HD void drop_out(Thread const& thread, id_type v, std::uint64_t label,
                        lister<Thread>& next_list) const {
        (void)thread.device(marks()[v]).fetch_and(~floating_mark, exec::order::relaxed);
        thread.device(keys[v]).store(core_key::of(core_key::core(keys[v]), label), exec::order::relaxed);
        next_list.put(v);
    }
    template <class Thread, class Group>
    RZ_HD void drop_followers(Thread const& thread, Group const& group, id_type v, std::uint64_t begin,
                              std::uint64_t end, std::uint64_t label, lister<Thread>& next_list) const {
        std::uint32_t const core = core_key::core(thread.device(keys[v]).load(exec::order::relaxed));
        for_each_neighbour(view, group, v, begin, end, [&](id_type w) {
            if (w == v || core_key::core(thread.device(keys[w]).load(exec::order::relaxed)) != core) return;
            if ((thread.device(marks()[w]).load(exec::order::relaxed) & floating_mark) == 0) return;
            if (thread.device(counts()[w]).fetch_sub(1u, exec::order::relaxed) == core + 1)
                drop_out(thread, w, label, next_list);
        });
    }

    template <class Thread>
    RZ_HD void find_largest(Thread const& thread) const {
        std::uint32_t largest = 0;
        exec::for_each_item(thread, vertices(),
                            [&](std::uint64_t i) { largest = largest < cores[i] ? cores[i] : largest; });
        std::uint32_t const most = thread.warp().max(largest);
        if (thread.warp().rank() == 0 && most != 0)
            (void)thread.device(state->largest).fetch_max(most, exec::order::relaxed);
    }
};

} // namespace rhizome::algorithms::detail

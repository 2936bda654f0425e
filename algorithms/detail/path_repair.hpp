// SPDX-License-Identifier: Apache-2.0
// The steps that repair shortest paths after edges have changed.
#pragma once

#include <rhizome/algorithms/detail/delta_choice.hpp>
#include <rhizome/algorithms/detail/level_view.hpp>
#include <rhizome/algorithms/detail/path_steps.hpp>
#include <rhizome/algorithms/detail/sssp_memory.hpp>
#include <rhizome/algorithms/detail/sssp_search.hpp>
#include <rhizome/algorithms/detail/sssp_state.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::algorithms::detail {

/// The lists of graph_changes, as kernels take them. Without weights there are no updated edges.
template <class Weight>
struct path_changes {
    graph::edge const* inserted;
    std::uint64_t inserted_count;
    graph::edge const* erased;
    std::uint64_t erased_count;
    graph::edge const* updated;
    std::uint64_t updated_count;
    Weight const* inserted_weights;
    Weight const* weights_before; ///< of updated edges
    Weight const* weights_after;

    /// `changes`: graph_changes, whose values are of no meaning without weights.
    template <class Changes>
    [[nodiscard]] static path_changes of(Changes const& changes) {
        path_changes lists{};
        lists.inserted = changes.inserted().data();
        lists.inserted_count = changes.inserted().size();
        lists.erased = changes.erased().data();
        lists.erased_count = changes.erased().size();
        if constexpr (!std::is_same_v<Weight, unit_weight>) {
            lists.updated = changes.updated().data();
            lists.updated_count = changes.updated().size();
            lists.inserted_weights = changes.values_of_inserted().data();
            lists.weights_before = changes.values_before().data();
            lists.weights_after = changes.values_after().data();
        }
        return lists;
    }
    [[nodiscard]] RZ_HD std::uint64_t size() const { return inserted_count + erased_count + updated_count; }
};

enum class repair_step : std::uint8_t {
    none,
    cut,        ///< takes the parents of vertices whose arc from the parent is gone, or weighs more now
    link,       ///< each vertex points to its parent, or to itself if it has kept its path
    climb,      ///< each vertex points to ancestors farther up
    invalidate, ///< vertices below the cut ones lose their distances
    begin,      ///< these take the least distance by an in-arc; new and lighter arcs offer distances
    search,     ///< as sssp_step::search
    narrow,     ///< as sssp_step::narrow
    write,      ///< distances; lists vertices that need a parent
    parents,    ///< parents that are nearer to a source than the vertex
    attach,     ///< parents that are as near, which arcs of weight 0 make
    relist,     ///< without in-arcs: as sssp_step::relist
    level,      ///< without in-arcs: as sssp_step::level
};

/// How the repair ended.
struct path_outcome {
    std::uint64_t work;
    std::uint32_t done; ///< the paths are those of the graph now; else they are undefined
};

/// How much work a repair may take.
struct repair_limits {
    std::uint64_t step_work; ///< that takes as long as a step
    std::uint64_t most_work; ///< expected once it is known which vertices have lost their paths
    std::uint64_t most_search_work;
};

/// The work of a pass over the vertices. It reads them in their order, which takes less time than to look at
/// as many arcs.
[[nodiscard]] RZ_HD inline std::uint64_t repair_pass_work(std::uint64_t vertices) { return vertices / 4; }

/// Repairs distances and parents, as a program of exec::run_steps(). Gives up if it expects too much work, or
/// meets what the static search throws for.
template <class View>
struct path_repair : path_steps<View> {
    using base = path_steps<View>;
    using base::view, base::options, base::state, base::sources, base::source_count, base::distances,
        base::parents, base::words, base::lists, base::memory, base::searcher, base::finder;
    using typename base::id_type, typename base::weight_type, typename base::metric, typename base::word_type;

    repair_limits limits;
    path_changes<weight_type> changes;
    std::uint64_t known; ///< vertices that have distances and parents
    path_outcome* outcome;

    struct progress {
        sssp_search search; ///< outside of the search, `near` are the vertices in the lists `number`
        std::uint64_t work;
        std::uint32_t number;
        std::uint32_t missing; ///< vertices without a parent
        repair_step kind;
        bool invalidates;
        bool fails;
    };

    [[nodiscard]] RZ_HD progress begin() const { return {}; }

    [[nodiscard]] RZ_HD bool next(progress& now) const {
        if (now.kind == repair_step::none) {
            now.kind = repair_step::cut;
        } else {
            ++now.number;
            if (!follow(now, state->ring[now.number % 4])) return false;
        }
        now.work += limits.step_work + work_of(now);
        return true;
    }

    RZ_HD void finish(progress const& now) const { *outcome = {now.work, now.fails ? 0u : 1u}; }

    [[nodiscard]] RZ_HD std::uint64_t items(progress const& now) const {
        switch (now.kind) {
        case repair_step::narrow:
            return 1;
        case repair_step::cut:
            return view.vertex_count() + changes.size();
        case repair_step::begin:
            return now.search.near.arcs + changes.size();
        case repair_step::search:
            return base::search_items(now.search);
        case repair_step::parents:
        case repair_step::attach:
        case repair_step::level:
            return now.search.near.arcs;
        default:
            return view.vertex_count();
        }
    }

    template <class Thread>
    RZ_HD void step(Thread const& thread, progress const& now) const {
        sssp_round& left = state->ring[(now.number + 1) % 4];
        if (thread.rank() == 0) state->ring[(now.number + 2) % 4] = {};
        auto const device = [&](auto& word) { return thread.device(word); };
        switch (now.kind) {
        case repair_step::cut:
            prepare(thread, left);
            cut(thread, left);
            return;
        case repair_step::link:
            link(thread);
            return;
        case repair_step::climb:
            climb(thread, left);
            return;
        case repair_step::invalidate:
            invalidate(thread, left, device);
            return;
        case repair_step::begin:
            offer_changed(thread, now.search, left.found, device);
            if (view.has_in_arcs()) pull(thread, now.search, left.found, device);
            return;
        case repair_step::search:
            searcher().move(thread, false, now.search, left.found, device);
            return;
        case repair_step::narrow:
            searcher().narrow(thread, now.search, left);
            return;
        case repair_step::write:
            write(thread, now, left, device);
            return;
        case repair_step::parents:
            if (view.has_in_arcs())
                find_parents(thread, now, left);
            else
                finder().find_parents(thread, now.number, now.search.near, left);
            return;
        case repair_step::attach:
            attach(thread, now, left);
            return;
        case repair_step::relist:
            finder().relist(thread, now.number, left, device);
            return;
        default:
            finder().find_level(thread, now.number, now.search.near, left, device);
        }
    }

private:
    static constexpr id_type none = graph::no_vertex_of<id_type>;

    [[nodiscard]] RZ_HD sssp_memory<reversed_view<View>> in_memory() const { return {{view}, words, lists}; }

    /// Ancestors, while vertices climb: a vertex that has kept its path points to itself, and `none` means
    /// that it has lost it. The search uses this memory later.
    [[nodiscard]] RZ_HD id_type* ancestors() const { return memory().pile_of(1); }
    /// Where vertices are listed whose in-arcs are to be looked at, or out-arcs where there are no in-arcs.
    template <class Thread, class Access>
    [[nodiscard]] RZ_HD std::uint64_t list(Thread const& thread, id_type v, std::uint32_t number,
                                           sssp_round& left, Access const& device) const {
        std::uint64_t const degree = view.has_in_arcs() ? view.in_neighbours(v).size() : view.degree(v);
        memory().frontiers().put(thread, v, degree, memory().list_of(number), left.found.near, device);
        return degree;
    }
    /// Calls visit(group, v, begin, end) for the in-arcs of all listed vertices.
    template <class Thread, class Visit>
    RZ_HD void for_each_listed(Thread const& thread, sssp_search const& listed, Visit&& visit) const {
        memory().frontiers().for_each_row(thread, in_memory().view, memory().list_of(listed.number),
                                          listed.near, visit);
    }

    /// The work of a step, except that of narrow ones.
    [[nodiscard]] RZ_HD std::uint64_t work_of(progress const& now) const {
        switch (now.kind) {
        case repair_step::narrow:
            return 0;
        case repair_step::begin:
        case repair_step::parents:
        case repair_step::attach:
        case repair_step::level:
            return items(now);
        case repair_step::search:
            return now.search.gathers ? repair_pass_work(items(now)) : items(now);
        default:
            return repair_pass_work(items(now));
        }
    }
    /// The work of the whole repair, once the vertices that have lost their paths are listed: their arcs are
    /// looked at for the first distance, to expand them, and for a parent.
    [[nodiscard]] RZ_HD std::uint64_t expected_work(progress const& now) const {
        return now.work + 3 * (now.search.near.arcs + limits.step_work) +
               repair_pass_work(view.vertex_count());
    }
    /// Chooses what follows a step. False: nothing.
    [[nodiscard]] RZ_HD bool follow(progress& now, sssp_round const& left) const {
        switch (now.kind) {
        case repair_step::cut:
            if (state->dead_source != 0) return fail(now);
            now.search.number = 1;
            now.search.limit = metric::word_of({});
            base::choose_delta(now.search, left);
            now.invalidates = left.vertices != 0;
            now.kind = now.invalidates ? repair_step::link : repair_step::begin;
            if (!now.invalidates) widen(now.search, 0);
            return true;
        case repair_step::link:
            now.kind = repair_step::climb;
            return true;
        case repair_step::climb:
            if (left.vertices == 0) now.kind = repair_step::invalidate;
            return true;
        case repair_step::invalidate: {
            now.search.near = left.found.near;
            if (expected_work(now) > limits.most_work) return fail(now);
            widen(now.search, left.vertices);
            now.kind = repair_step::begin;
            return true;
        }
        case repair_step::begin:
            if (!view.has_in_arcs() && now.search.near.vertices() != 0) {
                // Those that have kept their paths are listed, and offer distances to all others.
                now.search.far = left.found.far;
                now.search.refused = left.found.refused != 0;
                now.search.overflows = left.found.overflows != 0;
                return choose(now, true);
            }
            return choose(now, searcher().advance(now.search, left.found));
        case repair_step::search:
            return choose(now, searcher().advance(now.search, left.found));
        case repair_step::narrow:
            now.work += (left.search.number - now.search.number) * limits.step_work;
            now.search = left.search;
            return choose(now, searcher().has_work(now.search));
        case repair_step::write:
            now.search.near = left.found.near;
            now.search.number = now.number;
            now.missing = static_cast<std::uint32_t>(left.vertices);
            now.kind = repair_step::parents;
            return now.missing != 0;
        case repair_step::parents:
            now.missing -= static_cast<std::uint32_t>(left.vertices);
            now.kind = view.has_in_arcs() ? repair_step::attach : repair_step::relist;
            return now.missing != 0;
        case repair_step::attach:
            now.missing -= static_cast<std::uint32_t>(left.vertices);
            if (left.vertices == 0) return fail(now); // impossible, and must not take for ever
            return now.missing != 0;
        default:
            now.search.near = left.found.near;
            now.kind = repair_step::level;
            return now.search.near.vertices() != 0;
        }
    }
    [[nodiscard]] static RZ_HD bool fail(progress& now) {
        now.fails = true;
        return false;
    }
    [[nodiscard]] RZ_HD bool choose(progress& now, bool goes_on) const {
        // A sum that is no number may be a distance, which the static search finds out.
        if (now.search.refused || now.search.overflows) return fail(now);
        if (goes_on && now.work > limits.most_search_work) return fail(now);
        bool const changed_nothing = now.kind == repair_step::begin && !now.invalidates;
        now.kind = !goes_on                              ? repair_step::write
                   : searcher().fits_a_block(now.search) ? repair_step::narrow
                                                         : repair_step::search;
        return goes_on || !changed_nothing;
    }
    /// Small repairs search in wide ranges of distances, so that they take few steps.
    RZ_HD void widen(sssp_search& search, std::uint64_t invalid) const {
        std::uint64_t const most = std::uint64_t{tuning::narrow_pile} * options.narrow_vertices;
        search.was_wide = invalid + changes.size() > most;
        if (!search.adapts || search.was_wide) return;
        search.doublings = tuning::delta_doublings;
        search.delta *= 1u << tuning::delta_doublings;
    }

    /// Clears what the search needs, and samples weights.
    template <class Thread>
    RZ_HD void prepare(Thread const& thread, sssp_round& left) const {
        std::uint64_t const vertices = view.vertex_count();
        std::uint64_t const stride = sampling_stride(vertices);
        sampled_sums sums;
        exec::for_each_item(thread, vertices, [&](std::uint64_t i) {
            auto const v = static_cast<id_type>(i);
            memory().stamps()[v] = 0;
            memory().in_pile()[v] = 0;
            if (i >= known) {
                words[v] = metric::unreached_word();
                distances[v] = metric::distance_at(metric::unreached_word());
                parents[v] = none;
            }
            if (i % stride != 0) return;
            sums.add_row(view.degree(v));
            sums.add_weights(memory(), v);
        });
        sums.leave(thread, left);
        exec::for_each_item(thread, source_count,
                            [&](std::uint64_t i) { (void)base::check_source(thread, sources[i]); });
    }

    /// Calls use(from, to) for both arcs of an undirected edge, or for the one of a directed edge.
    template <class Use>
    RZ_HD void for_each_arc_of(graph::edge const& edge, Use&& use) const {
        use(edge.source, edge.target);
        if (view.symmetric() && edge.source != edge.target) use(edge.target, edge.source);
    }

    /// Counts the vertices that lose their parents.
    template <class Thread>
    RZ_HD void cut(Thread const& thread, sssp_round& left) const {
        std::uint64_t cuts = 0;
        auto const cut_arc = [&](id_type from, id_type to) {
            if (from == to || to >= known) return; // the parent of a source is the source
            auto const parent = thread.device(parents[to]);
            // Relaxed, here and below: the barrier after the step publishes it.
            if (parent.load(exec::order::relaxed) != from) return;
            parent.store(none, exec::order::relaxed);
            ++cuts;
        };
        exec::for_each_item(thread, changes.erased_count,
                            [&](std::uint64_t i) { for_each_arc_of(changes.erased[i], cut_arc); });
        if constexpr (!std::is_same_v<weight_type, unit_weight>)
            exec::for_each_item(thread, changes.updated_count, [&](std::uint64_t i) {
                if (changes.weights_after[i] > changes.weights_before[i])
                    for_each_arc_of(changes.updated[i], cut_arc);
            });
        exec::add_to_total(thread, left.vertices, cuts);
    }

    template <class Thread>
    RZ_HD void link(Thread const& thread) const {
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<id_type>(i);
            id_type const parent = parents[v];
            ancestors()[v] = parent == none && words[v] == metric::unreached_word() ? v : parent;
        });
    }

    /// Moves each vertex up, and counts those that have not arrived. This looks at no arc, and takes as many
    /// steps as a logarithm of the depth of the forest.
    template <class Thread>
    RZ_HD void climb(Thread const& thread, sssp_round& left) const {
        // Where one thread walks for many vertices, each walk goes to the end and shortens the way of others.
        constexpr std::uint32_t most = Thread::prefers_runs ? ~std::uint32_t{0} : tuning::climbed_ancestors;
        std::uint64_t climbing = 0;
        auto const above = [&](id_type v) { return thread.device(ancestors()[v]); };
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<id_type>(i);
            // Relaxed: whatever the other threads have written, it is an ancestor or the answer.
            id_type up = above(v).load(exec::order::relaxed);
            if (up == none || up == v) return;
            bool arrived = false;
            bool kept = false;
            for (std::uint32_t k = 0; k < most && !arrived; ++k) {
                id_type const next = above(up).load(exec::order::relaxed);
                kept = next == up;
                arrived = kept || next == none;
                if (!arrived) up = next;
            }
            if (!arrived) {
                above(v).store(up, exec::order::relaxed);
                ++climbing;
                return;
            }
            if constexpr (Thread::prefers_runs) {
                for (id_type on_way = v; on_way != none;) {
                    id_type const next = above(on_way).load(exec::order::relaxed);
                    if (next == on_way) break;
                    above(on_way).store(kept ? on_way : none, exec::order::relaxed);
                    on_way = next;
                }
            } else {
                above(v).store(kept ? v : none, exec::order::relaxed);
            }
        });
        exec::add_to_total(thread, left.vertices, climbing);
    }

    /// Lists the vertices that lose their distances, and counts them; without in-arcs lists those that keep
    /// them.
    template <class Thread, class Access>
    RZ_HD void invalidate(Thread const& thread, sssp_round& left, Access const& device) const {
        bool const pulls = view.has_in_arcs();
        std::uint64_t arcs = 0;
        std::uint64_t lost = 0;
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<id_type>(i);
            bool const loses = ancestors()[v] == none;
            if (loses) {
                words[v] = metric::unreached_word();
                parents[v] = none;
                ++lost;
            }
            if (loses == pulls && (pulls || words[v] != metric::unreached_word()))
                arcs += list(thread, v, 1, left, device);
        });
        add_by_warp(thread, left.found.near.arcs, arcs, device);
        add_by_warp(thread, left.vertices, lost, device);
    }

    /// Inserted arcs, and those that weigh less than before, offer distances.
    template <class Thread, class Access>
    RZ_HD void offer_changed(Thread const& thread, sssp_search const& search, sssp_found& found,
                             Access const& access) const {
        std::uint64_t arcs = 0;
        bool overflows = false;
        auto const offer = [&](graph::edge const& edge, weight_type weight) {
            for_each_arc_of(edge, [&](id_type from, id_type to) {
                word_type const word = thread.device(words[from]).load(exec::order::relaxed);
                if (word == metric::unreached_word()) return;
                if (!metric::is_allowed(weight)) {
                    searcher().refuse(thread, from, to, found, access);
                    return;
                }
                arcs += searcher().lower(thread, to, metric::behind(word, weight, overflows), search, found,
                                         access);
            });
        };
        if constexpr (std::is_same_v<weight_type, unit_weight>) {
            exec::for_each_item(thread, changes.inserted_count,
                                [&](std::uint64_t i) { offer(changes.inserted[i], {}); });
        } else {
            exec::for_each_item(thread, changes.inserted_count, [&](std::uint64_t i) {
                offer(changes.inserted[i], changes.inserted_weights[i]);
            });
            exec::for_each_item(thread, changes.updated_count, [&](std::uint64_t i) {
                offer(changes.updated[i], changes.weights_after[i]);
            });
        }
        leave(thread, arcs, overflows, found, access);
    }

    /// The listed vertices take the least distance that an in-neighbour offers. An in-neighbour may get its
    /// own distance in this step; it is expanded later.
    template <class Thread, class Access>
    RZ_HD void pull(Thread const& thread, sssp_search const& search, sssp_found& found,
                    Access const& access) const {
        std::uint64_t arcs = 0;
        bool overflows = false;
        for_each_listed(
            thread, search, [&](auto const& group, id_type v, std::uint64_t begin, std::uint64_t end) {
                word_type least = metric::unreached_word();
                in_memory().for_each_arc(group, v, begin, end, [&](id_type from, weight_type weight) {
                    word_type const word = thread.device(words[from]).load(exec::order::relaxed);
                    if (word == metric::unreached_word() || !metric::is_allowed(weight)) return;
                    word_type const distance = metric::behind(word, weight, overflows);
                    if (distance < least) least = distance;
                });
                if (least == metric::unreached_word()) return;
                arcs += searcher().lower(thread, v, least, search, found, access);
            });
        leave(thread, arcs, overflows, found, access);
    }
    template <class Thread, class Access>
    static RZ_HD void leave(Thread const& thread, std::uint64_t arcs, bool overflows, sssp_found& found,
                            Access const& access) {
        add_by_warp(thread, found.near.arcs, arcs, access);
        if (overflows) (void)access(found.overflows).exchange(1u, exec::order::relaxed);
    }

    /// Writes the distances that differ, and counts the vertices that need a parent. Lists them; without
    /// in-arcs lists all vertices that may be parents.
    template <class Thread, class Access>
    RZ_HD void write(Thread const& thread, progress const& now, sssp_round& left,
                     Access const& device) const {
        std::uint64_t arcs = 0;
        std::uint64_t missing = 0;
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<id_type>(i);
            word_type const word = words[v];
            bool const reached = word != metric::unreached_word();
            bool const differs = metric::word_of(distances[v]) != word;
            if (differs) {
                distances[v] = metric::distance_at(word);
                parents[v] = none;
            }
            bool const needs = reached && (differs || parents[v] == none);
            missing += needs ? 1 : 0;
            if (view.has_in_arcs() ? needs : reached) arcs += list(thread, v, now.number + 1, left, device);
        });
        add_by_warp(thread, left.found.near.arcs, arcs, device);
        add_by_warp(thread, left.vertices, missing, device);
    }

    /// Each listed vertex takes the least in-neighbour that is nearer to a source and makes its distance.
    /// Counts those that find one.
    template <class Thread>
    RZ_HD void find_parents(Thread const& thread, progress const& now, sssp_round& left) const {
        std::uint64_t made = 0;
        for_each_listed(
            thread, now.search, [&](auto const& group, id_type v, std::uint64_t begin, std::uint64_t end) {
                word_type const to = words[v];
                id_type best = none;
                in_memory().for_each_arc(group, v, begin, end, [&](id_type from, weight_type weight) {
                    bool overflows = false;
                    if (from < best && words[from] < to &&
                        metric::behind(words[from], weight, overflows) == to)
                        best = from;
                });
                auto const parent = thread.device(parents[v]);
                if (best != none && parent.load(exec::order::relaxed) > best &&
                    parent.fetch_min(best, exec::order::relaxed) == none)
                    ++made;
            });
        exec::add_to_total(thread, left.vertices, made);
    }

    /// A listed vertex without a parent takes an in-neighbour that has one and is as near. Parents do not
    /// change any more, so a vertex that is attached to another one was attached later, and no circle arises.
    template <class Thread>
    RZ_HD void attach(Thread const& thread, progress const& now, sssp_round& left) const {
        std::uint64_t made = 0;
        for_each_listed(
            thread, now.search, [&](auto const& group, id_type v, std::uint64_t begin, std::uint64_t end) {
                auto const parent = thread.device(parents[v]);
                if (parent.load(exec::order::relaxed) != none) return;
                word_type const to = words[v];
                in_memory().for_each_arc(group, v, begin, end, [&](id_type from, weight_type weight) {
                    bool overflows = false;
                    if (words[from] != to || metric::behind(words[from], weight, overflows) != to) return;
                    if (thread.device(parents[from]).load(exec::order::relaxed) == none) return;
                    id_type before = parent.load(exec::order::relaxed);
                    if (before == none && parent.compare_exchange(before, from, exec::order::relaxed)) ++made;
                });
            });
        exec::add_to_total(thread, left.vertices, made);
    }
};

} // namespace rhizome::algorithms::detail

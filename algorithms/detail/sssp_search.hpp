// SPDX-License-Identifier: Apache-2.0
// The search for shortest paths by near vertices and a pile of far ones.
#pragma once

#include <rhizome/algorithms/detail/distance_metric.hpp>
#include <rhizome/algorithms/detail/frontier_lists.hpp>
#include <rhizome/algorithms/detail/lane_groups.hpp>
#include <rhizome/algorithms/detail/sssp_memory.hpp>
#include <rhizome/algorithms/detail/sssp_state.hpp>
#include <rhizome/algorithms/sssp_options.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// A step expands near vertices, whose distances lie below the limit. If there are none, it raises the limit
/// and takes vertices from the pile. A step over many arcs only marks the vertices that it finds, and the
/// next one lists them: places in a list come from one counter, which serves one warp in about 5 ns.
template <class View>
struct near_far_search {
    using id_type = typename View::id_type;
    using weight_type = typename View::value_type;
    using metric = distance_metric<weight_type>;
    using word_type = typename metric::word_type;

    static constexpr std::uint32_t pile_array = 1; ///< for take_place(): frontier_lists have 0

    sssp_memory<View> memory;
    std::uint32_t narrow_vertices;
    std::uint32_t narrow_arcs;
    std::uint64_t marking_arcs;
    std::uint64_t* refused_arc;

    /// Words of in_pile(): not in the pile; in it; marked, to be put into it.
    enum : std::uint32_t { outside, inside, marked };

    [[nodiscard]] static RZ_HD bool has_work(sssp_search const& search) {
        return !search.refused && (search.splits || search.gathers || search.near.vertices() != 0);
    }
    /// Moves behind a step that found these vertices. Whether there is another step.
    [[nodiscard]] RZ_HD bool advance(sssp_search& search, sssp_found const& found) const {
        ++search.number;
        if (found.refused != 0) search.refused = true;
        if (found.overflows != 0) search.overflows = true;
        if (search.marks) {
            search.near = {};
            search.marks = false;
            search.gathers = true;
            search.was_wide = true;
            ++search.rounds;
            return has_work(search);
        }
        bool const did_split = search.splits;
        bool const did_gather = search.gathers;
        search.near = found.near;
        search.splits = false;
        search.gathers = false;
        if (!fits_a_block(search)) search.was_wide = true;
        if (did_split) {
            search.far = found.far;
            ++search.far_parity;
        } else {
            search.far += found.far;
            search.rounds += did_gather ? 0 : 1;
        }
        if (search.near.vertices() == 0 && search.far != 0) {
            search.splits = true;
            search.settled = search.limit;
            auto const from = static_cast<word_type>(did_split ? ~found.above_least : search.limit);
            if (search.adapts) adapt(search);
            search.limit = metric::raised(from, search.delta);
        }
        search.marks = !search.splits && search.near.arcs >= marking_arcs && !fits_a_block(search);
        return has_work(search);
    }
    /// Whether the next step is for one block.
    [[nodiscard]] RZ_HD bool fits_a_block(sssp_search const& search) const {
        if (search.gathers) return false;
        if (search.splits) return search.far <= std::uint64_t{tuning::narrow_pile} * narrow_vertices;
        frontier_counts const& near = search.near;
        return near.listed[frontier_counts::heavy] == 0 && near.listed[frontier_counts::huge] == 0 &&
               near.listed[frontier_counts::light] <= narrow_vertices && near.arcs <= narrow_arcs;
    }

    /// One step of the search, by the grid or the calling block.
    template <class Thread, class Access>
    RZ_HD void move(Thread const& thread, bool one_block, sssp_search const& search, sssp_found& found,
                    Access const& access) const {
        if (search.splits)
            split(thread, one_block, search, found, access);
        else if (search.gathers)
            gather(thread, search, found, access);
        else
            expand(thread, one_block, search, found, access);
    }

    /// Lowers a distance to this one if it is greater, and lists its vertex. Returns the arcs that this adds
    /// to the near vertices.
    template <class Thread, class Access>
    [[nodiscard]] RZ_HD std::uint64_t lower(Thread const& thread, id_type v, word_type distance,
                                            sssp_search const& search, sssp_found& found,
                                            Access const& access) const {
        auto const word = thread.device(memory.words[v]);
        if (word.load(exec::order::relaxed) <= distance) return 0;
        if (word.fetch_min(distance, exec::order::relaxed) <= distance) return 0;
        if (distance < search.limit) return list_near(thread, v, search, found, access);
        list_far(thread, v, search, found, access);
        return 0;
    }
    /// Notes an arc whose weight is not allowed.
    template <class Thread, class Access>
    RZ_HD void refuse(Thread const& thread, id_type from, id_type to, sssp_found& found,
                      Access const& access) const {
        (void)access(found.refused).exchange(1u, exec::order::relaxed);
        (void)thread.device(*refused_arc).exchange(std::uint64_t{from} << 32 | to, exec::order::relaxed);
    }

    /// Block 0 searches until there is nothing left, or more than a block should do.
    template <class Thread>
    RZ_HD void narrow(Thread const& thread, sssp_search search, sssp_round& left) const {
        auto const block = thread.block();
        if (block.index() != 0) return;
        auto& found = block.storage().found;
        auto const shared_word = [&](auto& word) { return thread.shared(word); };
        if (block.rank() == 0) found[1] = {};
        block.sync();
        for (std::uint32_t moved = 0;; ++moved) {
            // Step `moved` adds to found[(moved + 1) % 3], which the step before has cleared.
            if (block.rank() == 0) found[(moved + 2) % 3] = {};
            move(thread, true, search, found[(moved + 1) % 3], shared_word);
            block.sync();
            if (!advance(search, found[(moved + 1) % 3]) || !fits_a_block(search)) break;
        }
        if (block.rank() == 0) left.search = search;
    }

private:
    /// A small step takes as long as one with a few vertices more, so a wider range of distances then saves
    /// steps; in large steps it only makes vertices be expanded more often.
    static RZ_HD void adapt(sssp_search& search) {
        if (search.was_wide && search.doublings != 0) {
            search.delta /= 2;
            --search.doublings;
        } else if (!search.was_wide && search.doublings != tuning::delta_doublings) {
            search.delta *= 2;
            ++search.doublings;
        }
        search.was_wide = false;
    }

    /// Lowers the distances at the ends of all arcs of the near vertices.
    template <class Thread, class Access>
    RZ_HD void expand(Thread const& thread, bool one_block, sssp_search const& search, sssp_found& found,
                      Access const& access) const {
        std::uint64_t arcs = 0;
        bool overflows = false;
        auto const visit = [&](auto const& group, id_type v, std::uint64_t begin, std::uint64_t end) {
            // If the distance falls meanwhile, the thread that lowers it lists v again.
            word_type const from = thread.device(memory.words[v]).load(exec::order::relaxed);
            memory.for_each_arc(group, v, begin, end, [&](id_type id, weight_type weight) {
                if (!metric::is_allowed(weight)) {
                    refuse(thread, v, id, found, access);
                    return;
                }
                word_type const distance = metric::behind(from, weight, overflows);
                arcs += lower(thread, id, distance, search, found, access);
            });
        };
        id_type const* const list = memory.list_of(search.number);
        if (one_block)
            memory.frontiers().for_each_light_row(thread, true, list, search.near, visit);
        else
            memory.frontiers().for_each_row(thread, memory.view, list, search.near, visit);
        add_by_warp(thread, found.near.arcs, arcs, access);
        if (overflows) (void)access(found.overflows).exchange(1u, exec::order::relaxed);
    }

    /// Lists a vertex to be expanded next, unless this step has listed it. Returns the arcs that this adds.
    template <class Thread, class Access>
    [[nodiscard]] RZ_HD std::uint64_t list_near(Thread const& thread, id_type v, sssp_search const& search,
                                                sssp_found& found, Access const& access) const {
        std::uint32_t const stamp = search.number;
        auto const word = thread.device(memory.stamps()[v]);
        if (word.load(exec::order::relaxed) == stamp) return 0;
        if (search.marks) {
            word.store(stamp, exec::order::relaxed);
            return 0;
        }
        if (word.exchange(stamp, exec::order::relaxed) == stamp) return 0;
        std::uint64_t const degree = memory.view.degree(v);
        memory.frontiers().put(thread, v, degree, memory.list_of(search.number + 1), found.near, access);
        return degree;
    }
    template <class Thread, class Access>
    RZ_HD void list_far(Thread const& thread, id_type v, sssp_search const& search, sssp_found& found,
                        Access const& access) const {
        auto const mark = thread.device(memory.in_pile()[v]);
        if (mark.load(exec::order::relaxed) != outside) return;
        if (search.marks) {
            mark.store(marked, exec::order::relaxed);
            return;
        }
        if (mark.exchange(inside, exec::order::relaxed) != outside) return;
        memory.pile_of(
            search.far_parity)[search.far + take_place(thread, &found.far, 0, access, pile_array)] = v;
    }

    /// Lists the vertices that the step before has marked. A block takes places for all of its threads at
    /// once.
    template <class Thread, class Access>
    RZ_HD void gather(Thread const& thread, sssp_search const& search, sssp_found& found,
                      Access const& access) const {
        std::uint64_t const vertices = memory.view.vertex_count();
        std::uint64_t arcs = 0;
        auto const is_near = [&](id_type v) {
            // Relaxed, here and below: written before the barrier, or by this thread.
            return thread.device(memory.stamps()[v]).load(exec::order::relaxed) == search.number - 1;
        };
        auto const is_far = [&](id_type v) {
            return thread.device(memory.in_pile()[v]).load(exec::order::relaxed) == marked;
        };
        id_type* const list = memory.list_of(search.number + 1);
        id_type* const pile = memory.pile_of(search.far_parity) + search.far;
        auto const enter_pile = [&](id_type v, std::uint64_t place) {
            pile[place] = v;
            thread.device(memory.in_pile()[v]).store(inside, exec::order::relaxed);
        };
        if constexpr (Thread::prefers_runs) {
            exec::for_each_item(thread, vertices, [&](std::uint64_t i) {
                auto const v = static_cast<id_type>(i);
                if (is_near(v)) {
                    std::uint64_t const degree = memory.view.degree(v);
                    arcs += degree;
                    memory.frontiers().put(thread, v, degree, list, found.near, access);
                }
                if (is_far(v)) enter_pile(v, take_place(thread, &found.far, 0, access, pile_array));
            });
        } else {
            auto const block = thread.block();
            auto& places = block.storage().places;
            auto const shared_word = [&](auto& word) { return thread.shared(word); };
            for (std::uint64_t first = std::uint64_t{block.index()} * block.size(); first < vertices;
                 first += std::uint64_t{block.count()} * block.size()) {
                if (block.rank() == 0) places = {};
                block.sync();
                std::uint64_t const i = first + block.rank();
                auto const v = static_cast<id_type>(i);
                bool const near = i < vertices && is_near(v);
                bool const far = i < vertices && is_far(v);
                std::uint64_t const degree = near ? memory.view.degree(v) : 0;
                std::uint32_t const kind = frontier_counts::kind_of(degree);
                arcs += degree;
                std::uint32_t near_place = 0;
                std::uint32_t far_place = 0;
                if (near) near_place = take_place(thread, places.near.listed, kind, shared_word);
                if (far) far_place = take_place(thread, &places.far, 0, shared_word, pile_array);
                block.sync();
                if (block.rank() == 0) {
                    for (std::uint32_t k = 0; k < 3; ++k)
                        places.near.listed[k] = access(found.near.listed[k])
                                                    .fetch_add(places.near.listed[k], exec::order::relaxed);
                    places.far = access(found.far).fetch_add(places.far, exec::order::relaxed);
                }
                block.sync();
                if (near) memory.frontiers().place(v, kind, places.near.listed[kind] + near_place, list);
                if (far) enter_pile(v, places.far + far_place);
                block.sync();
            }
        }
        add_by_warp(thread, found.near.arcs, arcs, access);
    }

    /// Takes the vertices from the pile that have become near, and those that were expanded since.
    template <class Thread, class Access>
    RZ_HD void split(Thread const& thread, bool one_block, sssp_search const& search, sssp_found& found,
                     Access const& access) const {
        id_type const* const pile = memory.pile_of(search.far_parity);
        id_type* const new_pile = memory.pile_of(search.far_parity + 1);
        std::uint64_t arcs = 0;
        std::uint64_t above_least = 0;
        auto const block = thread.block();
        exec::for_each_item_of(
            thread, one_block ? block.rank() : thread.rank(), one_block ? block.size() : thread.size(),
            search.far, [&](std::uint64_t i) {
                id_type const v = pile[i];
                std::uint64_t const word = thread.device(memory.words[v]).load(exec::order::relaxed);
                if (word >= search.limit) {
                    above_least = above_least < ~word ? ~word : above_least;
                    new_pile[take_place(thread, &found.far, 0, access, pile_array)] = v;
                    return;
                }
                thread.device(memory.in_pile()[v]).store(outside, exec::order::relaxed);
                if (word < search.settled) return;
                std::uint64_t const degree = memory.view.degree(v);
                arcs += degree;
                memory.frontiers().put(thread, v, degree, memory.list_of(search.number + 1), found.near,
                                       access);
            });
        add_by_warp(thread, found.near.arcs, arcs, access);
        std::uint64_t const most = thread.warp().max(above_least);
        if (thread.warp().rank() == 0 && most != 0)
            (void)access(found.above_least).fetch_max(most, exec::order::relaxed);
    }
};

} // namespace rhizome::algorithms::detail

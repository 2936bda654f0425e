// SPDX-License-Identifier: Apache-2.0
// The parents of shortest paths, once all distances are known.
#pragma once

#include <rhizome/algorithms/detail/distance_metric.hpp>
#include <rhizome/algorithms/detail/frontier_lists.hpp>
#include <rhizome/algorithms/detail/sssp_memory.hpp>
#include <rhizome/algorithms/detail/sssp_state.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// A vertex is the parent of its successors that are farther away, if its arc makes their distance. What then
/// has no parent got its distance by an arc that adds nothing. Such vertices get parents level by level, so
/// that no circle arises.
template <class View>
struct path_parents {
    using id_type = typename View::id_type;
    using weight_type = typename View::value_type;
    using metric = distance_metric<weight_type>;
    using word_type = typename metric::word_type;

    sssp_memory<View> memory;
    id_type* parents; ///< nullptr: only looks for distances that overflow
    std::uint32_t* too_far;

    /// Counts the vertices that get a parent in left.vertices.
    template <class Thread>
    RZ_HD void find_parents(Thread const& thread, std::uint32_t number, frontier_counts const& listed,
                            sssp_round& left) const {
        std::uint64_t made = 0;
        bool exceeds = false;
        memory.frontiers().for_each_row(
            thread, memory.view, memory.list_of(number), listed,
            [&](auto const& group, id_type v, std::uint64_t begin, std::uint64_t end) {
                word_type const from = memory.words[v];
                memory.for_each_arc(group, v, begin, end, [&](id_type id, weight_type weight) {
                    word_type const to = memory.words[id];
                    bool overflows = false;
                    word_type const distance = metric::behind(from, weight, overflows);
                    if (to == metric::unreached_word()) {
                        if (overflows) exceeds = true;
                        return;
                    }
                    if (parents != nullptr && from < to && distance == to)
                        made += offer_parent(thread, id, v) ? 1u : 0u;
                });
            });
        exec::add_to_total(thread, left.vertices, made);
        if (exceeds) (void)thread.device(*too_far).exchange(1u, exec::order::relaxed);
    }

    /// Lists all vertices that have a parent.
    template <class Thread, class Access>
    RZ_HD void relist(Thread const& thread, std::uint32_t number, sssp_round& left,
                      Access const& device) const {
        std::uint64_t arcs = 0;
        exec::for_each_item(thread, memory.view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<id_type>(i);
            bool const has_parent = parents[v] != graph::no_vertex_of<id_type>;
            memory.stamps()[v] = has_parent ? 1u : 0u; // the numbers of later steps are greater
            if (!has_parent) return;
            std::uint64_t const degree = memory.view.degree(v);
            arcs += degree;
            memory.frontiers().put(thread, v, degree, memory.list_of(number + 1), left.found.near, device);
        });
        add_by_warp(thread, left.found.near.arcs, arcs, device);
    }

    /// Vertices that got their parents before this step are offered as parents. All parents of a vertex are
    /// offered in one step.
    template <class Thread, class Access>
    RZ_HD void find_level(Thread const& thread, std::uint32_t number, frontier_counts const& listed,
                          sssp_round& left, Access const& device) const {
        std::uint64_t arcs = 0;
        memory.frontiers().for_each_row(
            thread, memory.view, memory.list_of(number), listed,
            [&](auto const& group, id_type v, std::uint64_t begin, std::uint64_t end) {
                word_type const from = memory.words[v];
                memory.for_each_arc(group, v, begin, end, [&](id_type id, weight_type weight) {
                    bool overflows = false;
                    if (memory.words[id] != from || metric::behind(from, weight, overflows) != from) return;
                    auto const word = thread.device(memory.stamps()[id]);
                    std::uint32_t before = word.load(exec::order::relaxed);
                    if (before != 0 && before != number) return;
                    if (before == 0 && word.compare_exchange(before, number, exec::order::relaxed)) {
                        std::uint64_t const degree = memory.view.degree(id);
                        arcs += degree;
                        memory.frontiers().put(thread, id, degree, memory.list_of(number + 1),
                                               left.found.near, device);
                    }
                    (void)offer_parent(thread, id, v);
                });
            });
        add_by_warp(thread, left.found.near.arcs, arcs, device);
    }

private:
    /// The least parent wins, so that it is the same in every run. Whether it is the first one.
    template <class Thread>
    [[nodiscard]] RZ_HD bool offer_parent(Thread const& thread, id_type v, id_type parent) const {
        auto const word = thread.device(parents[v]);
        if (word.load(exec::order::relaxed) <= parent) return false;
        return word.fetch_min(parent, exec::order::relaxed) == graph::no_vertex_of<id_type>;
    }
};

} // namespace rhizome::algorithms::detail

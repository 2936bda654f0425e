// SPDX-License-Identifier: Apache-2.0
// The steps of connected components.
#pragma once

#include <rhizome/algorithms/detail/lane_groups.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/grid_barrier.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// In the memory of the space; zero at the beginning.
struct components_state {
    exec::grid_barrier barrier;
    std::uint64_t components;
    graph::vertex_id most_frequent; ///< label of the component of most sampled vertices
    std::uint32_t listed[2];        ///< rows for a block, and rows for all blocks
};

enum class components_step : std::uint8_t {
    none,
    begin,    ///< each vertex refers to its first neighbour if that has a smaller id, else to itself
    flatten,  ///< all vertices refer to their roots
    sample,   ///< joins each vertex with its next neighbours
    compress, ///< all vertices refer to their roots
    choose,   ///< one block looks for the largest tree
    join,     ///< the other arcs of vertices outside of that tree; lists long rows
    join_long,
    finish, ///< compresses, and counts roots
    over
};

/// What components_program does with the edges that join trees: nothing.
struct no_forest {
    static constexpr bool kept = false;
};
/// It keeps them: a spanning forest. Each root that comes to refer to another vertex does so by one edge.
template <class Id>
struct kept_forest {
    static constexpr bool kept = true;
    graph::basic_edge<Id>* edges;        ///< per vertex: by which edge it was joined, when it was a root
    graph::basic_edge<Id> const* before; ///< edges of a forest to begin with; nullptr: there is none

    [[nodiscard]] static constexpr RZ_HD graph::basic_edge<Id> no_edge() {
        return {graph::no_vertex_of<Id>, graph::no_vertex_of<Id>};
    }
};

/// Connected components as a program of exec::run_steps(): after Sutton, Ben-Nun and Barak, Optimizing
/// Parallel Graph Connectivity Computation via Subgraph Sampling, IPDPS 2018 (Afforest). labels[v] is a
/// vertex of the tree of v with an id that is not greater; a root has its own id.
template <class View, class Forest = no_forest>
struct components_program {
    static constexpr std::uint32_t block_threads = 512;
    static constexpr std::uint32_t samples = 1024;
    using id_type = typename View::id_type;
    struct shared {
        std::uint64_t best;
        std::uint32_t counts[samples];
        id_type labels[samples];
    };

    View view;
    components_state* state;
    id_type* labels;
    id_type* lists; ///< 2 per vertex
    std::uint64_t* count;
    Forest forest{};

    struct progress {
        components_step kind;
    };

    [[nodiscard]] RZ_HD progress begin() const { return {components_step::none}; }
    [[nodiscard]] RZ_HD bool next(progress& now) const {
        now.kind = static_cast<components_step>(static_cast<std::uint8_t>(now.kind) + 1);
        if (now.kind == components_step::choose && !skips()) now.kind = components_step::join;
        if (now.kind == components_step::join_long && (state->listed[0] | state->listed[1]) == 0)
            now.kind = components_step::finish;
        return now.kind != components_step::over;
    }
    RZ_HD void finish(progress const&) const { *count = state->components; }
    [[nodiscard]] RZ_HD std::uint64_t items(progress const& now) const {
        return now.kind == components_step::choose ? 1 : view.vertex_count();
    }

    template <class Thread>
    RZ_HD void step(Thread const& thread, progress const& now) const {
        std::uint64_t const vertices = view.vertex_count();
        switch (now.kind) {
        case components_step::begin:
            exec::for_each_item(thread, vertices, [&](std::uint64_t i) {
                auto const v = static_cast<id_type>(i);
                if constexpr (Forest::kept) forest.edges[i] = Forest::no_edge();
                if (!view.is_live(v)) {
                    labels[i] = graph::no_vertex_of<id_type>;
                    return;
                }
                labels[i] = v;
                if (begins_with_forest()) return;
                auto const row = view.neighbours(v);
                auto const place = row.begin();
                id_type const first = place == row.end() ? v : *place;
                if (first >= v) return;
                labels[i] = first;
                if constexpr (Forest::kept) forest.edges[i] = {v, first};
            });
            return;
        case components_step::sample:
            exec::for_each_item(thread, vertices, [&](std::uint64_t i) {
                auto const v = static_cast<id_type>(i);
                if constexpr (Forest::kept)
                    if (forest.before != nullptr) {
                        auto const edge = forest.before[i];
                        if (edge.source != graph::no_vertex_of<id_type>)
                            join(thread, edge.source, edge.target);
                        return;
                    }
                auto const row = view.neighbours(v);
                auto place = row.begin();
                auto const end = row.end();
                for (std::uint32_t k = 0; k < tuning::sampled_neighbours && place != end; ++k, ++place)
                    if (k != 0 || *place > v) join(thread, v, *place); // `begin` has joined smaller ones
            });
            return;
        case components_step::flatten:
        case components_step::compress:
            exec::for_each_item(thread, vertices, [&](std::uint64_t i) { compress(thread, i); });
            return;
        case components_step::choose:
            choose(thread);
            return;
        case components_step::join:
            exec::for_each_item(thread, vertices, [&](std::uint64_t i) { join_rows(thread, i); });
            return;
        case components_step::join_long:
            join_long(thread);
            return;
        case components_step::finish: {
            std::uint64_t roots = 0;
            exec::for_each_item(thread, vertices,
                                [&](std::uint64_t i) { roots += settle(thread, i) ? 1 : 0; });
            exec::add_to_total(thread, state->components, roots);
            return;
        }
        default:
            return;
        }
    }

    /// Makes the trees of both vertices one, as the function link of Afforest: walks from the greater id up
    /// to its root, and lets this root refer to a vertex of the other tree with a smaller id. That vertex
    /// need not be a root, so the other tree is not walked.
    template <class Thread>
    RZ_HD void join(Thread const& thread, id_type a, id_type b) const {
        id_type one = label(thread, a);
        id_type other = label(thread, b);
        while (one != other) {
            id_type const high = one > other ? one : other;
            id_type const low = one > other ? other : one;
            id_type above = label(thread, high);
            if (above == low) return;
            // Relaxed: nothing but the label itself is handed over.
            if (above == high &&
                thread.device(labels[high]).compare_exchange(above, low, exec::order::relaxed)) {
                if constexpr (Forest::kept) forest.edges[high] = {a, b};
                return;
            }
            one = label(thread, above);
            // Shortens the path for later walks. Relaxed: an old label is right too, only farther from the
            // root.
            if (one != above) thread.device(labels[high]).store(one, exec::order::relaxed);
            other = label(thread, low);
        }
    }

    /// Lets vertex i refer to its root for good: changes no other label, so that nothing is put back. Whether
    /// i is a root.
    template <class Thread>
    [[nodiscard]] RZ_HD bool settle(Thread const& thread, std::uint64_t i) const {
        auto const v = static_cast<id_type>(i);
        id_type const before = label(thread, v);
        if (before == graph::no_vertex_of<id_type>) return false;
        id_type root = v;
        for (id_type above = before; above != root; above = label(thread, root))
            root = above;
        if (root != before) thread.device(labels[v]).store(root, exec::order::relaxed);
        return root == v;
    }

private:
    [[nodiscard]] RZ_HD bool begins_with_forest() const {
        if constexpr (Forest::kept)
            return forest.before != nullptr;
        else
            return false;
    }
    /// Whether the vertices of the largest tree may be left out: each arc between one of them and another
    /// vertex is then found from that vertex.
    [[nodiscard]] RZ_HD bool skips() const { return view.has_in_arcs(); }
    [[nodiscard]] RZ_HD bool joins_in_arcs() const { return skips() && !view.symmetric(); }

    template <class Thread>
    [[nodiscard]] RZ_HD id_type label(Thread const& thread, id_type v) const {
        // Relaxed: labels only move towards roots of the same tree, so an old one is as good.
        return thread.device(labels[v]).load(exec::order::relaxed);
    }

    /// The root of the tree of v. Shortens the path to it on the way: each vertex on it skips the next one
    /// (path halving). Neighbours in space are often neighbours in number, so that sampling makes paths of
    /// thousands of vertices; with all threads halving them, the rest of a path is short for each.
    template <class Thread>
    [[nodiscard]] RZ_HD id_type root_of(Thread const& thread, id_type v) const {
        id_type at = v;
        id_type up = label(thread, at);
        if (up == at) return at;
        for (;;) {
            id_type const next = label(thread, up);
            if (next == up) return up;
            // Relaxed, and it may undo a longer skip of another thread: `next` is still above `at`.
            thread.device(labels[at]).store(next, exec::order::relaxed);
            at = up;
            up = next;
        }
    }

    /// Lets vertex i refer to its root, unless a thread that halves the path late puts an inner vertex back.
    template <class Thread>
    RZ_HD void compress(Thread const& thread, std::uint64_t i) const {
        auto const v = static_cast<id_type>(i);
        id_type const before = label(thread, v);
        if (before == graph::no_vertex_of<id_type>) return;
        id_type const root = root_of(thread, v);
        if (root != before) thread.device(labels[v]).store(root, exec::order::relaxed);
    }

    /// Samples vertices at equal distances, and counts their labels in a small table.
    template <class Thread>
    RZ_HD void choose(Thread const& thread) const {
        auto const block = thread.block();
        if (block.index() != 0) return;
        auto& storage = block.storage();
        for (std::uint32_t i = block.rank(); i < samples; i += block.size())
            storage.counts[i] = storage.labels[i] = 0;
        if (block.rank() == 0) storage.best = 0;
        block.sync();
        std::uint64_t const vertices = view.vertex_count();
        std::uint64_t const wanted = vertices < samples ? vertices : samples;
        for (std::uint64_t i = block.rank(); i < wanted; i += block.size()) {
            id_type const found = label(thread, static_cast<id_type>(i * vertices / wanted));
            if (found == graph::no_vertex_of<id_type>) continue;
            // Two labels in one place are taken for one: that costs time only.
            std::uint32_t const place = static_cast<std::uint32_t>(found * 0x9e37'79b1u) >> 22;
            (void)thread.shared(storage.labels[place]).fetch_max(found, exec::order::relaxed);
            std::uint64_t const seen =
                thread.shared(storage.counts[place]).fetch_add(1u, exec::order::relaxed) + 1;
            (void)thread.shared(storage.best).fetch_max(seen << 32 | place, exec::order::relaxed);
        }
        block.sync();
        if (block.rank() != 0) return;
        state->most_frequent = storage.best == 0 ? graph::no_vertex_of<id_type>
                                                 : storage.labels[static_cast<std::uint32_t>(storage.best)];
    }

    /// Joins vertex i with its neighbours, or lists it if it has many.
    template <class Thread>
    RZ_HD void join_rows(Thread const& thread, std::uint64_t i) const {
        auto const v = static_cast<id_type>(i);
        if (!view.is_live(v) || (skips() && label(thread, v) == state->most_frequent)) return;
        std::uint64_t const size = view.neighbours(v).size();
        std::uint64_t const in_size = joins_in_arcs() ? view.in_neighbours(v).size() : 0;
        if (size <= tuning::light_degree && in_size <= tuning::light_degree) {
            join_parts(thread, lane_group(0, 1), v, 0, ~std::uint64_t{0});
            return;
        }
        auto const device = [&](auto& word) { return thread.device(word); };
        std::uint32_t const kind = size > tuning::block_degree || in_size > tuning::block_degree ? 1u : 0u;
        lists[kind * view.vertex_count() + take_place(thread, state->listed, kind, device)] = v;
    }

    template <class Thread, class Group>
    RZ_HD void join_parts(Thread const& thread, Group const& group, id_type v, std::uint64_t begin,
                          std::uint64_t end) const {
        auto const join_row = [&](auto const& row) {
            std::uint64_t const last = row.size() < end ? row.size() : end;
            if (begin < last)
                row.for_each(group, begin, last, [&](std::uint64_t, id_type id) { join(thread, v, id); });
        };
        join_row(view.neighbours(v));
        if (joins_in_arcs()) join_row(view.in_neighbours(v));
    }

    template <class Thread>
    RZ_HD void join_long(Thread const& thread) const {
        auto const block = thread.block();
        std::uint64_t const vertices = view.vertex_count();
        for (std::uint32_t i = 0; i < state->listed[1]; ++i) {
            id_type const v = lists[vertices + i];
            std::uint64_t const size = view.neighbours(v).size();
            std::uint64_t const in_size = joins_in_arcs() ? view.in_neighbours(v).size() : 0;
            std::uint64_t const longest = size > in_size ? size : in_size;
            std::uint64_t const parts = (longest + tuning::block_degree - 1) / tuning::block_degree;
            exec::for_each_group_item(block, parts, [&](std::uint64_t part) {
                join_parts(thread, block, v, part * tuning::block_degree, (part + 1) * tuning::block_degree);
            });
        }
        exec::for_each_group_item(block, state->listed[0], [&](std::uint64_t i) {
            join_parts(thread, block, lists[i], 0, ~std::uint64_t{0});
        });
    }
};

} // namespace rhizome::algorithms::detail

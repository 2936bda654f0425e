// SPDX-License-Identifier: Apache-2.0
// The values that most gathers read, in contiguous memory.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::algorithms::detail {

/// In a skewed graph few vertices have most of the arcs, with ids anywhere. Copies of their values, in
/// descending order of degree, stay in a core's caches. The copies follow an array of the values of all
/// vertices. In the memory of the space.
struct hot_values {
    std::uint64_t vertices;
    std::uint64_t count;            ///< 0 if the graph is not skewed, or if its places take more than 32 bits
    std::uint64_t const* keys;      ///< of the vertices that have copies; the vertex is in the low half
    graph::vertex_id const* places; ///< where each vertex's value is in the array: that of its copy if it has
                                    ///< one

    [[nodiscard]] RZ_HD graph::vertex_id vertex(std::uint64_t i) const {
        return static_cast<graph::vertex_id>(keys[i]);
    }
    template <class Id>
    [[nodiscard]] RZ_HD Id place(Id id) const {
        return count != 0 ? places[id] : id;
    }
    /// The most that there can be.
    [[nodiscard]] static constexpr std::uint64_t most(std::uint64_t vertices) { return vertices / 4; }
};

/// Counts vertices with more arcs than the mean.
struct rich_vertices {
    std::uint64_t count;
    std::uint64_t arcs;
    std::uint64_t listed;

    /// Whether they are few and have most of the arcs, and 32 bits suffice for all places, whatever the width
    /// of ids.
    [[nodiscard]] bool skew(std::uint64_t vertices, std::uint64_t all_arcs) const {
        return count != 0 && count <= hot_values::most(vertices) && arcs >= all_arcs / 4 * 3 &&
               vertices + count < ~graph::vertex_id{0};
    }
};

template <class View>
struct count_rich_vertices {
    View view;
    std::uint64_t mean;
    rich_vertices* rich;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t count = 0;
        std::uint64_t arcs = 0;
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t v) {
            std::uint64_t const degree = view.degree(static_cast<typename View::id_type>(v));
            std::uint64_t const is_rich = degree > mean ? 1 : 0;
            count += is_rich;
            arcs += degree * is_rich; // without a branch, which could not be predicted
        });
        exec::add_to_total(thread, rich->count, count);
        exec::add_to_total(thread, rich->arcs, arcs);
    }
};

/// Writes keys that sort them by degree in descending order.
template <class View>
struct list_rich_vertices {
    View view;
    std::uint64_t mean;
    rich_vertices* rich;
    std::uint64_t* keys;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t v) {
            std::uint64_t const degree = view.degree(static_cast<typename View::id_type>(v));
            if (degree <= mean) return;
            std::uint64_t const place = thread.device(rich->listed).fetch_add(1, exec::order::relaxed);
            keys[place] = std::uint64_t{~static_cast<std::uint32_t>(degree)} << 32 | v;
        });
    }
};

/// Writes where each vertex's value is, without regard to copies.
struct write_places {
    std::uint64_t vertices;
    graph::vertex_id* places;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, vertices,
                            [&](std::uint64_t v) { places[v] = static_cast<graph::vertex_id>(v); });
    }
};

struct write_hot_places {
    hot_values hot;
    graph::vertex_id* places;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, hot.count, [&](std::uint64_t i) {
            places[hot.vertex(i)] = static_cast<graph::vertex_id>(hot.vertices + i);
        });
    }
};

template <class Real>
struct copy_hot_values {
    hot_values hot;
    Real* values;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        Real* const copies = values + hot.vertices;
        exec::for_each_item(thread, hot.count, [&](std::uint64_t i) { copies[i] = values[hot.vertex(i)]; });
    }
};

/// Keeps the memory of hot values between calls.
template <class Space>
class hot_finder {
public:
    /// `scratch`: source of the memory; nullptr: the space. The resource must outlive the finder.
    hot_finder(Space space, exec::memory_resource* scratch)
        : rich_(space, scratch), keys_(space, scratch), places_(space, scratch),
          primitives_(std::move(space), scratch) {}

    /// Valid until the next call. Waits. Throws out_of_memory. Cost: one pass over the vertices; if the graph
    /// is skewed, two more, and a sort of the vertices with most arcs.
    template <class View>
    [[nodiscard]] hot_values find(Space& space, View const& view, std::uint64_t arcs) {
        std::uint64_t const vertices = view.vertex_count();
        std::uint64_t const mean = arcs / vertices;
        auto* const rich = rich_.template at_least_of<rich_vertices>(1);
        space.fill(rich, 0, sizeof(*rich));
        launch(space, cover_threads(space, vertices), count_rich_vertices<View>{view, mean, rich});
        rich_vertices found;
        space.copy_out(&found, rich, sizeof(found));
        if (!found.skew(vertices, arcs)) return {vertices, 0, nullptr, nullptr};

        auto* const keys = keys_.template at_least_of<std::uint64_t>(2 * found.count);
        launch(space, cover_threads(space, vertices), list_rich_vertices<View>{view, mean, rich, keys});
        std::uint64_t const* const sorted =
            sort_keys(space, primitives_, keys, keys + found.count, found.count, 64);
        auto* const places = places_.template at_least_of<graph::vertex_id>(vertices);
        hot_values const hot{vertices, found.count, sorted, places};
        launch(space, cover_threads(space, vertices), write_places{vertices, places});
        launch(space, cover_threads(space, hot.count), write_hot_places{hot, places});
        return hot;
    }

private:
    exec::workspace<Space> rich_;
    exec::workspace<Space> keys_;
    exec::workspace<Space> places_;
    exec::workspace<Space> primitives_;
};

} // namespace rhizome::algorithms::detail

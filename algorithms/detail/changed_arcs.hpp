// SPDX-License-Identifier: Apache-2.0
// The edges of a list as rows: both arcs of each edge, sorted, so that kernels can look an edge up and walk
// the changed neighbours of a vertex.
#pragma once

#include <rhizome/algorithms/detail/sorted_search.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/types.hpp>

#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace rhizome::algorithms::detail {

/// Arcs in the order of source and target, each as source << 32 | target.
struct changed_arcs {
    std::uint64_t const* keys = nullptr;
    std::uint64_t count = 0;

    [[nodiscard]] static RZ_HD std::uint64_t key(graph::vertex_id source, graph::vertex_id target) {
        return std::uint64_t{source} << 32 | target;
    }
    /// The places of a vertex's arcs: from `begin` to `end` - 1.
    struct row {
        std::uint64_t begin;
        std::uint64_t end;
        [[nodiscard]] RZ_HD std::uint64_t size() const { return end - begin; }
    };
    [[nodiscard]] RZ_HD row row_of(graph::vertex_id source) const {
        if (count == 0) return {0, 0};
        std::uint64_t const begin = first_not_less(keys, 0, count, key(source, 0));
        return {begin, first_not_less(keys, begin, count, (std::uint64_t{source} + 1) << 32)};
    }
    [[nodiscard]] RZ_HD bool has(graph::vertex_id source, graph::vertex_id target) const {
        return has_in({0, count}, source, target);
    }
    /// The same for an arc that, if it is there, lies in these places.
    [[nodiscard]] RZ_HD bool has_in(row const& of, graph::vertex_id source, graph::vertex_id target) const {
        std::uint64_t const wanted = key(source, target);
        std::uint64_t const place = first_not_less(keys, of.begin, of.end, wanted);
        return place < of.end && keys[place] == wanted;
    }
    [[nodiscard]] RZ_HD graph::vertex_id target(std::uint64_t place) const {
        return static_cast<graph::vertex_id>(keys[place]);
    }
};

/// Writes both arcs of each edge.
struct write_changed_arcs {
    static constexpr bool overlaps_launch = true;
    graph::edge const* edges;
    std::uint64_t count;
    std::uint64_t* keys;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            graph::edge const edge = edges[i];
            keys[2 * i] = changed_arcs::key(edge.source, edge.target);
            keys[2 * i + 1] = changed_arcs::key(edge.target, edge.source);
        });
    }
};

/// Makes such rows. Keeps its memory: 32 bytes per edge of the longest list, and the scratch of a sort.
template <class Space>
class arc_sorter {
public:
    explicit arc_sorter(Space space, exec::memory_resource* scratch = nullptr)
        : keys_(space, scratch), primitives_(std::move(space), scratch) {}

    /// `vertices`: ids are less than this. Valid until the next call. Throws out_of_memory.
    [[nodiscard]] changed_arcs sort(Space& space, std::span<graph::edge const> edges,
                                    std::uint64_t vertices) {
        std::uint64_t const arcs = 2 * edges.size();
        if (arcs == 0) return {};
        auto* const keys = keys_.template at_least_of<std::uint64_t>(2 * arcs);
        launch(space, cover_threads(space, edges.size()),
               write_changed_arcs{edges.data(), edges.size(), keys});
        unsigned const bits = 32 + static_cast<unsigned>(std::bit_width(vertices));
        return {sort_keys(space, primitives_, keys, keys + arcs, arcs, bits), arcs};
    }

private:
    exec::workspace<Space> keys_;
    exec::workspace<Space> primitives_;
};

} // namespace rhizome::algorithms::detail

// SPDX-License-Identifier: Apache-2.0
// Shortest paths of a graph that changes.
#pragma once

#include <rhizome/algorithms/detail/path_follower.hpp>
#include <rhizome/algorithms/detail/path_repair.hpp>
#include <rhizome/algorithms/maintained/maintenance.hpp>
#include <rhizome/algorithms/sssp_options.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/graph/types.hpp>

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::algorithms {

/// The distances of shortest paths from given sources, and a forest of parents, kept up to date while the
/// graph and the weights of its edges change. The distances are those of shortest_paths, bit for bit; the
/// parents may be others. `EdgeValue`: the type of the edges' values, which are the weights.
///
/// A vertex whose arc from its parent is erased, or weighs more than before, loses its path, as do all
/// vertices below it in the forest. They take the least distance that their in-neighbours offer, arcs that
/// are new or weigh less offer theirs, and a search goes on from the vertices whose distances fell (as
/// Ramalingam and Reps, Journal of Algorithms 21(2), 1996, for many changes at once). Vertices whose distance
/// changed get new parents. In a directed view without in-arcs all arcs are looked at instead. The unit of
/// work is one vertex or arc that is looked at.
///
/// An update is one launch on cuda and simt, and waits once; on the host each step is a launch, except in
/// runs of steps with few vertices. Cost: two passes over the vertices; if paths are lost, two more and a
/// logarithm of the forest's depth of them; the arcs of vertices that lose their path three times, and those
/// of vertices whose distance falls twice.
///
/// Memory: 20 bytes per vertex id, 12 if weights are float. Scratch, kept between updates: 32 bytes per
/// vertex id, and that of shortest_paths.
template <class Space, edge_weight EdgeValue>
class maintained_shortest_paths
    : public maintained_result<maintained_shortest_paths<Space, EdgeValue>, Space> {
public:
    /// Allocates a few hundred bytes. `sources`: repetitions do not matter; start() and update() throw
    /// std::invalid_argument if one is no live vertex. `scratch`: source of the scratch, which must outlive
    /// this object; nullptr: the space. `options`: of the searches; results do not depend on them.
    explicit maintained_shortest_paths(Space space, std::vector<graph::vertex_id> sources,
                                       maintenance way = maintenance::cheaper,
                                       exec::memory_resource* scratch = nullptr,
                                       shortest_paths_options const& options = {})
        : base(way), paths_(std::move(space), std::move(sources), options, scratch) {}

    /// The distance of each vertex, indexed by id, in the memory of the space; unreached_distance if no
    /// source reaches it, and for ids of erased vertices. Precondition: is_current(). Valid until the next
    /// call of start() or update().
    [[nodiscard]] std::span<distance_of<EdgeValue> const> distances() const { return paths_.distances(); }
    /// The vertex before each vertex on such a path, for sources the source itself, no_vertex for ids without
    /// a distance. The parents are a forest, also where weights are 0. Otherwise as distances().
    [[nodiscard]] std::span<graph::vertex_id const> parents() const { return paths_.parents(); }
    [[nodiscard]] std::span<graph::vertex_id const> sources() const { return paths_.sources(); }

private:
    using base = maintained_result<maintained_shortest_paths, Space>;
    friend base;
    static constexpr bool reads_values = true;

    template <class View>
    void find(View const& view) {
        static_assert(std::is_same_v<typename View::value_type, EdgeValue>);
        paths_.find(view);
    }
    template <class View, class Changes>
    repair_outcome repair(View const& view, Changes const& changes, std::uint64_t most_work) {
        static_assert(std::is_same_v<typename Changes::value_type, EdgeValue>,
                      "the changes must tell the values of edges");
        return paths_.follow(view, detail::path_changes<EdgeValue>::of(changes), most_work);
    }

    detail::path_follower<Space, EdgeValue> paths_;
};

} // namespace rhizome::algorithms

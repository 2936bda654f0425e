// SPDX-License-Identifier: Apache-2.0
// Breadth-first search of a graph that changes.
#pragma once

#include <rhizome/algorithms/bfs_options.hpp>
#include <rhizome/algorithms/detail/level_view.hpp>
#include <rhizome/algorithms/detail/path_follower.hpp>
#include <rhizome/algorithms/detail/path_repair.hpp>
#include <rhizome/algorithms/maintained/maintenance.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rhizome::algorithms {

/// The levels of breadth-first search from given sources, and a forest of parents, kept up to date while the
/// graph changes. The levels are those of breadth_first_search; the parents may be others.
///
/// It is repaired as maintained_shortest_paths, with weight 1 for each arc: cost and memory are as stated
/// there. On graphs of few levels the static search, which also searches bottom-up, often takes less time.
///
/// Memory: 12 bytes per vertex id. Scratch, kept between updates: 32 bytes per vertex id, and that of
/// breadth_first_search.
template <class Space>
class maintained_bfs : public maintained_result<maintained_bfs<Space>, Space> {
public:
    /// Allocates a few hundred bytes. `sources`: repetitions do not matter; start() and update() throw
    /// std::invalid_argument if one is no live vertex. `scratch`: source of the scratch, which must outlive
    /// this object; nullptr: the space. `options`: of the searches; results do not depend on them.
    explicit maintained_bfs(Space space, std::vector<graph::vertex_id> sources,
                            maintenance way = maintenance::cheaper, exec::memory_resource* scratch = nullptr,
                            bfs_options const& options = {})
        : base(way), paths_(std::move(space), std::move(sources), options, scratch) {}

    /// The level of each vertex, indexed by id, in the memory of the space; `unreached` if no source reaches
    /// it, and for ids of erased vertices. Precondition: is_current(). Valid until the next call of start()
    /// or update().
    [[nodiscard]] std::span<std::uint32_t const> levels() const { return paths_.distances(); }
    /// A vertex before each vertex on a shortest path, for sources the source itself, no_vertex for ids
    /// without a level. Otherwise as levels().
    [[nodiscard]] std::span<graph::vertex_id const> parents() const { return paths_.parents(); }
    [[nodiscard]] std::span<graph::vertex_id const> sources() const { return paths_.sources(); }

private:
    using base = maintained_result<maintained_bfs, Space>;
    friend base;
    static constexpr bool reads_values = false;

    template <class View>
    void find(View const& view) {
        paths_.find(view);
    }
    template <class View, class Changes>
    repair_outcome repair(View const& view, Changes const& changes, std::uint64_t most_work) {
        return paths_.follow(view, detail::path_changes<detail::unit_weight>::of(changes), most_work);
    }

    detail::path_follower<Space, detail::unit_weight> paths_;
};

} // namespace rhizome::algorithms

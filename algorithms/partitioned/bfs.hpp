// SPDX-License-Identifier: Apache-2.0
// Breadth-first search of a graph over ranks.
#pragma once

#include <rhizome/algorithms/bfs_options.hpp>
#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/partition/exchange.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/rows.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace rhizome::algorithms {

namespace detail {

struct visit_counts {
    std::uint64_t frontier; ///< rows in the next frontier
    std::uint64_t sent;     ///< vertices found on the way to it
    std::uint64_t arcs;     ///< sum of the degrees of all vertices with a level
};

/// Visits of vertices that have arrived: those without a level get one and form the frontier.
template <class View>
struct accept_visits {
    using id_type = typename View::id_type;

    View view;
    graph::routed_arc<id_type> const* visits; ///< from a row to the vertex before it
    std::uint64_t count;
    std::uint32_t level;
    std::uint32_t* levels;
    id_type* parents; ///< or nullptr
    id_type* frontier;
    visit_counts* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t arcs = 0;
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            id_type const row = visits[i].source;
            std::uint32_t expected = unreached;
            // relaxed: the next launch reads what is written here
            if (!thread.device(levels[row]).compare_exchange(expected, level, exec::order::relaxed)) return;
            if (parents != nullptr) parents[row] = visits[i].target;
            std::uint64_t const place =
                thread.device(found->frontier).fetch_add(std::uint64_t{1}, exec::order::relaxed);
            frontier[place] = row;
            arcs += view.rows().degree(row);
        });
        exec::add_to_total(thread, found->arcs, arcs);
    }
};

/// Lists the neighbours of the frontier that this rank has not yet listed, with the vertex before each.
template <class View>
struct list_visits {
    using id_type = typename View::id_type;
    using rows_type = graph::out_rows<typename View::rows_type>;

    View view;
    graph::basic_row_schedule<id_type, graph::listed_vertices<id_type>> schedule;
    std::uint32_t* listed; ///< one bit per vertex of the whole graph
    graph::basic_edge<id_type>* visits;
    visit_counts* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        graph::for_each_row_piece(
            thread, rows_type{view.rows()}, schedule,
            [&](auto const& group, id_type row, auto const& neighbours, std::uint64_t begin,
                std::uint64_t end) {
                id_type const from = view.id_of(row);
                neighbours.for_each(group, begin, end, [&](std::uint64_t, id_type id) {
                    std::uint32_t const bit = 1u << (id % 32);
                    auto const word = thread.device(listed[id / 32]);
                    // relaxed: a bit hands over nothing else
                    if ((word.load(exec::order::relaxed) & bit) != 0) return;
                    if ((word.fetch_or(bit, exec::order::relaxed) & bit) != 0) return;
                    visits[thread.device(found->sent).fetch_add(std::uint64_t{1}, exec::order::relaxed)] = {
                        id, from};
                });
            });
    }
};

} // namespace detail

/// Breadth-first search over the ranks of a communicator, level by level, top-down. Each rank sends every
/// vertex at most once, to its owner.
///
/// Scratch on each rank, kept between searches: 2 ids and a bit per vertex of the whole graph, an id per own
/// vertex, and that of an arc_exchange.
template <class Space, class Id = graph::vertex_id>
class partitioned_bfs {
public:
    /// The communicator must outlive the object.
    explicit partitioned_bfs(comm::communicator<Space>& self, exec::memory_resource* scratch = nullptr)
        : self_(&self), exchange_(self, scratch), frontier_(self.space(), scratch),
          visits_(self.space(), scratch), listed_(self.space(), scratch), counts_(self.space(), scratch),
          scheduler_(self.space(), scratch) {}

    /// Collective: all ranks pass their views of one graph. The sources are those that all ranks pass (host
    /// memory; any live vertices; repetitions do not matter). `levels`, `parents` (or nullptr, on all ranks):
    /// one per row of this rank, view.row_count() of them, in the memory of the space. They get what
    /// breadth_first_search gives each vertex. Returns the counts of the whole search. Waits.
    ///
    /// Throws std::invalid_argument on all ranks if a source is no live vertex; out_of_memory or
    /// graph::refused_by_rank; comm::comm_error. The contents of both arrays are then undefined.
    ///
    /// Cost per level: two passes over the frontier's arcs and rows, an exchange of what was found (counts
    /// and visits), and several waits.
    template <class View>
    bfs_report run(View const& view, std::span<Id const> sources, std::uint32_t* levels,
                   Id* parents = nullptr) {
        static_assert(std::is_same_v<Id, typename View::id_type>);
        using rows_type = graph::out_rows<typename View::rows_type>;
        Space& space = self_->space();
        std::uint64_t const rows = view.row_count();
        std::uint64_t const words = (view.vertex_count() + 31) / 32;
        graph::routing_rules<Id, std::remove_cvref_t<decltype(view.owners())>> const rules{
            view.owners(), view.vertex_count(), true, false, true, view.dead().bits};
        Id* frontier = nullptr;
        graph::basic_edge<Id>* visits = nullptr;
        std::uint32_t* listed = nullptr;
        detail::visit_counts* counts = nullptr;
        auto arrived = exchange_.exchange_placed(rules, [&] {
            frontier = frontier_.template at_least_of<Id>(rows);
            visits = visits_.template at_least_of<graph::basic_edge<Id>>(
                std::max<std::uint64_t>(sources.size(), std::min(view.vertex_count(), view.arc_count())));
            listed = listed_.template at_least_of<std::uint32_t>(words);
            counts = counts_.template at_least_of<detail::visit_counts>(1);
            std::vector<graph::basic_edge<Id>> first;
            for (Id const source : sources)
                first.push_back({source, source});
            if (!first.empty()) space.copy_in(visits, first.data(), first.size() * sizeof(first[0]));
            return graph::batch_share<Id, graph::no_edge_value>{visits, nullptr, first.size()};
        });
        if (arrived.rejected != 0) throw std::invalid_argument("bfs: a source is no live vertex");
        space.fill(levels, 0xff, rows * sizeof(*levels));
        if (parents != nullptr) space.fill(parents, 0xff, rows * sizeof(*parents));
        space.fill(listed, 0, words * sizeof(*listed));
        space.fill(counts, 0, sizeof(*counts));
        static_assert(unreached == 0xffff'ffffu && graph::no_vertex_of<Id> == static_cast<Id>(~Id{0}));

        bfs_report mine;
        for (std::uint32_t level = 0; arrived.edges != 0; ++level) {
            space.fill(counts, 0, 2 * sizeof(std::uint64_t));
            if (arrived.count != 0)
                launch(space, cover_threads(space, arrived.count),
                       detail::accept_visits<View>{view, arrived.arcs, arrived.count, level, levels, parents,
                                                   frontier, counts});
            detail::visit_counts found{};
            arrived = exchange_.exchange_placed(rules, [&] {
                space.copy_out(&found, counts, sizeof(found));
                if (found.frontier == 0) return graph::batch_share<Id, graph::no_edge_value>{};
                auto const schedule = scheduler_.plan(space, rows_type{view.rows()},
                                                      graph::listed_vertices<Id>{frontier, found.frontier});
                launch(space, cover_rows(space, schedule),
                       detail::list_visits<View>{view, schedule, listed, visits, counts});
                detail::visit_counts sent{};
                space.copy_out(&sent, counts, sizeof(sent));
                return graph::batch_share<Id, graph::no_edge_value>{visits, nullptr, sent.sent};
            });
            mine.reached += found.frontier;
            mine.arcs = found.arcs;
            if (found.frontier != 0) mine.levels = level + 1; // the last exchange may bring none
        }
        return sum(mine);
    }

private:
    [[nodiscard]] bfs_report sum(bfs_report const& mine) {
        constexpr std::size_t words = 3;
        auto const told = graph::all_or_none(*self_, words, [&] {
            return std::vector<std::uint64_t>{mine.reached, mine.arcs, mine.levels};
        });
        bfs_report total;
        for (std::size_t each = 0; each < told.size(); each += words) {
            total.reached += told[each];
            total.arcs += told[each + 1];
            total.levels = std::max(total.levels, static_cast<std::uint32_t>(told[each + 2]));
        }
        return total;
    }

    comm::communicator<Space>* self_;
    graph::arc_exchange<Space, Id> exchange_;
    exec::workspace<Space> frontier_;
    exec::workspace<Space> visits_;
    exec::workspace<Space> listed_;
    exec::workspace<Space> counts_;
    graph::row_scheduler<Space> scheduler_;
};

} // namespace rhizome::algorithms

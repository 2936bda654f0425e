// Triangle counting of a graph over ranks.
#pragma once

#include <rhizome/algorithms/partitioned/gathered_places.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/partition/exchange.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace rhizome::algorithms {

namespace detail {

/// Rows of arcs from each vertex to neighbours that come after it: those of greater degree, or of equal
/// degree and greater id. Ascending by id.
template <class Id>
struct oriented_part {
    std::uint64_t const* offsets; ///< rows + 1
    Id const* targets;
};

template <class View>
struct write_part_degrees {
    View view;
    std::uint64_t rows;
    std::uint32_t* degrees;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, rows, [&](std::uint64_t row) {
            degrees[row] = view.rows().degree(static_cast<typename View::id_type>(row));
        });
    }
};

/// Counts the arcs of each oriented row, or, with `targets`, writes them.
template <class View, class Places>
struct orient_part {
    using id_type = typename View::id_type;

    View view;
    std::uint64_t rows;
    std::uint32_t const* degrees; ///< of all ranks
    Places places;
    std::uint64_t* offsets; ///< rows + 1
    id_type* targets;       ///< nullptr: count

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, rows + 1, [&](std::uint64_t row) {
            if (row == rows) {
                if (targets == nullptr) offsets[row] = 0;
                return;
            }
            if (!view.is_used(row)) {
                if (targets == nullptr) offsets[row] = 0;
                return;
            }
            id_type const v = view.id_of(row);
            auto const own = view.rows().degree(static_cast<id_type>(row));
            std::uint64_t count = 0;
            auto const neighbours = view.rows().neighbours(static_cast<id_type>(row));
            for (std::uint64_t i = 0; i < neighbours.size(); ++i) {
                id_type const u = neighbours[i];
                std::uint32_t const degree = degrees[places(u)];
                if (degree < own || (degree == own && u <= v)) continue;
                if (targets != nullptr) targets[offsets[row] + count] = u;
                ++count;
            }
            if (targets == nullptr) offsets[row] = count;
        });
    }
};

/// Adds, for each own arc to a vertex of rank `root`, the number of targets that its ends share.
template <class View>
struct count_shared_targets {
    using id_type = typename View::id_type;

    View view;
    std::uint64_t rows;
    oriented_part<id_type> own;
    oriented_part<id_type> of_root;
    std::uint32_t root;
    std::uint64_t* triangles;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::partitioned_triangle_tile>);
        std::uint64_t found = 0;
        exec::for_each_group_item(tile, rows, [&](std::uint64_t row) {
            std::uint64_t const begin = own.offsets[row];
            std::uint64_t const end = own.offsets[row + 1];
            for (std::uint64_t arc = begin; arc < end; ++arc) {
                id_type const u = own.targets[arc];
                if (view.owners().owner(u) != root) continue;
                std::uint64_t const other = view.owners().row(u);
                std::uint64_t const first = of_root.offsets[other];
                std::uint64_t const last = of_root.offsets[other + 1];
                bool const own_is_short = end - begin < last - first;
                id_type const* const few = own_is_short ? own.targets + begin : of_root.targets + first;
                id_type const* const many = own_is_short ? of_root.targets + first : own.targets + begin;
                std::uint64_t const few_count = own_is_short ? end - begin : last - first;
                std::uint64_t const many_count = own_is_short ? last - first : end - begin;
                for (std::uint64_t i = tile.rank(); i < few_count; i += tile.size()) {
                    std::uint64_t low = 0;
                    for (std::uint64_t high = many_count; low < high;) {
                        std::uint64_t const middle = low + (high - low) / 2;
                        if (many[middle] < few[i])
                            low = middle + 1;
                        else
                            high = middle;
                    }
                    found += low < many_count && many[low] == few[i] ? 1 : 0;
                }
            }
        });
        exec::add_to_total(thread, *triangles, found);
    }
};

} // namespace detail

/// Counts the triangles of an undirected graph over the ranks of a communicator. Arcs are oriented towards
/// vertices of greater degree. In as many rounds as there are ranks, one rank gives its oriented rows to all
/// (broadcast), and each counts the triangles whose second vertex is in these rows.
///
/// Scratch on each rank, kept between counts: 4 bytes per vertex of the whole graph; 16 bytes per own vertex
/// and an id per own edge; the same for the rank that has most.
template <class Space, class Id = graph::vertex_id>
class partitioned_triangles {
public:
    /// The communicator must outlive the object.
    explicit partitioned_triangles(comm::communicator<Space>& self, exec::memory_resource* scratch = nullptr)
        : self_(&self), gather_(self, scratch), degrees_(self.space(), scratch),
          offsets_(self.space(), scratch), targets_(self.space(), scratch),
          root_offsets_(self.space(), scratch), root_targets_(self.space(), scratch),
          count_(self.space(), scratch), primitives_(self.space(), scratch) {}

    /// Collective: all ranks pass their views of one graph. Returns the number of triangles of the whole
    /// graph; self-loops do not matter. Waits. Throws std::invalid_argument for a directed graph,
    /// out_of_memory or graph::refused_by_rank, and comm::comm_error.
    ///
    /// Cost: each rank gets the oriented rows of all others, an id per edge of the whole graph; O(edges^1.5)
    /// searches in the worst case, divided among the ranks by the owners of vertices.
    template <class View>
    [[nodiscard]] std::uint64_t count(View const& view) {
        static_assert(std::is_same_v<Id, typename View::id_type>);
        if (!view.symmetric())
            throw std::invalid_argument("triangles over ranks are counted in undirected graphs");
        Space& space = self_->space();
        std::uint32_t* own_degrees = nullptr;
        std::uint32_t* degrees = nullptr;
        std::uint64_t* offsets = nullptr;
        std::uint64_t* triangles = nullptr;
        gathered_places<std::remove_cvref_t<decltype(view.owners())>> places{view.owners(), nullptr};
        std::uint64_t rows = 0;
        static_cast<void>(graph::all_or_none(*self_, 0, [&]() -> std::vector<std::uint64_t> {
            places = gather_.prepare(view.owners(), view.vertex_count());
            rows = gather_.own_rows();
            own_degrees = degrees_.template at_least_of<std::uint32_t>(rows + gather_.total());
            degrees = own_degrees + rows;
            offsets = offsets_.template at_least_of<std::uint64_t>(rows + 1);
            triangles = count_.template at_least_of<std::uint64_t>(1);
            return {};
        }));
        if (rows != 0)
            launch(space, cover_threads(space, rows),
                   detail::write_part_degrees<View>{view, rows, own_degrees});
        gather_.gather(own_degrees, degrees);
        space.fill(triangles, 0, sizeof(*triangles));

        Id* targets = nullptr;
        using orient = detail::orient_part<View, decltype(places)>;
        auto const arcs = graph::all_or_none(*self_, 1, [&] {
            launch(space, cover_threads(space, rows + 1),
                   orient{view, rows, degrees, places, offsets, nullptr});
            exclusive_scan(space, primitives_, offsets, offsets, rows + 1);
            std::vector<std::uint64_t> mine(1);
            space.copy_out(mine.data(), offsets + rows, sizeof(mine[0]));
            targets = targets_.template at_least_of<Id>(mine[0]);
            return mine;
        });
        std::uint64_t const mine = arcs[static_cast<std::size_t>(self_->rank())];
        if (mine != 0)
            launch(space, cover_threads(space, rows + 1),
                   orient{view, rows, degrees, places, offsets, targets});
        std::uint64_t* root_offsets = nullptr;
        Id* root_targets = nullptr;
        static_cast<void>(graph::all_or_none(*self_, 0, [&]() -> std::vector<std::uint64_t> {
            std::uint64_t most_rows_of_rank = 0;
            for (int root = 0; root < self_->size(); ++root)
                most_rows_of_rank = std::max(most_rows_of_rank, gather_.rows_of(root));
            root_offsets = root_offsets_.template at_least_of<std::uint64_t>(most_rows_of_rank + 1);
            root_targets =
                root_targets_.template at_least_of<Id>(*std::max_element(arcs.begin(), arcs.end()));
            return {};
        }));
        for (int root = 0; root < self_->size(); ++root) {
            std::uint64_t const given = arcs[static_cast<std::size_t>(root)];
            if (given == 0) continue;
            bool const own = root == self_->rank();
            std::uint64_t* const sent_offsets = own ? offsets : root_offsets;
            Id* const sent_targets = own ? targets : root_targets;
            self_->broadcast(sent_offsets, gather_.rows_of(root) + 1, root).or_throw();
            self_->broadcast(sent_targets, given, root).or_throw();
            if (mine != 0)
                launch(space, exec::cover_tiles<tuning::partitioned_triangle_tile>(space, rows),
                       detail::count_shared_targets<View>{view,
                                                          rows,
                                                          {offsets, targets},
                                                          {sent_offsets, sent_targets},
                                                          static_cast<std::uint32_t>(root),
                                                          triangles});
        }
        self_->all_reduce(triangles, triangles, 1, comm::reduction::sum).or_throw();
        self_->wait().or_throw();
        std::uint64_t total = 0;
        space.copy_out(&total, triangles, sizeof(total));
        return total;
    }

private:
    comm::communicator<Space>* self_;
    row_gather<Space> gather_;
    exec::workspace<Space> degrees_; ///< of own rows, then of all
    exec::workspace<Space> offsets_;
    exec::workspace<Space> targets_;
    exec::workspace<Space> root_offsets_;
    exec::workspace<Space> root_targets_;
    exec::workspace<Space> count_;
    exec::workspace<Space> primitives_;
};

} // namespace rhizome::algorithms

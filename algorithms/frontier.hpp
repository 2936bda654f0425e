// SPDX-License-Identifier: Apache-2.0
// Lists of vertices, and two operations on them by lambda: advance() follows the arcs of the listed vertices,
// filter() keeps some of them. A breadth-first search:
//
//     frontier<Space> current(space, sources);
//     frontier<Space> next(space);
//     for (std::uint32_t level = 1; !current.empty(); ++level) {
//         advance(graph, current, next, [=] RZ_LAMBDA(auto const& thread, vertex_id, vertex_id v) {
//             std::uint32_t expected = unreached;
//             return thread.device(levels[v]).compare_exchange(expected, level, exec::order::relaxed);
//         });
//         swap(current, next);
//     }
//
// The functions are as those of graph/for_each.hpp: lambdas marked with RZ_LAMBDA, or objects whose
// operator() is RZ_HD. The operations are those of Gunrock (Wang et al., Gunrock: GPU Graph Analytics, TOPC
// 2017) and of Ligra (Shun and Blelloch, PPoPP 2013: edgeMap and vertexFilter).
#pragma once

#include <rhizome/algorithms/detail/frontier_kernels.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/for_each.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/rows.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::algorithms {

/// Options of advance().
struct advance_options {
    /// The caller's promise: the function accepts at most so many arcs. advance() then takes no more memory
    /// for the result. For example view.vertex_count(), if the function accepts each target at most once.
    std::uint64_t most_accepted = std::numeric_limits<std::uint64_t>::max();
};

/// A list of vertex ids in the memory of a space, in any order; ids may repeat. Move-only. Its memory grows
/// as needed and is kept until the end of the object. One host thread at a time may use it.
template <class Space, class Id = graph::vertex_id>
class frontier {
public:
    using id_type = Id;

    /// An empty list; allocates nothing. `scratch`: source of the memory; nullptr: the space. The resource
    /// must outlive the frontier.
    explicit frontier(Space space, exec::memory_resource* scratch = nullptr)
        : space_(space), ids_(space, scratch), count_(space, scratch), scheduler_(std::move(space), scratch) {
    }
    /// A list of the ids in `ids`, an array in host memory, which is copied. Throws out_of_memory.
    frontier(Space space, std::span<Id const> ids) : frontier(std::move(space)) { assign(ids); }
    frontier(frontier&& other) noexcept
        : space_(other.space_), ids_(std::move(other.ids_)), count_(std::move(other.count_)),
          scheduler_(std::move(other.scheduler_)), data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    /// Swaps the frontiers.
    frontier& operator=(frontier&& other) noexcept {
        std::swap(space_, other.space_);
        std::swap(ids_, other.ids_);
        std::swap(count_, other.count_);
        std::swap(scheduler_, other.scheduler_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~frontier() = default;

    /// Swaps two frontiers. Copies no ids.
    friend void swap(frontier& a, frontier& b) noexcept { a = std::move(b); }

    /// Replaces the list by the ids in `ids`, an array in host memory, which is copied: the caller may reuse
    /// it on return. If it throws out_of_memory, the list is empty.
    void assign(std::span<Id const> ids) {
        Id* const to = make_room(ids.size());
        if (!ids.empty()) space_.copy_in(to, ids.data(), ids.size_bytes());
        size_ = ids.size();
    }
    /// Makes the list empty; keeps the memory.
    void clear() { size_ = 0; }

    /// The number of ids. Does not wait.
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    /// The ids, in the memory of the space. Valid until the list changes.
    [[nodiscard]] Id const* data() const { return data_; }
    /// The bytes that the frontier holds in the space for ids.
    [[nodiscard]] std::uint64_t held_bytes() const { return ids_.held_bytes(); }
    /// Copies the ids to the host. Waits for all earlier work of the space.
    [[nodiscard]] std::vector<Id> to_host() const {
        std::vector<Id> ids(size_);
        if (size_ != 0) space_.copy_out(ids.data(), data_, ids.size() * sizeof(Id));
        return ids;
    }
    /// The space in whose memory the ids lie.
    [[nodiscard]] Space& space() const { return space_; }

private:
    template <class Graph, class S, class I, class Function>
    friend void advance(Graph const&, frontier<S, I> const&, frontier<S, I>&, Function const&,
                        advance_options const&);
    template <class S, class I, class Predicate>
    friend void filter(frontier<S, I> const&, frontier<S, I>&, Predicate const&);
    template <class Graph, class S, class I, class Predicate>
    friend void filter_vertices(Graph const&, frontier<S, I>&, Predicate const&);

    /// Makes the list empty, with room for `ids` ids. Throws out_of_memory.
    [[nodiscard]] Id* make_room(std::uint64_t ids) {
        size_ = 0;
        data_ = nullptr;
        return data_ = ids_.template at_least_of<Id>(ids);
    }
    /// Where a kernel puts the ids of this list: at most `room` of them. Throws out_of_memory.
    [[nodiscard]] detail::found_ids<Id> begin_filling(std::uint64_t room) {
        auto* const count = count_.template at_least_of<std::uint64_t>(1);
        Id* const ids = make_room(room);
        space_.fill(count, 0, sizeof(*count));
        return {ids, room, count};
    }
    /// Waits for the kernel. Returns how many ids it found; if there was room for them, they are the list.
    std::uint64_t end_filling(detail::found_ids<Id> const& found) {
        std::uint64_t count = 0;
        space_.copy_out(&count, found.count, sizeof(count));
        if (count <= found.room) size_ = count;
        return count;
    }

    mutable Space space_;
    exec::workspace<Space> ids_;
    exec::workspace<Space> count_;
    graph::row_scheduler<Space> scheduler_; ///< of the rows that fill this list
    Id* data_ = nullptr;
    std::uint64_t size_ = 0;
};

/// Calls function(u, v) for each arc u -> v that leaves a vertex u of `in`; if edges have values,
/// function(u, v, value). `out` becomes the list of the targets v, one for each call that returned true, in
/// any order. Waits.
///
/// `graph`: a graph, a snapshot or a view, whose memory lies in the space of the frontiers. `function`: runs
/// in the threads of the space, concurrently. If it takes one more argument, a thread comes first:
/// function(thread, u, v). thread.device(word) is then the atomic access to a word in the memory of the
/// space, in every space (exec/README.md). A target that several vertices reach comes into `out` once per
/// call that returned true. A function that is to accept it once claims it by an atomic, as in the example
/// above. If `in` repeats a vertex, its arcs are visited once per repetition. Erased vertices have no arcs.
///
/// Preconditions: the frontiers and the graph were made with one space, each id in `in` is less than the
/// view's vertex_count(), and the graph does not change meanwhile.
///
/// Throws, before the first call of `function`:
/// - std::invalid_argument if `in` and `out` are one object
/// - out_of_memory; `out` is then empty
/// After the last call it throws std::length_error if `function` accepted more than options.most_accepted
/// arcs; `out` is then empty too.
///
/// Memory, kept by `out`: an id per arc that leaves `in`, but no more than options.most_accepted ids. Also 16
/// bytes per 129 arcs of long rows at most (graph/row_schedule.hpp). Cost: two or three launches and two
/// waits. A few lanes visit a short row; long rows are cut into pieces, and a warp visits each piece.
template <class Graph, class Space, class Id, class Function>
void advance(Graph const& graph, frontier<Space, Id> const& in, frontier<Space, Id>& out,
             Function const& function, advance_options const& options = {}) {
    auto const view = detail::view_of(graph);
    using view_type = std::remove_const_t<decltype(view)>;
    static_assert(std::is_same_v<typename view_type::id_type, Id>, "advance: the ids differ in type");
    if (&in == &out) throw std::invalid_argument("advance: a frontier cannot be input and output");
    out.clear();
    if (in.empty()) return;
    Space& space = out.space_;
    // The lengths of rows do not depend on values: one kernel measures them for graphs with any type of
    // values.
    graph::out_rows<graph::untyped_view<view_type>> const rows{graph::untyped(view)};
    graph::row_totals totals{};
    auto const schedule =
        out.scheduler_.plan(space, rows, graph::listed_vertices<Id>{in.data(), in.size()}, &totals);
    if (totals.arcs == 0) return;
    auto const found = out.begin_filling(std::min(totals.arcs, options.most_accepted));
    launch(space, cover_rows(space, schedule),
           detail::follow_arcs<view_type, Function>{{view}, schedule, function, found});
    if (std::uint64_t const accepted = out.end_filling(found); accepted > found.room)
        throw std::length_error("advance: the function accepted " + std::to_string(accepted) +
                                " arcs, more than most_accepted, which is " +
                                std::to_string(options.most_accepted));
}

/// `out` becomes the list of the ids v of `in` for which predicate(v) returned true, in any order. It is
/// called once for each id of the list, so a predicate that claims vertices by an atomic removes repetitions.
/// It may take a thread first, as the function of advance() may. Waits.
///
/// Throws, before the first call, std::invalid_argument if `in` and `out` are one object, and out_of_memory;
/// `out` is then empty. Memory, kept by `out`: in.size() ids. Cost: one launch and one wait.
template <class Space, class Id, class Predicate>
void filter(frontier<Space, Id> const& in, frontier<Space, Id>& out, Predicate const& predicate) {
    if (&in == &out) throw std::invalid_argument("filter: a frontier cannot be input and output");
    out.clear();
    if (in.empty()) return;
    auto const found = out.begin_filling(in.size());
    launch(out.space_, cover_threads(out.space_, in.size()),
           detail::keep_listed<Id, Predicate>{in.data(), in.size(), predicate, found});
    out.end_filling(found);
}

/// `out` becomes the list of the live vertices of a graph, snapshot or view for which predicate(v) returned
/// true, in any order; otherwise as filter(). Memory, kept by `out`: an id per live vertex.
template <class Graph, class Space, class Id, class Predicate>
void filter_vertices(Graph const& graph, frontier<Space, Id>& out, Predicate const& predicate) {
    auto const view = detail::view_of(graph);
    using view_type = std::remove_const_t<decltype(view)>;
    static_assert(std::is_same_v<typename view_type::id_type, Id>, "filter_vertices: the ids differ in type");
    out.clear();
    if (view.live_vertex_count() == 0) return;
    auto const found = out.begin_filling(view.live_vertex_count());
    launch(out.space_, cover_threads(out.space_, view.vertex_count()),
           detail::keep_vertices<view_type, Predicate>{view, predicate, found});
    out.end_filling(found);
}

} // namespace rhizome::algorithms

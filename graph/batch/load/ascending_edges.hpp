// SPDX-License-Identifier: Apache-2.0
// Edges that ascend already, as those of files and of compressed sparse rows do: where the edges of each
// vertex begin, and which edges lead to the vertices of a range. Nothing is sorted.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/size_lists.hpp>
#include <rhizome/graph/row_order.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// The numbers 0 to `items` - 1 in `count` parts of about equal size.
struct even_parts {
    std::uint64_t items;
    std::uint64_t count;

    [[nodiscard]] RZ_HD std::uint64_t begin(std::uint64_t part) const {
        std::uint64_t const size = (items + count - 1) / count;
        return part * size < items ? part * size : items;
    }
    [[nodiscard]] RZ_HD std::uint64_t end(std::uint64_t part) const { return begin(part + 1); }
};

/// What the steps find.
struct ascending_find {
    std::uint64_t loops;      ///< self-loops
    std::uint64_t page_bytes; ///< that rows ask for
    std::uint32_t departs;    ///< not 0: an edge is not greater than the one before, or not taken, or has its
                              ///< ends in the wrong order
    std::uint32_t refused;    ///< not 0: a row has too many neighbours, or did not get its page
    std::uint32_t crowded;    ///< not 0: a row has more arcs than a block sorts
    std::uint32_t large;      ///< not 0: a row needs a page that is in no run
    bulk_tally bulk;          ///< of the runs
};

/// The least and the greatest target of a stretch of edges.
template <class Id>
struct target_span {
    Id least;
    Id most;
};
/// The edges that a visit of a stretch is for: those to the vertices `least` to `past` - 1.
struct wanted_targets {
    std::uint64_t least;
    std::uint64_t past;
    bool all; ///< all edges of the stretch are such

    [[nodiscard]] RZ_HD bool has(std::uint64_t target) const {
        return all || (target >= least && target < past);
    }
};
/// Edges of a stretch: so many that its span is small compared with them.
inline constexpr std::uint64_t stretch_edges = 1024;
/// Rows of a stretch, for the same reason.
inline constexpr std::uint64_t stretch_rows = 128;

/// The edges of a batch, one after the other. A stretch is a run of edges.
template <class Id>
struct listed_edges {
    basic_edge<Id> const* edges;
    std::uint64_t count;

    [[nodiscard]] RZ_HD std::uint64_t stretches() const {
        return (count + stretch_edges - 1) / stretch_edges;
    }
    [[nodiscard]] RZ_HD std::uint64_t begin(std::uint64_t stretch) const {
        return stretch * stretch_edges < count ? stretch * stretch_edges : count;
    }
    [[nodiscard]] RZ_HD Id target(std::uint64_t i) const { return edges[i].target; }
    /// Calls function(target) for the wanted edges of a stretch.
    template <class Function>
    RZ_HD void for_each_target(std::uint64_t stretch, wanted_targets wanted, Function&& function) const {
        std::uint64_t const end = begin(stretch + 1);
        for (std::uint64_t i = begin(stretch); i < end; ++i)
            if (wanted.has(edges[i].target)) function(edges[i].target);
    }
    /// Calls function(source, target, number of the edge) for the wanted edges of a stretch, in order.
    template <class Function>
    RZ_HD void for_each(std::uint64_t stretch, wanted_targets wanted, Function&& function) const {
        std::uint64_t const end = begin(stretch + 1);
        for (std::uint64_t i = begin(stretch); i < end; ++i) {
            basic_edge<Id> const e = edges[i];
            if (wanted.has(e.target)) function(e.source, e.target, i);
        }
    }
};

/// The edges in compressed sparse rows. A stretch is a run of rows.
template <class Id>
struct edges_in_rows {
    std::uint64_t const* offsets; ///< vertices + 1
    Id const* targets;
    std::uint64_t vertices;
    std::uint64_t count; ///< edges

    [[nodiscard]] RZ_HD std::uint64_t stretches() const {
        return (vertices + stretch_rows - 1) / stretch_rows;
    }
    /// The first row of a stretch.
    [[nodiscard]] RZ_HD std::uint64_t begin(std::uint64_t stretch) const {
        return stretch * stretch_rows < vertices ? stretch * stretch_rows : vertices;
    }
    [[nodiscard]] RZ_HD Id target(std::uint64_t i) const { return targets[i]; }
    /// As in listed_edges. The length of the loop does not depend on that of a row.
    template <class Function>
    RZ_HD void for_each_target(std::uint64_t stretch, wanted_targets wanted, Function&& function) const {
        std::uint64_t const end = offsets[begin(stretch + 1)];
        for (std::uint64_t i = offsets[begin(stretch)]; i < end; ++i)
            if (wanted.has(targets[i])) function(targets[i]);
    }
    /// As in listed_edges.
    template <class Function>
    RZ_HD void for_each(std::uint64_t stretch, wanted_targets wanted, Function&& function) const {
        std::uint64_t const last_row = begin(stretch + 1);
        for (std::uint64_t row = begin(stretch); row < last_row; ++row) {
            std::uint64_t const end = offsets[row + 1];
            for (std::uint64_t i = offsets[row]; i < end; ++i)
                if (wanted.has(targets[i])) function(static_cast<Id>(row), targets[i], i);
        }
    }
};

/// Calls look(stretch, loops) for the stretches of each part, until one returns false. `loops` counts the
/// self-loops of the part.
template <class Thread, class Look>
RZ_HD void look_at_stretches(Thread const& thread, even_parts const& parts, ascending_find* find,
                             Look const& look) {
    exec::for_each_item(thread, parts.count, [&](std::uint64_t part) {
        std::uint64_t loops = 0;
        for (std::uint64_t stretch = parts.begin(part); stretch < parts.end(part); ++stretch) {
            auto const departs = thread.device(find->departs);
            if (departs.load(exec::order::relaxed) != 0) return; // relaxed: other threads see it later
            if (look(stretch, loops)) continue;
            departs.store(1u, exec::order::relaxed);
            return;
        }
        if (loops != 0) thread.device(find->loops).fetch_add(loops, exec::order::relaxed);
    });
}

/// Checks whether a graph can be built from the edges of a batch: each is greater than the one before, so
/// that none is a repeat; all are to be taken; undirected ones have the smaller end first. Notes where the
/// edges of each vertex begin, and the span of each stretch.
template <class Id>
struct look_at_list {
    arc_rules<Id> rules;
    listed_edges<Id> list;
    even_parts parts;      ///< of stretches
    std::uint32_t* first;  ///< vertices + 1
    target_span<Id>* span; ///< stretches
    ascending_find* find;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        look_at_stretches(thread, parts, find, [&](std::uint64_t stretch, std::uint64_t& loops) {
            return look(thread, stretch, loops);
        });
    }

private:
    /// Whether all edges of a stretch fulfil this.
    template <class Thread>
    [[nodiscard]] RZ_HD bool look(Thread const& thread, std::uint64_t stretch, std::uint64_t& loops) const {
        basic_edge<Id> const* const edges = list.edges;
        std::uint64_t const begin = list.begin(stretch);
        std::uint64_t const end = list.begin(stretch + 1);
        bool const all_taken = rules.dead == nullptr && rules.self_loops; // of the edges whose ends are less
                                                                          // than vertices
        basic_edge<Id> before = edges[begin == 0 ? 0 : begin - 1];
        std::uint64_t next = begin == 0 ? 0 : std::uint64_t{before.source} + 1; // the next vertex whose edges
                                                                                // have not begun
        target_span<Id> found{before.target, before.target};
        if (begin != 0) found = {edges[begin].target, edges[begin].target};
        bool good = true; // checked where rows begin, so that most edges need no branch
        for (std::uint64_t i = begin; i < end; ++i) {
            basic_edge<Id> const e = edges[i];
            bool const above = (e.source > before.source) |
                               ((e.source == before.source) & (e.target > before.target)) | (i == 0);
            good &= above & (e.target < rules.vertices) & (rules.directed | (e.source <= e.target));
            if (!all_taken) good = good && rules.judge(e) == verdict::taken;
            loops += e.source == e.target ? 1 : 0;
            found.least = e.target < found.least ? e.target : found.least;
            found.most = e.target > found.most ? e.target : found.most;
            if (e.source >= next) {
                if (!good || e.source >= rules.vertices) return false;
                // relaxed, and not plain: if edges do not ascend, two stretches may write here
                for (; next <= e.source; ++next)
                    thread.device(first[next]).store(static_cast<std::uint32_t>(i), exec::order::relaxed);
            }
            before = e;
        }
        if (end == list.count && good)
            for (; next <= rules.vertices; ++next)
                thread.device(first[next]).store(static_cast<std::uint32_t>(end), exec::order::relaxed);
        span[stretch] = found;
        return good;
    }
};

/// The same for the edges in compressed sparse rows.
template <class Id>
struct look_at_rows {
    arc_rules<Id> rules;
    edges_in_rows<Id> list; ///< of all vertices of the graph
    even_parts parts;       ///< of stretches
    std::uint32_t* first;   ///< vertices + 1
    target_span<Id>* span;  ///< stretches
    ascending_find* find;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        look_at_stretches(thread, parts, find,
                          [&](std::uint64_t stretch, std::uint64_t& loops) { return look(stretch, loops); });
    }

private:
    [[nodiscard]] RZ_HD bool look(std::uint64_t stretch, std::uint64_t& loops) const {
        std::uint64_t const begin = list.begin(stretch);
        std::uint64_t const end = list.begin(stretch + 1);
        bool inside = list.offsets[end] <= list.count;
        for (std::uint64_t v = begin; v < end; ++v) {
            first[v] = static_cast<std::uint32_t>(list.offsets[v]);
            inside &= list.offsets[v] <= list.offsets[v + 1];
        }
        if (!inside) return false;
        if (end == list.vertices) first[end] = static_cast<std::uint32_t>(list.count);
        auto const found = look_at_order(list.offsets, list.targets, begin, end);
        span[stretch] = {found.least, found.most};
        loops += found.begin_with_loop; // all of them, in an undirected graph
        if (!found.ascends || (list.offsets[begin] != list.offsets[end] && found.most >= rules.vertices))
            return false;
        if (!rules.directed && (found.begin_below != 0 || (!rules.self_loops && found.begin_with_loop != 0)))
            return false;
        if (rules.directed && !rules.self_loops && has_self_loop(list.offsets, list.targets, begin, end))
            return false;
        return rules.dead == nullptr || all_live(begin, end);
    }
    [[nodiscard]] RZ_HD bool all_live(std::uint64_t begin, std::uint64_t end) const {
        for (std::uint64_t v = begin; v < end; ++v)
            for (std::uint64_t i = list.offsets[v]; i < list.offsets[v + 1]; ++i)
                if (is_dead(rules.dead, v) || is_dead(rules.dead, list.targets[i])) return false;
        return true;
    }
};

/// Calls visit(stretch, wanted) for all ranges of vertices, and all stretches with edges to the range. One
/// thread visits all stretches of a range, in the order of the edges.
template <class Thread, class Id, class Visit>
RZ_HD void for_each_range(Thread const& thread, even_parts const& ranges, target_span<Id> const* span,
                          std::uint64_t stretches, Visit const& visit) {
    exec::for_each_item(thread, ranges.count, [&](std::uint64_t range) {
        std::uint64_t const least = ranges.begin(range);
        std::uint64_t const past = ranges.end(range);
        for (std::uint64_t stretch = 0; stretch < stretches; ++stretch) {
            target_span<Id> const found = span[stretch];
            if (found.most >= least && found.least < past)
                visit(stretch, wanted_targets{least, past, found.least >= least && found.most < past});
        }
    });
}

/// Adds the mirrored arcs of each vertex to mirrored[]. An undirected self-loop is one arc, so it has no
/// mirrored one.
template <class List, class Id>
struct count_mirrored {
    List list;
    target_span<Id> const* span;
    even_parts ranges; ///< of vertices
    bool skips_loops;  ///< there are undirected self-loops
    std::uint32_t* mirrored;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const visit = [&](std::uint64_t stretch, wanted_targets wanted) {
            list.for_each_target(stretch, wanted, [&](Id target) { ++mirrored[target]; });
            if (!skips_loops) return;
            list.for_each(stretch, wanted, [&](Id source, Id target, std::uint64_t) {
                if (source == target) --mirrored[target];
            });
        };
        for_each_range(thread, ranges, span, list.stretches(), visit);
    }
};

} // namespace rhizome::graph::batch

// Edges that ascend already, as those of files and of compressed rows do: where the edges of each vertex
// begin, and which edges lead to the vertices of a range. Nothing is sorted.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
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

/// What the programs find.
struct ascending_find {
    std::uint64_t loops;      ///< self-loops
    std::uint64_t page_bytes; ///< that rows ask for
    std::uint32_t departs;    ///< not 0: an edge is not greater than the one before, or not taken, or has its
                              ///< ends in the wrong order
    std::uint32_t refused;    ///< not 0: a row has too many neighbours, or did not get its page
    std::uint32_t crowded;    ///< not 0: a row has more arcs than a block sorts
};

/// The least and the greatest target of a stretch of edges.
template <class Id>
struct target_span {
    Id least;
    Id most;
};
/// Edges of a stretch: so many that its span is small compared with them.
inline constexpr std::uint64_t stretch_edges = 1024;

/// Checks whether a graph can be built from the edges: each is greater than the one before, so that none is a
/// repeat; all are to be taken; undirected ones have the smaller end first. Notes where the edges of each
/// vertex begin, and the span of each stretch.
template <class Id>
struct look_at_ascending {
    arc_rules<Id> rules;
    basic_edge<Id> const* edges;
    std::uint64_t count;
    even_parts parts;      ///< of stretches
    std::uint32_t* first;  ///< vertices + 1
    target_span<Id>* span; ///< stretches
    ascending_find* find;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, parts.count, [&](std::uint64_t part) {
            std::uint64_t loops = 0;
            for (std::uint64_t stretch = parts.begin(part); stretch < parts.end(part); ++stretch) {
                auto const departs = thread.device(find->departs);
                if (departs.load(exec::order::relaxed) != 0) return; // relaxed: other threads see it later
                if (look(thread, stretch, loops)) continue;
                departs.store(1u, exec::order::relaxed);
                return;
            }
            if (loops != 0) thread.device(find->loops).fetch_add(loops, exec::order::relaxed);
        });
    }

private:
    /// Whether all edges of a stretch fulfil this.
    template <class Thread>
    [[nodiscard]] RZ_HD bool look(Thread const& thread, std::uint64_t stretch, std::uint64_t& loops) const {
        std::uint64_t const begin = stretch * stretch_edges;
        std::uint64_t const end = begin + stretch_edges < count ? begin + stretch_edges : count;
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
        if (end == count && good)
            for (; next <= rules.vertices; ++next)
                thread.device(first[next]).store(static_cast<std::uint32_t>(end), exec::order::relaxed);
        span[stretch] = found;
        return good;
    }
};

/// Calls visit(source, target, number of the edge) for all mirrored arcs. One thread visits those of the rows
/// of a range, in the order of the edges, so that rows ascend and threads share no word. A thread skips
/// stretches without edges to its range. If all stretches have some, it reads all edges, which takes a
/// fraction of the time of writing the arcs.
template <class Id, class Visit>
struct for_each_mirrored {
    basic_edge<Id> const* edges;
    std::uint64_t count;
    target_span<Id> const* span;
    even_parts ranges; ///< of vertices
    bool directed;
    Visit visit;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const stretches = (count + stretch_edges - 1) / stretch_edges;
        exec::for_each_item(thread, ranges.count, [&](std::uint64_t range) {
            std::uint64_t const least = ranges.begin(range);
            std::uint64_t const past = ranges.end(range);
            for (std::uint64_t stretch = 0; stretch < stretches; ++stretch) {
                if (span[stretch].most < least || span[stretch].least >= past) continue;
                std::uint64_t const begin = stretch * stretch_edges;
                std::uint64_t const end = begin + stretch_edges < count ? begin + stretch_edges : count;
                for (std::uint64_t i = begin; i < end; ++i) {
                    basic_edge<Id> const e = edges[i];
                    if (e.target < least || e.target >= past) continue;
                    if (directed || e.source != e.target) // an undirected self-loop is one arc
                        visit(e.source, e.target, i);
                }
            }
        });
    }
};

/// mirrored[target] += 1
template <class Id>
struct count_mirrored {
    std::uint32_t* mirrored;

    RZ_HD void operator()(Id, Id target, std::uint64_t) const { ++mirrored[target]; }
};

} // namespace rhizome::graph::batch

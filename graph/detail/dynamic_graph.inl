// Bodies of dynamic_graph.hpp.
#pragma once

namespace rhizome::graph {

template <class Space, class Allocator, class Layout>
void dynamic_graph<Space, Allocator, Layout>::plan(batch::arc_keys const& keys, edge const* edges,
                                                   std::uint64_t count, bool erasing, batch::arrays& a,
                                                   std::uint64_t slots) {
    space_.fill(a.counts, 0, sizeof(*a.counts));
    launch(space_, cover_threads(space_, count), batch::make_arcs{keys, edges, count, a});
    std::uint64_t* const sorted =
        sort_keys(space_, scratch_.primitives, a.keys, a.alternate, slots, keys.bits());
    std::uint64_t* const distinct = sorted == a.keys ? a.alternate : a.keys;
    unique(space_, scratch_.primitives, sorted, distinct, &a.counts->unique_keys, slots);
    a.keys = distinct;
    a.alternate = sorted;
    launch(space_, cover_threads(space_, slots + 1), batch::mark_segments{keys, slots, a});
    exclusive_scan(space_, scratch_.primitives, a.flags, a.segment_of, slots + 1);
    launch(space_, cover_threads(space_, slots), batch::place_segments{keys, rows(), a});
    launch(space_, cover_threads(space_, slots + 1),
           batch::locate_arcs<Layout>{keys, rows(), slots, erasing, a});
    exclusive_scan(space_, scratch_.primitives, a.flags, a.before, slots + 1);
}

template <class Space, class Allocator, class Layout>
void dynamic_graph<Space, Allocator, Layout>::run(batch::arc_keys const& keys, bool erasing,
                                                  batch::arrays const& a, std::uint64_t slots) {
    auto const ref = allocator_.ref();
    using ref_type = std::remove_cv_t<decltype(ref)>;
    if (!erasing) {
        launch(space_, cover_threads(space_, slots), batch::reserve_pages<ref_type>{ref, keys, rows(), a});
        launch(space_, cover_threads(space_, slots), batch::return_pages<ref_type>{ref, a});
    }
    launch(space_, exec::cover_tiles<tuning::row_tile>(space_, slots),
           batch::move_rows<Layout, false>{keys, rows(), erasing, a});
    launch(space_, cover_blocks(space_, slots), batch::move_rows<Layout, true>{keys, rows(), erasing, a});
    if (!erasing) launch(space_, cover_threads(space_, slots), batch::fill_gaps{keys, rows(), a});
    launch(space_, cover_threads(space_, slots), batch::finish_rows<ref_type>{ref, keys, rows(), erasing, a});
}

template <class Space, class Allocator, class Layout>
batch_report dynamic_graph<Space, Allocator, Layout>::apply(edge const* edges, std::uint64_t count,
                                                            bool erasing) {
    if (count == 0) return {};
    auto const keys = batch::arc_keys::of(vertices_, stride_, options_.directed, options_.self_loops);
    std::uint64_t const slots = count * keys.arcs_per_edge();
    if (slots >= 0xffff'ffffull) throw std::length_error("a batch has at most 2^31 - 1 edges");
    batch::arrays a = scratch_.cut(slots);
    plan(keys, edges, count, erasing, a, slots);

    batch::counters counts{};
    for (bool trimmed = false;;) {
        run(keys, erasing, a, slots);
        space_.copy_out(&counts, a.counts, sizeof(counts));
        if (counts.refused_pages == 0) break;
        // Nothing was applied. The plan stands; only the pages are asked for again.
        grow_heap_for(counts.needed_bytes, count, trimmed);
        space_.fill(&a.counts->needed_bytes, 0, sizeof(counts.needed_bytes));
        space_.fill(&a.counts->refused_pages, 0, sizeof(counts.refused_pages));
    }

    if (erasing) {
        edges_ -= counts.effective_edges;
        arcs_ -= counts.effective_arcs;
    } else {
        edges_ += counts.effective_edges;
        arcs_ += counts.effective_arcs;
    }
    batch_report report;
    report.rejected = counts.rejected;
    report.self_loops_refused = counts.self_loops;
    report.duplicates = count - counts.rejected - counts.self_loops - counts.edges;
    report.applied = counts.effective_edges;
    report.without_effect = counts.edges - counts.effective_edges;
    return report;
}

/// Trims first, since pages of sizes that the graph has outgrown are often enough; then doubles the heap, or
/// adds what the batch needs where that is more; where there is less, what there is. Throws out_of_memory
/// where the heap is trimmed and cannot grow.
template <class Space, class Allocator, class Layout>
void dynamic_graph<Space, Allocator, Layout>::grow_heap_for(std::uint64_t needed_bytes, std::uint64_t edges,
                                                            bool& trimmed) {
    if (!trimmed) {
        trimmed = true;
        allocator_.trim();
        return;
    }
    constexpr std::uint64_t least_growth_bytes = 64u << 10;
    std::uint64_t const held = allocator_.heap_bytes();
    for (std::uint64_t more = std::max(needed_bytes, held); more >= least_growth_bytes; more /= 2) {
        try {
            allocator_.grow_to(held + more);
            return;
        } catch (exec::out_of_memory const&) {
            // try with less
        }
    }
    throw exec::out_of_memory("batch of " + std::to_string(edges) + " edges refused, graph unchanged",
                              needed_bytes, allocator_.audit().free_bytes);
}

template <class Space, class Allocator, class Layout>
row_audit dynamic_graph<Space, Allocator, Layout>::audit_all_rows() {
    audit_.fill_bytes(0);
    auto const ref = allocator_.ref();
    launch(space_, cover_threads(space_, vertices_ * stride_),
           audit_rows<std::remove_cv_t<decltype(ref)>>{ref, rows(), vertices_, stride_, options_.directed,
                                                       options_.self_loops, audit_.data()});
    return audit_.to_host()[0];
}

template <class Space, class Allocator, class Layout>
void dynamic_graph<Space, Allocator, Layout>::return_all_pages() noexcept {
    try {
        auto const ref = allocator_.ref();
        launch(space_, cover_threads(space_, vertices_ * stride_),
               batch::return_rows<std::remove_cv_t<decltype(ref)>>{ref, rows(), vertices_ * stride_});
        space_.synchronize();
    } catch (...) {
        // Called from the destructor: what went wrong shows in the next call on the space as well.
    }
}

template <class Space, class Allocator, class Layout>
std::vector<std::string> dynamic_graph<Space, Allocator, Layout>::validate() {
    alloc::audit_result const heap = allocator_.audit();
    std::vector<std::string> broken = heap.violations;
    row_audit const found = audit_all_rows();
    auto const expect_equal = [&](std::uint64_t left, std::uint64_t right, char const* equation) {
        if (left != right)
            broken.push_back(std::string("graph: ") + equation + ": " + std::to_string(left) +
                             " != " + std::to_string(right));
    };
    expect_equal(found.arcs, arcs_, "sum of degrees = arcs");
    expect_equal(found.overfull_rows, 0, "rows with degree > capacity = 0");
    expect_equal(found.pageless_rows, 0, "rows whose page and capacity disagree = 0");
    expect_equal(found.unsorted_places, 0, "neighbours out of order = 0");
    expect_equal(found.unknown_targets, 0, "neighbours that are no vertex = 0");
    expect_equal(found.missing_mirrors, 0, "arcs without their mirror = 0");
    expect_equal(found.refused_loops, 0, "self-loops in a graph that refuses them = 0");
    if (Allocator::ref_type::traits::reuses && Allocator::ref_type::traits::bounded)
        expect_equal(heap.live_bytes, found.pages_bytes,
                     "bytes handed out by the allocator = bytes of rows' pages");
    return broken;
}

} // namespace rhizome::graph

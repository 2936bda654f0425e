// Bodies of dynamic_graph.hpp.
#pragma once

namespace rhizome::graph {

template <class Space, class Layout, class Allocator, class EdgeValue>
template <bool Erasing>
void dynamic_graph<Space, Layout, Allocator, EdgeValue>::run_counted(batch_run const& work) {
    auto const ref = allocator_.ref();
    using ref_type = std::remove_cv_t<decltype(ref)>;
    launch(space_, cover_threads(space_, work.edge_count),
           batch::count_arcs<vertex_id, has_values>{work.rules, work.edges, work.edge_count, slots(),
                                                    work.context.a});
    launch(space_, cover_threads(space_, work.arc_count),
           batch::reserve_rows<Layout, format, ref_type, Erasing>{ref, work.rules, work.edges, work.arc_count,
                                                                  rows(), slots(), work.context.a});
    launch(space_, cover_threads(space_, work.edge_count),
           batch::scatter_arcs<vertex_id, has_values>{work.rules, work.edges, work.edge_count, slots(),
                                                      work.context.a});
    std::uint64_t const rows_at_most = work.context.a.rows_at_most;
    launch(space_, exec::cover_tiles<tuning::row_tile>(space_, rows_at_most),
           batch::merge_small_rows<Layout, format, Erasing>{work.context});
    launch(space_, cover_blocks(space_, rows_at_most),
           batch::merge_heavy_rows<Layout, format, Erasing>{work.context});
}

template <class Space, class Layout, class Allocator, class EdgeValue>
template <bool Erasing>
void dynamic_graph<Space, Layout, Allocator, EdgeValue>::run_sorted(batch_run const& work) {
    auto const ref = allocator_.ref();
    using ref_type = std::remove_cv_t<decltype(ref)>;
    auto const& a = work.context.a;
    std::uint64_t const arcs = work.arc_count;
    auto const keys = batch::packed_keys::of(work.rules);
    batch::sorting_arrays s = scratch_.cut_for_sorting(arcs, vertices_ * stride_, arcs_);
    auto const each_arc = cover_threads(space_, arcs + 1);

    launch(space_, cover_threads(space_, work.edge_count),
           batch::make_keys<vertex_id, has_values>{work.rules, keys, work.edges, work.edge_count, s, a});
    std::uint64_t* sorted = nullptr;
    if constexpr (has_values)
        sorted = sort_pairs(space_, scratch_.primitives, s.pairs, s.alternate, arcs, keys.bits()).keys;
    else
        sorted = sort_keys(space_, scratch_.primitives, s.pairs.keys, s.alternate.keys, arcs, keys.bits());
    if (sorted != s.pairs.keys) std::swap(s.pairs, s.alternate);
    launch(space_, each_arc, batch::mark_rows{keys, arcs, s});
    exclusive_scan(space_, scratch_.primitives, s.flags, s.rows_before, arcs + 1);
    launch(space_, each_arc, batch::judge_arcs<format, Erasing>{keys, arcs, s, work.context});
    exclusive_scan(space_, scratch_.primitives, s.flags, s.changes_before, arcs + 1);
    launch(space_, each_arc, batch::list_arcs<vertex_id, has_values>{keys, s, a});
    launch(space_, cover_threads(space_, a.rows_at_most),
           batch::reserve_sorted_rows<Layout, format, ref_type, Erasing>{ref, keys, rows(), s, a});
    if constexpr (has_values && !Erasing)
        launch(space_, each_arc, batch::update_values<format>{keys, arcs, s, work.context});
    launch(space_, exec::cover_tiles<tuning::row_tile>(space_, a.rows_at_most),
           batch::move_small_rows<Layout, format, Erasing>{work.context});
    launch(space_, cover_blocks(space_, a.rows_at_most + (arcs + arcs_) / tuning::piece_degree),
           batch::move_pieces<Layout, format, Erasing>{s.pieces, work.context});
}

/// The programs of a batch, one after the other. What it counted; where that says that it was stopped, the
/// graph is as it was.
template <class Space, class Layout, class Allocator, class EdgeValue>
template <bool Erasing>
batch::tallies dynamic_graph<Space, Layout, Allocator, EdgeValue>::run(batch_run const& work, bool sorting) {
    auto const ref = allocator_.ref();
    using ref_type = std::remove_cv_t<decltype(ref)>;
    auto const& a = work.context.a;
    space_.fill(a.all, 0, sizeof(*a.all));
    if (sorting)
        run_sorted<Erasing>(work);
    else
        run_counted<Erasing>(work);
    launch(space_, cover_threads(space_, a.rows_at_most),
           batch::finish_rows<Layout, format, ref_type, Erasing>{ref, slots(), work.context});
    batch::tallies found{};
    space_.copy_out(&found, a.all, sizeof(found));
    return found;
}

template <class Space, class Layout, class Allocator, class EdgeValue>
template <bool Erasing>
batch_report dynamic_graph<Space, Layout, Allocator, EdgeValue>::apply(edge const* edges,
                                                                       value_type const* values,
                                                                       std::uint64_t count) {
    if (count == 0) return {};
    batch::arc_rules<vertex_id> const rules{vertices_, stride_, options_.directed, options_.self_loops};
    std::uint64_t const arcs = count * rules.arcs_per_edge();
    if (arcs >= 0xffff'ffffull) throw std::length_error("a batch has at most 2^32 - 2 arcs");
    batch_run const work{
        edges, count, arcs, rules, {rules, rows(), values, scratch_.cut(arcs, vertices_ * stride_)}};

    batch::counters total{};
    bool sorting = arcs >= tuning::sorting_share * vertices_ * stride_;
    for (bool trimmed = false;;) {
        batch::tallies const found = run<Erasing>(work, sorting);
        total = found.total();
        if (!found.now.stopped()) break;
        // Nothing was changed. Pages of sizes that the graph has outgrown are often enough; so is what the
        // batch needs exactly, rather than at most.
        if (found.now.unsorted != 0 && !sorting) {
            sorting = true;
        } else if (!trimmed) {
            allocator_.trim();
            trimmed = true;
        } else if (!sorting) {
            sorting = true;
        } else {
            grow_heap_for(total.needed_bytes, count);
        }
    }

    if (Erasing) {
        edges_ -= total.effective_edges;
        arcs_ -= total.effective_arcs;
    } else {
        edges_ += total.effective_edges;
        arcs_ += total.effective_arcs;
    }
    batch_report report;
    report.rejected = total.rejected;
    report.self_loops_refused = total.self_loops;
    report.duplicates = count - total.rejected - total.self_loops - total.edges;
    report.applied = total.effective_edges;
    std::uint64_t const others = total.edges - total.effective_edges;
    (has_values && !Erasing ? report.updated : report.without_effect) = others;
    return report;
}

/// Doubles the heap, or adds what the batch needs where that is more; where there is less, what there is.
/// Throws out_of_memory where it cannot grow.
template <class Space, class Layout, class Allocator, class EdgeValue>
void dynamic_graph<Space, Layout, Allocator, EdgeValue>::grow_heap_for(std::uint64_t needed_bytes,
                                                                       std::uint64_t edges) {
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

template <class Space, class Layout, class Allocator, class EdgeValue>
row_audit dynamic_graph<Space, Layout, Allocator, EdgeValue>::audit_all_rows() {
    audit_.fill_bytes(0);
    auto const ref = allocator_.ref();
    launch(space_, cover_threads(space_, vertices_ * stride_),
           audit_rows<format, std::remove_cv_t<decltype(ref)>>{ref, rows(), slots(), vertices_, stride_,
                                                               options_.directed, options_.self_loops,
                                                               audit_.data()});
    return audit_.to_host()[0];
}

template <class Space, class Layout, class Allocator, class EdgeValue>
void dynamic_graph<Space, Layout, Allocator, EdgeValue>::return_all_pages() noexcept {
    try {
        auto const ref = allocator_.ref();
        launch(space_, cover_threads(space_, vertices_ * stride_),
               batch::return_rows<format, std::remove_cv_t<decltype(ref)>>{ref, rows(), vertices_ * stride_});
        space_.synchronize();
    } catch (...) {
        // Called from the destructor: what went wrong shows in the next call on the space as well.
    }
}

template <class Space, class Layout, class Allocator, class EdgeValue>
std::vector<std::string> dynamic_graph<Space, Layout, Allocator, EdgeValue>::validate() {
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
    expect_equal(found.pageless_rows, 0, "rows without the page that they need = 0");
    expect_equal(found.unsorted_places, 0, "neighbours out of order = 0");
    expect_equal(found.unknown_targets, 0, "neighbours that are no vertex = 0");
    expect_equal(found.missing_mirrors, 0, "arcs without their mirror = 0");
    expect_equal(found.unequal_values, 0, "arcs whose mirror has another value = 0");
    expect_equal(found.used_slots, 0, "rows' slots that are not 0 between batches = 0");
    expect_equal(found.refused_loops, 0, "self-loops in a graph that refuses them = 0");
    if (Allocator::ref_type::traits::reuses && Allocator::ref_type::traits::bounded)
        expect_equal(heap.live_bytes, found.pages_bytes,
                     "bytes handed out by the allocator = bytes of rows' pages");
    return broken;
}

} // namespace rhizome::graph

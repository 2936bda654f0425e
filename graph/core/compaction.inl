// SPDX-License-Identifier: Apache-2.0
// How a graph makes its heap smaller. Bodies of graph_core.hpp.
#pragma once

namespace rhizome::graph {

/// Moves rows for `Reason` to other pages. Adds the number of bytes that are copied to moved_bytes_, which
/// stays at most `most_moved_bytes`.
template <class Types>
template <batch::move_reason Reason>
void graph_core<Types>::move_rows(std::uint64_t most_moved_bytes) {
    auto const ref = allocator_.ref();
    launch(space_, cover_threads(space_, vertices_ * stride_),
           batch::move_rows<format, std::remove_cv_t<decltype(ref)>, Reason>{
               ref, rows(), vertices_ * stride_, most_moved_bytes, moved_bytes_.data()});
}

/// Compacts at the user's request.
template <class Types>
compaction_report graph_core<Types>::compact(std::uint64_t most_moved_bytes) {
    auto const caller = caller_.enter();
    integrity_.expect_whole();
    if constexpr (!compacts) return {};
    batch::on_exit const noted([&] { trigger_.after_request(); });
    return compact_now(most_moved_bytes);
}

/// In three steps, after each of which the graph is whole:
/// 1. Rows in too large pages get smaller ones.
/// 2. Rows move out of sparse chunks into free pages of other chunks.
/// 3. Chunks move from the end of the heap into free chunks, and the end is given back. Free pages are then
///    in the queues, as after a batch that trims the heap.
/// Without a limit of moved bytes, the host does not wait for the rows to be moved: it reads their bytes
/// last.
template <class Types>
compaction_report graph_core<Types>::compact_now(std::uint64_t most_moved_bytes) {
    compaction_report report;
    if constexpr (compacts) {
        if (!has_memory_to_give()) return report;
        auto const held_bytes = [&] { return allocator_.heap_bytes() + allocator_.table_bytes(); };
        bool const limited = most_moved_bytes != std::numeric_limits<std::uint64_t>::max();
        auto const left = [&] {
            return limited ? most_moved_bytes - moved_bytes_.to_host()[0] : most_moved_bytes;
        };
        std::uint64_t const held_before = held_bytes();
        batch::on_exit const noted([&] { growth_.after_compaction(); });
        batch::on_exception const queue_pages(
            [&] { integrity_.prepare([&] { growth_.after_refusal(allocator_); }); });
        roomy_arcs_ = 0;
        packed_bytes_ = 0;
        integrity_.change([&] {
            moved_bytes_.fill_bytes(0);
            if (vertices_ != 0) move_rows<batch::move_reason::oversized>(most_moved_bytes);
        });
        bool const withholds =
            integrity_.change_or_refuse([&] { return allocator_.withhold_sparse_chunks(1, left()); }) != 0;
        if (withholds) integrity_.change([&] { move_rows<batch::move_reason::withheld>(most_moved_bytes); });
        integrity_.change_or_refuse([&] { // ends the withholding, also if it is refused
            auto const chunks = allocator_.pack_chunks(left());
            if (chunks.bytes() == 0) return;
            // A failure from here on leaves rows that lie in chunks which are free.
            integrity_.change([&] {
                launch(space_, cover_threads(space_, vertices_ * stride_),
                       batch::follow_moved_chunks<format>{chunks.ref(), rows(), vertices_ * stride_});
            });
            report.moved_bytes += chunks.bytes();
        });
        report.moved_bytes += integrity_.change([&] { return moved_bytes_.to_host()[0]; });
        report.returned_bytes = held_before - std::min(held_before, held_bytes());
        if (!limited) integrity_.prepare([&] { packed_bytes_ = growth_.bytes_in_use(allocator_); });
    }
    return report;
}

/// Whether more of the heap is free, or in too large pages, than a compacted heap keeps. Changes nothing: a
/// pass over the rows.
template <class Types>
bool graph_core<Types>::has_memory_to_give() {
    std::uint64_t const fitted_bytes = audit_all_rows().fitted_bytes;
    return allocator_.heap_bytes() > fitted_bytes + fitted_bytes / tuning::packed_heap_share;
}

/// Compacts the graph after a batch of so many edges that was applied, if the options allow it and it is due.
template <class Types>
void graph_core<Types>::compact_after_batch(std::uint64_t edges) noexcept {
    if constexpr (compacts) {
        if (!options_.compacts) return;
        constexpr std::uint64_t arc_bytes = sizeof(id_type) + format::value_bytes;
        std::uint64_t const row_bytes = vertices_ * stride_ * sizeof(std::uint64_t);
        bool const due = trigger_.after_batch({allocator_.heap_bytes(), options_.heap_bytes,
                                               table_bytes_that_count(), row_bytes + arcs_ * arc_bytes,
                                               edges * current_rules().arcs_per_edge() * arc_bytes});
        if (!due) return;
        integrity_.prepare([&] {
            std::uint64_t const heap_before = allocator_.heap_bytes();
            // Also where memory for a plan is lacking: the next batch would try in vain again.
            batch::on_exit const noted(
                [&] { trigger_.after_compaction(heap_before, allocator_.heap_bytes()); });
            static_cast<void>(compact_now(std::numeric_limits<std::uint64_t>::max()));
        });
    }
}

} // namespace rhizome::graph

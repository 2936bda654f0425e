// SPDX-License-Identifier: Apache-2.0
// How a graph makes its heap smaller. Bodies of graph_core.hpp.
#pragma once

namespace rhizome::graph {

/// Moves rows for `Reason` to other pages. The number of bytes that are copied is then in moved_bytes_.
template <class Types>
template <batch::move_reason Reason>
void graph_core<Types>::move_rows(std::uint64_t most_moved_bytes) {
    moved_bytes_.fill_bytes(0);
    auto const ref = allocator_.ref();
    launch(space_, cover_threads(space_, vertices_ * stride_),
           batch::move_rows<format, std::remove_cv_t<decltype(ref)>, Reason>{
               ref, rows(), vertices_ * stride_, most_moved_bytes, moved_bytes_.data()});
}

/// In three steps, after each of which the graph is whole:
/// 1. Rows in too large pages get smaller ones.
/// 2. Rows move out of sparse chunks into free pages of other chunks.
/// 3. Chunks move from the end of the heap into free chunks, and the end is given back.
template <class Types>
compaction_report graph_core<Types>::compact(std::uint64_t most_moved_bytes) {
    integrity_.expect_whole();
    compaction_report report;
    if constexpr (compacts) {
        auto const held_bytes = [&] { return allocator_.heap_bytes() + allocator_.table_bytes(); };
        auto const left = [&] { return most_moved_bytes - report.moved_bytes; };
        std::uint64_t const heap_before = allocator_.heap_bytes();
        std::uint64_t const held_before = held_bytes();
        roomy_arcs_ = 0;
        if (vertices_ != 0)
            integrity_.change([&] {
                move_rows<batch::move_reason::oversized>(left());
                report.moved_bytes += moved_bytes_.to_host()[0];
            });
        bool const withholds =
            integrity_.change_or_refuse([&] { return allocator_.withhold_sparse_chunks(1, left()); }) != 0;
        if (withholds)
            integrity_.change([&] {
                move_rows<batch::move_reason::withheld>(left());
                allocator_.trim();
                report.moved_bytes += moved_bytes_.to_host()[0];
            });
        integrity_.change_or_refuse([&] {
            auto const chunks = allocator_.pack_chunks(left());
            if (chunks.bytes() == 0) return;
            // A failure from here on leaves rows that lie in chunks which are free.
            integrity_.change([&] {
                launch(space_, cover_threads(space_, vertices_ * stride_),
                       batch::follow_moved_chunks<format>{chunks.ref(), rows(), vertices_ * stride_});
            });
            report.moved_bytes += chunks.bytes();
        });
        growth_.after_compaction();
        trigger_.after_compaction(heap_before, allocator_.heap_bytes());
        report.returned_bytes = held_before - std::min(held_before, held_bytes());
    }
    return report;
}

/// Compacts the graph after a batch that was applied, if the options allow it and it is due.
template <class Types>
void graph_core<Types>::compact_after_batch() noexcept {
    if constexpr (compacts) {
        if (!options_.compacts) return;
        std::uint64_t const row_bytes = vertices_ * stride_ * sizeof(std::uint64_t);
        bool const due =
            trigger_.after_batch({allocator_.heap_bytes(), options_.heap_bytes, table_bytes_that_count(),
                                  row_bytes + arcs_ * (sizeof(id_type) + format::value_bytes)});
        if (due)
            integrity_.prepare(
                [&] { static_cast<void>(compact(std::numeric_limits<std::uint64_t>::max())); });
    }
}

} // namespace rhizome::graph

// SPDX-License-Identifier: Apache-2.0
// When a graph compacts itself after a batch.
#pragma once

#include <rhizome/graph/tuning.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::graph::batch {

/// Decides after each batch. A graph compacts itself once its memory is more than twice that of compressed
/// sparse rows, and the batches since the last compaction had arcs of 1/compaction_work_share of the heap's
/// bytes: the work of a compaction, which is in proportion to the heap, then adds a bounded share to the work
/// of the batches.
///
/// A stream of batches that needs a large heap again and again would pay for each compaction twice: with the
/// moves, and with the growth of the next batch. So a compaction that was in vain doubles the number of
/// batches before the next one, and another one halves it. It was in vain if it gave back little, or nothing
/// for lack of memory, or if the heap was too large again within tuning::compaction_batches batches.
class compaction_trigger {
public:
    /// Sizes in bytes after a batch.
    struct sizes {
        std::uint64_t heap;
        std::uint64_t first_heap; ///< at the start: the heap cannot become smaller
        std::uint64_t vertex_table;
        std::uint64_t compressed_rows; ///< of the graph, with values
        std::uint64_t batch;           ///< the arcs of the batch, with values
    };

    /// Called once after each batch. Whether the graph is to be compacted now.
    [[nodiscard]] bool after_batch(sizes const& now) {
        ++batches_;
        batch_bytes_ += now.batch;
        if (now.heap <= std::max(tuning::least_compacted_heap_bytes, 2 * now.first_heap) ||
            now.heap + now.vertex_table <= tuning::compacted_times * now.compressed_rows)
            return false;
        if (!judged_) {
            judged_ = true;
            if (batches_ >= tuning::compaction_batches)
                wait_ = std::max<std::uint64_t>(wait_ / 2, 1);
            else
                wait_longer();
        }
        return batches_ >= wait_ && batch_bytes_ >= now.heap / tuning::compaction_work_share;
    }
    /// After a compaction to which after_batch() has led, also if it has failed.
    void after_compaction(std::uint64_t heap_before, std::uint64_t heap_now) {
        begin_again();
        judged_ = heap_before - std::min(heap_before, heap_now) < heap_before / tuning::least_compaction_gain;
        if (judged_) wait_longer();
    }
    /// After a compaction that the user asked for: it says nothing about how long one lasts.
    void after_request() {
        begin_again();
        judged_ = true;
    }

private:
    void begin_again() {
        batches_ = 0;
        batch_bytes_ = 0;
    }
    void wait_longer() { wait_ = std::min(2 * wait_, tuning::most_compaction_wait); }

    std::uint64_t batches_ = tuning::compaction_batches; ///< since the last compaction
    std::uint64_t batch_bytes_ = 0;                      ///< of their arcs
    std::uint64_t wait_ = 1;                             ///< so many batches before the next one
    bool judged_ = false; ///< whether the last compaction was in vain has been found
};

} // namespace rhizome::graph::batch

// SPDX-License-Identifier: Apache-2.0
// When a graph compacts itself after a batch.
#pragma once

#include <rhizome/graph/tuning.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::graph::batch {

/// Decides after each batch. A graph compacts itself once its memory is more than twice that of compressed
/// sparse rows. A stream of batches that needs a large heap again and again would pay for each compaction
/// twice: with the moves, and with the growth of the next batch. So a compaction that was in vain doubles the
/// number of batches before the next one. It was in vain if it gave back little, or if the heap was too large
/// again within tuning::compaction_batches batches.
class compaction_trigger {
public:
    /// Sizes in bytes after a batch.
    struct sizes {
        std::uint64_t heap;
        std::uint64_t first_heap; ///< at the start: the heap cannot become smaller
        std::uint64_t vertex_table;
        std::uint64_t compressed_rows; ///< of the graph, with values
    };

    /// Called once after each batch. Whether the graph is to be compacted now.
    [[nodiscard]] bool after_batch(sizes const& now) {
        ++batches_;
        if (now.heap <= std::max(tuning::least_compacted_heap_bytes, 2 * now.first_heap) ||
            now.heap + now.vertex_table <= tuning::compacted_times * now.compressed_rows)
            return false;
        if (!has_been_large_) {
            has_been_large_ = true;
            if (batches_ >= tuning::compaction_batches)
                wait_ = 1;
            else
                wait_longer();
        }
        return batches_ >= wait_;
    }
    /// After a compaction, also one that the user asked for.
    void after_compaction(std::uint64_t heap_before, std::uint64_t heap_now) {
        batches_ = 0;
        has_been_large_ = false;
        if (heap_before - heap_now < heap_before / tuning::least_compaction_gain) wait_longer();
    }

private:
    void wait_longer() { wait_ = std::min(2 * wait_, tuning::most_compaction_wait); }

    std::uint64_t batches_ = tuning::compaction_batches; ///< since the last compaction
    std::uint64_t wait_ = 1;                             ///< so many batches before the next one
    bool has_been_large_ = false; ///< since the last compaction the heap has been too large
};

} // namespace rhizome::graph::batch

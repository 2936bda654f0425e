// SPDX-License-Identifier: Apache-2.0
// When a graph gives the scratch of its batches back.
#pragma once

#include <rhizome/graph/tuning.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::graph::batch {

/// Decides after each batch. Scratch has the size that the largest batch needed. A graph gives it back once
/// tuning::small_batches batches in a row had at most 1/small_batch_share of the edges of the largest one
/// since the last return. The next batch then allocates what it needs.
///
/// A stream in which large batches come now and then would allocate scratch for each of them. So a return was
/// in vain if a large batch came within as many batches again: it doubles the number of small batches before
/// the next return, and another one halves it.
class scratch_trigger {
public:
    /// Called once after each batch, with its edges. Whether scratch is to be given back now.
    [[nodiscard]] bool after_batch(std::uint64_t edges) {
        ++batches_;
        if (!judged_ && edges > returned_edges_ / tuning::small_batch_share) {
            judged_ = true;
            if (batches_ <= wait_)
                wait_ = std::min(2 * wait_, tuning::most_small_batches);
            else
                wait_ = std::max(wait_ / 2, tuning::small_batches);
        }
        if (edges > largest_ / tuning::small_batch_share) {
            largest_ = std::max(largest_, edges);
            small_batches_ = 0;
            largest_small_ = 0;
            return false;
        }
        largest_small_ = std::max(largest_small_, edges);
        if (++small_batches_ < wait_) return false;
        returned_edges_ = largest_;
        largest_ = largest_small_;
        judged_ = false;
        batches_ = small_batches_ = largest_small_ = 0;
        return true;
    }

    /// After a return that the user asked for: it says nothing about when large batches come.
    void after_release() {
        largest_ = largest_small_ = small_batches_ = 0;
        judged_ = true;
    }

private:
    std::uint64_t largest_ = 0;       ///< edges of a batch since the last return
    std::uint64_t largest_small_ = 0; ///< of the last `small_batches_` batches
    std::uint64_t small_batches_ = 0; ///< in a row
    std::uint64_t wait_ = tuning::small_batches;
    std::uint64_t batches_ = 0;        ///< since the last return
    std::uint64_t returned_edges_ = 0; ///< for which the scratch was that was given back last
    bool judged_ = true;               ///< whether the last return was in vain has been found
};

} // namespace rhizome::graph::batch

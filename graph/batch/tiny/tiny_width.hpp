// SPDX-License-Identifier: Apache-2.0
// How many blocks a tiny batch takes, and whether it is worth a try.
#pragma once

#include <rhizome/graph/tuning.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::graph::batch {

/// A launch of one block ends sooner, but some batches need all of the device. The host cannot know which: it
/// expects of a batch what the batches before it needed.
class tiny_width {
public:
    [[nodiscard]] bool takes_all_blocks() const { return narrow_left_ != 0; }
    /// Called before a batch. Whether it should take the ordinary steps at once.
    [[nodiscard]] bool skips() {
        if (skips_left_ == 0) return false;
        --skips_left_;
        return true;
    }
    /// After a batch, applied or declined, also by one block before all blocks try it.
    void after_batch(bool needs_all_blocks) {
        if (needs_all_blocks)
            narrow_left_ = tuning::tiny_narrow_batches;
        else if (narrow_left_ != 0)
            --narrow_left_;
        if (skipped_ != 0) skipped_ /= 2;
    }
    /// After a batch that not even all blocks apply: a row is too long, or the device has no room for so many
    /// blocks. The next ones would meet the same, so one is tried after one, three, seven, ... others.
    void after_vain_try() {
        skipped_ = std::min(2 * skipped_ + 1, tuning::tiny_skipped_batches);
        skips_left_ = skipped_;
    }

private:
    std::uint32_t narrow_left_ = 0; ///< batches that must not need all blocks until the next one takes one
    std::uint32_t skipped_ = 0;     ///< batches, after the last try in vain
    std::uint32_t skips_left_ = 0;  ///< of these
};

} // namespace rhizome::graph::batch

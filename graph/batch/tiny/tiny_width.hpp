// SPDX-License-Identifier: Apache-2.0
// How many blocks a tiny batch takes.
#pragma once

#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// A launch of one block ends sooner, but some batches need all of the device. The host cannot know which: it
/// expects of a batch what the batches before it needed.
class tiny_width {
public:
    [[nodiscard]] bool takes_all_blocks() const { return narrow_left_ != 0; }
    /// After a batch, applied or declined.
    void after_batch(bool needs_all_blocks) {
        if (needs_all_blocks)
            narrow_left_ = tuning::tiny_narrow_batches;
        else if (narrow_left_ != 0)
            --narrow_left_;
    }

private:
    std::uint32_t narrow_left_ = 0; ///< batches that must not need all blocks until the next one takes one
};

} // namespace rhizome::graph::batch

// SPDX-License-Identifier: Apache-2.0
// The memory of ranks that the next run may start from.
#pragma once

#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/workspace.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace rhizome::algorithms::detail {

/// Keeps the memory of ranks between runs.
template <class Space, class Real>
class kept_ranks {
public:
    /// `scratch`: source of the memory; nullptr: the space.
    kept_ranks(Space space, exec::memory_resource* scratch)
        : space_(space), scratch_(scratch), memory_(std::move(space), scratch) {}

    /// Room for `vertices` ranks, undefined. But if `start` is what the last call returned, the first
    /// `start_count` of them stay, and `start` becomes their new address. Throws out_of_memory.
    [[nodiscard]] Real* room(std::uint64_t vertices, Real const*& start, std::uint64_t start_count) {
        if (start == nullptr || start != last_ || vertices <= room_) {
            last_ = memory_.template at_least_of<Real>(vertices);
        } else {
            exec::workspace<Space> larger(space_, scratch_);
            auto* const ranks = larger.template at_least_of<Real>(vertices);
            space_.copy(ranks, start, std::min(start_count, room_) * sizeof(Real));
            memory_ = std::move(larger); // swaps: `larger` frees the old ranks
            start = last_ = ranks;
        }
        room_ = std::max(room_, vertices);
        return last_;
    }

private:
    Space space_;
    exec::memory_resource* scratch_;
    exec::workspace<Space> memory_;
    Real* last_ = nullptr;   ///< what the last call returned
    std::uint64_t room_ = 0; ///< ranks for which there is room
};

} // namespace rhizome::algorithms::detail

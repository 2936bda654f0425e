// SPDX-License-Identifier: Apache-2.0
// What the threads of a launch ask for.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::runtime {

/// `count` requests, one per thread or one per warp. The table of pointers has a slot for each; the sizes are
/// a function of the slot, so that a later kernel knows how large each block is.
struct requests {
    std::uint64_t count = 0;
    std::uint64_t lowest_bytes = 16;
    std::uint64_t highest_bytes = 16; ///< sizes are spread evenly over what lies between
    std::uint64_t seed = 1;
    bool one_a_warp = false; ///< only the first lane of each warp asks
    bool apart = false;      ///< every second request goes to the upper half of the slots

    [[nodiscard]] RZ_HD std::uint64_t bytes_at(std::uint64_t slot) const {
        if (lowest_bytes == highest_bytes) return lowest_bytes;
        std::uint64_t bits = (slot + seed * 0x9e37'79b9'7f4a'7c15ull) * 0xff51'afd7'ed55'8ccdull;
        bits = (bits ^ bits >> 32) * 0xc4ce'b9fe'1a85'ec53ull >> 32;
        return lowest_bytes + (bits * (highest_bytes - lowest_bytes + 1) >> 32); // no division in a kernel
    }

    /// Where the pointer of the i-th request goes, from the first slot of the launch on.
    [[nodiscard]] RZ_HD std::uint64_t slot_of(std::uint64_t i) const {
        if (!apart) return i;
        std::uint64_t const lower = count - count / 2;
        return i % 2 == 0 ? i / 2 : lower + i / 2;
    }
};

/// What a look at blocks found.
struct findings {
    std::uint64_t refused;    ///< nullptr
    std::uint64_t misaligned; ///< not a multiple of the allocator's alignment
    std::uint64_t damaged;    ///< blocks that do not hold what their owner wrote
};

/// Where blocks lie. Without any: lowest_address > highest_end.
struct address_span {
    std::uint64_t lowest_address;
    std::uint64_t highest_end;
    std::uint64_t asked_bytes; ///< of the blocks that were served
};

} // namespace rhizome::runtime

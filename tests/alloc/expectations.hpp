// SPDX-License-Identifier: Apache-2.0
// What conformance tests expect again and again.
#pragma once

#include "blocks.hpp"

#include <gtest/gtest.h>
#include <scale.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace rhizome::tests {

/// 95 %: what a size must get out of a heap before it is refused.
[[nodiscard]] constexpr std::uint64_t most_of(std::uint64_t blocks) { return blocks * 95 / 100; }

/// How many blocks fewer a heap may serve after all of it came back. An allocator that places runs of pages
/// anywhere leaves gaps between them where threads collide, now here and now there. Under ThreadSanitizer a
/// thread may be stopped for long while it takes a run, and others collide with it again and again: 62 blocks
/// of 33 pages then lost up to 7, of 360 tries on busy cores.
template <class Case>
[[nodiscard]] constexpr std::uint64_t lost_to_gaps(std::uint64_t blocks) {
    return std::is_same_v<typename Case::allocator, random_walk_malloc_256>
               ? blocks / (sanitized ? 8 : 100) + 1
               : 0;
}

/// What queues have taken of the heap for themselves.
template <class Case>
[[nodiscard]] std::uint64_t queue_bytes(heap<Case>& tested) {
    return tested.owner().audit().overhead_bytes;
}

/// Whether blocks of that size can be had at all.
template <class Case>
[[nodiscard]] constexpr bool serves(std::uint64_t bytes) {
    return bytes <= Case::traits::largest_bytes;
}

/// `bytes`, or the largest block that there is where that is less.
template <class Case>
[[nodiscard]] constexpr std::uint64_t served_size(std::uint64_t bytes) {
    return serves<Case>(bytes) ? bytes : std::uint64_t{Case::traits::largest_bytes};
}

template <class Case>
void expect_sound(heap<Case>& tested) {
    for (std::string const& violation : tested.owner().audit().violations)
        ADD_FAILURE() << violation;
}

/// What a block takes of the heap beside its usable bytes, if nothing else lies in its superblock.
template <class Case>
[[nodiscard]] constexpr std::uint64_t bytes_beside() {
    return head_bytes_of<typename Case::owner>;
}

/// A heap that is not the allocator's own cannot be audited: its audit has to claim nothing.
template <class Case>
void expect_live_bytes(heap<Case>& tested, std::uint64_t bytes) {
    alloc::audit_result const found = tested.owner().audit();
    if (!Case::traits::bounded) {
        EXPECT_EQ(found.live_bytes + found.free_bytes + found.marked_bytes + found.overhead_bytes, 0u);
        return;
    }
    if (shares_superblocks<typename Case::owner> && bytes != 0) {
        EXPECT_GE(found.live_bytes, bytes);
    } else {
        EXPECT_EQ(found.live_bytes, bytes);
    }
    EXPECT_LE(found.live_bytes + found.free_bytes + found.overhead_bytes, tested.owner().heap_bytes());
}

/// Nothing is live, and all of the heap can be had again: as one piece, or as the largest blocks that there
/// are. For a heap that has been trimmed.
template <class Case>
void expect_whole(heap<Case>& tested) {
    std::uint64_t const heap_bytes = tested.owner().heap_bytes();
    expect_live_bytes(tested, 0);
    EXPECT_EQ(tested.owner().audit().free_bytes, heap_bytes);
    std::uint64_t const bytes = served_size<Case>(heap_bytes - bytes_beside<Case>());
    block_set const all = tested.take(heap_bytes / bytes, bytes);
    EXPECT_EQ(all.served(), heap_bytes / bytes) << "in pieces of " << bytes << " bytes";
    tested.give_back(all);
}

/// Some blocks at least: disjoint, aligned, and within one heap.
template <class Case>
void expect_apart(heap<Case>& tested, block_set const& set) {
    EXPECT_GT(set.served(), 0u);
    std::uint64_t span = 0;
    EXPECT_EQ(overlaps(tested.owner().ref(), set, span), 0u);
    if (Case::traits::bounded) {
        EXPECT_LE(span, tested.owner().heap_bytes());
    }
    std::uint64_t misaligned = 0;
    for (void* const block : set.at)
        misaligned += reinterpret_cast<std::uintptr_t>(block) % Case::traits::alignment_bytes != 0 ? 1 : 0;
    EXPECT_EQ(misaligned, 0u);
}

} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// Index arithmetic of an array in doubling buckets: the bucket and the place of each element, each twice as
// large as the one before (LFVector, as GGArray, section III, uses it).
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <bit>
#include <concepts>
#include <cstdint>

namespace rhizome::container {

/// Bucket 0 has `First` elements, bucket k has First * 2^k. Element i of the array is element place_of(i) of
/// bucket bucket_of(i). All numbers are elements or buckets, none are bytes; Index is wide enough for every
/// element and for room() of every bucket. Cost of each function: a few instructions, without memory.
template <std::unsigned_integral Index, Index First>
struct doubling_buckets {
    static_assert(std::has_single_bit(First), "the first bucket has a power of two of elements");

    /// Elements of bucket `number`.
    [[nodiscard]] static RZ_HD constexpr Index room(std::uint32_t number) { return First << number; }
    /// The element at place 0 of bucket `number`; also the elements of all buckets before it.
    [[nodiscard]] static RZ_HD constexpr Index first_of(std::uint32_t number) { return room(number) - First; }
    /// The bucket of element `index`. Precondition: index / First is not the greatest Index.
    [[nodiscard]] static RZ_HD constexpr std::uint32_t bucket_of(Index index) {
        return exec::bit_width(index / First + 1) - 1;
    }
    /// The place of element `index` in its bucket.
    [[nodiscard]] static RZ_HD constexpr Index place_of(Index index) {
        return index - first_of(bucket_of(index));
    }
    /// Elements that the first `count` buckets hold.
    [[nodiscard]] static RZ_HD constexpr Index capacity_of(std::uint32_t count) { return first_of(count); }
    /// The fewest buckets that hold `size` elements.
    [[nodiscard]] static RZ_HD constexpr std::uint32_t buckets_for(Index size) {
        return size == 0 ? 0 : bucket_of(size - 1) + 1;
    }
};

} // namespace rhizome::container

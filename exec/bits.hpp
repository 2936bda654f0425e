// SPDX-License-Identifier: Apache-2.0
// Bits of a word, on host and device: the functions of <bit> under their names, and some that it lacks.
#pragma once

#include <rhizome/exec/config.hpp>

#if defined(__CUDACC__)
#include <cuda/std/bit>
#else
#include <bit>
#endif

#include <concepts>
#include <cstdint>
#include <limits>

namespace rhizome::exec {

namespace detail {
// std::bit_width and others compile in device code and give wrong results there.
#if defined(__CUDACC__)
namespace bit_library = ::cuda::std;
#else
namespace bit_library = ::std;
#endif
} // namespace detail

// The functions of <bit>; counts are std::uint32_t. On the device each is one or two instructions (popc, clz,
// brev, bfind), fewer for 32 bits than for 64.

/// The value of another type with the same bits.
template <class To, class From>
[[nodiscard]] RZ_HD constexpr To bit_cast(From const& value) {
    return detail::bit_library::bit_cast<To>(value);
}

template <std::unsigned_integral T>
[[nodiscard]] RZ_HD constexpr std::uint32_t popcount(T bits) {
#if defined(__CUDACC__) || defined(__POPCNT__)
    return static_cast<std::uint32_t>(detail::bit_library::popcount(bits));
#else
    // On a target without the instruction, GCC calls a library function for std::popcount, which is slower.
    std::uint64_t sums = bits;
    sums -= sums >> 1 & 0x5555'5555'5555'5555ull;
    sums = (sums & 0x3333'3333'3333'3333ull) + (sums >> 2 & 0x3333'3333'3333'3333ull);
    sums = (sums + (sums >> 4)) & 0x0f0f'0f0f'0f0f'0f0full;
    return static_cast<std::uint32_t>((sums * 0x0101'0101'0101'0101ull) >> 56);
#endif
}
template <std::unsigned_integral T>
[[nodiscard]] RZ_HD constexpr std::uint32_t countr_zero(T bits) {
    return static_cast<std::uint32_t>(detail::bit_library::countr_zero(bits));
}
template <std::unsigned_integral T>
[[nodiscard]] RZ_HD constexpr std::uint32_t countr_one(T bits) {
    return static_cast<std::uint32_t>(detail::bit_library::countr_one(bits));
}
template <std::unsigned_integral T>
[[nodiscard]] RZ_HD constexpr std::uint32_t countl_zero(T bits) {
    return static_cast<std::uint32_t>(detail::bit_library::countl_zero(bits));
}
template <std::unsigned_integral T>
[[nodiscard]] RZ_HD constexpr std::uint32_t countl_one(T bits) {
    return static_cast<std::uint32_t>(detail::bit_library::countl_one(bits));
}
/// One more than the place of the highest set bit; 0 for 0.
template <std::unsigned_integral T>
[[nodiscard]] RZ_HD constexpr std::uint32_t bit_width(T bits) {
    return static_cast<std::uint32_t>(detail::bit_library::bit_width(bits));
}
/// The largest power of two that is not above `bits`; 0 for 0.
template <std::unsigned_integral T>
[[nodiscard]] RZ_HD constexpr T bit_floor(T bits) {
    return detail::bit_library::bit_floor(bits);
}
/// The smallest power of two that is not below `bits`, which T can hold.
template <std::unsigned_integral T>
[[nodiscard]] RZ_HD constexpr T bit_ceil(T bits) {
    return detail::bit_library::bit_ceil(bits);
}
/// Rotates right: bit `by` moves to place 0. `by` is unsigned, since the signed argument of <bit> costs
/// branches.
template <std::unsigned_integral T>
[[nodiscard]] RZ_HD constexpr T rotr(T bits, std::uint32_t by) {
    constexpr std::uint32_t width = std::numeric_limits<T>::digits;
    by %= width;
    return by == 0 ? bits : static_cast<T>(bits >> by | bits << (width - by));
}

/// The place of set bit number `rank`, counted from the lowest; more than `rank` bits are set. For rank 0,
/// countr_zero() is cheaper.
[[nodiscard]] RZ_HD constexpr std::uint32_t nth_bit(std::uint64_t bits, std::uint64_t rank) {
    std::uint32_t place = 0;
    for (std::uint32_t half = 32; half != 0; half /= 2) {
        std::uint32_t const lower = popcount(bits & ((std::uint64_t{1} << half) - 1));
        if (rank < lower) continue;
        rank -= lower;
        bits >>= half;
        place += half;
    }
    return place;
}

/// The lowest `wanted` set bits, or all where fewer are set.
[[nodiscard]] RZ_HD constexpr std::uint64_t lowest_bits(std::uint64_t bits, std::uint64_t wanted) {
    if (wanted >= popcount(bits)) return bits;
    return bits & ((std::uint64_t{1} << nth_bit(bits, wanted)) - 1);
}

/// Bits [begin, end) of a word, 0 <= begin <= end <= 64.
[[nodiscard]] RZ_HD constexpr std::uint64_t bit_range(std::uint32_t begin, std::uint32_t end) {
    std::uint64_t const below_end = end == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1;
    std::uint64_t const below_begin = begin == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << begin) - 1;
    return below_end & ~below_begin;
}

} // namespace rhizome::exec

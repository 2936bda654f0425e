// Counting and choosing bits of a word, on host and device, without loops over them.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc::detail {

[[nodiscard]] RZ_HD constexpr std::uint32_t count_bits(std::uint64_t bits) {
    bits -= bits >> 1 & 0x5555'5555'5555'5555ull;
    bits = (bits & 0x3333'3333'3333'3333ull) + (bits >> 2 & 0x3333'3333'3333'3333ull);
    bits = (bits + (bits >> 4)) & 0x0f0f'0f0f'0f0f'0f0full;
    return static_cast<std::uint32_t>((bits * 0x0101'0101'0101'0101ull) >> 56);
}

/// The place of the highest set bit; bits != 0. Not std::bit_width, which device code compiles and gets
/// wrong.
[[nodiscard]] RZ_HD constexpr std::uint32_t highest_bit(std::uint64_t bits) {
    std::uint32_t place = 0;
    for (std::uint32_t half = 32; half != 0; half /= 2) {
        if (bits >> half == 0) continue;
        bits >>= half;
        place += half;
    }
    return place;
}

/// The place of set bit number `rank`, counted from the lowest; there are more than `rank`.
[[nodiscard]] RZ_HD constexpr std::uint32_t nth_bit(std::uint64_t bits, std::uint64_t rank) {
    std::uint32_t place = 0;
    for (std::uint32_t half = 32; half != 0; half /= 2) {
        std::uint32_t const lower = count_bits(bits & ((std::uint64_t{1} << half) - 1));
        if (rank < lower) continue;
        rank -= lower;
        bits >>= half;
        place += half;
    }
    return place;
}

/// The lowest `wanted` set bits, or all where there are fewer.
[[nodiscard]] RZ_HD constexpr std::uint64_t lowest_bits(std::uint64_t bits, std::uint64_t wanted) {
    if (wanted >= count_bits(bits)) return bits;
    return bits & ((std::uint64_t{1} << nth_bit(bits, wanted)) - 1);
}

/// Bit `turn` comes to place 0, and so on round; 0 <= turn <= 64.
[[nodiscard]] RZ_HD constexpr std::uint64_t turned(std::uint64_t bits, std::uint32_t turn) {
    return turn % 64 == 0 ? bits : bits >> turn | bits << (64 - turn);
}

/// Bits [begin, end) of a word, 0 <= begin <= end <= 64.
[[nodiscard]] RZ_HD constexpr std::uint64_t bit_range(std::uint32_t begin, std::uint32_t end) {
    std::uint64_t const below_end = end == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1;
    std::uint64_t const below_begin = begin == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << begin) - 1;
    return below_end & ~below_begin;
}

} // namespace rhizome::alloc::detail

// SPDX-License-Identifier: Apache-2.0
// The prefix sums of 256 counts by one warp, on the matrix units of the device.
//
// mma.m16n8k16 multiplies A (16 x 16) by B (16 x 8) and adds C (16 x 8). With g = lane / 4 and t = lane % 4,
// a lane holds (PTX ISA, "Matrix Fragments for mma.m16n8k16"):
//   A: rows g and g + 8, columns 2t, 2t + 1, 2t + 8, 2t + 9, two neighbouring columns in a register
//   B: column g, rows 2t, 2t + 1, 2t + 8, 2t + 9, two neighbouring rows in a register
//   C: rows g and g + 8, columns 2t and 2t + 1
// So two neighbouring products C, rounded to 16 bits, are an A.
#pragma once

#include <rhizome/exec/cuda/group.hpp>

#include <cstdint>

namespace rhizome::exec::detail {

/// Two numbers of 16 bits: 1 where the condition holds, 0 otherwise.
__device__ __forceinline__ std::uint32_t ones_where(bool low, bool high) {
    return (low ? 0x3c00u : 0u) | (high ? 0x3c00u << 16 : 0u);
}

__device__ __forceinline__ std::uint16_t matrix_count(cuda_tile<32> const&, std::uint32_t count) {
    std::uint16_t bits;
    asm("cvt.rn.f16.u32 %0, %1;" : "=h"(bits) : "r"(count));
    return bits;
}

__device__ __forceinline__ std::uint32_t to_pair(float low, float high) {
    std::uint32_t pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

/// c += a * b.
__device__ __forceinline__ void multiply_add(float (&c)[4], std::uint32_t const (&a)[4],
                                             std::uint32_t const (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// As the general scan_square (exec/matrix_scan.hpp). `counts` are numbers of 16 bits from matrix_count().
__device__ __forceinline__ void scan_square(cuda_tile<32> const& warp, std::uint16_t const* counts,
                                            std::uint32_t* before, std::uint32_t& total) {
    std::uint32_t const g = warp.rank() / 4;
    std::uint32_t const t = warp.rank() % 4;
    auto const pair_at = [&](std::uint32_t row, std::uint32_t column) {
        return *reinterpret_cast<std::uint32_t const*>(counts + 16 * row + column);
    };
    auto const column_pair = [&](std::uint32_t row, std::uint32_t column) {
        return std::uint32_t{counts[16 * row + column]} | std::uint32_t{counts[16 * (row + 1) + column]}
                                                              << 16;
    };
    std::uint32_t const lower[4] = {
        ones_where(2 * t < g, 2 * t + 1 < g), ones_where(2 * t < g + 8, 2 * t + 1 < g + 8),
        ones_where(2 * t + 8 < g, 2 * t + 9 < g), ones_where(2 * t + 8 < g + 8, 2 * t + 9 < g + 8)};
    float rows_above[2][4] = {}; // L * M, columns 0 to 7 and 8 to 15
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
        std::uint32_t const b[2] = {column_pair(2 * t, g + 8 * half), column_pair(2 * t + 8, g + 8 * half)};
        multiply_add(rows_above[half], lower, b);
    }
    std::uint32_t const above[4] = {
        to_pair(rows_above[0][0], rows_above[0][1]), to_pair(rows_above[0][2], rows_above[0][3]),
        to_pair(rows_above[1][0], rows_above[1][1]), to_pair(rows_above[1][2], rows_above[1][3])};
    std::uint32_t const own[4] = {pair_at(g, 2 * t), pair_at(g + 8, 2 * t), pair_at(g, 2 * t + 8),
                                  pair_at(g + 8, 2 * t + 8)};
    std::uint32_t const ones[2] = {ones_where(true, true), ones_where(true, true)};
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
        std::uint32_t const column = g + 8 * half; // of U
        std::uint32_t const upper[2] = {ones_where(2 * t < column, 2 * t + 1 < column),
                                        ones_where(2 * t + 8 < column, 2 * t + 9 < column)};
        float sums[4] = {};
        multiply_add(sums, own, upper);
        multiply_add(sums, above, ones);
#pragma unroll
        for (std::uint32_t i = 0; i < 4; ++i)
            before[16 * (g + i / 2 * 8) + 8 * half + 2 * t + i % 2] = static_cast<std::uint32_t>(sums[i]);
        if (half == 1 && warp.rank() == 31) { // holds the last sum, and the last count beside it
            float last;
            asm("cvt.f32.f16 %0, %1;" : "=f"(last) : "h"(static_cast<std::uint16_t>(own[3] >> 16)));
            total = static_cast<std::uint32_t>(sums[3] + last);
        }
    }
}

} // namespace rhizome::exec::detail

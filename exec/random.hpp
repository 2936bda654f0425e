// SPDX-License-Identifier: Apache-2.0
// Random numbers inside kernels: a stream for each lane, the same numbers in every space.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::exec {

/// Scrambles a number: neighbouring inputs give unrelated outputs (the finaliser of splitmix64). One to one.
[[nodiscard]] RZ_HD constexpr std::uint64_t scramble(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/// A stream of random numbers, identified by a seed and the number of the stream. It is meant for choices
/// such as where a search begins, not for secrets. Trivially copyable: a kernel may keep it in registers or
/// in memory. Equal seeds and numbers give equal streams in every space, on every platform. Streams of one
/// seed begin at unrelated places of one period of 2^64 - 1 draws. The probability that any two of 2^20
/// streams of 2^10 draws overlap is about 2^-14.
/// Cost: two registers; about six 32-bit instructions per draw; two scrambles at the start.
/// Source: xoroshiro64* of Blackman and Vigna, Scrambled linear pseudorandom number generators (2021).
class random_source {
public:
    RZ_HD constexpr random_source(std::uint64_t seed, std::uint64_t stream) {
        std::uint64_t const start = scramble(scramble(seed) + (stream + 1) * 0x9e3779b97f4a7c15ull);
        low_ = static_cast<std::uint32_t>(start);
        high_ = static_cast<std::uint32_t>(start >> 32);
        if (start == 0) low_ = 1; // the one state that never changes
    }

    /// A number that is uniform over all 32-bit numbers. Its lowest bits are less random than the others;
    /// below() uses the highest.
    [[nodiscard]] RZ_HD constexpr std::uint32_t next_u32() {
        std::uint32_t const drawn = low_ * 0x9e3779bbu;
        std::uint32_t const mixed = high_ ^ low_;
        low_ = rotr(low_, 6) ^ mixed ^ (mixed << 9);
        high_ = rotr(mixed, 19);
        return drawn;
    }
    /// Uniform in [0, bound), bound >= 1. Without a division: each number's probability is within 2^-32 of
    /// 1 / bound.
    [[nodiscard]] RZ_HD constexpr std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(std::uint64_t{next_u32()} * bound >> 32);
    }

private:
    std::uint32_t low_;
    std::uint32_t high_;
};

/// The calling thread's own stream of `seed`. A kernel that is launched repeatedly should get another seed
/// each time.
template <class Thread>
[[nodiscard]] RZ_HD random_source random_of(Thread const& thread, std::uint64_t seed) {
    return {seed, thread.rank()};
}

} // namespace rhizome::exec

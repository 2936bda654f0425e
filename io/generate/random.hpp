// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine.
#pragma once

#include <rhizome/exec/random.hpp>

#include <bit>
#include <cstdint>

namespace rhizome::io {

/// The generator xoshiro256** (Blackman and Vigna); splitmix64 fills its state from the seed. The
/// distributions are written here because those of the standard library differ between libraries.
class random_source {
public:
    /// The same seed gives the same numbers.
    explicit random_source(std::uint64_t seed) {
        for (std::uint64_t& word : state_) {
            seed += 0x9e37'79b9'7f4a'7c15u;
            word = exec::scramble(seed);
        }
    }

    /// Returns a source of its own for each `number`, so that parts can be drawn independently.
    [[nodiscard]] static random_source stream(std::uint64_t seed, std::uint64_t number) {
        return random_source(random_source(seed).bits() ^ random_source(~number).bits());
    }

    /// Returns 64 random bits.
    std::uint64_t bits() {
        std::uint64_t const result = std::rotl(state_[1] * 5, 7) * 9;
        std::uint64_t const shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// Returns a uniform number in [0, bound), without bias. Precondition: 1 <= bound <= 2^32.
    std::uint64_t below(std::uint64_t bound) {
        // The result is the high half of 32 random bits times the bound. The few products that would favour
        // some results are drawn again.
        std::uint64_t const favoured = (std::uint64_t{1} << 32) % bound;
        for (;;) {
            std::uint64_t const product = (bits() >> 32) * bound;
            if ((product & 0xffff'ffffu) >= favoured) return product >> 32;
        }
    }

    /// Returns true with this probability, exact to 2^-53.
    bool chance(double probability) { return static_cast<double>(bits() >> 11) * 0x1p-53 < probability; }

private:
    std::uint64_t state_[4];
};

} // namespace rhizome::io

// SPDX-License-Identifier: Apache-2.0
// A permutation of ids that scatters them within blocks.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/random.hpp>

#include <cstdint>

namespace rhizome::graph {

/// Scatters ids within blocks of block_ids neighbouring ids, each block in its own way. Another seed scatters
/// in another way.
class id_scatter {
public:
    static constexpr std::uint64_t block_ids = std::uint64_t{1} << 12;

    id_scatter() = default;
    explicit id_scatter(std::uint64_t seed) : seed_(seed) {}

    /// The scattered id, in the block of `id`.
    [[nodiscard]] RZ_HD std::uint64_t scatter(std::uint64_t id) const {
        std::uint64_t const k = key(id);
        auto x = static_cast<std::uint32_t>((id ^ k) & mask); // a GPU multiplies 32 bits in one instruction
        x ^= x >> bits / 2;
        x = (x * factor + static_cast<std::uint32_t>(k >> bits)) & mask;
        x ^= x >> bits / 2;
        x = x * factor & mask;
        x ^= x >> bits / 2;
        return (id & ~std::uint64_t{mask}) | x;
    }
    /// gather(scatter(id)) == id
    [[nodiscard]] RZ_HD std::uint64_t gather(std::uint64_t id) const {
        std::uint64_t const k = key(id); // the block is the same
        auto x = static_cast<std::uint32_t>(id & mask);
        x ^= x >> bits / 2;
        x = x * inverse & mask;
        x ^= x >> bits / 2;
        x = (x - static_cast<std::uint32_t>(k >> bits)) * inverse & mask;
        x ^= x >> bits / 2;
        return (id & ~std::uint64_t{mask}) | ((x ^ k) & mask);
    }

private:
    static constexpr std::uint32_t bits = 12;
    static constexpr std::uint32_t mask = block_ids - 1;
    // Steps of a permutation of 12 bits that can be undone. A shift by 6 bits, exclusive-or'ed, undoes
    // itself. The product of a factor and its inverse is 1 modulo 4096.
    static constexpr std::uint32_t factor = 2717;
    static constexpr std::uint32_t inverse = 2997;
    static_assert(block_ids == std::uint64_t{1} << bits && ((factor * inverse) & mask) == 1);

    /// A number for the block of an id.
    [[nodiscard]] RZ_HD std::uint64_t key(std::uint64_t id) const {
        return exec::scramble((id >> bits) + (seed_ + 1) * 0x9e3779b97f4a7c15ull);
    }

    std::uint64_t seed_ = 0;
};

} // namespace rhizome::graph

// SPDX-License-Identifier: Apache-2.0
// Size classes: the page sizes into which a chunk can be divided. A parameter of every allocator that has
// pages.
//
// A table that is indexed at run time would lie in local memory, one copy per thread. So a size is found by
// comparing with all sizes, which are read from words that are constants of the code.
#pragma once

#include <rhizome/alloc/ouroboros/names.hpp>
#include <rhizome/exec/config.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace rhizome::alloc {

namespace detail {

/// Sizes in multiples of 16 bytes, up to 1 MiB, four per word. Sizes::at(index) is evaluated at compile time.
template <class Sizes, std::uint32_t Count>
struct packed_sizes {
    static constexpr std::uint32_t unit_bytes = 16;
    static constexpr std::uint32_t words = (Count + 3) / 4;

    template <std::uint32_t Word>
    static constexpr std::uint64_t word = [] {
        std::uint64_t bits = 0;
        for (std::uint32_t i = Word * 4; i < Word * 4 + 4 && i < Count; ++i)
            bits |= std::uint64_t{Sizes::at(i) / unit_bytes} << (i % 4 * 16);
        return bits;
    }();

    [[nodiscard]] static RZ_HD constexpr std::uint32_t at(std::uint32_t index) {
        return at(index, std::make_integer_sequence<std::uint32_t, words>{});
    }
    /// How many sizes are smaller than `bytes`.
    [[nodiscard]] static RZ_HD constexpr std::uint32_t smaller_than(std::uint64_t bytes) {
        return smaller_than(bytes, std::make_integer_sequence<std::uint32_t, Count>{});
    }

private:
    template <std::uint32_t... Word>
    [[nodiscard]] static RZ_HD constexpr std::uint32_t at(std::uint32_t index,
                                                          std::integer_sequence<std::uint32_t, Word...>) {
        std::uint64_t bits = 0;
        ((bits = index / 4 == Word ? word<Word> : bits), ...);
        return static_cast<std::uint32_t>(bits >> (index % 4 * 16) & 0xffff) * unit_bytes;
    }
    template <std::uint32_t... Index>
    [[nodiscard]] static RZ_HD constexpr std::uint32_t
    smaller_than(std::uint64_t bytes, std::integer_sequence<std::uint32_t, Index...>) {
        // Sizes fit in 32 bits; larger requests are clamped to a value above all of them.
        auto const asked = bytes > 0xffff'ffff ? 0xffff'ffffu : static_cast<std::uint32_t>(bytes);
        return ((asked > at(Index) ? 1u : 0u) + ...);
    }
};

} // namespace detail

/// The paper's classes: powers of two from Smallest to Largest.
/// Invariant: bytes_of(index_of(b)) >= b, and bytes_of(index_of(b) - 1) < b.
template <std::uint32_t Smallest, std::uint32_t Largest>
struct power_of_two_classes {
    static_assert(std::has_single_bit(Smallest) && std::has_single_bit(Largest) && Smallest >= 16);
    static constexpr std::uint32_t smallest_bytes = Smallest;
    static constexpr std::uint32_t largest_bytes = Largest;
    static constexpr std::uint32_t count = std::bit_width(Largest) - std::bit_width(Smallest) + 1;

    [[nodiscard]] static RZ_HD constexpr std::uint32_t bytes_of(std::uint32_t index) {
        return Smallest << index;
    }

    /// The smallest class that holds `bytes`, which is at most Largest.
    [[nodiscard]] static RZ_HD constexpr std::uint32_t index_of(std::uint64_t bytes) {
        std::uint32_t index = 0;
        for (std::uint32_t i = 0; i + 1 < count; ++i)
            index += bytes > bytes_of(i) ? 1 : 0;
        return index;
    }
};

/// Finer classes: steps of 16 B up to 128 B, then steps of about a quarter, including all powers of two.
/// Each size is the largest multiple of 16 B of which that many pages fit into a chunk of ChunkBytes: a
/// smaller size would fit no more pages. Invariant as above.
template <std::uint32_t ChunkBytes>
struct fine_classes {
private:
    static constexpr std::uint32_t step_bytes = 16;
    static constexpr std::uint32_t last_step_bytes = 128;

    static constexpr std::uint32_t next_bytes(std::uint32_t bytes) {
        if (bytes < last_step_bytes) return bytes + step_bytes;
        // The smallest page count whose page is at most a quarter larger and skips no power of two; at least
        // the next smaller count.
        std::uint32_t const most = std::min(bytes + bytes / 4, std::bit_ceil(bytes + 1));
        std::uint32_t pages = ChunkBytes / bytes - 1;
        while (pages > 1 && ChunkBytes / (pages - 1) / step_bytes * step_bytes <= most)
            --pages;
        return ChunkBytes / pages / step_bytes * step_bytes;
    }
    static constexpr std::uint32_t count_classes() {
        std::uint32_t classes = 1;
        for (std::uint32_t bytes = step_bytes; bytes < ChunkBytes; bytes = next_bytes(bytes))
            ++classes;
        return classes;
    }
    struct sizes {
        static constexpr std::uint32_t at(std::uint32_t index) {
            std::uint32_t bytes = step_bytes;
            for (; index != 0; --index)
                bytes = next_bytes(bytes);
            return bytes;
        }
    };

public:
    static constexpr std::uint32_t smallest_bytes = step_bytes;
    static constexpr std::uint32_t largest_bytes = ChunkBytes;
    static constexpr std::uint32_t count = count_classes();

    [[nodiscard]] static RZ_HD constexpr std::uint32_t bytes_of(std::uint32_t index) {
        return packed::at(index);
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t index_of(std::uint64_t bytes) {
        return packed::smaller_than(bytes);
    }

private:
    using packed = detail::packed_sizes<sizes, count>;
};

} // namespace rhizome::alloc

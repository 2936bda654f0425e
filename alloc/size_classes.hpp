// Size classes: which page sizes a chunk is cut into. A parameter of every allocator that has pages.
#pragma once

#include <rhizome/exec/config.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace rhizome::alloc {

/// The paper's classes: powers of two from Smallest to Largest.
/// Invariant: bytes_of(index_of(b)) >= b, and bytes_of(index_of(b) - 1) < b.
template <std::uint32_t Smallest = 16, std::uint32_t Largest = 8192>
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
        while (bytes_of(index) < bytes)
            ++index;
        return index;
    }
};

/// Finer classes: steps of 16 B up to 128 B, then about a quarter more each time, and only sizes that fill a
/// chunk of ChunkBytes but for less than 16 B a page: a larger class that wasted the chunk's end would save
/// nothing. Invariant as above.
template <std::uint32_t ChunkBytes = 8192>
struct fine_classes {
private:
    static constexpr std::uint32_t step_bytes = 16;
    static constexpr std::uint32_t last_step_bytes = 128;

    static RZ_HD constexpr std::uint32_t next_bytes(std::uint32_t bytes) {
        if (bytes < last_step_bytes) return bytes + step_bytes;
        // The smallest page count whose page is at most a quarter larger; at least the next smaller count.
        std::uint32_t pages = ChunkBytes / bytes - 1;
        while (pages > 1 && ChunkBytes / (pages - 1) / step_bytes * step_bytes <= bytes + bytes / 4)
            --pages;
        return ChunkBytes / pages / step_bytes * step_bytes;
    }
    static constexpr std::uint32_t count_classes() {
        std::uint32_t classes = 1;
        for (std::uint32_t bytes = step_bytes; bytes < ChunkBytes; bytes = next_bytes(bytes))
            ++classes;
        return classes;
    }

public:
    static constexpr std::uint32_t smallest_bytes = step_bytes;
    static constexpr std::uint32_t largest_bytes = ChunkBytes;
    static constexpr std::uint32_t count = count_classes();

    [[nodiscard]] static RZ_HD constexpr std::uint32_t bytes_of(std::uint32_t index) {
        constexpr auto sizes = table();
        return sizes.bytes[index];
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t index_of(std::uint64_t bytes) {
        if (bytes <= last_step_bytes)
            return bytes == 0 ? 0 : static_cast<std::uint32_t>((bytes - 1) / step_bytes);
        std::uint32_t index = last_step_bytes / step_bytes;
        while (bytes_of(index) < bytes)
            ++index;
        return index;
    }

private:
    struct sizes_table {
        std::uint32_t bytes[count];
    };
    static RZ_HD constexpr sizes_table table() {
        sizes_table sizes{};
        std::uint32_t bytes = step_bytes;
        for (std::uint32_t index = 0; index < count; ++index) {
            sizes.bytes[index] = bytes;
            if (bytes < ChunkBytes) bytes = next_bytes(bytes);
        }
        return sizes;
    }
};

} // namespace rhizome::alloc

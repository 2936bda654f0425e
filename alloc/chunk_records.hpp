// The side table: one record a chunk, outside the heap, the same for every allocator of the family.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// What a chunk is used for.
enum class chunk_kind : std::uint32_t {
    free = 0,  ///< nobody's, or inside an extent
    pages = 1, ///< cut into pages of class `detail`
    extent = 2 ///< first chunk of an extent of `detail` units
};

/// Kind in the low 4 bits, detail (class, or units) above: 2^28 units of 64 KiB are 16 TiB.
[[nodiscard]] RZ_HD constexpr std::uint32_t make_header(chunk_kind kind, std::uint64_t detail) {
    return static_cast<std::uint32_t>(kind) | static_cast<std::uint32_t>(detail << 4);
}
[[nodiscard]] RZ_HD constexpr chunk_kind kind_of(std::uint32_t header) {
    return static_cast<chunk_kind>(header & 15u);
}
[[nodiscard]] RZ_HD constexpr std::uint32_t detail_of(std::uint32_t header) { return header >> 4; }

/// Every word is accessed atomically while threads run.
/// Invariant: a chunk is in a spill list of its class iff `listed`; a chunk with marked pages is listed.
template <std::uint32_t PagesAtMost>
struct chunk_record {
    std::uint32_t header;
    std::uint32_t next;   ///< next chunk of the spill list, plus 1; 0 ends it
    std::uint32_t listed; ///< 1: in a spill list, or about to be pushed
    std::uint32_t padding;
    std::uint64_t pages[(PagesAtMost + 63) / 64]; ///< bit set: the page is free and in no queue
};

} // namespace rhizome::alloc

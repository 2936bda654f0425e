// How much a graph can have, by the type of its ids.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::graph {

/// Lines of the vertex table, one a vertex or, with in_arcs, two. Address space for so many is reserved at
/// once, since a table never moves: 80 GiB with 32-bit ids, where the largest id names no vertex; 640 GiB
/// with 64-bit ones, which is more than any device has memory for, and what a sanitizer leaves a process.
template <class Id>
inline constexpr std::uint64_t most_rows = sizeof(Id) == 4 ? 0xffff'fffeull : std::uint64_t{1} << 35;

/// Neighbours of one row, whose degree has 32 bits; a batch that would bring more is refused. The last few
/// are left out, so that steps of whole groups past the end of a row do not overflow.
template <class Id>
inline constexpr std::uint32_t most_neighbours = 0xffff'0000u;

/// What a layout demands of its allocator for its largest request, in bytes: that request, or 512 GiB where
/// edges have values of hundreds of bytes and it is larger. No device has memory for such a row.
[[nodiscard]] constexpr std::uint64_t needed_of_allocators(std::uint64_t largest_request_bytes) {
    constexpr std::uint64_t most = std::uint64_t{1} << 39;
    return largest_request_bytes < most ? largest_request_bytes : most;
}

/// Whether a row would have more neighbours than it can.
template <class Id>
[[nodiscard]] RZ_HD constexpr bool overflows_row(std::uint32_t degree, std::uint32_t more) {
    return std::uint64_t{degree} + more > most_neighbours<Id>;
}

} // namespace rhizome::graph

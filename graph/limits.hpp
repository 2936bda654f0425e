// SPDX-License-Identifier: Apache-2.0
// How large a graph can become, by the type of its ids.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::graph {

/// The most rows of the vertex table: one per vertex, or two with in_arcs. Address space for all of them is
/// reserved at the start, since a table never moves. That is 80 GiB with 32-bit ids, whose largest value is
/// no vertex id. It is 640 GiB with 64-bit ids: more than the memory of any device, and what a sanitizer
/// leaves to a process.
template <class Id>
inline constexpr std::uint64_t most_rows = sizeof(Id) == 4 ? 0xffff'fffeull : std::uint64_t{1} << 35;

/// The most neighbours of one row, whose degree has 32 bits. A batch that would exceed it is refused. The
/// largest values are left out, so that a whole group can step past the end of a row without overflow.
template <class Id>
inline constexpr std::uint32_t most_neighbours = 0xffff'0000u;

/// How many bytes an allocator must serve at once for a layout: the layout's largest request, but at most 512
/// GiB. A larger one comes from edge values of hundreds of bytes, and no device has memory for such a row.
[[nodiscard]] constexpr std::uint64_t needed_of_allocators(std::uint64_t largest_request_bytes) {
    constexpr std::uint64_t most = std::uint64_t{1} << 39;
    return largest_request_bytes < most ? largest_request_bytes : most;
}

/// Whether a row would have too many neighbours.
template <class Id>
[[nodiscard]] RZ_HD constexpr bool overflows_row(std::uint32_t degree, std::uint32_t more) {
    return std::uint64_t{degree} + more > most_neighbours<Id>;
}

} // namespace rhizome::graph

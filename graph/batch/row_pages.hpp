// SPDX-License-Identifier: Apache-2.0
// When a contiguous row needs another page, and which group of lanes merges it.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// The number of neighbours for which the batch requests a new page for this row; 0: the row needs no new
/// page. `added`: arcs of the batch in this row, inserted or (Erasing) erased.
template <class Format, bool Erasing, class AllocatorRef>
[[nodiscard]] RZ_HD std::uint64_t wanted_neighbours(AllocatorRef const& allocator,
                                                    typename Format::record_type const& record,
                                                    std::uint32_t added) {
    bool const has_page = !Format::is_inline(record.degree);
    if constexpr (Erasing) {
        if (!has_page || added >= record.degree) return 0;
        std::uint32_t const left = record.degree - added;
        if (Format::is_inline(left)) return 0;
        std::uint64_t const held = allocator.usable_bytes(Format::bytes_for(record.capacity()));
        std::uint64_t const roomy = std::uint64_t{left} + left / tuning::kept_share;
        return allocator.usable_bytes(Format::bytes_for(roomy)) < held ? left : 0;
    } else {
        std::uint64_t const needed = std::uint64_t{record.degree} + added;
        return needed > (has_page ? record.capacity() : Format::inline_ids) ? needed : 0;
    }
}

/// Whether single threads merge short rows: those without values, of which 16 bytes are four ids.
template <class Format>
inline constexpr bool threads_merge = [] {
    if constexpr (requires { Format::ids_per_load; }) // one page per row
        return !Format::has_values && Format::ids_per_load == 4;
    return false;
}();
/// Whether one thread merges the row, where threads_merge.
[[nodiscard]] RZ_HD inline bool is_short(std::uint32_t degree, std::uint32_t arcs, std::uint32_t most_arcs) {
    return arcs <= most_arcs && degree <= tuning::short_degree;
}
/// Whether a tile of `lanes` lanes can merge the row in its registers.
template <class Format>
[[nodiscard]] RZ_HD bool is_light(std::uint32_t degree, std::uint32_t arcs, std::uint32_t lanes) {
    return arcs <= lanes && degree <= Format::ids_per_load * lanes;
}
/// Whether a warp of `lanes` lanes merges the row; a block merges longer rows.
[[nodiscard]] RZ_HD inline bool is_middling(std::uint32_t degree, std::uint32_t arcs, std::uint32_t lanes) {
    return arcs <= lanes && degree <= tuning::heavy_degree;
}

} // namespace rhizome::graph::batch

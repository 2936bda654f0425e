// SPDX-License-Identifier: Apache-2.0
// Many pages of one size in neighbouring chunks.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::alloc {

/// Pages in neighbouring chunks.
struct page_run {
    std::byte* first; ///< nullptr: there is no run
    std::uint32_t chunk_bytes;
    std::uint32_t pages_per_chunk;
    std::uint32_t page_bytes;   ///< from one page to the next in a chunk
    std::uint32_t usable_bytes; ///< of each page; less than page_bytes if a decorator keeps canaries in it

    [[nodiscard]] RZ_HD void* page(std::uint32_t number) const {
        return first + std::uint64_t{number / pages_per_chunk} * chunk_bytes +
               std::uint64_t{number % pages_per_chunk} * page_bytes;
    }
};

} // namespace rhizome::alloc

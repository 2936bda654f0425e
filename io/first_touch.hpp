// SPDX-License-Identifier: Apache-2.0
// Large vectors whose memory all threads ask the system for.
#pragma once

#include <rhizome/exec/host/parallel.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::io {

/// Resizes an empty vector. The system gives memory out page by page, when a page is written first; this
/// takes longer than filling it. So all threads write a byte into each page before the vector fills it in.
template <class Item>
void resize_on_all_threads(exec::thread_team& team, std::vector<Item>& items, std::uint64_t count) {
    constexpr std::uint64_t page_bytes = 4096;
    constexpr std::uint64_t pages_per_range = 256;
    items.reserve(count);
    auto* const bytes = reinterpret_cast<unsigned char volatile*>(items.data());
    std::uint64_t const pages = count * sizeof(Item) / page_bytes;
    exec::parallel_for(team, (pages + pages_per_range - 1) / pages_per_range, [&](std::uint64_t range) {
        for (std::uint64_t page = range * pages_per_range;
             page < pages && page < (range + 1) * pages_per_range; ++page)
            bytes[page * page_bytes] = 0;
    });
    items.resize(count);
}

} // namespace rhizome::io

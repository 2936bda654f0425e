// SPDX-License-Identifier: Apache-2.0
// Gives back all pages of all rows.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Gives back the pages of each row, when the graph is destroyed.
template <class Format, class AllocatorRef>
struct return_rows {
    AllocatorRef allocator;
    typename Format::record_type const* rows;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t row) {
            Format::for_each_page(rows[row], [&](typename Format::id_type* page, std::uint64_t) {
                allocator.deallocate(thread, page);
            });
        });
    }
};

} // namespace rhizome::graph::batch

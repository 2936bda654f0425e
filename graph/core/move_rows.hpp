// SPDX-License-Identifier: Apache-2.0
// Moves rows out of chunks that cannot become free as a whole because of their pages.
#pragma once

#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Gives each row whose page is withheld a new page of the same size, if there is one. For rows of one page
/// each, in the heap of `allocator`.
template <class Format, class AllocatorRef>
struct move_rows {
    using id_type = typename Format::id_type;
    using record_type = typename Format::record_type;

    AllocatorRef allocator;
    record_type* rows;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t row) {
            record_type const record = rows[row];
            if (Format::is_inline(record.degree) || !allocator.is_withheld(thread, record.page())) return;
            std::uint64_t const bytes = Format::bytes_for(record.capacity());
            void* const page = allocator.allocate(exec::alone(thread), bytes);
            if (page == nullptr) return;
            auto const* const from = reinterpret_cast<load_unit const*>(record.page());
            auto* const to = static_cast<load_unit*>(page);
            for (std::uint64_t i = 0; i < bytes / sizeof(load_unit); ++i)
                to[i] = from[i];
            rows[row] = record_type::of(static_cast<id_type*>(page), record.capacity(), record.degree);
            allocator.leave_withheld(thread, record.page());
        });
    }

private:
    /// Pages are multiples of 16 bytes.
    struct alignas(16) load_unit {
        std::uint64_t words[2];
    };
};

} // namespace rhizome::graph::batch

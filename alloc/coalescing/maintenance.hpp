// SPDX-License-Identifier: Apache-2.0
// Kernels of the owner of coalescing: the table moves and is checked.
#pragma once

#include <rhizome/alloc/coalescing/superblock_table.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc::coalescing_maintenance {

/// What the audit of a table finds.
struct audit_counts {
    std::uint64_t superblocks;
    std::uint64_t superblock_granules; ///< by the heads of the superblocks
    std::uint64_t covered_granules;    ///< by the table
    std::uint64_t starts_uncovered;
    std::uint64_t counts_out_of_range;
    std::uint64_t
        reaches_wrong; ///< windows whose first byte is covered, though the superblock named there is none
};

/// Moves the windows with superblocks to another table.
template <class Table>
struct move_windows {
    Table from;
    Table to;
    std::uint64_t* lost; ///< windows that found no slot

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, from.capacity(), [&](std::uint64_t i) {
            window_slot const& held = from.slots()[i];
            if (held.covered == 0) return;
            window_slot* const slot = to.reserve(thread, held.key - 1);
            if (slot == nullptr) {
                thread.device(*lost).fetch_add(1, exec::order::relaxed); // a count alone
                return;
            }
            slot->covered = held.covered;
            slot->starts = held.starts;
            slot->reaches = held.reaches;
        });
    }
};

template <class Table>
struct audit {
    Table table;
    audit_counts* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, table.capacity(), [&](std::uint64_t i) {
            window_slot const& slot = table.slots()[i];
            if (slot.key == 0) return;
            // All relaxed: counts that the host reads after the kernel.
            auto const add = [&](std::uint64_t& count, std::uint64_t more) {
                if (more != 0) thread.device(count).fetch_add(more, exec::order::relaxed);
            };
            std::uint64_t const window = (slot.key - 1) * Table::window_bytes;
            add(found->covered_granules, exec::popcount(slot.covered));
            add(found->starts_uncovered, exec::popcount(slot.starts & ~slot.covered));
            add(found->superblocks, exec::popcount(slot.starts));
            for (std::uint64_t left = slot.starts & slot.covered; left != 0; left &= left - 1) {
                auto const* const head = reinterpret_cast<superblock_head const*>(
                    window + exec::countr_zero(left) * Table::granule_bytes);
                add(found->counts_out_of_range, head->live == 0 || head->live > head->segments ? 1 : 0);
                add(found->superblock_granules, head->bytes / Table::granule_bytes);
            }
            if ((slot.covered & 1) != 0 && (slot.starts & 1) == 0) {
                auto const* const head = reinterpret_cast<void const*>(slot.reaches);
                window_slot const* const begins = table.find(thread, slot.reaches / Table::window_bytes);
                std::uint64_t const bit = std::uint64_t{1}
                                          << (slot.reaches % Table::window_bytes / Table::granule_bytes);
                bool const right = begins != nullptr && (begins->starts & bit) != 0 &&
                                   slot.reaches + static_cast<superblock_head const*>(head)->bytes > window;
                add(found->reaches_wrong, right ? 0 : 1);
            }
        });
    }
};

} // namespace rhizome::alloc::coalescing_maintenance

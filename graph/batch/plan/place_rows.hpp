// SPDX-License-Identifier: Apache-2.0
// Where the arcs of each row that the batch touches are put, once they are counted.
#pragma once

#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/slots.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

struct place_storage {
    exec::block_sum_storage<std::uint64_t> sums;
    std::uint64_t first;
};

/// How many arcs of one row a block can sort.
template <class Arc>
inline constexpr std::uint32_t most_block_arcs = tuning::block_sort_bytes / sizeof(Arc);

/// Calls function(speaks, number of the slice, row, its record, first place, arcs) with all threads of a
/// block together, as often as needed. `speaks` is true in one thread for each row that the batch touches.
/// The threads find these rows in one of two ways: by the arcs with rank 0 (swept_rows is 0), or by going
/// through all rows of the graph (swept_rows), which are then found in about ascending order. slots[row]
/// becomes the first place of the row's arcs. Called by all threads of a block.
template <class Thread, class Id, bool HasValues, class Record, class Function>
RZ_HD void place_rows(Thread const& thread, place_storage& storage, arc_rules<Id> const& rules,
                      basic_edge<Id> const* edges, std::uint64_t slot_count, std::uint64_t swept_rows,
                      Record const* rows, row_slots const& slots, arrays<Id, HasValues> const& a,
                      Function&& function) {
    auto const block = thread.block();
    std::uint32_t const width = rules.arcs_per_edge();
    std::uint64_t const items = swept_rows != 0 ? swept_rows : slot_count;
    exec::for_each_group_item(block, (items + block.size() - 1) / block.size(), [&](std::uint64_t round) {
        std::uint64_t row = 0;
        std::uint32_t count = 0;
        Record record{}; // loaded beside the count: the block waits for both at once
        if (swept_rows != 0) {
            row = round * block.size() + row_slots::swept_by(block.rank(), block.size());
            if (row < swept_rows) {
                count = slots[row];
                record = rows[row];
            }
        } else {
            std::uint64_t const i = round * block.size() + block.rank();
            if (i < slot_count && a.numbers[i] == 0) {
                row = rules.arc(edges[i / width], static_cast<std::uint32_t>(i % width)).row;
                count = slots[row];
                record = rows[row];
            }
        }
        bool const speaks = count != 0;
        // Places of slices and of arcs are summed together.
        auto const sum = exec::block_exclusive_sum(
            thread, storage.sums, speaks ? std::uint64_t{1} << 32 | count : std::uint64_t{0});
        if (block.is_leader())
            storage.first =
                sum.total == 0 ? 0 : thread.device(a.now().cursor).fetch_add(sum.total, exec::order::relaxed);
        block.sync();
        std::uint64_t const place = storage.first + sum.before;
        block.sync(); // read before the next round writes it
        auto const begin = static_cast<std::uint32_t>(place);
        if (speaks) slots[row] = begin;
        if (speaks && count > most_block_arcs<slice_arc<Id, HasValues>>)
            thread.device(a.now().unsorted).store(1, exec::order::relaxed);
        function(speaks, static_cast<std::uint32_t>(place >> 32), row, record, begin, count);
    });
}

} // namespace rhizome::graph::batch

// SPDX-License-Identifier: Apache-2.0
// Groups the arcs in bins by row, and reserves what each row needs.
#pragma once

#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/plan/place_rows.hpp>
#include <rhizome/graph/batch/plan/row_bins.hpp>
#include <rhizome/graph/batch/reserve/reserve.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// A block takes a bin at a time. `Reserve`: reserve_rows.
template <class Format, class Reserve>
struct reserve_binned_rows {
    static constexpr bool overlaps_launch = true;
    static constexpr std::uint32_t blocks_side_by_side = 4; // as reserve_rows
    using id_type = typename Format::id_type;
    using arc_type = slice_arc<id_type, false>;
    using reserver_type = typename Reserve::reserver_type;

    Reserve reserve;
    row_bins bins;
    binned_arc const* binned;

    struct shared {
        place_storage places;
        size_note_storage notes;
        exec::block_sum_storage<std::uint32_t> sums;
        std::uint32_t rows[tuning::most_bin_rows]; ///< of each row, how many arcs it has; then the next place
    };

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = reserve.a;
        if (a.now().unknown_ids != 0 || a.now().skewed != 0) return;
        reserver_type reserver(reserve.allocator, a);
        exec::for_each_group_item(thread.block(), bins.count, [&](std::uint64_t bin) {
            take(thread, reserver, static_cast<std::uint32_t>(bin));
        });
        reserver.add_totals(thread);
    }

private:
    /// Called by all threads of a block, as the function below.
    template <class Thread>
    RZ_HD void take(Thread const& thread, reserver_type& reserver, std::uint32_t bin) const {
        auto const block = thread.block();
        auto& storage = block.storage();
        auto const& a = reserve.a;
        std::uint64_t const first_row = std::uint64_t{bin} << bins.shift;
        std::uint64_t const rows_left = bins.rows - first_row;
        std::uint32_t const rows =
            rows_left < 1u << bins.shift ? static_cast<std::uint32_t>(rows_left) : 1u << bins.shift;
        constexpr std::uint32_t in_line = 128 / sizeof(typename Format::record_type);
        for (std::uint32_t i = block.rank() * in_line; i < rows; i += block.size() * in_line)
            thread.prefetch(reserve.rows + first_row + i);
        for (std::uint32_t i = block.rank(); i < rows; i += block.size())
            storage.rows[i] = 0;
        std::uint32_t sum = 0;
        for (std::uint32_t i = block.rank(); i < bin; i += block.size())
            sum += bins.arcs(i);
        std::uint32_t const begin = exec::block_exclusive_sum(thread, storage.sums, sum).total;
        std::uint32_t const end = begin + bins.arcs(bin);
        for_each_arc_of_bin(thread, begin, end, [&](binned_arc const& arc) {
            thread.shared(storage.rows[arc.row() - first_row]).fetch_add(1u, exec::order::relaxed);
        });
        block.sync();
        std::uint32_t touched = 0;
        for (std::uint32_t i = block.rank(); i < rows; i += block.size())
            touched += storage.rows[i] != 0 ? 1 : 0;
        touched = exec::block_exclusive_sum(thread, storage.sums, touched).total;
        if (block.is_leader())
            storage.places.first = touched == 0 ? 0
                                                : thread.device(a.now().cursor)
                                                      .fetch_add(std::uint64_t{touched} << 32 | (end - begin),
                                                                 exec::order::relaxed);
        block.sync();
        auto number = static_cast<std::uint32_t>(storage.places.first >> 32);
        std::uint32_t place = begin;
        for (std::uint32_t first = 0; first < rows; first += block.size()) {
            std::uint32_t const i = first + block.rank();
            std::uint32_t count = 0;
            typename Format::record_type record{};
            if (i < rows) {
                count = storage.rows[i];
                record = reserve.rows[first_row + i];
            }
            bool const speaks = count != 0;
            // Numbers of slices and places of arcs are summed together.
            auto const all = exec::block_exclusive_sum(
                thread, storage.places.sums, speaks ? std::uint64_t{1} << 32 | count : std::uint64_t{0});
            std::uint32_t const own_place = place + static_cast<std::uint32_t>(all.before);
            if (speaks) storage.rows[i] = own_place;
            if (speaks && count > most_block_arcs<arc_type>)
                thread.device(a.now().unsorted).store(1u, exec::order::relaxed);
            reserve.take(thread, storage.notes, reserver, speaks,
                         number + static_cast<std::uint32_t>(all.before >> 32), first_row + i, record,
                         own_place, count);
            number += static_cast<std::uint32_t>(all.total >> 32);
            place += static_cast<std::uint32_t>(all.total);
        }
        block.sync(); // all rows have their places
        for_each_arc_of_bin(thread, begin, end, [&](binned_arc const& arc) {
            std::uint32_t const to =
                thread.shared(storage.rows[arc.row() - first_row]).fetch_add(1u, exec::order::relaxed);
            a.arcs[to] = arc_type::of(arc.target(), 0);
        });
        block.sync(); // the storage is used again
    }
    /// Calls function(arc) for this thread's share of the arcs of a bin; a thread waits for several together.
    template <class Thread, class Function>
    RZ_HD void for_each_arc_of_bin(Thread const& thread, std::uint32_t begin, std::uint32_t end,
                                   Function&& function) const {
        constexpr std::uint32_t at_a_time = 4;
        auto const block = thread.block();
        for (std::uint64_t first = std::uint64_t{begin} + block.rank(); first < end;
             first += at_a_time * block.size()) {
            binned_arc some[at_a_time];
            RZ_UNROLL
            for (std::uint32_t k = 0; k < at_a_time; ++k)
                some[k] =
                    first + k * block.size() < end ? binned[first + k * block.size()] : binned_arc::none();
            RZ_UNROLL
            for (std::uint32_t k = 0; k < at_a_time; ++k)
                if (some[k].exists()) function(some[k]);
        }
    }
};

} // namespace rhizome::graph::batch

// SPDX-License-Identifier: Apache-2.0
// Moves rows of one page each to other pages of the heap, so that the heap can become smaller.
#pragma once

#include <rhizome/alloc/moved_chunks.hpp>
#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Which rows get a new page.
enum class move_reason {
    withheld, ///< the allocator withholds their page: they get one of the same size
    oversized ///< a smaller page would hold their neighbours: they get the smallest
};

/// The most bytes of a block that one warp copies to move a row: those of the largest page that shares a
/// chunk with others. Longer rows have whole chunks, which the allocator moves.
template <class AllocatorRef>
[[nodiscard]] RZ_HD constexpr std::uint64_t most_row_bytes() {
    if constexpr (requires { AllocatorRef::traits::largest_page_bytes; })
        return AllocatorRef::traits::largest_page_bytes;
    else
        return AllocatorRef::traits::largest_bytes;
}

/// Gives rows a new page and gives the old one back. A row stays where it is if no page is free, or if it and
/// what other rows claim, also in vain, are more than `most_moved_bytes`.
template <class Format, class AllocatorRef, move_reason Reason>
struct move_rows {
    using id_type = typename Format::id_type;
    using record_type = typename Format::record_type;

    AllocatorRef allocator;
    record_type* rows;
    std::uint64_t count;
    std::uint64_t most_moved_bytes;
    std::uint64_t* moved_bytes; ///< is added to

    /// Each lane looks at a row, requests its page and copies a short row. The lanes of a warp together copy
    /// one long row after the other. They add to moved_bytes once, as all warps add to the same word.
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint64_t const rounds = (count + warp.size() - 1) / warp.size();
        exec::for_each_group_item(warp, rounds, [&](std::uint64_t round) {
            std::uint64_t const first_row = round * warp.size();
            std::uint64_t const own_row = first_row + warp.rank();
            record_type const own = own_row < count ? rows[own_row] : record_type{};
            target to = own_row < count ? wanted(thread, own) : target{};
            std::uint64_t const all_bytes = warp.sum(to.copied_bytes);
            if (all_bytes == 0) return;
            auto const total = thread.device(*moved_bytes);
            std::uint64_t earlier_bytes = 0; // relaxed: a count alone
            if (warp.rank() == 0) earlier_bytes = total.fetch_add(all_bytes, exec::order::relaxed);
            std::uint64_t const bytes_before = warp.exclusive_scan(to.copied_bytes);
            earlier_bytes = warp.broadcast(earlier_bytes, 0) + bytes_before;
            if (to.copied_bytes != 0 && earlier_bytes + to.copied_bytes <= most_moved_bytes)
                to.page = static_cast<id_type*>(allocator.allocate(thread, Format::bytes_for(to.capacity)));
            std::uint64_t const stay_bytes = warp.sum(to.page == nullptr ? to.copied_bytes : 0);
            if (stay_bytes != 0 && warp.rank() == 0) (void)total.fetch_sub(stay_bytes, exec::order::relaxed);
            bool const is_short = Format::bytes_for(own.degree) <= short_row_bytes;
            if (to.page != nullptr && is_short)
                copy(exec::alone(thread).coalesced(), own, to.page, to.capacity);
            warp.sync(); // the pages that lanes have got are the warp's: a ballot orders no memory
            for (std::uint32_t bits = warp.ballot(to.page != nullptr && !is_short); bits != 0;
                 bits &= bits - 1) {
                std::uint32_t const lane = exec::countr_zero(bits);
                auto* const page = reinterpret_cast<id_type*>(
                    warp.broadcast(reinterpret_cast<std::uint64_t>(to.page), lane));
                std::uint32_t const capacity = warp.broadcast(to.capacity, lane);
                copy(warp, rows[first_row + lane], page, capacity);
            }
            warp.sync(); // all lanes have read the old pages
            if (to.page == nullptr) return;
            rows[own_row] = record_type::of(to.page, to.capacity, own.degree);
            if constexpr (Reason == move_reason::withheld)
                allocator.leave_withheld(thread, own.page());
            else
                allocator.deallocate(thread, own.page());
        });
    }

private:
    /// A row of so many bytes is copied by one lane: a warp would read 32 such rows one after the other, each
    /// with few of its lanes.
    static constexpr std::uint64_t short_row_bytes = 128;

    struct target {
        id_type* page = nullptr;
        std::uint32_t capacity = 0;
        std::uint64_t copied_bytes = 0; ///< 0: the row stays where it is
    };

    /// The page that a row should get.
    template <class Thread>
    [[nodiscard]] RZ_HD target wanted(Thread const& thread, record_type const& record) const {
        if (Format::is_inline(record.degree)) return {};
        target to{nullptr, record.capacity(), Format::bytes_for(record.degree)};
        if constexpr (Reason == move_reason::withheld) {
            if (!allocator.is_withheld(thread, record.page())) return {};
        } else {
            std::uint64_t const held = allocator.usable_bytes(Format::bytes_for(record.capacity()));
            std::uint64_t const enough = allocator.usable_bytes(Format::bytes_for(record.degree));
            if (enough >= held || enough > most_row_bytes<AllocatorRef>()) return {};
            to.capacity = Format::capacity_of(enough);
        }
        if (to.copied_bytes > most_moved_bytes) return {};
        return to;
    }
    template <class Group>
    static RZ_HD void copy(Group const& group, record_type const& from, id_type* page,
                           std::uint32_t capacity) {
        id_type const* const ids = from.page();
        copy_items(group, ids, page, from.degree);
        if constexpr (Format::has_values)
            copy_items(group, Format::values_of(ids, from.capacity()), Format::values_of(page, capacity),
                       from.degree);
    }
    struct alignas(16) unit {
        std::uint64_t words[2];
    };
    /// In units of 16 bytes, where both places allow it.
    template <class Group, class T>
    static RZ_HD void copy_items(Group const& group, T const* from, T* to, std::uint64_t count) {
        std::uint64_t copied = 0;
        if constexpr (sizeof(unit) % sizeof(T) == 0) {
            constexpr std::uint64_t in_unit = sizeof(unit) / sizeof(T);
            auto const places = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
            std::uint64_t const units = places % sizeof(unit) == 0 ? count / in_unit : 0;
            auto const* const from_units = reinterpret_cast<unit const*>(from);
            auto* const to_units = reinterpret_cast<unit*>(to);
            for (std::uint64_t i = group.rank(); i < units; i += group.size())
                to_units[i] = from_units[i];
            copied = units * in_unit;
        }
        for (std::uint64_t i = copied + group.rank(); i < count; i += group.size())
            to[i] = from[i];
    }
};

/// Writes the addresses of pages in chunks that the allocator has moved into the rows' records.
template <class Format>
struct follow_moved_chunks {
    using record_type = typename Format::record_type;

    alloc::moved_chunks_ref moved;
    record_type* rows;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t row) {
            record_type const record = rows[row];
            if (Format::is_inline(record.degree)) return;
            auto* const page = moved.now(record.page());
            if (page != record.page()) rows[row] = record_type::of(page, record.capacity(), record.degree);
        });
    }
};

} // namespace rhizome::graph::batch

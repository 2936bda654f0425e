// SPDX-License-Identifier: Apache-2.0
// What a row needs before it can be merged: in some cases a page, and a group of threads that merges it.
#pragma once

#include <rhizome/alloc/together.hpp>
#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/draw.hpp>
#include <rhizome/graph/batch/plan/sort_arcs.hpp>
#include <rhizome/graph/batch/row_pages.hpp>
#include <rhizome/graph/batch/size_lists.hpp>
#include <rhizome/graph/limits.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// The request of a row for a page, or none.
struct page_wish {
    std::uint64_t neighbours = 0; ///< 0: none
    bool needed = false;          ///< false: it may be refused
    bool asks = true; ///< false: the row needs no page, and is listed because it may give its page back
};

/// A request that waits in the list of its size; it is kept in the slice's page pointer.
struct waiting_wish {
    std::uint32_t place; ///< from note_size
    bool needed;
    bool asks;

    [[nodiscard]] RZ_HD void* packed() const {
        return reinterpret_cast<void*>(std::uint64_t{place} << 3 | (asks ? 4u : 0u) | (needed ? 2u : 0u) |
                                       1u);
    }
    /// No page begins at an odd address.
    [[nodiscard]] static RZ_HD bool waits_in(void const* page) {
        return (reinterpret_cast<std::uint64_t>(page) & 1) != 0;
    }
    [[nodiscard]] static RZ_HD waiting_wish of(void const* page) {
        auto const word = reinterpret_cast<std::uint64_t>(page);
        return {static_cast<std::uint32_t>(word >> 3), (word & 2) != 0, (word & 4) != 0};
    }
    /// The request of a slice that waits.
    [[nodiscard]] static RZ_HD page_wish wish_of(batch::slice const& own) {
        waiting_wish const waits = of(own.page);
        return {waits.asks ? own.capacity : 0, waits.needed, waits.asks};
    }
};

/// The list for pages of so many neighbours.
template <class Format>
[[nodiscard]] RZ_HD std::uint32_t bucket_of(std::uint64_t neighbours) {
    return size_buckets::of(Format::bytes_for(neighbours));
}
/// Whether a slice waits in the list of a bucket, and in which.
template <class Format>
[[nodiscard]] RZ_HD size_note noted_size(batch::slice const& own) {
    return {waiting_wish::waits_in(own.page), bucket_of<Format>(own.capacity),
            waiting_wish::of(own.page).place};
}

/// Obtains the pages that rows request. `Counts` has now() -> progress&, of which this changes refused_pages
/// and refused_wishes, and reads `unsorted`.
template <class Format, class AllocatorRef, class Counts>
class page_server {
public:
    RZ_HD page_server(AllocatorRef const& allocator, Counts const& counts)
        : allocator_(allocator), a_(counts) {}

    /// Serves or refuses a request for a small page, or none, at once. Without one, the slice gets no page.
    template <class Thread>
    RZ_HD void obtain(Thread const& thread, batch::slice& own, page_wish const& wish) const {
        own.page = nullptr;
        if (wish.neighbours == 0 || is_vain(thread, wish)) return;
        std::uint64_t const bytes = Format::bytes_for(wish.neighbours);
        RZ_ASSUME(bytes <= size_buckets::small_bytes);
        settle(thread, own, wish, allocator_.allocate(thread, bytes));
    }
    /// Serves a request for a large page by all lanes of `group`, each with a copy of the slice. The lanes
    /// are synchronised afterwards.
    template <class Thread, class Group>
    RZ_HD void obtain_together(Thread const& thread, Group const& group, batch::slice& own,
                               page_wish const& wish) const {
        own.page = nullptr;
        bool const vain = group.any(group.is_leader() && (wish.neighbours == 0 || is_vain(thread, wish)));
        group.sync(); // all lanes have their copies
        if (vain) return;
        std::uint64_t const bytes = Format::bytes_for(wish.neighbours);
        RZ_ASSUME(bytes > size_buckets::small_bytes);
        settle(thread, own, wish, alloc::allocate_together(allocator_, thread, group, bytes));
    }
    /// Serves the requests of the lanes of a warp: large pages one after the other by all lanes together,
    /// others by each lane for itself. Called by all lanes, each with a request or none.
    template <class Thread>
    RZ_HD void obtain_in_warp(Thread const& thread, batch::slice& own, page_wish const& wish) const {
        bool const large =
            wish.neighbours != 0 && Format::bytes_for(wish.neighbours) > size_buckets::small_bytes;
        if (!large) obtain(exec::alone(thread), own, wish);
        auto const warp = thread.warp();
        for (std::uint32_t left = warp.ballot(large); left != 0; left &= left - 1) {
            std::uint32_t const lane = exec::countr_zero(left);
            batch::slice found{};
            obtain_together(
                thread, warp, found,
                {warp.shuffle(wish.neighbours, lane), warp.shuffle(wish.needed ? 1u : 0u, lane) != 0});
            if (warp.rank() != lane) continue;
            own.page = found.page;
            own.capacity = found.capacity;
        }
    }

protected:
    AllocatorRef const& allocator_;
    Counts const& a_;

private:
    /// If one request was refused, others need not be tried: the last pages of a heap take long to find.
    template <class Thread>
    [[nodiscard]] RZ_HD bool is_vain(Thread const& thread, page_wish const& wish) const {
        // relaxed: a thread that does not see it yet tries in vain; later kernels see it
        std::uint32_t const lacking = refused(thread, wish).load(exec::order::relaxed);
        std::uint32_t const unsorted = thread.device(a_.now().unsorted).load(exec::order::relaxed);
        return (lacking | unsorted) != 0;
    }
    template <class Thread>
    RZ_HD void settle(Thread const& thread, batch::slice& own, page_wish const& wish, void* page) const {
        own.page = page;
        own.capacity = Format::capacity_of(allocator_.usable_bytes(Format::bytes_for(wish.neighbours)));
        if (page == nullptr) refused(thread, wish).store(1, exec::order::relaxed);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD auto refused(Thread const& thread, page_wish const& wish) const {
        return thread.device(wish.needed ? a_.now().refused_pages : a_.now().refused_wishes);
    }
};

template <class Format, class AllocatorRef, bool Erasing>
class row_reserver
    : public page_server<Format, AllocatorRef, arrays<typename Format::id_type, Format::has_values>> {
    using base = page_server<Format, AllocatorRef, arrays<typename Format::id_type, Format::has_values>>;
    using base::a_;
    using base::allocator_;
    using id_type = typename Format::id_type;
    using record_type = typename Format::record_type;

public:
    using base::base;

    /// The request of a row with `count` arcs, all of which may be new to it.
    template <class Thread>
    [[nodiscard]] RZ_HD page_wish wish_of_counted(Thread const& thread, record_type const& record,
                                                  std::uint32_t count) {
        if (!Erasing && overflows_row<id_type>(record.degree, count)) {
            // Possibly too many: some may be present already, or repeat others. Sorting will tell.
            thread.device(a_.now().unsorted).store(1, exec::order::relaxed);
            return {};
        }
        return counted({wanted_neighbours<Format, Erasing>(allocator_, record, count), !Erasing});
    }
    /// For a row that needs no page: whether erasing `count` arcs may leave so few neighbours that it gives
    /// its page back.
    [[nodiscard]] static RZ_HD bool may_leave(record_type const& record, std::uint32_t count) {
        return Erasing && !Format::is_inline(record.degree) &&
               std::uint64_t{count} + Format::inline_ids >= record.degree;
    }
    /// The same for a row of which `changes` are known. A large row also requests a page, so that several
    /// blocks can merge it into memory from which they do not read.
    template <class Thread>
    [[nodiscard]] RZ_HD page_wish wish_of_sorted(Thread const& thread, record_type const& record,
                                                 std::uint32_t changes) {
        if (changes == 0) return {};
        if (!Erasing && overflows_row<id_type>(record.degree, changes)) {
            thread.device(a_.now().unsorted).store(progress::overflowing, exec::order::relaxed);
            return {};
        }
        std::uint64_t const wanted = wanted_neighbours<Format, Erasing>(allocator_, record, changes);
        if (wanted != 0) return counted({wanted, !Erasing});
        std::uint32_t const degree = Erasing ? record.degree - changes : record.degree + changes;
        bool const large = longest(record, changes) > a_.wish_degree && !Format::is_inline(degree);
        return {large ? degree : 0, false};
    }

    /// Notes the request for the lists. Called by all threads of the block, each with a row or none.
    template <class Thread>
    RZ_HD void note(Thread const& thread, size_note_storage& storage, batch::slice& own,
                    page_wish const& wish) const {
        bool const asks = wish.neighbours != 0;
        std::uint32_t const place =
            note_size(thread, storage, a_.zeros->asked, asks, bucket(wish.neighbours));
        if (!asks) return;
        own.page = waiting_wish{place, wish.needed, wish.asks}.packed();
        own.capacity = static_cast<std::uint32_t>(wish.neighbours);
    }

    /// Chooses which threads merge the row of slice `number`. `most_short_arcs`: as is_short() takes it; 0:
    /// tiles merge light rows.
    template <class Thread>
    RZ_HD void hand_out_counted(Thread const& thread, batch::slice& own, std::uint32_t number,
                                record_type const& record, std::uint32_t most_short_arcs) const {
        std::uint32_t const tile = thread.tile(exec::width<tuning::row_tile>).size();
        bool const by_tile = !threads_merge<Format> || most_short_arcs == 0;
        if (by_tile ? is_light<Format>(record.degree, own.count, tile)
                    : is_short(record.degree, own.count, most_short_arcs))
            return;
        bool const warp = is_middling(record.degree, own.count, thread.warp().size());
        own.merger = warp ? merger::warp : merger::block;
        if (warp)
            a_.listed[draw(thread, a_.now().middling, 1)] = number;
        else
            a_.heavy(draw(thread, a_.now().heavy, 1)) = number;
    }
    /// The same for a row whose changes and whose page are known.
    template <class Thread>
    RZ_HD void hand_out_sorted(Thread const& thread, batch::slice& own, std::uint32_t number,
                               record_type const& record, row_piece* pieces, bool erasing) const {
        if (own.count == 0) return;
        std::uint32_t const length = longest(record, own.count);
        own.merger = length <= tuning::tile_degree ? merger::tile : merger::block;
        if (own.merger == merger::tile) return;
        std::uint32_t const degree = erasing ? record.degree - own.count : record.degree + own.count;
        bool const apart = own.page != nullptr || Format::is_inline(degree);
        std::uint32_t count = 1;
        if (apart && length > a_.piece_degree) {
            own.merger = merger::blocks;
            count = (length + a_.piece_degree - 1) / a_.piece_degree;
        }
        std::uint32_t const first = draw(thread, a_.now().pieces, count);
        for (std::uint32_t i = 0; i < count; ++i)
            pieces[first + i] = {number, i};
    }

    template <class Thread>
    RZ_HD void add_totals(Thread const& thread) const {
        if (!Erasing) exec::add_to_total(thread, a_.share(thread.rank()).needed_bytes, needed_bytes_);
    }

private:
    [[nodiscard]] static RZ_HD std::uint32_t bucket(std::uint64_t neighbours) {
        return bucket_of<Format>(neighbours);
    }
    [[nodiscard]] static RZ_HD std::uint32_t longest(record_type const& record, std::uint32_t changes) {
        return record.degree > changes ? record.degree : changes;
    }
    [[nodiscard]] RZ_HD page_wish counted(page_wish const& wish) {
        if (wish.needed && wish.neighbours != 0)
            needed_bytes_ += allocator_.usable_bytes(Format::bytes_for(wish.neighbours));
        return wish;
    }

    std::uint64_t needed_bytes_ = 0;
};

} // namespace rhizome::graph::batch

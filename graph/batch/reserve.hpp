// Program 2 of a batch: where each touched row's arcs are put, and every page that the batch needs at most,
// before anything is changed.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/draw.hpp>
#include <rhizome/graph/batch/merge_context.hpp>
#include <rhizome/graph/batch/place_rows.hpp>
#include <rhizome/graph/batch/slots.hpp>
#include <rhizome/graph/batch/sort_arcs.hpp>
#include <rhizome/graph/limits.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/vertex_record.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Obtains pages for rows, and says who merges them.
template <class Layout, class Format, class AllocatorRef, bool Erasing>
class row_reserver {
    using id_type = typename Format::id_type;

public:
    RZ_HD row_reserver(AllocatorRef const& allocator, arrays<id_type, Format::has_values> const& a)
        : allocator_(allocator), a_(a) {}

    /// A page for `wanted` neighbours of a row, or none. Without `needed` it is a wish that may be refused.
    template <class Thread>
    RZ_HD void obtain(Thread const& thread, batch::segment& own, std::uint64_t wanted, bool needed) {
        std::uint64_t const bytes = Format::bytes_for(wanted);
        std::uint64_t const usable = allocator_.usable_bytes(bytes);
        if (needed) needed_bytes_ += usable;
        // Where one is refused, others need not try: the last pages of a heap take long to find.
        auto const refused = thread.device(needed ? a_.now().refused_pages : a_.now().refused_wishes);
        // relaxed: whoever does not see it yet tries in vain; later kernels see it
        if (refused.load(exec::order::relaxed) != 0) return;
        own.page = allocator_.allocate(thread, bytes);
        own.capacity = Format::capacity_of(usable);
        if (own.page == nullptr) refused.store(1, exec::order::relaxed);
    }

    /// Fills in a segment of `count` arcs at `begin`, of which all may be new to the row.
    template <class Thread>
    RZ_HD void reserve_counted(Thread const& thread, std::uint32_t number, std::uint64_t row,
                               vertex_record<id_type> const& record, std::uint32_t begin,
                               std::uint32_t count) {
        batch::segment own{row, nullptr, begin, count, 0, merger::registers};
        if (!Erasing && overflows_row<id_type>(record.degree, count)) {
            // Perhaps: some may be there already, or repeat others. Sorted, it will show.
            thread.device(a_.now().unsorted).store(1, exec::order::relaxed);
            a_.segments[number] = own;
            return;
        }
        std::uint64_t const wanted = Layout::template wanted<Format, Erasing>(allocator_, record, count);
        if (wanted != 0) obtain(thread, own, wanted, !Erasing);
        std::uint32_t const tile = thread.tile(exec::width<tuning::row_tile>).size();
        if (!Layout::template is_light<Format>(record.degree, count, tile)) {
            bool const warp = Layout::is_middling(record.degree, count, thread.warp().size());
            own.merger = warp ? merger::warp : merger::block;
            if (warp)
                a_.listed[draw(thread, a_.now().middling, 1)] = number;
            else
                a_.heavy(draw(thread, a_.now().heavy, 1)) = number;
        }
        a_.segments[number] = own;
    }

    /// The same for a row whose `changes` are known: with a page where the row is large, too, so that many
    /// blocks can merge it, into other memory than they read.
    template <class Thread>
    RZ_HD void reserve_sorted(Thread const& thread, std::uint32_t number, std::uint64_t row,
                              vertex_record<id_type> const& record, std::uint32_t begin,
                              std::uint32_t changes, row_piece* pieces) {
        batch::segment own{row, nullptr, begin, changes, 0, merger::nobody};
        if (!Erasing && overflows_row<id_type>(record.degree, changes)) {
            thread.device(a_.now().unsorted).store(progress::overflowing, exec::order::relaxed);
        } else if (changes != 0) {
            std::uint32_t const longest = record.degree > changes ? record.degree : changes;
            std::uint32_t const degree = Erasing ? record.degree - changes : record.degree + changes;
            std::uint64_t const wanted =
                Layout::template wanted<Format, Erasing>(allocator_, record, changes);
            bool const large = longest > tuning::piece_degree && !Format::is_inline(degree);
            if (wanted != 0)
                obtain(thread, own, wanted, !Erasing);
            else if (large)
                obtain(thread, own, degree, false);
            if (longest <= tuning::tile_degree) {
                own.merger = merger::tile;
            } else {
                bool const apart = own.page != nullptr || Format::is_inline(degree);
                own.merger = apart && longest > tuning::piece_degree ? merger::blocks : merger::block;
                std::uint32_t const count = own.merger == merger::block
                                                ? 1
                                                : (longest + tuning::piece_degree - 1) / tuning::piece_degree;
                std::uint32_t const first = draw(thread, a_.now().pieces, count);
                for (std::uint32_t i = 0; i < count; ++i)
                    pieces[first + i] = {number, i};
            }
        }
        a_.segments[number] = own;
    }
    template <class Thread>
    RZ_HD void add_totals(Thread const& thread) const {
        if (!Erasing) exec::add_to_total(thread, a_.share(thread.rank()).needed_bytes, needed_bytes_);
    }

private:
    AllocatorRef const& allocator_;
    arrays<id_type, Format::has_values> const& a_;
    std::uint64_t needed_bytes_ = 0;
};

/// For arcs that were counted.
template <class Layout, class Format, class AllocatorRef, bool Erasing>
struct reserve_rows {
    static constexpr std::uint32_t blocks_side_by_side =
        4; // requests wait for memory: 64 registers are enough
    using id_type = typename Format::id_type;

    AllocatorRef allocator;
    arc_rules<id_type> rules;
    basic_edge<id_type> const* edges;
    std::uint64_t slot_count; ///< arcs, taken or not
    vertex_record<id_type> const* rows;
    row_slots slots;
    arrays<id_type, Format::has_values> a;

    using shared = place_storage;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        row_reserver<Layout, Format, AllocatorRef, Erasing> reserver(allocator, a);
        place_rows(thread, thread.block().storage(), rules, edges, slot_count, slots, a,
                   [&](std::uint32_t number, std::uint64_t row, std::uint32_t begin, std::uint32_t count) {
                       reserver.reserve_counted(thread, number, row, rows[row], begin, count);
                   });
        reserver.add_totals(thread);
    }
};

/// For arcs that were sorted.
template <class Layout, class Format, class AllocatorRef, bool Erasing>
struct reserve_sorted_rows {
    static constexpr std::uint32_t blocks_side_by_side = 4; // as reserve_rows
    using id_type = typename Format::id_type;

    AllocatorRef allocator;
    packed_keys<id_type> keys;
    vertex_record<id_type> const* rows;
    sorting_arrays<id_type> s;
    arrays<id_type, Format::has_values> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        row_reserver<Layout, Format, AllocatorRef, Erasing> reserver(allocator, a);
        exec::for_each_item(thread, a.now().segments(), [&](std::uint64_t i) {
            std::uint32_t const begin = s.segment_begin[i];
            std::uint32_t const end = s.segment_begin[i + 1];
            std::uint64_t const row = keys.row_of(s.pairs.keys[begin]);
            reserver.reserve_sorted(thread, static_cast<std::uint32_t>(i), row, rows[row], begin,
                                    s.changes_before[end] - s.changes_before[begin], s.pieces);
        });
        reserver.add_totals(thread);
    }
};

/// After the last program: rows that several blocks have merged are committed, unused and replaced pages go
/// back, slots are as they were. What was refused or stopped leaves no trace.
template <class Layout, class Format, class AllocatorRef, bool Erasing>
struct finish_rows {
    AllocatorRef allocator;
    row_slots slots;
    merge_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        bool const stopped = a.now().stopped();
        exec::for_each_item(thread, a.now().segments(), [&](std::uint64_t i) {
            batch::segment own = a.segments[i];
            if (own.merger == merger::blocks && !stopped)
                Layout::template merge<Format, Erasing>::commit_pieces(context, own);
            slots[own.row] = 0;
            allocator.deallocate(thread, own.page);
        });
    }
};

} // namespace rhizome::graph::batch

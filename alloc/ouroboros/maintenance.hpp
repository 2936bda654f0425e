// What the owner of an ouroboros does while nothing else runs: lay out, drain, sort out, refill, count.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/ouroboros/array_queue.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc::maintenance {

/// Gives the store chunks that it never had.
template <class Ref>
struct add_chunks {
    Ref ref;
    std::uint64_t first_chunk;
    std::uint64_t chunks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, chunks, [&](std::uint64_t i) {
            std::uint64_t const chunk = first_chunk + i;
            thread.device(ref.store().mask()[chunk / 64])
                .fetch_or(std::uint64_t{1} << (chunk % 64), exec::order::relaxed);
        });
        if (thread.rank() == 0) {
            thread.device(ref.store().state()->count).fetch_add(chunks, exec::order::relaxed);
            thread.device(ref.store().state()->extent_hint).store(~std::uint64_t{0}, exec::order::relaxed);
        }
    }
};

/// Marks every page of every ring in its chunk, and empties the slots.
template <class Ref>
struct drain_rings {
    Ref ref;
    std::uint32_t classes;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for (std::uint32_t size_class = 0; size_class < classes; ++size_class) {
            array_queue_ref const ring = ref.queue(size_class);
            exec::for_each_item(thread, ring.capacity(), [&](std::uint64_t slot) {
                std::uint64_t const page = thread.device(ring.slots()[ring.slot_of(slot)])
                                               .exchange(array_queue_ref::empty, exec::order::relaxed);
                if (page != array_queue_ref::empty) ref.mark_spilled(thread, size_class, page);
            });
        }
    }
};

/// Empty rings and spill lists; the number of slots may have changed.
template <class Ref>
struct reset_rings {
    Ref ref;
    std::uint32_t classes;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, classes, [&](std::uint64_t size_class) {
            array_queue_ref const ring = ref.queue(static_cast<std::uint32_t>(size_class));
            ring.state() = {};
            ring.state().room = static_cast<std::int64_t>(ring.capacity());
        });
    }
};

/// Chunks whose pages are all free go back to the store; what others have spilled goes to the rings, and
/// stays spilled (and listed) where a ring is full.
template <class Ref>
struct sort_out_chunks {
    Ref ref;
    std::uint64_t chunks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, chunks, [&](std::uint64_t chunk) {
            auto& record = ref.record_of(chunk);
            std::uint32_t const header = thread.device(record.header).load(exec::order::relaxed);
            if (kind_of(header) != chunk_kind::pages) return;
            std::uint32_t const size_class = detail_of(header);
            std::uint32_t const spilled = thread.device(record.spilled).load(exec::order::relaxed);
            if (spilled == ref.pages_of(size_class)) {
                for (auto& word : record.pages)
                    thread.device(word).store(0, exec::order::relaxed);
                thread.device(record.spilled).store(0u, exec::order::relaxed);
                thread.device(record.header).store(0u, exec::order::relaxed);
                ref.store().put(thread, chunk);
            } else if (spilled != 0) {
                refill_ring(thread, record, chunk, size_class);
            }
        });
    }

private:
    template <class Thread, class Record>
    RZ_HD void refill_ring(Thread const& thread, Record& record, std::uint64_t chunk,
                           std::uint32_t size_class) const {
        array_queue_ref const ring = ref.queue(size_class);
        std::uint32_t const pages = ref.pages_of(size_class);
        std::uint32_t const spilled = thread.device(record.spilled).load(exec::order::relaxed);
        std::uint32_t const room = ring.take_room(thread, spilled);
        std::uint64_t const place = room == 0 ? 0 : ring.give_places(thread, room);
        std::uint32_t moved = 0;
        for (std::uint32_t word = 0; word < (pages + 63) / 64; ++word) {
            std::uint64_t bits = thread.device(record.pages[word]).load(exec::order::relaxed);
            while (bits != 0 && moved < room) {
                ring.give(thread, place + moved++, chunk * pages + word * 64 + detail::nth_bit(bits, 0));
                bits &= bits - 1;
            }
            thread.device(record.pages[word]).store(bits, exec::order::relaxed);
        }
        thread.device(record.spilled).store(spilled - moved, exec::order::relaxed);
        if (moved != 0) ring.semaphore().give(thread, moved);
        if (moved < spilled) ref.push_spilled_chunk(thread, size_class, chunk);
    }
};

/// What an audit counts.
struct audit_counts {
    std::uint64_t free_bits;         ///< set bits of the mask
    std::uint64_t free_with_header;  ///< free chunks that have a header
    std::uint64_t page_chunks;       ///< chunks cut into pages
    std::uint64_t extent_chunks;     ///< chunks of extents
    std::uint64_t page_bytes;        ///< bytes of pages in those chunks
    std::uint64_t ringed_pages;      ///< entries found in rings
    std::uint64_t ringed_bytes;      ///< bytes of those pages
    std::uint64_t foreign_entries;   ///< entries that name no page of their class
    std::uint64_t doubled_entries;   ///< entries whose page is marked as spilled, too
    std::uint64_t spilled_bits;      ///< marked pages
    std::uint64_t spilled_bytes;     ///< bytes of those pages
    std::uint64_t spilled_miscounts; ///< chunks whose count is not their number of marks
    std::uint64_t broken_rings;      ///< rings whose counters do not add up
};

template <class Ref>
struct audit_chunks {
    Ref ref;
    std::uint64_t chunks;
    audit_counts* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, chunks, [&](std::uint64_t chunk) {
            auto const& record = ref.record_of(chunk);
            bool const free = (ref.store().mask()[chunk / 64] >> (chunk % 64) & 1) != 0;
            auto const add = [&](std::uint64_t& word, std::uint64_t more) {
                thread.device(word).fetch_add(more, exec::order::relaxed);
            };
            if (free) {
                add(counts->free_bits, 1);
                if (record.header != 0) add(counts->free_with_header, 1);
                return;
            }
            if (kind_of(record.header) == chunk_kind::extent)
                add(counts->extent_chunks, std::uint64_t{detail_of(record.header)} * tuning::chunks_per_unit);
            if (kind_of(record.header) != chunk_kind::pages) return;
            std::uint32_t const pages = ref.pages_of(detail_of(record.header));
            std::uint64_t const bytes = Ref::class_bytes(detail_of(record.header));
            std::uint32_t marks = 0;
            for (std::uint64_t const word : record.pages)
                marks += detail::count_bits(word);
            add(counts->page_chunks, 1);
            add(counts->page_bytes, pages * bytes);
            add(counts->spilled_bits, marks);
            add(counts->spilled_bytes, marks * bytes);
            if (marks != record.spilled || marks > pages) add(counts->spilled_miscounts, 1);
        });
    }
};

template <class Ref>
struct audit_rings {
    Ref ref;
    std::uint32_t classes;
    std::uint64_t chunks;
    audit_counts* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const add = [&](std::uint64_t& word, std::uint64_t more) {
            thread.device(word).fetch_add(more, exec::order::relaxed);
        };
        for (std::uint32_t size_class = 0; size_class < classes; ++size_class) {
            array_queue_ref const ring = ref.queue(size_class);
            array_queue_state const& state = ring.state();
            std::uint64_t const held = state.back - state.front;
            if (thread.rank() == 0 && (held != static_cast<std::uint64_t>(state.semaphore.count) ||
                                       static_cast<std::uint64_t>(state.room) + held != ring.capacity() ||
                                       bulk_semaphore_ref::under_way(state.semaphore.in_flight)))
                add(counts->broken_rings, 1);
            exec::for_each_item(thread, ring.capacity(), [&](std::uint64_t place) {
                std::uint64_t const page = ring.slots()[ring.slot_of(state.front + place)];
                if ((page != array_queue_ref::empty) != (place < held)) add(counts->broken_rings, 1);
                if (page == array_queue_ref::empty) return;
                std::uint32_t const pages = ref.pages_of(size_class);
                std::uint64_t const chunk = page / pages;
                add(counts->ringed_pages, 1);
                add(counts->ringed_bytes, Ref::class_bytes(size_class));
                if (chunk >= chunks ||
                    ref.record_of(chunk).header != make_header(chunk_kind::pages, size_class)) {
                    add(counts->foreign_entries, 1);
                    return;
                }
                std::uint64_t const bit = page % pages;
                if ((ref.record_of(chunk).pages[bit / 64] >> (bit % 64) & 1) != 0)
                    add(counts->doubled_entries, 1);
            });
        }
    }
};

} // namespace rhizome::alloc::maintenance

// What the owner of an ouroboros does while nothing else runs: lay out, drain, sort out, refill, count.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/ouroboros/shard.hpp>
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
            thread.device(ref.store().state()->chunk_cursor).store(first_chunk, exec::order::relaxed);
            thread.device(ref.store().state()->extent_cursor).store(0, exec::order::relaxed);
        }
    }
};

/// Empties every queue and every uncut chunk; pages are marked in their chunks.
template <class Ref>
struct drain_rings {
    Ref ref;
    std::uint32_t classes;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for (std::uint32_t shard = 0; shard < classes * tuning::shards; ++shard) {
            std::uint32_t const size_class = shard / tuning::shards;
            array_queue_ref const ring = ref.queue(size_class, shard % tuning::shards);
            if (thread.rank() == 0) {
                std::uint32_t const pages = ref.pages_of(size_class);
                auto const rest = ref.uncut(size_class, shard % tuning::shards).read(thread);
                for (std::uint32_t page = rest.next; page < rest.pages;) {
                    std::uint32_t const end = (page / pages + 1) * pages;
                    ref.spilled(size_class, 0)
                        .mark_from(thread, rest.first_page / pages + page / pages, page % pages, pages);
                    page = end;
                }
            }
            exec::for_each_item(thread, ring.capacity(), [&](std::uint64_t slot) {
                std::uint64_t const page = thread.device(ring.slots()[ring.slot_of(slot)])
                                               .exchange(array_queue_ref::empty, exec::order::relaxed);
                if (page == array_queue_ref::empty || !Ref::granularity::queues_pages) return;
                std::uint64_t const place = page % ref.pages_of(size_class);
                ref.spilled(size_class, 0)
                    .mark(thread, page / ref.pages_of(size_class), static_cast<std::uint32_t>(place / 64),
                          std::uint64_t{1} << (place % 64));
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
        exec::for_each_item(thread, std::uint64_t{classes} * tuning::shards, [&](std::uint64_t item) {
            auto const size_class = static_cast<std::uint32_t>(item / tuning::shards);
            auto const number = static_cast<std::uint32_t>(item % tuning::shards);
            shard_state& shard = ref.shard(size_class, number);
            shard = {};
            shard.queue.room = static_cast<std::int64_t>(ref.queue(size_class, number).capacity());
        });
    }
};

/// Chunks whose pages are all free go back to the store; others with marked pages are listed.
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
            std::uint32_t marked = 0;
            for (auto& word : record.pages)
                marked += detail::count_bits(thread.device(word).load(exec::order::relaxed));
            thread.device(record.listed).store(0u, exec::order::relaxed);
            if (marked == ref.pages_of(size_class)) {
                for (auto& word : record.pages)
                    thread.device(word).store(0, exec::order::relaxed);
                thread.device(record.header).store(0u, exec::order::relaxed);
                ref.store().put(thread, chunk);
            } else if (marked != 0) {
                auto const spilled =
                    ref.spilled(size_class, static_cast<std::uint32_t>(chunk % tuning::shards));
                spilled.expect(thread, 1);
                if (spilled.flag(thread, chunk)) spilled.push(thread, chunk);
            }
        });
        if (thread.rank() == 0) {
            thread.device(ref.store().state()->chunk_cursor).store(0, exec::order::relaxed);
            thread.device(ref.store().state()->extent_cursor).store(0, exec::order::relaxed);
        }
    }
};

/// What an audit counts.
struct audit_counts {
    std::uint64_t free_bits;        ///< set bits of the mask
    std::uint64_t free_with_header; ///< free chunks that have a header
    std::uint64_t page_chunks;      ///< chunks cut into pages
    std::uint64_t extent_chunks;    ///< chunks of extents
    std::uint64_t page_bytes;       ///< bytes of pages in those chunks
    std::uint64_t ringed_pages;     ///< entries found in rings
    std::uint64_t ringed_bytes;     ///< bytes of those pages
    std::uint64_t foreign_entries;  ///< entries that name no page of their class
    std::uint64_t doubled_entries;  ///< entries whose page is marked as spilled, too
    std::uint64_t spilled_bits;     ///< marked pages
    std::uint64_t spilled_bytes;    ///< bytes of those pages
    std::uint64_t uncut_bytes;      ///< bytes of pages that nobody has had yet
    std::uint64_t foreign_marks;    ///< chunks with marks beyond their pages
    std::uint64_t unlisted_marks;   ///< chunks with marks that are not flagged as listed
    std::uint64_t flagged_chunks;   ///< chunks that are flagged as listed
    std::uint64_t listed_chunks;    ///< chunks found in lists
    std::uint64_t
        foreign_listed; ///< of those: without flag, of another class, or in a list that does not end
    std::uint64_t expected_chunks; ///< what the classes count as listed
    std::uint64_t broken_rings;    ///< rings whose counters do not add up
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
            constexpr std::uint32_t words = sizeof(record.pages) / sizeof(std::uint64_t);
            std::uint32_t marks = 0;
            for (std::uint64_t const word : record.pages)
                marks += detail::count_bits(word);
            add(counts->page_chunks, 1);
            add(counts->page_bytes, pages * bytes);
            add(counts->spilled_bits, marks);
            add(counts->spilled_bytes, marks * bytes);
            std::uint32_t const last = pages / 64;
            std::uint64_t beyond = pages % 64 == 0 ? 0 : record.pages[last] >> (pages % 64);
            for (std::uint32_t word = last + (pages % 64 == 0 ? 0 : 1); word < words; ++word)
                beyond |= record.pages[word];
            if (beyond != 0) add(counts->foreign_marks, 1);
            if (marks != 0 && record.listed == 0) add(counts->unlisted_marks, 1);
            if (record.listed != 0) add(counts->flagged_chunks, 1);
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
        for (std::uint32_t shard = 0; shard < classes * tuning::shards; ++shard) {
            std::uint32_t const size_class = shard / tuning::shards;
            array_queue_ref const ring = ref.queue(size_class, shard % tuning::shards);
            array_queue_state const& state = ring.state();
            std::uint64_t const held = state.back - state.front;
            auto const rest = ref.uncut(size_class, shard % tuning::shards).read(thread);
            if (thread.rank() == 0 && rest.left() != 0) {
                add(counts->uncut_bytes, std::uint64_t{rest.left()} * Ref::class_bytes(size_class));
                std::uint32_t const pages = ref.pages_of(size_class);
                for (std::uint64_t chunk = rest.first_page / pages;
                     chunk < (rest.first_page + rest.pages) / pages; ++chunk)
                    if (chunk >= chunks ||
                        ref.record_of(chunk).header != make_header(chunk_kind::pages, size_class))
                        add(counts->foreign_entries, 1);
            }
            if (thread.rank() == 0 && (held != static_cast<std::uint64_t>(state.semaphore.count) ||
                                       static_cast<std::uint64_t>(state.room) + held != ring.capacity() ||
                                       motion_ref::movers(state.semaphore.refills) != 0))
                add(counts->broken_rings, 1);
            exec::for_each_item(thread, ring.capacity(), [&](std::uint64_t place) {
                std::uint64_t const page = ring.slots()[ring.slot_of(state.front + place)];
                if ((page != array_queue_ref::empty) != (place < held)) add(counts->broken_rings, 1);
                if (page == array_queue_ref::empty) return;
                std::uint32_t const pages = ref.pages_of(size_class);
                std::uint64_t const chunk = Ref::granularity::queues_pages ? page / pages : page;
                if (Ref::granularity::queues_pages) {
                    add(counts->ringed_pages, 1);
                    add(counts->ringed_bytes, Ref::class_bytes(size_class));
                } else {
                    add(counts->listed_chunks, 1);
                }
                if (chunk >= chunks ||
                    ref.record_of(chunk).header != make_header(chunk_kind::pages, size_class)) {
                    add(counts->foreign_entries, 1);
                    return;
                }
                if (!Ref::granularity::queues_pages) {
                    if (ref.record_of(chunk).listed == 0) add(counts->foreign_listed, 1);
                    return;
                }
                std::uint64_t const bit = page % pages;
                if ((ref.record_of(chunk).pages[bit / 64] >> (bit % 64) & 1) != 0)
                    add(counts->doubled_entries, 1);
            });
        }
    }
};

/// Walks the lists of spilled chunks.
template <class Ref>
struct audit_lists {
    Ref ref;
    std::uint32_t classes;
    std::uint64_t chunks;
    audit_counts* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const add = [&](std::uint64_t& word, std::uint64_t more) {
            thread.device(word).fetch_add(more, exec::order::relaxed);
        };
        exec::for_each_item(thread, std::uint64_t{classes} * tuning::shards, [&](std::uint64_t item) {
            auto const size_class = static_cast<std::uint32_t>(item / tuning::shards);
            spilled_pages_state const& spilled =
                ref.shard(size_class, static_cast<std::uint32_t>(item % tuning::shards)).spilled;
            add(counts->expected_chunks, spilled.expected);
            auto next = static_cast<std::uint32_t>(spilled.list);
            std::uint64_t steps = 0;
            for (; next != 0 && next <= chunks && steps <= chunks; ++steps) {
                auto const& record = ref.record_of(next - 1);
                if (record.header != make_header(chunk_kind::pages, size_class) || record.listed == 0)
                    add(counts->foreign_listed, 1);
                next = record.next;
            }
            add(counts->listed_chunks, steps);
            if (next != 0) add(counts->foreign_listed, 1);
        });
    }
};

} // namespace rhizome::alloc::maintenance

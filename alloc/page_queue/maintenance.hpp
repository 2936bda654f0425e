// SPDX-License-Identifier: Apache-2.0
// Kernels of the owner of a page_queue, while nothing else runs: empty the rings, fill them again, count.
#pragma once

#include <rhizome/alloc/page_queue/page_ring.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc::page_queue_maintenance {

/// Threads may have added more to the counters of fresh pages than there were. Before pages are added, this
/// sets each counter to the number that there was.
template <class Ref>
struct settle_fresh {
    Ref ref;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, Ref::shards, [&](std::uint64_t item) {
            auto const number = static_cast<std::uint32_t>(item);
            thread.device(ref.shard(number).fresh).fetch_min(ref.pages_of(number), exec::order::relaxed);
        });
    }
};

/// Moves every queued page from its ring into the marks: a word per block, a bit per page.
template <class Ref>
struct drain {
    Ref ref;
    std::uint32_t* marks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const capacity = ref.ring_of(0).capacity();
        exec::for_each_item(thread, capacity * Ref::shards, [&](std::uint64_t item) {
            auto const number = static_cast<std::uint32_t>(item / capacity);
            std::uint32_t& slot = ref.ring_of(number).slot_of(item % capacity);
            std::uint32_t const place = slot;
            if (place == page_ring_ref::empty) return;
            slot = page_ring_ref::empty;
            std::uint64_t const page = Ref::page_at(number, place);
            thread.device(marks[page / Ref::block_pages])
                .fetch_or(1u << (page % Ref::block_pages), exec::order::relaxed);
        });
        exec::for_each_item(thread, Ref::shards, [&](std::uint64_t number) {
            ref.shard(static_cast<std::uint32_t>(number)).ring = {};
        });
    }
};

/// Puts marked pages into empty rings, the pages of a block at consecutive places.
template <class Ref>
struct refill {
    Ref ref;
    std::uint32_t const* marks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, ref.blocks(), [&](std::uint64_t block) {
            std::uint32_t const bits = marks[block];
            std::uint32_t const pages = exec::popcount(bits);
            if (pages == 0) return;
            std::uint64_t const first_page = block * Ref::block_pages;
            page_ring_ref const ring = ref.ring_of(Ref::home_of(first_page));
            std::uint64_t const first = ring.give_places(thread, pages);
            for (std::uint32_t i = 0; i < pages; ++i)
                ring.give(thread, first + i, Ref::place_of(first_page + exec::nth_bit(bits, i)));
            ring.publish(thread, pages);
        });
    }
};

/// The counts of an audit.
struct audit_counts {
    std::uint64_t fresh_pages;
    std::uint64_t queued_pages;    ///< slots that are not empty
    std::uint64_t misplaced_slots; ///< not empty outside [front, back), or empty within
    std::uint64_t foreign_entries; ///< entries that name no page of their shard, or a fresh one
    std::uint64_t doubled_entries; ///< entries whose page was found before
    std::uint64_t broken_rings;    ///< back - front != count, or more than the ring holds
};

template <class Ref>
struct audit {
    Ref ref;
    std::uint32_t* marks; ///< zero at the start
    audit_counts* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const add = [&](std::uint64_t& word, std::uint64_t more) {
            thread.device(word).fetch_add(more, exec::order::relaxed);
        };
        std::uint64_t const capacity = ref.ring_of(0).capacity();
        exec::for_each_item(thread, capacity * Ref::shards, [&](std::uint64_t item) {
            auto const number = static_cast<std::uint32_t>(item / capacity);
            page_ring_ref const ring = ref.ring_of(number);
            page_ring_state const& state = ring.state();
            std::uint64_t const held = state.back - state.front;
            // The distance from the slot of `front`, around the ring.
            std::uint64_t const behind = (item % capacity - state.front) & (capacity - 1);
            std::uint32_t const place = ring.slot_of(item % capacity);
            if ((place != page_ring_ref::empty) != (behind < held)) add(counts->misplaced_slots, 1);
            if (place == page_ring_ref::empty) return;
            add(counts->queued_pages, 1);
            if (place >= ref.pages_of(number) || place >= ref.shard(number).fresh) {
                add(counts->foreign_entries, 1);
                return;
            }
            std::uint64_t const page = Ref::page_at(number, place);
            std::uint32_t const bit = 1u << (page % Ref::block_pages);
            std::uint32_t const before =
                thread.device(marks[page / Ref::block_pages]).fetch_or(bit, exec::order::relaxed);
            if ((before & bit) != 0) add(counts->doubled_entries, 1);
        });
        exec::for_each_item(thread, Ref::shards, [&](std::uint64_t item) {
            auto const number = static_cast<std::uint32_t>(item);
            page_ring_state const& state = ref.shard(number).ring;
            std::uint64_t const held = state.back - state.front;
            if (held != static_cast<std::uint64_t>(state.count) || held > ref.pages_of(number))
                add(counts->broken_rings, 1);
            std::uint64_t const fresh = ref.shard(number).fresh;
            if (fresh < ref.pages_of(number)) add(counts->fresh_pages, ref.pages_of(number) - fresh);
        });
    }
};

} // namespace rhizome::alloc::page_queue_maintenance

// SPDX-License-Identifier: Apache-2.0
// page_queue, the device side. A page comes from the ring of freed pages or from the counter of fresh ones:
// at the shard of the requesting warp first, then at any shard that has pages.
//
// Invariant: pages of a shard = handed out + in its ring + fresh. Page p always belongs to shard p /
// block_pages % shards and returns there, so a ring with a slot for each page of its shard cannot overflow.
#pragma once

#include <rhizome/alloc/page_queue/page_ring.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/rank_order.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::alloc {

/// One of the shards that warps are spread over. 128 bytes: a cache line of its own.
struct page_queue_shard {
    page_ring_state ring;
    std::uint64_t fresh; ///< pages ever taken from the counter: pages below it are no longer fresh
    std::uint64_t padding[12];
};
static_assert(sizeof(page_queue_shard) == 128);

template <std::uint32_t PageBytes>
class page_queue_ref {
public:
    /// Neighbouring pages that belong to one shard: about one per lane of a warp, so that a warp gets
    /// neighbouring pages.
    static constexpr std::uint32_t block_pages = 32;
    static constexpr std::uint64_t block_bytes = std::uint64_t{block_pages} * PageBytes;
    static constexpr std::uint32_t shards = tuning::shards_at_most;

    struct traits {
        static constexpr std::uint64_t alignment_bytes = exec::lowest_bits(PageBytes | 256, 1);
        static constexpr std::uint64_t smallest_bytes = PageBytes;
        static constexpr std::uint64_t largest_bytes = PageBytes;
        static constexpr bool reuses = true;
        static constexpr bool bounded = true;
    };
    static_assert(PageBytes % 16 == 0 && PageBytes != 0);

    page_queue_ref(std::byte* heap, page_queue_shard* table, std::uint32_t* slots, std::uint64_t capacity,
                   std::uint64_t blocks)
        : heap_(heap), table_(table), slots_(slots), capacity_(capacity), blocks_(blocks) {}

    /// Cost: two atomics for all lanes of a warp, and one per lane. A refusal: two loads and an atomic per
    /// shard.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        if (bytes > PageBytes) return nullptr;
        auto const group = thread.coalesced();
        std::uint32_t const own = group.broadcast(own_shard(thread), 0);
        std::uint32_t number = own;
        exec::rank_order lanes;
        std::uint32_t looks = 0;
        void* page = nullptr;
        for (;;) {
            if (lanes.serve(group, take_freed(thread, group, number, lanes, page))) return page;
            if (lanes.serve(group, take_fresh(thread, group, number, lanes, page))) return page;
            number = find_shard(thread, group, own);
            if (number != none) continue;
            // Pages in motion come to rest, unless other threads keep them in motion for ever.
            if (is_used_up(thread, group) || ++looks > tuning::refusal_looks) return page;
            number = own;
            thread.pause(); // not relax: another lane may be the one that sees the change
        }
    }

    /// Cost: two atomics for all lanes of a warp whose pages belong to one shard, and one per lane; otherwise
    /// three per lane.
    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, void* pointer) const {
        if (pointer == nullptr) return;
        auto const offset = static_cast<std::uint64_t>(static_cast<std::byte*>(pointer) - heap_);
        std::uint64_t const page = offset / PageBytes;
        std::uint32_t const number = home_of(page);
        auto const group = thread.coalesced();
        // Pages that were taken together mostly belong to one shard. Otherwise each lane gives its page by
        // itself, all lanes at the same time: groups by shard would run one after another.
        bool const alike = group.all(number == group.broadcast(number, 0));
        std::uint32_t const rank = alike ? group.rank() : 0;
        std::uint32_t const pages = alike ? group.size() : 1;
        page_ring_ref const ring = ring_of(number);
        std::uint64_t first = rank == 0 ? ring.give_places(thread, pages) : 0;
        if (alike) first = group.broadcast(first, 0);
        ring.give(thread, first + rank, place_of(page));
        group.sync(); // pages before their permits
        if (rank == 0) ring.publish(thread, pages);
        group.sync(); // a thread that returns may ask again, and must find what it gave back
    }

    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t) const { return PageBytes; }
    /// The size of a block.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t bytes_of(Thread const&, void const*) const {
        return PageBytes;
    }

    // For the owner's maintenance kernels.

    /// The shard that a page belongs to, its number among that shard's pages, and the inverse.
    [[nodiscard]] static RZ_HD constexpr std::uint32_t home_of(std::uint64_t page) {
        return static_cast<std::uint32_t>(page / block_pages % shards);
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t place_of(std::uint64_t page) {
        return static_cast<std::uint32_t>(page / block_pages / shards * block_pages + page % block_pages);
    }
    [[nodiscard]] static RZ_HD constexpr std::uint64_t page_at(std::uint32_t number, std::uint64_t place) {
        return (place / block_pages * shards + number) * block_pages + place % block_pages;
    }
    /// Pages of a shard.
    [[nodiscard]] RZ_HD std::uint64_t pages_of(std::uint32_t number) const {
        return (blocks_ + shards - 1 - number) / shards * block_pages;
    }
    [[nodiscard]] RZ_HD page_queue_shard& shard(std::uint32_t number) const { return table_[number]; }
    [[nodiscard]] RZ_HD page_ring_ref ring_of(std::uint32_t number) const {
        return {table_[number].ring, slots_ + number * capacity_, capacity_};
    }
    [[nodiscard]] RZ_HD std::uint64_t blocks() const { return blocks_; }

private:
    static constexpr std::uint32_t none = shards;

    /// The number of shards that have pages: the first ones.
    [[nodiscard]] RZ_HD std::uint32_t used_shards() const {
        return blocks_ < shards ? static_cast<std::uint32_t>(blocks_) : shards;
    }
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t own_shard(Thread const& thread) const {
        if (blocks_ == 0) return 0;
        return static_cast<std::uint32_t>(thread.rank() / tuning::shard_threads % used_shards());
    }

    /// Gets freed pages for up to all lanes that are not served yet; returns for how many.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint32_t take_freed(Thread const& thread, Group const& group,
                                                 std::uint32_t number, exec::rank_order const& lanes,
                                                 void*& page) const {
        page_ring_ref const ring = ring_of(number);
        page_ring_ref::places from{0, 0};
        if (group.is_leader()) from = ring.take_places(thread, lanes.missing(group));
        from.count = group.broadcast(from.count, 0);
        if (from.count == 0) return 0;
        from.first = group.broadcast(from.first, 0);
        if (lanes.is_next(group, from.count))
            page = address_of(page_at(number, ring.take(thread, from.first + lanes.turn(group))));
        return from.count;
    }
    /// The same from the shard's counter of fresh pages. Relaxed: no thread has used these pages before.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint32_t take_fresh(Thread const& thread, Group const& group,
                                                 std::uint32_t number, exec::rank_order const& lanes,
                                                 void*& page) const {
        std::uint64_t const all = pages_of(number);
        std::uint32_t const wanted = lanes.missing(group);
        std::uint64_t first = all;
        // The load bounds the counter: once nothing is left, only threads that have passed the load add to
        // it.
        if (group.is_leader() && has_fresh(thread, number))
            first = thread.device(table_[number].fresh).fetch_add(wanted, exec::order::relaxed);
        first = group.broadcast(first, 0);
        if (first >= all) return 0;
        std::uint32_t const got = all - first < wanted ? static_cast<std::uint32_t>(all - first) : wanted;
        if (lanes.is_next(group, got)) page = address_of(page_at(number, first + lanes.turn(group)));
        return got;
    }
    template <class Thread>
    [[nodiscard]] RZ_HD bool has_fresh(Thread const& thread, std::uint32_t number) const {
        return thread.device(table_[number].fresh).load(exec::order::relaxed) < pages_of(number);
    }

    /// The next shard after the own one that seems to have pages, or none. Each lane looks at another shard.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint32_t find_shard(Thread const& thread, Group const& group,
                                                 std::uint32_t own) const {
        for (std::uint32_t base = 0; base < used_shards(); base += group.size()) {
            std::uint32_t const distance = base + group.rank();
            std::uint32_t const number = (own + distance) % used_shards();
            bool const has = distance < used_shards() &&
                             (ring_of(number).has_permits(thread) || has_fresh(thread, number));
            std::uint32_t const votes = group.ballot(has);
            if (votes != 0) return (own + base + exec::countr_zero(votes)) % used_shards();
        }
        return none;
    }

    /// Whether at some moment all pages were handed out. Fresh pages are never replenished. No front passes
    /// its back, and both only grow. So if the sum of the fronts, read first, equals that of the backs, read
    /// later, then each front was equal to its back at the moment between.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD bool is_used_up(Thread const& thread, Group const& group) const {
        bool moving = false;
        std::uint64_t taken = 0;
        for (std::uint32_t number = group.rank(); number < used_shards(); number += group.size()) {
            std::uint64_t const front = ring_of(number).taken(thread);
            taken += front;
            moving = moving || has_fresh(thread, number) || ring_of(number).given(thread) != front;
        }
        if (group.any(moving)) return false; // decided without writing
        group.sync();                        // all fronts before all backs
        std::uint64_t given = 0;
        for (std::uint32_t number = group.rank(); number < used_shards(); number += group.size())
            given += ring_of(number).given_now(thread);
        return group.sum(given - taken) == 0;
    }

    [[nodiscard]] RZ_HD void* address_of(std::uint64_t page) const { return heap_ + page * PageBytes; }

    std::byte* heap_;
    page_queue_shard* table_;
    std::uint32_t* slots_;   ///< [shard][capacity_]
    std::uint64_t capacity_; ///< of each ring
    std::uint64_t blocks_;
};

} // namespace rhizome::alloc

// ouroboros<page, array_queue>, the device side: free pages lie in a queue of their class
// (papers/ouroboros, 4.1).
//
// Changed here, and why (README.md): lanes that ask for one class share one atomic and may span several
// chunks; a new chunk's pages are published by all of them; a refused refill is a value that reaches
// everybody who waited; and a page that finds its ring full is marked in its chunk's own record, so that
// freeing needs no memory.
//
// Invariant: pages of class c = chunks of class c * pages a chunk = handed out + in ring c + spilled in
// chunks of c.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/ouroboros/array_queue.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/config.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::alloc {

template <class Classes, std::uint32_t ChunkBytes>
class ouroboros_page_ref {
public:
    static constexpr std::uint32_t pages_at_most = ChunkBytes / Classes::smallest_bytes;
    static constexpr std::uint64_t unit_bytes = std::uint64_t{ChunkBytes} * tuning::chunks_per_unit;
    using record = chunk_record<pages_at_most>;
    static_assert(Classes::largest_bytes <= ChunkBytes);

    struct traits {
        static constexpr std::uint64_t alignment_bytes = 16;
        static constexpr std::uint64_t smallest_bytes = Classes::smallest_bytes;
        static constexpr std::uint64_t largest_bytes = unit_bytes << 28; // what a header can say
        static constexpr bool reuses = true;
        static constexpr bool bounded = true;
    };

    ouroboros_page_ref(std::byte* heap, chunk_store_ref store, record* records, array_queue_state* queues,
                       std::uint64_t* slots, std::uint64_t ring_capacity)
        : heap_(heap), store_(store), records_(records), queues_(queues), slots_(slots),
          ring_capacity_(ring_capacity) {}

    /// Cost: three atomics for all lanes of a warp that ask for the same class, in the steady state.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        if (bytes > Classes::largest_bytes) return allocate_extent(thread, bytes);
        std::uint32_t const size_class = Classes::index_of(bytes);
        return allocate_pages(thread, thread.coalesced().match(size_class), size_class);
    }

    /// Cost: three atomics for all lanes of a warp that free the same class.
    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, void* pointer) const {
        if (pointer == nullptr) return;
        auto const offset = static_cast<std::uint64_t>(static_cast<std::byte*>(pointer) - heap_);
        std::uint64_t const chunk = offset / ChunkBytes;
        // relaxed: whoever handed the pointer over ordered the header's write before it
        std::uint32_t const header = thread.device(records_[chunk].header).load(exec::order::relaxed);
        if (kind_of(header) == chunk_kind::extent) {
            thread.device(records_[chunk].header).store(0u, exec::order::relaxed);
            store_.put_extent(thread, chunk / tuning::chunks_per_unit, detail_of(header));
            return;
        }
        std::uint32_t const size_class = detail_of(header);
        std::uint64_t const page =
            chunk * pages_of(size_class) + offset % ChunkBytes / Classes::bytes_of(size_class);
        free_pages(thread, thread.coalesced().match(size_class), size_class, page);
    }

    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t bytes) const {
        if (bytes <= Classes::largest_bytes) return Classes::bytes_of(Classes::index_of(bytes));
        return (bytes + unit_bytes - 1) / unit_bytes * unit_bytes;
    }

    // What the owner's maintenance kernels need: nothing else may run beside them.

    [[nodiscard]] static RZ_HD constexpr std::uint32_t pages_of(std::uint32_t size_class) {
        return ChunkBytes / Classes::bytes_of(size_class);
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t class_bytes(std::uint32_t size_class) {
        return Classes::bytes_of(size_class);
    }
    [[nodiscard]] RZ_HD array_queue_ref queue(std::uint32_t size_class) const {
        return {queues_[size_class], slots_, ring_capacity_, size_class, Classes::count};
    }
    [[nodiscard]] RZ_HD chunk_store_ref const& store() const { return store_; }
    [[nodiscard]] RZ_HD record& record_of(std::uint64_t chunk) const { return records_[chunk]; }

    /// Marks a page in its chunk's record, and the chunk in its class's list where it is the first.
    template <class Thread>
    RZ_HD void spill(Thread const& thread, std::uint32_t size_class, std::uint64_t page) const {
        std::uint64_t const chunk = page / pages_of(size_class);
        if (mark_spilled(thread, size_class, page) == 0) push_spilled_chunk(thread, size_class, chunk);
    }
    /// Marks a page; how many were marked in its chunk before.
    template <class Thread>
    RZ_HD std::uint32_t mark_spilled(Thread const& thread, std::uint32_t size_class,
                                     std::uint64_t page) const {
        std::uint32_t const place = static_cast<std::uint32_t>(page % pages_of(size_class));
        record& chunk = records_[page / pages_of(size_class)];
        // release: pairs with take_spilled's acquire, page by page
        thread.device(chunk.pages[place / 64])
            .fetch_or(std::uint64_t{1} << (place % 64), exec::order::release);
        // The bit before the count: who counts n pages finds n bits (release keeps the two in order).
        return thread.device(chunk.spilled).fetch_add(1u, exec::order::acq_rel);
    }
    template <class Thread>
    RZ_HD void push_spilled_chunk(Thread const& thread, std::uint32_t size_class, std::uint64_t chunk) const {
        auto const list = thread.device(queues_[size_class].spill_lists[own_list(thread)]);
        std::uint64_t head = list.load(exec::order::relaxed);
        do {
            thread.device(records_[chunk].next).store(static_cast<std::uint32_t>(head), exec::order::relaxed);
            // release: `next` comes before the chunk can be popped
        } while (!list.compare_exchange(head, next_tag(head) | (chunk + 1), exec::order::release));
    }

private:
    static constexpr std::uint64_t no_page = ~std::uint64_t{0};

    [[nodiscard]] static RZ_HD constexpr std::uint64_t next_tag(std::uint64_t head) {
        return ((head >> 32) + 1) << 32; // against ABA: a popped and pushed chunk comes with another tag
    }

    /// Where a thread pushes, and looks first.
    template <class Thread>
    [[nodiscard]] static RZ_HD std::uint32_t own_list(Thread const& thread) {
        return static_cast<std::uint32_t>(thread.rank() / tuning::spill_list_threads % tuning::spill_lists);
    }

    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate_extent(Thread const& thread, std::uint64_t bytes) const {
        if (bytes > traits::largest_bytes) return nullptr;
        std::uint64_t const units = (bytes + unit_bytes - 1) / unit_bytes;
        std::uint64_t const first = store_.take_extent(thread, units);
        if (first == chunk_store_ref::none) return nullptr;
        std::uint64_t const chunk = first * tuning::chunks_per_unit;
        thread.device(records_[chunk].header)
            .store(make_header(chunk_kind::extent, units), exec::order::relaxed);
        return heap_ + chunk * ChunkBytes;
    }

    [[nodiscard]] RZ_HD void* address_of(std::uint32_t size_class, std::uint64_t page) const {
        std::uint32_t const pages = pages_of(size_class);
        return heap_ + page / pages * ChunkBytes + page % pages * Classes::bytes_of(size_class);
    }

    /// One page for each lane of the group, or nullptr for those whom the heap cannot serve.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD void* allocate_pages(Thread const& thread, Group const& group,
                                             std::uint32_t size_class) const {
        array_queue_ref const ring = queue(size_class);
        std::uint32_t const lanes = group.size();
        std::uint64_t page = no_page;
        std::uint32_t served = 0;
        std::uint32_t patience = tuning::refill_patience;
        while (true) {
            std::uint32_t taken = 0;
            std::uint64_t place = 0;
            if (group.is_leader()) {
                taken = ring.semaphore().take(thread, lanes - served);
                if (taken != 0) place = ring.take_places(thread, taken);
            }
            taken = group.broadcast(taken, 0);
            place = group.broadcast(place, 0);
            if (group.rank() >= served && group.rank() < served + taken)
                page = ring.take(thread, place + (group.rank() - served));
            served += taken;
            if (served == lanes) break;

            refill const more = group_refill(thread, group, size_class, lanes - served, patience);
            if (more.exhausted) break;
            if (more.spilled_chunk != none) move_spilled(thread, group, size_class, more.spilled_chunk);
            if (more.claim.bits == 0) continue;
            served = share_chunks(thread, group, size_class, more.claim, served, page);
            if (served == lanes) break;
        }
        return page == no_page ? nullptr : address_of(size_class, page);
    }

    static constexpr std::uint64_t none = ~std::uint64_t{0};

    struct refill {
        chunk_claim claim{0, 0};
        std::uint64_t spilled_chunk = none; ///< popped from the spill list
        bool exhausted = false;
    };

    /// What the group's leader gets while its ring is short: chunks, patience with others who fetch some,
    /// pages of the spill list moved to the ring, or the certainty that there is nothing.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD refill group_refill(Thread const& thread, Group const& group,
                                            std::uint32_t size_class, std::uint32_t missing,
                                            std::uint32_t& patience) const {
        refill result;
        if (group.is_leader()) result = leader_refill(thread, size_class, missing, patience);
        result.claim.first_chunk = group.broadcast(result.claim.first_chunk, 0);
        result.claim.bits = group.broadcast(result.claim.bits, 0);
        result.spilled_chunk = group.broadcast(result.spilled_chunk, 0);
        result.exhausted = group.broadcast(result.exhausted ? 1u : 0u, 0) != 0;
        return result;
    }

    template <class Thread>
    [[nodiscard]] RZ_HD refill leader_refill(Thread const& thread, std::uint32_t size_class,
                                             std::uint32_t missing, std::uint32_t& patience) const {
        array_queue_ref const ring = queue(size_class);
        bulk_semaphore_ref const semaphore = ring.semaphore();
        std::uint32_t const pages = pages_of(size_class);
        std::uint32_t chunks = 0;
        if (patience == tuning::refill_patience) chunks = semaphore.elect(thread, missing, pages);
        // Somebody else was elected for what this group misses: unless no refill is under way, look again.
        bool const early = patience + 2 > tuning::refill_patience; // the elected may not have begun yet
        if (chunks == 0 && patience != 0 && (early || semaphore.refill_in_flight(thread))) {
            --patience;
            thread.pause();
            return {};
        }
        if (chunks == 0) chunks = 1;
        patience = tuning::refill_patience;
        semaphore.begin_refill(thread);
        std::uint64_t const spilled_chunk = pop_spilled_chunk(thread, size_class);
        if (spilled_chunk != none) return {{0, 0}, spilled_chunk, false}; // move_spilled ends the refill
        chunk_claim const claim =
            store_.take(thread, chunks < tuning::chunks_per_word ? chunks : tuning::chunks_per_word);
        if (claim.bits != 0) return {claim, none, false}; // share_chunks ends the refill
        semaphore.end_refill(thread);
        // Nothing is left to take. Pages may still come out of refills that have begun; when none has, a last
        // look decides, unless pages were on the move during it.
        for (;;) {
            std::uint64_t const before = semaphore.refills(thread);
            if (bulk_semaphore_ref::under_way(before)) {
                thread.relax();
                continue;
            }
            if (looks_served(thread, ring)) return {};
            if (semaphore.refills(thread) == before) return {{0, 0}, none, true};
        }
    }

    /// Whether another attempt can succeed. acquire: who sees a list that was emptied sees the refill begun.
    template <class Thread>
    [[nodiscard]] RZ_HD bool looks_served(Thread const& thread, array_queue_ref const& ring) const {
        if (thread.device(ring.state().semaphore.count).load(exec::order::relaxed) > 0) return true;
        for (std::uint64_t& list : ring.state().spill_lists)
            if (static_cast<std::uint32_t>(thread.device(list).load(exec::order::acquire)) != 0) return true;
        return false;
    }

    /// Cuts claimed chunks into pages: one for each lane still without, the rest to the ring. How many lanes
    /// have theirs afterwards.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint32_t share_chunks(Thread const& thread, Group const& group,
                                                   std::uint32_t size_class, chunk_claim const& claim,
                                                   std::uint32_t served, std::uint64_t& page) const {
        array_queue_ref const ring = queue(size_class);
        std::uint32_t const pages = pages_of(size_class);
        std::uint32_t const chunks = detail::count_bits(claim.bits);
        std::uint32_t const total = chunks * pages;
        std::uint32_t const missing = group.size() - served;
        std::uint32_t const own = missing < total ? missing : total;
        auto const page_number = [&](std::uint32_t item) {
            return (claim.first_chunk + detail::nth_bit(claim.bits, item / pages)) * pages + item % pages;
        };
        for (std::uint32_t item = group.rank(); item < chunks; item += group.size()) {
            record& chunk = records_[claim.first_chunk + detail::nth_bit(claim.bits, item)];
            thread.device(chunk.header)
                .store(make_header(chunk_kind::pages, size_class), exec::order::relaxed);
        }
        // The leader took the chunks: what their former holders did must come before every lane's use.
        group.sync();
        if (group.rank() >= served && group.rank() - served < own) page = page_number(group.rank() - served);

        std::uint32_t const rest = total - own;
        std::uint32_t fitting = 0;
        std::uint64_t place = 0;
        if (rest != 0) {
            if (group.is_leader()) {
                fitting = ring.take_room(thread, rest);
                if (fitting != 0) place = ring.give_places(thread, fitting);
            }
            fitting = group.broadcast(fitting, 0);
            place = group.broadcast(place, 0);
            for (std::uint32_t item = group.rank(); item < rest; item += group.size()) {
                if (item < fitting)
                    ring.give(thread, place + item, page_number(own + item));
                else
                    spill(thread, size_class, page_number(own + item));
            }
            group.sync(); // all entries are written before the permits are given
        }
        if (group.is_leader()) {
            if (fitting != 0) ring.semaphore().give(thread, fitting);
            ring.semaphore().end_refill(thread);
        }
        return served + own;
    }

    /// A chunk with spilled pages, out of its class's list; or none.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t pop_spilled_chunk(Thread const& thread,
                                                        std::uint32_t size_class) const {
        std::uint32_t const own = own_list(thread);
        for (std::uint32_t other = 0; other < tuning::spill_lists; ++other) {
            auto const list =
                thread.device(queues_[size_class].spill_lists[(own + other) % tuning::spill_lists]);
            // acquire: pairs with the push, so that `next` is there. release, when popping: whoever finds the
            // list empty sees that this refill has begun.
            std::uint64_t head = list.load(exec::order::acquire);
            while (static_cast<std::uint32_t>(head) != 0) {
                std::uint64_t const chunk = static_cast<std::uint32_t>(head) - 1;
                std::uint32_t const next = thread.device(records_[chunk].next).load(exec::order::relaxed);
                if (list.compare_exchange(head, next_tag(head) | next, exec::order::acq_rel)) return chunk;
            }
        }
        return none;
    }

    /// Moves the spilled pages of a popped chunk to the ring, a word of marks a lane; those that find no room
    /// are marked again. Called by all lanes of the group. Ends the refill.
    template <class Thread, class Group>
    RZ_HD void move_spilled(Thread const& thread, Group const& group, std::uint32_t size_class,
                            std::uint64_t chunk) const {
        array_queue_ref const ring = queue(size_class);
        std::uint32_t const pages = pages_of(size_class);
        std::uint32_t const words = (pages + 63) / 64;
        std::uint32_t left = 0;
        // acquire: the marks of all counted pages are there; sync hands that on to the other lanes
        if (group.is_leader())
            left = thread.device(records_[chunk].spilled).exchange(0u, exec::order::acquire);
        left = group.broadcast(left, 0);
        group.sync();
        for (std::uint32_t first_word = 0; left != 0; first_word += group.size()) {
            if (first_word >= words) {
                // Another mover holds marks of ours together with its own, and is about to return them.
                first_word = 0;
                thread.relax();
            }
            std::uint32_t const word = first_word + group.rank();
            std::uint64_t marks = 0;
            // acquire: pairs with mark_spilled, page by page
            if (word < words)
                marks = thread.device(records_[chunk].pages[word]).exchange(0, exec::order::acquire);
            std::uint32_t const found = detail::count_bits(marks);
            std::uint32_t const lower = group.exclusive_scan(found);
            std::uint32_t const all = group.sum(found);
            // Marks beyond the count belong to threads that have not counted them yet: back with them.
            std::uint32_t const mine = lower >= left ? 0 : left - lower < found ? left - lower : found;
            std::uint64_t const kept = detail::lowest_bits(marks, mine);
            if (kept != marks)
                // release: hands on what the freeing threads released
                thread.device(records_[chunk].pages[word]).fetch_or(marks & ~kept, exec::order::release);
            give_marked(thread, group, size_class, chunk * pages + word * 64, kept, lower,
                        all < left ? all : left);
            left -= all < left ? all : left;
        }
        if (group.is_leader()) ring.semaphore().end_refill(thread);
    }

    /// Gives marked pages to the ring: `lower` of the group's `total` pages belong to lower lanes.
    template <class Thread, class Group>
    RZ_HD void give_marked(Thread const& thread, Group const& group, std::uint32_t size_class,
                           std::uint64_t first_page, std::uint64_t marks, std::uint32_t lower,
                           std::uint32_t total) const {
        array_queue_ref const ring = queue(size_class);
        std::uint32_t room = 0;
        std::uint64_t place = 0;
        if (group.is_leader() && total != 0) {
            room = ring.take_room(thread, total);
            if (room != 0) place = ring.give_places(thread, room);
        }
        room = group.broadcast(room, 0);
        place = group.broadcast(place, 0);
        for (std::uint32_t item = lower; marks != 0; marks &= marks - 1, ++item) {
            std::uint64_t const page = first_page + detail::nth_bit(marks, 0);
            if (item < room)
                ring.give(thread, place + item, page);
            else
                spill(thread, size_class, page);
        }
        group.sync(); // all entries are written before the permits are given
        if (group.is_leader() && room != 0) ring.semaphore().give(thread, room);
    }

    template <class Thread, class Group>
    RZ_HD void free_pages(Thread const& thread, Group const& group, std::uint32_t size_class,
                          std::uint64_t page) const {
        array_queue_ref const ring = queue(size_class);
        std::uint32_t room = 0;
        std::uint64_t place = 0;
        if (group.is_leader()) {
            room = ring.take_room(thread, group.size());
            if (room != 0) place = ring.give_places(thread, room);
        }
        room = group.broadcast(room, 0);
        place = group.broadcast(place, 0);
        // Between a chunk's first mark and its push, pages that others mark are in no list: spilling counts
        // as a refill under way, so that nobody takes them for lost.
        bool const spills = room < group.size();
        if (spills) {
            if (group.is_leader()) ring.semaphore().begin_refill(thread);
            group.sync();
        }
        bool const fits = group.rank() < room;
        if (fits) ring.give(thread, place + group.rank(), page);
        bool const first = !fits && mark_spilled(thread, size_class, page) == 0;
        push_spilled_chunks(thread, group, size_class, first, page / pages_of(size_class));
        group.sync(); // all entries are written before the permits are given
        if (group.is_leader()) {
            if (room != 0) ring.semaphore().give(thread, room);
            if (spills) ring.semaphore().end_refill(thread);
        }
        group.sync(); // whoever returns may ask again, and must find what it gave back
    }

    /// Pushes the chunks of those lanes that have one, as one chain: one compare-and-swap for all of them.
    template <class Thread, class Group>
    RZ_HD void push_spilled_chunks(Thread const& thread, Group const& group, std::uint32_t size_class,
                                   bool has_one, std::uint64_t chunk) const {
        std::uint32_t const pushing = group.ballot(has_one);
        if (pushing == 0) return;
        std::uint32_t later =
            0; // the chunk behind this lane's, plus 1; the chain runs from the lowest rank up
        std::uint32_t first = 0;
        for (std::uint32_t left = pushing, rank = 0; left != 0; left >>= 1, ++rank) {
            if ((left & 1u) == 0) continue;
            auto const theirs = static_cast<std::uint32_t>(group.broadcast(chunk, rank) + 1);
            if (first == 0) first = theirs;
            if (rank > group.rank() && later == 0) later = theirs;
        }
        // The last of the chain is linked by the leader, to the head that it finds.
        bool const last = has_one && later == 0;
        if (has_one && !last) thread.device(records_[chunk].next).store(later, exec::order::relaxed);
        std::uint32_t last_rank = 0;
        for (std::uint32_t left = pushing >> 1; left != 0; left >>= 1)
            ++last_rank;
        std::uint64_t const last_chunk = group.broadcast(chunk, last_rank);
        group.sync(); // every link comes before the leader's release
        if (!group.is_leader()) return;
        auto const list = thread.device(queues_[size_class].spill_lists[own_list(thread)]);
        std::uint64_t head = list.load(exec::order::relaxed);
        do {
            thread.device(records_[last_chunk].next)
                .store(static_cast<std::uint32_t>(head), exec::order::relaxed);
            // release: the links come before the chunks can be popped
        } while (!list.compare_exchange(head, next_tag(head) | first, exec::order::release));
    }

    std::byte* heap_;
    chunk_store_ref store_;
    record* records_;
    array_queue_state* queues_;
    std::uint64_t* slots_;
    std::uint64_t ring_capacity_;
};

} // namespace rhizome::alloc

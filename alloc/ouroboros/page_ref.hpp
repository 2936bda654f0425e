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
            if (looks_served(thread, ring)) return {};
            if (bulk_semaphore_ref::under_way(before)) {
                thread.relax();
                continue;
            }
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
            // First, while nobody else knows a page of these chunks.
            if (fitting != rest) spill_fresh(thread, group, size_class, claim, own + fitting);
            for (std::uint32_t item = group.rank(); item < fitting; item += group.size())
                ring.give(thread, place + item, page_number(own + item));
            group.sync(); // all entries are written before the permits are given
        }
        if (group.is_leader()) {
            if (fitting != 0) ring.semaphore().give(thread, fitting);
            ring.semaphore().end_refill(thread);
        }
        return served + own;
    }

    /// Marks the pages from `first_item` on of chunks that nobody else knows yet, and lists those chunks.
    template <class Thread, class Group>
    RZ_HD void spill_fresh(Thread const& thread, Group const& group, std::uint32_t size_class,
                           chunk_claim const& claim, std::uint32_t first_item) const {
        std::uint32_t const pages = pages_of(size_class);
        std::uint32_t const words = (pages + 63) / 64;
        std::uint32_t const first_chunk = first_item / pages;
        std::uint32_t const end_chunk = detail::count_bits(claim.bits);
        for (std::uint32_t item = first_chunk * words + group.rank(); item < end_chunk * words;
             item += group.size()) {
            std::uint32_t const begin = item / words == first_chunk ? first_item % pages : 0;
            std::uint32_t const word_begin = item % words * 64;
            std::uint32_t const word_end = word_begin + 64 < pages ? word_begin + 64 : pages;
            std::uint32_t const from = begin > word_begin ? begin : word_begin;
            if (from >= word_end) continue;
            std::uint32_t const count = word_end - from;
            std::uint64_t const marks = (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1)
                                        << (from - word_begin);
            record& chunk = records_[claim.first_chunk + detail::nth_bit(claim.bits, item / words)];
            thread.device(chunk.pages[item % words]).store(marks, exec::order::relaxed);
        }
        group.sync(); // every mark comes before the counts
        for (std::uint32_t item = first_chunk + group.rank(); item < end_chunk; item += group.size()) {
            std::uint64_t const chunk = claim.first_chunk + detail::nth_bit(claim.bits, item);
            std::uint32_t const begin = item == first_chunk ? first_item % pages : 0;
            // release: the marks; nobody else can have counted yet
            thread.device(records_[chunk].spilled).store(pages - begin, exec::order::release);
            push_spilled_chunk(thread, size_class, chunk);
        }
        group.sync(); // every count comes before a page of the chunk can be freed
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

    /// Moves spilled pages of a popped chunk to the ring, as many as find room, a word of marks a lane; with
    /// the rest the chunk is listed again at once. Called by all lanes of the group. Ends the refill.
    template <class Thread, class Group>
    RZ_HD void move_spilled(Thread const& thread, Group const& group, std::uint32_t size_class,
                            std::uint64_t chunk) const {
        array_queue_ref const ring = queue(size_class);
        std::uint32_t const pages = pages_of(size_class);
        std::uint32_t const words = (pages + 63) / 64;
        std::uint32_t room = 0;
        std::uint64_t place = 0;
        if (group.is_leader()) {
            auto const spilled = thread.device(records_[chunk].spilled);
            // acquire: the marks of all counted pages are there; sync hands that on to the other lanes
            std::uint32_t const counted = spilled.exchange(0u, exec::order::acquire);
            room = ring.take_room(thread, counted);
            if (room != 0) place = ring.give_places(thread, room);
            // acq_rel: as in mark_spilled; 0: nobody has listed the chunk meanwhile
            if (room < counted && spilled.fetch_add(counted - room, exec::order::acq_rel) == 0)
                push_spilled_chunk(thread, size_class, chunk);
        }
        room = group.broadcast(room, 0);
        place = group.broadcast(place, 0);
        group.sync();
        std::uint32_t moved = 0;
        for (std::uint32_t first_word = 0; moved != room; first_word += group.size()) {
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
            std::uint32_t const lower = moved + group.exclusive_scan(found);
            std::uint32_t const all = moved + group.sum(found);
            std::uint32_t const mine = lower >= room ? 0 : room - lower < found ? room - lower : found;
            std::uint64_t kept = detail::lowest_bits(marks, mine);
            // Marks that this mover has no claim on: back with them.
            if (kept != marks)
                // release: hands on what the freeing threads released
                thread.device(records_[chunk].pages[word]).fetch_or(marks & ~kept, exec::order::release);
            for (std::uint32_t item = lower; kept != 0; kept &= kept - 1, ++item)
                ring.give(thread, place + item, chunk * pages + word * 64 + detail::nth_bit(kept, 0));
            moved = all < room ? all : room;
        }
        group.sync(); // all entries are written before the permits are given
        if (!group.is_leader()) return;
        if (room != 0) ring.semaphore().give(thread, room);
        ring.semaphore().end_refill(thread);
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

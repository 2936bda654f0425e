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
#include <rhizome/alloc/ouroboros/spilled_pages.hpp>
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

    /// The pages of a class that its ring has no room for.
    [[nodiscard]] RZ_HD spilled_pages_ref<record> spilled(std::uint32_t size_class) const {
        return {queues_[size_class].spilled, records_};
    }

private:
    static constexpr std::uint64_t no_page = ~std::uint64_t{0};

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
        attempts tried;
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

            source const found = find_source(thread, group, size_class, lanes - served, tried);
            if (found.what == source::nothing) break;
            if (found.what == source::marked_pages) {
                std::uint32_t const more = detail::count_bits(found.bits);
                if (group.rank() >= served && group.rank() < served + more)
                    page = found.first + detail::nth_bit(found.bits, group.rank() - served);
                served += more;
                group.sync(); // what the leader acquired with the pages is every lane's
            }
            if (found.what == source::fresh_chunks)
                served = share_fresh(thread, group, size_class, {found.first, found.bits}, served, page);
            if (served == lanes) break;
        }
        return page == no_page ? nullptr : address_of(size_class, page);
    }

    /// What a request has tried so far.
    struct attempts {
        std::uint32_t waits = 0; ///< for pages that others bring
        std::uint32_t looks = 0; ///< that found pages on the move
    };

    /// Where a group gets pages from while its ring is short.
    struct source {
        static constexpr std::uint32_t the_ring = 0;     ///< look again
        static constexpr std::uint32_t marked_pages = 1; ///< of one word
        static constexpr std::uint32_t fresh_chunks = 2; ///< share_fresh ends the refill
        static constexpr std::uint32_t nothing = 3;      ///< the heap is used up

        std::uint32_t what = the_ring;
        std::uint64_t first = 0; ///< page, or chunk, of bit 0
        std::uint64_t bits = 0;
    };

    template <class Thread, class Group>
    [[nodiscard]] RZ_HD source find_source(Thread const& thread, Group const& group, std::uint32_t size_class,
                                           std::uint32_t missing, attempts& tried) const {
        source found;
        if (group.is_leader()) found = leader_finds(thread, size_class, missing, tried);
        found.what = group.broadcast(found.what, 0);
        found.first = group.broadcast(found.first, 0);
        found.bits = group.broadcast(found.bits, 0);
        return found;
    }

    template <class Thread>
    [[nodiscard]] RZ_HD source leader_finds(Thread const& thread, std::uint32_t size_class,
                                            std::uint32_t missing, attempts& tried) const {
        bulk_semaphore_ref const semaphore = queue(size_class).semaphore();
        spilled_pages_ref<record> const spill = spilled(size_class);
        std::uint32_t const pages = pages_of(size_class);
        if (spill.expected(thread) != 0) {
            auto const claim = spill.take(thread, missing, (pages + 63) / 64);
            if (claim.bits != 0)
                return {source::marked_pages, claim.chunk * pages + claim.first_page, claim.bits};
        }
        std::uint32_t chunks = 0;
        if (tried.waits == 0) chunks = semaphore.elect(thread, missing, pages);
        // Somebody else was elected for what this group misses, and may not have begun yet.
        bool const early = tried.waits < 2;
        if (chunks == 0 && tried.waits < tuning::refill_patience &&
            (early || motion_ref::movers(semaphore.refills().read(thread)) != 0)) {
            ++tried.waits;
            thread.pause();
            return {};
        }
        // Only who sees a chunk begins a refill: in a heap that is used up, nobody disturbs the others'
        // looks.
        if (store_.count(thread) > 0) {
            tried.waits = 0;
            if (chunks == 0) chunks = 1;
            semaphore.refills().begin(thread);
            chunk_claim const claim =
                store_.take(thread, chunks < tuning::chunks_per_word ? chunks : tuning::chunks_per_word);
            if (claim.bits != 0) return {source::fresh_chunks, claim.first_chunk, claim.bits};
            semaphore.refills().end(thread);
        }
        if (looks_used_up(thread, size_class)) return {source::nothing, 0, 0};
        // Pages are on the move. They come to rest, unless others keep them moving for ever.
        if (++tried.looks > tuning::refusal_looks) return {source::nothing, 0, 0};
        thread.relax();
        return {};
    }

    /// Whether there was a moment in which this class could get no page: nothing in its ring, no marked page,
    /// no free chunk, and no refill under way, before and after.
    template <class Thread>
    [[nodiscard]] RZ_HD bool looks_used_up(Thread const& thread, std::uint32_t size_class) const {
        bulk_semaphore_ref const semaphore = queue(size_class).semaphore();
        std::uint64_t const before = semaphore.refills().read(thread);
        return motion_ref::movers(before) == 0 && spilled(size_class).expected(thread) == 0 &&
               store_.looks_empty(thread) && semaphore.permits(thread) == 0 &&
               semaphore.refills().read(thread) == before;
    }

    /// Cuts claimed chunks into pages: one for each lane still without; the rest is marked, a word at a time,
    /// and found there. How many lanes have theirs afterwards.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint32_t share_fresh(Thread const& thread, Group const& group,
                                                  std::uint32_t size_class, chunk_claim const& claim,
                                                  std::uint32_t served, std::uint64_t& page) const {
        std::uint32_t const pages = pages_of(size_class);
        std::uint32_t const chunks = detail::count_bits(claim.bits);
        std::uint32_t const missing = group.size() - served;
        std::uint32_t const own = missing < chunks * pages ? missing : chunks * pages;
        auto const chunk_number = [&](std::uint32_t item) {
            return claim.first_chunk + detail::nth_bit(claim.bits, item);
        };
        for (std::uint32_t item = group.rank(); item < chunks; item += group.size())
            thread.device(records_[chunk_number(item)].header)
                .store(make_header(chunk_kind::pages, size_class), exec::order::relaxed);
        // The leader took the chunks: what their former holders did must come before every lane's use.
        group.sync();
        if (group.rank() >= served && group.rank() - served < own) {
            std::uint32_t const item = group.rank() - served;
            page = chunk_number(item / pages) * pages + item % pages;
        }
        if (own != chunks * pages) {
            std::uint32_t const first = own / pages;
            if (group.is_leader()) spilled(size_class).expect(thread, chunks - first);
            for (std::uint32_t base = first; base < chunks; base += group.size()) {
                std::uint32_t const item = base + group.rank();
                std::uint64_t const chunk = item < chunks ? chunk_number(item) : 0;
                if (item < chunks) spill_from(thread, size_class, chunk, item == first ? own % pages : 0);
                spilled(size_class).push_all(thread, group, item < chunks, chunk);
            }
        }
        if (group.is_leader()) queue(size_class).semaphore().refills().end(thread);
        return served + own;
    }

    /// Marks and flags the pages from `first_page` on of a chunk that nobody else knows.
    template <class Thread>
    RZ_HD void spill_from(Thread const& thread, std::uint32_t size_class, std::uint64_t chunk,
                          std::uint32_t first_page) const {
        std::uint32_t const pages = pages_of(size_class);
        for (std::uint32_t begin = first_page; begin < pages;) {
            std::uint32_t const word_begin = begin / 64 * 64;
            std::uint32_t const end = word_begin + 64 < pages ? word_begin + 64 : pages;
            spilled(size_class)
                .mark(thread, chunk, begin / 64, detail::bit_range(begin - word_begin, end - word_begin));
            begin = end;
        }
        (void)spilled(size_class).flag(thread, chunk);
    }

    template <class Thread, class Group>
    RZ_HD void free_pages(Thread const& thread, Group const& group, std::uint32_t size_class,
                          std::uint64_t page) const {
        array_queue_ref const ring = queue(size_class);
        std::uint32_t const lanes = group.size();
        std::uint32_t room = 0;
        std::uint64_t place = 0;
        if (group.is_leader()) {
            room = ring.take_room(thread, lanes);
            if (room != 0) place = ring.give_places(thread, room);
        }
        room = group.broadcast(room, 0);
        place = group.broadcast(place, 0);
        if (group.rank() < room) ring.give(thread, place + group.rank(), page);
        if (room < lanes) spill(thread, group, size_class, group.rank() >= room, page, lanes - room);
        group.sync(); // all entries are written before the permits are given
        if (group.is_leader() && room != 0) ring.semaphore().give(thread, room);
        group.sync(); // whoever returns may ask again, and must find what it gave back
    }

    /// Marks the pages of `many` lanes of the group, and lists their chunks.
    template <class Thread, class Group>
    RZ_HD void spill(Thread const& thread, Group const& group, std::uint32_t size_class, bool has_one,
                     std::uint64_t page, std::uint32_t many) const {
        spilled_pages_ref<record> const spill = spilled(size_class);
        std::uint32_t const pages = pages_of(size_class);
        std::uint64_t const chunk = page / pages;
        // Announced first: whoever finds a chunk flagged, and returns, relies on it.
        if (group.is_leader()) spill.expect(thread, many);
        group.sync();
        bool pushes = false;
        if (has_one) {
            auto const place = static_cast<std::uint32_t>(page % pages);
            spill.mark(thread, chunk, place / 64, std::uint64_t{1} << (place % 64));
            pushes = spill.flag(thread, chunk);
        }
        std::uint32_t const pushing = detail::count_bits(group.ballot(pushes));
        spill.push_all(thread, group, pushes, chunk);
        if (group.is_leader() && pushing != many) spill.expect_fewer(thread, many - pushing);
    }

    std::byte* heap_;
    chunk_store_ref store_;
    record* records_;
    array_queue_state* queues_;
    std::uint64_t* slots_;
    std::uint64_t ring_capacity_;
};

} // namespace rhizome::alloc

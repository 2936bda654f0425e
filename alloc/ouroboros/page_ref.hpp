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
#include <rhizome/alloc/ouroboros/shard.hpp>
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

    ouroboros_page_ref(std::byte* heap, chunk_store_ref store, record* records, shard_state* shards,
                       std::uint64_t* slots, std::uint64_t ring_capacity)
        : heap_(heap), store_(store), records_(records), shards_(shards), slots_(slots),
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
    [[nodiscard]] RZ_HD shard_state& shard(std::uint32_t size_class, std::uint32_t number) const {
        return shards_[size_class * tuning::shards + number];
    }
    [[nodiscard]] RZ_HD array_queue_ref queue(std::uint32_t size_class, std::uint32_t number) const {
        return {shard(size_class, number).queue, slots_, ring_capacity_, size_class * tuning::shards + number,
                Classes::count * tuning::shards};
    }
    [[nodiscard]] RZ_HD chunk_store_ref const& store() const { return store_; }
    [[nodiscard]] RZ_HD record& record_of(std::uint64_t chunk) const { return records_[chunk]; }

    /// The pages of a class that the shard's ring has no room for.
    [[nodiscard]] RZ_HD spilled_pages_ref<record> spilled(std::uint32_t size_class,
                                                          std::uint32_t number) const {
        return {shard(size_class, number).spilled, records_};
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
        std::uint32_t const lanes = group.size();
        std::uint32_t const own = group.broadcast(own_shard(thread), 0);
        std::uint32_t number = own;
        std::uint64_t page = no_page;
        std::uint32_t served = 0;
        attempts tried;
        for (;;) {
            served = take_ringed(thread, group, size_class, number, served, page);
            if (served == lanes) break;
            served = take_marked(thread, group, size_class, number, served, page);
            if (served == lanes) break;
            number = next_shard(thread, group, size_class, own);
            if (number != no_shard) continue;
            number = own;
            source const found = find_chunks(thread, group, size_class, own, lanes - served, tried);
            if (found.what == source::chunks)
                served = share_fresh(thread, group, size_class, own, found.claim, served, page);
            if (served == lanes) break;
            if (found.what != source::nothing) continue;
            if (looks_used_up(thread, group, size_class)) break;
            // Pages are on the move. They come to rest, unless others keep them moving for ever.
            if (++tried.looks > tuning::refusal_looks) break;
            thread.relax();
        }
        return page == no_page ? nullptr : address_of(size_class, page);
    }

    /// Entries of a shard's ring, for lanes from `served` on; how many are served then.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint32_t take_ringed(Thread const& thread, Group const& group,
                                                  std::uint32_t size_class, std::uint32_t number,
                                                  std::uint32_t served, std::uint64_t& page) const {
        array_queue_ref const ring = queue(size_class, number);
        std::uint32_t taken = 0;
        std::uint64_t place = 0;
        if (group.is_leader()) {
            taken = ring.semaphore().take(thread, group.size() - served);
            if (taken != 0) place = ring.take_places(thread, taken);
        }
        taken = group.broadcast(taken, 0);
        if (taken == 0) return served;
        place = group.broadcast(place, 0);
        if (group.rank() >= served && group.rank() < served + taken)
            page = ring.take(thread, place + (group.rank() - served));
        return served + taken;
    }

    /// The same of the marked pages of a shard's first chunk that has some.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint32_t take_marked(Thread const& thread, Group const& group,
                                                  std::uint32_t size_class, std::uint32_t number,
                                                  std::uint32_t served, std::uint64_t& page) const {
        std::uint32_t const pages = pages_of(size_class);
        std::uint64_t first = 0;
        std::uint64_t bits = 0;
        if (group.is_leader()) {
            auto const claim =
                spilled(size_class, number).take(thread, group.size() - served, (pages + 63) / 64);
            first = claim.chunk * pages + claim.first_page;
            bits = claim.bits;
        }
        bits = group.broadcast(bits, 0);
        if (bits == 0) return served;
        first = group.broadcast(first, 0);
        std::uint32_t const more = detail::count_bits(bits);
        if (group.rank() >= served && group.rank() < served + more)
            page = first + detail::nth_bit(bits, group.rank() - served);
        group.sync(); // what the leader acquired with the pages is every lane's
        return served + more;
    }

    static constexpr std::uint32_t no_shard = ~std::uint32_t{0};

    /// A shard of the class that seems to have pages: the next after `own`. Each lane looks at another.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint32_t next_shard(Thread const& thread, Group const& group,
                                                 std::uint32_t size_class, std::uint32_t own) const {
        for (std::uint32_t base = 0; base < tuning::shards; base += group.size()) {
            std::uint32_t const number = (own + base + group.rank()) % tuning::shards;
            bool const has = base + group.rank() < tuning::shards &&
                             (queue(size_class, number).semaphore().permits(thread) > 0 ||
                              spilled(size_class, number).has_chunks(thread));
            std::uint32_t const who = group.ballot(has);
            if (who != 0) return (own + base + detail::nth_bit(who, 0)) % tuning::shards;
        }
        return no_shard;
    }

    /// What a request has tried so far.
    struct attempts {
        std::uint32_t waits = 0; ///< for pages that others bring
        std::uint32_t looks = 0; ///< that found pages on the move
    };

    struct source {
        static constexpr std::uint32_t pages = 0;   ///< others bring some: look again
        static constexpr std::uint32_t chunks = 1;  ///< share_fresh ends the refill
        static constexpr std::uint32_t nothing = 2; ///< no chunk is free

        std::uint32_t what = pages;
        chunk_claim claim{0, 0};
    };

    template <class Thread, class Group>
    [[nodiscard]] RZ_HD source find_chunks(Thread const& thread, Group const& group, std::uint32_t size_class,
                                           std::uint32_t number, std::uint32_t missing,
                                           attempts& tried) const {
        source found;
        if (group.is_leader()) found = leader_finds(thread, size_class, number, missing, tried);
        found.what = group.broadcast(found.what, 0);
        found.claim.first_chunk = group.broadcast(found.claim.first_chunk, 0);
        found.claim.bits = group.broadcast(found.claim.bits, 0);
        return found;
    }

    template <class Thread>
    [[nodiscard]] RZ_HD source leader_finds(Thread const& thread, std::uint32_t size_class,
                                            std::uint32_t number, std::uint32_t missing,
                                            attempts& tried) const {
        bulk_semaphore_ref const semaphore = queue(size_class, number).semaphore();
        std::uint32_t chunks = 0;
        if (tried.waits == 0) chunks = semaphore.elect(thread, missing, pages_of(size_class));
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
        if (store_.count(thread) <= 0) return {source::nothing, {0, 0}};
        tried.waits = 0;
        if (chunks == 0) chunks = 1;
        semaphore.refills().begin(thread);
        chunk_claim const claim =
            store_.take(thread, chunks < tuning::chunks_per_word ? chunks : tuning::chunks_per_word);
        if (claim.bits != 0) return {source::chunks, claim};
        semaphore.refills().end(thread);
        return {source::nothing, {0, 0}};
    }

    /// Whether there was a moment in which this class could get no page: nothing in any ring, no marked page,
    /// no free chunk, and no refill under way, before and after. Each lane looks at other shards.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD bool looks_used_up(Thread const& thread, Group const& group,
                                           std::uint32_t size_class) const {
        bool used_up = true;
        std::uint64_t before = 0;
        for (std::uint32_t number = group.rank(); number < tuning::shards; number += group.size()) {
            std::uint64_t const refills = queue(size_class, number).semaphore().refills().read(thread);
            used_up = used_up && motion_ref::movers(refills) == 0;
            before += refills;
        }
        group.sync(); // every lane's first reading comes before anybody's look
        used_up = used_up && store_.looks_empty(thread);
        for (std::uint32_t number = group.rank(); number < tuning::shards && used_up; number += group.size())
            used_up = spilled(size_class, number).expected(thread) == 0 &&
                      queue(size_class, number).semaphore().permits(thread) == 0;
        group.sync(); // every look comes before anybody's second reading
        std::uint64_t after = 0;
        for (std::uint32_t number = group.rank(); number < tuning::shards; number += group.size())
            after += queue(size_class, number).semaphore().refills().read(thread);
        return group.all(used_up && before == after);
    }

    /// Cuts claimed chunks into pages: one for each lane still without; the rest is marked, a word at a time,
    /// and found there. How many lanes have theirs afterwards.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint32_t
    share_fresh(Thread const& thread, Group const& group, std::uint32_t size_class, std::uint32_t number,
                chunk_claim const& claim, std::uint32_t served, std::uint64_t& page) const {
        spilled_pages_ref<record> const spill = spilled(size_class, number);
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
            if (group.is_leader()) spill.expect(thread, chunks - first);
            for (std::uint32_t base = first; base < chunks; base += group.size()) {
                std::uint32_t const item = base + group.rank();
                std::uint64_t const chunk = item < chunks ? chunk_number(item) : 0;
                if (item < chunks) spill_from(thread, spill, chunk, item == first ? own % pages : 0, pages);
                spill.push_all(thread, group, item < chunks, chunk);
            }
        }
        if (group.is_leader()) queue(size_class, number).semaphore().refills().end(thread);
        return served + own;
    }

    /// Marks and flags the pages from `first_page` on of a chunk that nobody else knows.
    template <class Thread>
    RZ_HD void spill_from(Thread const& thread, spilled_pages_ref<record> const& spill, std::uint64_t chunk,
                          std::uint32_t first_page, std::uint32_t pages) const {
        for (std::uint32_t begin = first_page; begin < pages;) {
            std::uint32_t const word_begin = begin / 64 * 64;
            std::uint32_t const end = word_begin + 64 < pages ? word_begin + 64 : pages;
            spill.mark(thread, chunk, begin / 64, detail::bit_range(begin - word_begin, end - word_begin));
            begin = end;
        }
        (void)spill.flag(thread, chunk);
    }

    template <class Thread, class Group>
    RZ_HD void free_pages(Thread const& thread, Group const& group, std::uint32_t size_class,
                          std::uint64_t page) const {
        std::uint32_t const number = group.broadcast(own_shard(thread), 0);
        array_queue_ref const ring = queue(size_class, number);
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
        if (room < lanes) spill(thread, group, size_class, number, group.rank() >= room, page, lanes - room);
        group.sync(); // all entries are written before the permits are given
        if (group.is_leader() && room != 0) ring.semaphore().give(thread, room);
        group.sync(); // whoever returns may ask again, and must find what it gave back
    }

    /// Marks the pages of `many` lanes of the group, and lists their chunks.
    template <class Thread, class Group>
    RZ_HD void spill(Thread const& thread, Group const& group, std::uint32_t size_class, std::uint32_t number,
                     bool has_one, std::uint64_t page, std::uint32_t many) const {
        spilled_pages_ref<record> const spill = spilled(size_class, number);
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
    shard_state* shards_; ///< [class][shard]
    std::uint64_t* slots_;
    std::uint64_t ring_capacity_;
};

} // namespace rhizome::alloc

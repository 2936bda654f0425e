// SPDX-License-Identifier: Apache-2.0
// Chunks of a heap, and extents of several: which are free, as a bit mask.
//
// Glossary. Chunk: ChunkBytes of heap. Word: 64 chunks. Extent: a run of chunks for one large request. Bit
// set: the chunk is free.
//
// Invariants, while nothing runs (ouroboros/maintenance.hpp counts them):
//   count = number of set bits
//   a set bit has header 0; a clear one belongs to a chunk or an extent whose first chunk has its header
//
// While threads run: count + (claims counted but not yet taken from the mask) <= set bits. So a thread that
// has counted a chunk for itself finds one if it looks at all words (take_of_plenty() does not, and gives
// back what it counted), and no thread waits for another. The paper hands out new chunks from a counter and
// keeps empty ones in a queue (section 3.2). A mask needs no memory to take a chunk back, gives a warp up to
// 64 chunks with one atomic, and lets freed chunks become extents.
//
// chunk_counts.hpp counts the free chunks, free_runs.hpp knows where runs of them may be, extent_search.hpp
// searches for an extent.
#pragma once

#include <rhizome/alloc/chunk_counts.hpp>
#include <rhizome/alloc/extent_search.hpp>
#include <rhizome/alloc/free_runs.hpp>
#include <rhizome/alloc/motion.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/alloc/whole_chunks.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Chunks from one word of the mask.
struct chunk_claim {
    std::uint64_t first_chunk; ///< chunk of bit 0
    std::uint64_t bits;        ///< which of the 64
};

/// Chunks from two neighbouring words of the mask.
struct chunk_claims {
    chunk_claim lower{0, 0};
    chunk_claim upper{0, 0};
};

class chunk_store_ref {
public:
    chunk_store_ref() = default;
    chunk_store_ref(chunk_store_state* state, std::uint64_t* tree, std::uint64_t* mask, std::uint64_t words)
        : counts_(state), runs_(tree, mask, words) {}

    /// Takes up to `wanted` (1 to 64) groups of Span neighbouring chunks from one word. Takes none where
    /// other threads have counted all free chunks, or no group was wholly free. What the former holders did
    /// happens before. Span: a power of two up to 64; the claim counts in groups. Cost: four atomics where
    /// the cursor is good; otherwise some loads for every word that may have some.
    template <std::uint32_t Span, class Thread>
    [[nodiscard]] RZ_HD chunk_claim take(Thread const& thread, std::uint32_t wanted) const {
        static_assert(Span != 0 && Span <= tuning::chunks_per_word && (Span & (Span - 1)) == 0);
        return claim<Span>(*this, thread.without_storage(), wanted);
    }

    /// Whether so many chunks are free that a request need not search for other memory first.
    template <class Thread>
    [[nodiscard]] RZ_HD bool has_plenty(Thread const& thread) const {
        return count(thread) > static_cast<std::int64_t>(chunks() / tuning::joint_share);
    }
    /// Whether a large page was ever given back.
    template <class Thread>
    [[nodiscard]] RZ_HD bool had_large_pages_back(Thread const& thread) const {
        return thread.device(state()->large_pages_returned).load(exec::order::relaxed) != 0;
    }
    template <class Thread>
    RZ_HD void note_large_pages_back(Thread const& thread) const {
        // Written once: all requests for large pages read the line.
        if (!had_large_pages_back(thread))
            thread.device(state()->large_pages_returned).store(1u, exec::order::relaxed);
    }
    /// Takes up to `wanted` (1 to 64) chunks at the cursor, while the store has plenty of them; fewer where
    /// some of those are used. What the former holders did happens before. Cost: three or four atomics, and
    /// one whose result nothing waits for.
    template <class Thread>
    [[nodiscard]] RZ_HD chunk_claims take_of_plenty(Thread const& thread, std::uint32_t wanted) const {
        if (!counts_.count_out_of_plenty(thread, wanted, chunks() / tuning::joint_share)) return {};
        std::uint64_t const start =
            thread.device(state()->chunk_cursor).fetch_add(wanted, exec::order::relaxed);
        auto const bit = static_cast<std::uint32_t>(start % tuning::chunks_per_word);
        std::uint32_t const end = bit + wanted;
        std::uint64_t const word = start / tuning::chunks_per_word % words();
        std::uint64_t const next = word + 1 == words() ? 0 : word + 1;
        // Other claims at the cursor aim at other bits. acquire: as in take_single
        std::uint64_t const lower = exec::bit_range(bit, end < 64 ? end : 64);
        std::uint64_t const upper = end > 64 ? exec::bit_range(0, end - 64) : 0;
        chunk_claims claims{{word * tuning::chunks_per_word, 0}, {next * tuning::chunks_per_word, 0}};
        claims.lower.bits = thread.device(mask()[word]).fetch_and(~lower, exec::order::acquire) & lower;
        if (upper != 0)
            claims.upper.bits = thread.device(mask()[next]).fetch_and(~upper, exec::order::acquire) & upper;
        std::uint32_t const got = exec::popcount(claims.lower.bits) + exec::popcount(claims.upper.bits);
        counts_.count_back(thread, wanted - got);
        counts_.note_taken(thread, got);
        return claims;
    }

    /// Free chunks that no thread has counted for itself; below zero while a thread undoes its counting.
    template <class Thread>
    [[nodiscard]] RZ_HD std::int64_t count(Thread const& thread) const {
        return counts_.count(thread);
    }
    /// Whether at some moment of the call no group of Span chunks was free. Chunks that other threads are
    /// putting back or taking count as free.
    template <std::uint32_t Span, class Thread>
    [[nodiscard]] RZ_HD bool looks_empty(Thread const& thread) const {
        if (counts_.is_short_of(thread, Span)) return true;
        if constexpr (Span == 1) return false;
        auto const before = counts_.look_for_rest(thread);
        return before.was_one && !has_group<Span>(*this, thread.without_storage()) &&
               counts_.rested_since(thread, before);
    }
    /// A quick check of the same: ignores chunks that other threads are about to give back. Disturbs no
    /// thread.
    template <std::uint32_t Span, class Thread>
    [[nodiscard]] RZ_HD bool seems_empty(Thread const& thread) const {
        if (count(thread) < static_cast<std::int64_t>(Span)) return true;
        if constexpr (Span == 1) return false;
        return !has_group<Span>(*this, thread.without_storage());
    }

    /// Gives a group of Span chunks back. The caller has set its headers to 0 before.
    template <std::uint32_t Span, class Thread>
    RZ_HD void put(Thread const& thread, std::uint64_t group) const {
        put_chunks(*this, thread.without_storage(), group * Span, Span);
    }
    /// Adds new chunks: bits of a word. Called while no other kernel runs; the caller counts them with
    /// count_new().
    template <class Thread>
    RZ_HD void add(Thread const& thread, std::uint64_t word, std::uint64_t bits) const {
        runs_.put(thread, word, bits);
    }
    template <class Thread>
    RZ_HD void count_new(Thread const& thread, std::uint64_t chunks) const {
        counts_.begin_giving(thread, chunks);
        counts_.end_giving(thread, chunks);
    }
    /// The number of all chunks, free or not, rounded up to whole words.
    [[nodiscard]] RZ_HD std::uint64_t chunks() const { return words() * tuning::chunks_per_word; }

    static constexpr std::uint64_t none = ~std::uint64_t{0};

    /// Takes `chunks` neighbouring chunks for all lanes of `group`, which search together. Returns the number
    /// of the first chunk, or none:
    /// - at some moment of the call no such run was free (runs that other threads were putting back or taking
    ///   count as free), or
    /// - during each of many searches other threads were putting back or taking some.
    /// Cost: see extent_search.hpp; an unsuccessful search: some loads for every word that may have such a
    /// run, of which the tree learns, and one load for every 4096 words that have none.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint64_t take_extent(Thread const& thread, Group const& group,
                                                  std::uint64_t chunks) const {
        if (chunks == 0 || chunks > this->chunks()) return none;
        return search_extent(*this, thread.without_storage(), group, chunks);
    }

    template <class Thread>
    RZ_HD void put_extent(Thread const& thread, std::uint64_t first_chunk, std::uint64_t chunks) const {
        put_chunks(*this, thread.without_storage(), first_chunk, chunks);
    }

    [[nodiscard]] RZ_HD std::uint64_t words() const { return runs_.words(); }
    [[nodiscard]] RZ_HD std::uint64_t* mask() const { return runs_.mask(); }
    [[nodiscard]] RZ_HD free_runs_ref const& runs() const { return runs_; }
    [[nodiscard]] RZ_HD chunk_store_state* state() const { return counts_.state(); }
    [[nodiscard]] RZ_HD whole_chunks_ref whole_chunks() const { return whole_chunks_ref(state()); }

private:
    template <class Thread>
    RZ_NOINLINE static RZ_HD void put_chunks(chunk_store_ref store, Thread thread, std::uint64_t first_chunk,
                                             std::uint64_t chunks) {
        store.counts_.begin_giving(thread, chunks);
        for_each_mask(first_chunk, chunks, [&](std::uint64_t word, std::uint64_t bits) {
            store.runs_.put(thread, word, bits);
            return true;
        });
        store.counts_.end_giving(thread, chunks);
    }

    template <class Thread, class Group>
    [[nodiscard]] RZ_NOINLINE static RZ_HD std::uint64_t search_extent(chunk_store_ref store, Thread thread,
                                                                       Group group, std::uint64_t chunks) {
        auto const& counts = store.counts_;
        bool const leads = group.is_leader();
        for (std::uint32_t look = 0; look < tuning::extent_looks; ++look) {
            if (group.any(leads && counts.is_short_of(thread, chunks))) return none;
            chunk_counts_ref::rest before{};
            if (leads) before = counts.look_for_rest(thread);
            group.sync(); // all lanes see the chunks that were given before
            extent_search<Thread, Group> search(thread, group, counts, store.runs_, chunks);
            std::uint64_t const found = search.run();
            if (found != none) return found;
            group.sync(); // all lanes have searched before the counters are read again
            if (group.any(leads && !search.was_disturbed() && counts.rested_since(thread, before)))
                return none;
            thread.relax(); // other threads hold chunks that they may put back
        }
        return none;
    }

    template <std::uint32_t Span, class Thread>
    [[nodiscard]] RZ_NOINLINE static RZ_HD chunk_claim claim(chunk_store_ref store, Thread thread,
                                                             std::uint32_t wanted) {
        if constexpr (Span == 1)
            return store.take_single(thread, wanted);
        else
            return store.template take_groups<Span>(thread, wanted);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD chunk_claim take_single(Thread const& thread, std::uint32_t wanted) const {
        std::uint64_t const counted = counts_.count_out(thread, wanted);
        if (counted == 0) return {0, 0};
        // Concurrent claims aim at neighbouring places, and none walks over chunks that others have taken.
        auto const cursor = thread.device(state()->chunk_cursor);
        std::uint64_t const start = cursor.fetch_add(counted, exec::order::relaxed);
        std::uint64_t const first = start / tuning::chunks_per_word % words();
        std::uint64_t word = first;
        std::uint64_t beyond =
            exec::bit_range(static_cast<std::uint32_t>(start % tuning::chunks_per_word), 64);
        for (std::uint32_t looked = 0;; ++looked, beyond = ~std::uint64_t{0}) {
            std::uint64_t const seen = thread.device(mask()[word]).load(exec::order::relaxed);
            std::uint64_t const aim = exec::lowest_bits((seen & beyond) != 0 ? seen & beyond : seen, counted);
            // acquire: pairs with put's release, so that the former holder's writes happen before
            std::uint64_t const taken =
                aim == 0 ? 0 : thread.device(mask()[word]).fetch_and(~aim, exec::order::acquire) & aim;
            if (taken == 0) {
                word = word_after(thread, word, looked, 1);
                continue;
            }
            std::uint32_t const got = exec::popcount(taken);
            counts_.count_back(thread, counted - got);
            counts_.note_taken(thread, got);
            std::uint64_t const passed = word >= first ? word - first : word + words() - first;
            if (passed > 1) cursor.fetch_max(start + passed * tuning::chunks_per_word, exec::order::relaxed);
            return {word * tuning::chunks_per_word, taken};
        }
    }
    /// Where to look after a word without free chunks: first the next word, then the next one that the tree
    /// knows, wrapping around.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t word_after(Thread const& thread, std::uint64_t word,
                                                 std::uint32_t looked, std::uint64_t bit) const {
        std::uint64_t const next = word + 1 == words() ? 0 : word + 1;
        if (looked < tuning::words_in_a_row) return next;
        runs_.reconsider(thread, word, bit);
        std::uint64_t found = runs_.template find<false>(thread, next, words() - 1, bit);
        if (found == none) found = runs_.template find<false>(thread, 0, words() - 1, bit);
        return found == none ? next : found;
    }

    /// The lowest bit of each group of Span chunks that is wholly free.
    template <std::uint32_t Span>
    [[nodiscard]] static RZ_HD constexpr std::uint64_t whole_groups(std::uint64_t bits) {
        for (std::uint32_t step = 1; step < Span; step *= 2)
            bits &= bits >> step;
        std::uint64_t lowest = 1;
        for (std::uint32_t step = Span; step < tuning::chunks_per_word; step *= 2)
            lowest |= lowest << step;
        return bits & lowest;
    }
    /// spread(): all bits of the groups whose lowest bits are given. closed_up(): the reverse, one bit per
    /// group.
    template <std::uint32_t Span>
    [[nodiscard]] static RZ_HD constexpr std::uint64_t spread(std::uint64_t lowest) {
        return lowest * exec::bit_range(0, Span);
    }
    template <std::uint32_t Span>
    [[nodiscard]] static RZ_HD constexpr std::uint64_t closed_up(std::uint64_t lowest) {
        std::uint64_t closed = 0;
        for (std::uint32_t group = 0; group < tuning::chunks_per_word / Span; ++group)
            closed |= (lowest >> (group * Span) & 1) << group;
        return closed;
    }

    /// Calls function(word) for the words that may have a run of Span chunks, from the cursor on and wrapping
    /// around, until it returns true. Next fit: a run is seldom far away.
    template <std::uint32_t Span, class Thread, class Function>
    RZ_HD void for_each_candidate(Thread const& thread, Function&& function) const {
        constexpr std::uint64_t bit = free_runs_ref::class_bit(Span);
        // relaxed: a place to begin at
        std::uint64_t const start = thread.device(state()->chunk_cursor).load(exec::order::relaxed) /
                                    tuning::chunks_per_word % words();
        for (std::uint32_t part = 0; part < 2; ++part) {
            std::uint64_t word = part == 0 ? start : 0;
            std::uint64_t const last = part == 0 ? words() - 1 : start;
            while (word <= last && (word = runs_.template find<false>(thread, word, last, bit)) != none) {
                if (function(word)) return;
                runs_.reconsider(thread, word, bit);
                ++word;
            }
        }
    }
    template <std::uint32_t Span, class Thread>
    [[nodiscard]] RZ_NOINLINE static RZ_HD bool has_group(chunk_store_ref store, Thread thread) {
        bool found = false;
        store.for_each_candidate<Span>(thread, [&](std::uint64_t word) {
            // relaxed: the takes carry the order; an unsuccessful search later reads the newest count
            found = whole_groups<Span>(thread.device(store.mask()[word]).load(exec::order::relaxed)) != 0;
            return found;
        });
        return found;
    }

    template <std::uint32_t Span, class Thread>
    [[nodiscard]] RZ_HD chunk_claim take_groups(Thread const& thread, std::uint32_t wanted) const {
        constexpr std::uint32_t groups_per_word = tuning::chunks_per_word / Span;
        static_cast<void>(counts_.searches().begin(thread));
        std::uint64_t const most = std::uint64_t{wanted < groups_per_word ? wanted : groups_per_word} * Span;
        std::uint64_t const counted = counts_.count_out(thread, most);
        std::uint64_t const groups = counted / Span;
        chunk_claim claim{0, 0};
        if (groups != 0)
            for_each_candidate<Span>(thread, [&](std::uint64_t word) {
                std::uint64_t const seen = thread.device(mask()[word]).load(exec::order::relaxed);
                std::uint64_t const aim = spread<Span>(exec::lowest_bits(whole_groups<Span>(seen), groups));
                if (aim == 0) return false;
                // acquire: as in take_single
                std::uint64_t const taken =
                    thread.device(mask()[word]).fetch_and(~aim, exec::order::acquire) & aim;
                std::uint64_t const whole = whole_groups<Span>(taken);
                std::uint64_t const torn = taken & ~spread<Span>(whole);
                if (torn != 0) runs_.put(thread, word, torn); // passes on the order from the former holders
                claim = {word * groups_per_word, closed_up<Span>(whole)};
                if (claim.bits == 0) return false;
                auto const cursor = thread.device(state()->chunk_cursor);
                std::uint64_t const at = cursor.load(exec::order::relaxed);
                std::uint64_t const round = at - at % chunks();
                std::uint64_t const place = word * tuning::chunks_per_word;
                // relaxed: a place to begin at
                if (round + place > at) cursor.fetch_max(round + place, exec::order::relaxed);
                return true;
            });
        std::uint64_t const kept = std::uint64_t{exec::popcount(claim.bits)} * Span;
        counts_.count_back(thread, counted - kept);
        counts_.note_taken(thread, kept);
        counts_.searches().end(thread);
        return claim;
    }

    chunk_counts_ref counts_;
    free_runs_ref runs_;
};

} // namespace rhizome::alloc

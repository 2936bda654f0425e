// SPDX-License-Identifier: Apache-2.0
// Free pages that are in no queue: each is marked in the record of its chunk, and the chunk is in a list (or,
// where queues hold chunks, in a queue).
//
// Marking needs no memory, so freeing cannot fail. The thread that sets the flag of a chunk makes the chunk
// known. Pages are taken mark by mark. A thread that finds a chunk empty takes it out and clears the flag,
// unless marks are counted.
//
// Flag and count of marks are one word (known_chunk), which a thread updates after it has marked a page, and
// after it has taken marks, before it passes the pages on. So a page adds 1 to the count at most. If all
// pages of a chunk are marked and counted, no thread is still freeing one of them (take_whole).
//
// Invariants, while nothing runs:
//   a chunk with marks has its flag set, and the count is the number of its marks
//   a chunk's flag is set iff it is in one list or queue of its class, of any shard
//   expected = number of those chunks
// While threads run: expected >= that number. A page that was marked by a thread that has returned is either
// taken or in a chunk that is counted in `expected`.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/alloc/motion.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// The list of one shard.
struct spilled_pages_state {
    std::uint64_t expected; ///< chunks that are known or may be soon: now, and ever (motion.hpp)
    std::uint64_t list;     ///< tag << 32 | chunk + 1
};

template <class Table>
class spilled_pages_ref {
public:
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    static constexpr std::uint32_t words_at_most = Table::words_at_most;

    /// `shards`: the number of shards of the class.
    RZ_HD spilled_pages_ref(spilled_pages_state& state, Table const& table, std::uint32_t shards)
        : state_(&state), table_(table), shards_(shards) {}

    /// Chunks that are listed or about to be, as movers: a thread that sees a chunk gone sees the refill that
    /// took it.
    [[nodiscard]] RZ_HD motion_ref expected() const { return motion_ref(state_->expected); }

    /// Whether a chunk is listed: it may have marked pages.
    template <class Thread>
    [[nodiscard]] RZ_HD bool has_chunks(Thread const& thread) const {
        return static_cast<std::uint32_t>(thread.device(state_->list).load(exec::order::relaxed)) != 0;
    }

    /// Announces up to `chunks` chunks. Called before the caller makes marks that other threads may rely on.
    template <class Thread>
    RZ_HD void expect(Thread const& thread, std::uint64_t chunks) const {
        expected().begin_many(thread, chunks);
    }
    /// Withdraws announced chunks that were not listed. release: pairs with expected().
    template <class Thread>
    RZ_HD void expect_fewer(Thread const& thread, std::uint64_t chunks) const {
        expected().end_many(thread, chunks);
    }

    /// Marks pages `bits` of a word of a chunk. release: their users' writes happen before the next holder's.
    template <class Thread>
    RZ_HD void mark(Thread const& thread, std::uint64_t chunk, std::uint32_t word, std::uint64_t bits) const {
        thread.device(table_.marks(chunk, word)).fetch_or(bits, exec::order::release);
    }
    /// Marks pages [begin, end) of a chunk.
    template <class Thread>
    RZ_HD void mark_from(Thread const& thread, std::uint64_t chunk, std::uint32_t begin,
                         std::uint32_t end) const {
        while (begin < end) {
            std::uint32_t const word_begin = begin / 64 * 64;
            std::uint32_t const word_end = word_begin + 64 < end ? word_begin + 64 : end;
            mark(thread, chunk, begin / 64, exec::bit_range(begin - word_begin, word_end - word_begin));
            begin = word_end;
        }
    }
    /// Flags a chunk and counts `marks` marks that the caller has made. Returns the word before
    /// (known_chunk): if it had no flag, the caller must make the chunk known. acq_rel: a thread that clears
    /// the flag later sees the marks; a thread that finds it set sees the chunk announced.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t flag(Thread const& thread, std::uint64_t chunk,
                                           std::uint32_t marks) const {
        return thread.device(table_.listed(chunk))
            .fetch_add(known_chunk::one_mark * marks + 1, exec::order::acq_rel);
    }
    /// Counts `marks` marks less, which the caller has taken, before any of these pages can be given back.
    /// relaxed: the thread that passes the pages on orders it before their next marks.
    template <class Thread>
    RZ_HD void discount(Thread const& thread, std::uint64_t chunk, std::uint32_t marks) const {
        thread.device(table_.listed(chunk)).fetch_sub(known_chunk::one_mark * marks, exec::order::relaxed);
    }
    /// Undoes discount().
    template <class Thread>
    RZ_HD void count_again(Thread const& thread, std::uint64_t chunk, std::uint32_t marks) const {
        thread.device(table_.listed(chunk)).fetch_add(known_chunk::one_mark * marks, exec::order::relaxed);
    }
    /// Pushes a flagged chunk.
    template <class Thread>
    RZ_HD void push(Thread const& thread, std::uint64_t chunk) const {
        push_chain(thread, chunk, chunk);
    }
    /// Pushes the chunks of the lanes of the group that have one, with one compare-and-swap for all of them.
    template <class Thread, class Group>
    RZ_HD void push_all(Thread const& thread, Group const& group, bool has_one, std::uint64_t chunk) const {
        std::uint32_t const pushing = group.ballot(has_one);
        if (pushing == 0) return;
        // The chain runs from the lowest rank up; `later` is the chunk after this lane's, plus 1.
        std::uint64_t first = none;
        std::uint64_t last = none;
        std::uint32_t later = 0;
        for (std::uint32_t left = pushing; left != 0; left &= left - 1) {
            std::uint32_t const rank = exec::countr_zero(left);
            last = group.broadcast(chunk, rank);
            if (first == none) first = last;
            if (rank > group.rank() && later == 0) later = static_cast<std::uint32_t>(last + 1);
        }
        if (has_one && later != 0) thread.device(table_.next(chunk)).store(later, exec::order::relaxed);
        group.sync(); // every link is written before the leader's release
        if (group.is_leader()) push_chain(thread, first, last);
    }

    /// Clears the flag of a chunk that seems empty and is in no list or queue, unless marks are counted;
    /// true: they are, and the caller must make the chunk known again. Otherwise the caller has nothing more
    /// to do with the chunk: another thread may have flagged it at once.
    template <class Thread>
    [[nodiscard]] RZ_HD bool unflag(Thread const& thread, std::uint64_t chunk) const {
        auto const listed = thread.device(table_.listed(chunk));
        std::uint64_t held = listed.load(exec::order::relaxed);
        // acq_rel: a thread that flags the chunk later sees what this one did
        while (known_chunk::marks(held) <= 0)
            if (listed.compare_exchange(held, held - held % known_chunk::one_mark, exec::order::acq_rel))
                return false;
        return true;
    }
    /// Clears the flag of a chunk of which the caller holds all `pages` pages, and their marks' count.
    template <class Thread>
    RZ_HD void unflag_whole(Thread const& thread, std::uint64_t chunk, std::uint32_t pages) const {
        discount(thread, chunk, pages);
        (void)thread.device(table_.listed(chunk))
            .fetch_and(~(known_chunk::one_mark - 1), exec::order::relaxed);
    }
    /// Takes a chunk out of use whose `pages` pages are all marked and counted; whether they were. The caller
    /// has taken the chunk out of its queue or list. Then no other thread accesses the chunk any more, but
    /// for reading the marks of what has become of it: take() says what such a thread does.
    template <class Thread>
    [[nodiscard]] RZ_HD bool take_whole(Thread const& thread, std::uint64_t chunk,
                                        std::uint32_t pages) const {
        auto const listed = thread.device(table_.listed(chunk));
        if (known_chunk::marks(listed.load(exec::order::relaxed)) != pages) return false;
        std::uint32_t const words = (pages + 63) / 64;
        std::uint64_t marks[words_at_most];
        std::uint32_t taken = 0;
        for (std::uint32_t word = 0; word < words_at_most; ++word) {
            marks[word] = word < words ? take_marks(thread, chunk, word) : 0;
            taken += exec::popcount(marks[word]);
        }
        // All threads that took pages have counted them before the pages came back. So if all marks are
        // counted as well, every thread that freed one is done with the chunk.
        // acquire: pairs with flag()
        if (taken == pages && known_chunk::marks(listed.load(exec::order::acquire)) == pages) {
            listed.store(0, exec::order::relaxed);
            return true;
        }
        for (std::uint32_t word = 0; word < words_at_most; ++word)
            if (marks[word] != 0) mark(thread, chunk, word, marks[word]);
        return false;
    }
    /// Takes the first chunk out of the list; `none` if the list is empty.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t pop(Thread const& thread) const {
        auto const list = thread.device(state_->list);
        // acquire, both: pairs with the push, so that the `next` of the chunk is valid
        std::uint64_t head = list.load(exec::order::acquire);
        while (static_cast<std::uint32_t>(head) != 0) {
            std::uint64_t const chunk = static_cast<std::uint32_t>(head) - 1;
            std::uint32_t const next = thread.device(table_.next(chunk)).load(exec::order::relaxed);
            if (list.compare_exchange(head, next_tag(head) | next, exec::order::acquire)) return chunk;
        }
        return none;
    }
    /// Puts `chunk` before `first` (or `none`) in a chain of chunks that the caller has taken out.
    template <class Thread>
    RZ_HD void link(Thread const& thread, std::uint64_t chunk, std::uint64_t first) const {
        thread.device(table_.next(chunk)).store(static_cast<std::uint32_t>(first + 1), exec::order::relaxed);
    }
    /// Pushes a chain of chunks.
    template <class Thread>
    RZ_HD void push_chain(Thread const& thread, std::uint64_t first, std::uint64_t last) const {
        auto const list = thread.device(state_->list);
        std::uint64_t head = list.load(exec::order::relaxed);
        do {
            thread.device(table_.next(last)).store(static_cast<std::uint32_t>(head), exec::order::relaxed);
            // release: the links are written before the chunks can be popped
        } while (!list.compare_exchange(head, next_tag(head) | (first + 1), exec::order::release));
    }
    /// Takes the marks of one word of a chunk. acquire: pairs with mark().
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t take_marks(Thread const& thread, std::uint64_t chunk,
                                                 std::uint32_t word) const {
        return thread.device(table_.marks(chunk, word)).exchange(0, exec::order::acquire);
    }

    /// Pages of one word of one chunk.
    struct claim {
        std::uint64_t chunk;
        std::uint32_t first_page; ///< within the chunk: that of bit 0
        std::uint64_t bits;       ///< which of the 64
    };

    /// Takes up to `wanted` marked pages from one word of a listed chunk; no bits where none was found. What
    /// their former users did happens before. Cost: a read of the head of the list, of the words of its chunk
    /// together, and an atomic. Chunks that are found empty are removed from the list on the way.
    ///
    /// Where queues hold chunks, the chunk may have gone to another size class or instance since this thread
    /// found it in the list. So the caller checks the header of the chunk. If it is that of the class, the
    /// caller discounts the marks; otherwise it calls mark_again().
    template <class Thread>
    [[nodiscard]] RZ_HD claim take(Thread const& thread, std::uint32_t wanted, std::uint32_t words) const {
        auto const list = thread.device(state_->list);
        // acquire: pairs with the push, so that the `next` of the chunk is valid
        std::uint64_t head = list.load(exec::order::acquire);
        while (static_cast<std::uint32_t>(head) != 0) {
            std::uint64_t const chunk = static_cast<std::uint32_t>(head) - 1;
            claim const taken = take_from(thread, chunk, wanted, words);
            if (taken.bits != 0) return taken;
            if (!drop(thread, list, head, chunk)) break;
        }
        return {0, 0, 0};
    }

    /// Undoes take(). The threads that made these marks count them, so meanwhile the chunk stays known, and
    /// no thread takes it out of use.
    template <class Thread>
    RZ_HD void mark_again(Thread const& thread, claim const& taken) const {
        mark(thread, taken.chunk, taken.first_page / 64, taken.bits);
    }

private:
    [[nodiscard]] static RZ_HD constexpr std::uint64_t next_tag(std::uint64_t head) {
        return ((head >> 32) + 1)
               << 32; // against ABA: a chunk that is popped and pushed again gets another tag
    }
    /// Different threads begin at different words and bits, so that few of them aim at the same bits.
    template <class Thread>
    [[nodiscard]] RZ_HD claim take_from(Thread const& thread, std::uint64_t chunk, std::uint32_t wanted,
                                        std::uint32_t words) const {
        // Warps of one shard differ only in these bits.
        std::uint64_t const warp = thread.rank() / (std::uint64_t{tuning::shard_threads} * shards_);
        auto const start = static_cast<std::uint32_t>(warp + thread.rank() % tuning::shard_threads);
        std::uint64_t seen[words_at_most];
        for (std::uint32_t i = 0; i < words_at_most; ++i) {
            std::uint32_t const word = (start + i) % words_at_most;
            seen[i] = word < words ? thread.device(table_.marks(chunk, word)).load(exec::order::relaxed) : 0;
        }
        for (std::uint32_t i = 0; i < words_at_most; ++i) {
            std::uint32_t const word = (start + i) % words_at_most;
            while (seen[i] != 0) {
                std::uint32_t const turn =
                    wanted >= 32 ? 0
                                 : static_cast<std::uint32_t>(
                                       (warp * 21 + thread.rank() % tuning::shard_threads * 5) % 64);
                std::uint64_t const aim =
                    exec::rotr(exec::lowest_bits(exec::rotr(seen[i], turn), wanted), 64 - turn);
                // acquire: pairs with mark()
                std::uint64_t const before =
                    thread.device(table_.marks(chunk, word)).fetch_and(~aim, exec::order::acquire);
                if ((before & aim) != 0) return {chunk, word * 64, before & aim};
                seen[i] = before;
            }
        }
        return {chunk, 0, 0};
    }

    /// Removes a chunk that seemed empty from its list. `head` is the new head of the list. false: marks are
    /// counted, so the chunk is back in the list. It may be empty all the same: a thread has taken marks and
    /// not counted them yet. So the caller looks elsewhere.
    template <class Thread, class List>
    [[nodiscard]] RZ_HD bool drop(Thread const& thread, List const& list, std::uint64_t& head,
                                  std::uint64_t chunk) const {
        std::uint32_t const next = thread.device(table_.next(chunk)).load(exec::order::relaxed);
        std::uint64_t const after = next_tag(head) | next;
        // acquire: for the `next` of the next chunk, and for the head that is found instead
        if (!list.compare_exchange(head, after, exec::order::acquire)) return true;
        head = after;
        if (unflag(thread, chunk)) {
            push(thread, chunk);
            return false;
        }
        expect_fewer(thread, 1);
        return true;
    }

    spilled_pages_state* state_;
    Table table_;
    std::uint32_t shards_;
};

} // namespace rhizome::alloc

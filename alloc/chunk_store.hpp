// Chunks of a heap, and extents of several: who has which, as a bit mask.
//
// Glossary. Chunk: ChunkBytes of heap. Word: 64 chunks. Extent: a run of chunks for one large request. Bit
// set: the chunk is free.
//
// Invariants, while nothing runs (ouroboros/maintenance.hpp counts them):
//   count = number of set bits
//   a set bit has header 0; a clear one belongs to a chunk or an extent whose first chunk has its header
//
// While threads run: count + (claims counted but not yet taken from the mask) <= set bits. So who has counted
// a chunk for himself finds one; nobody waits for anybody. The paper hands out new chunks from a counter and
// keeps empty ones in a queue (section 3.2); a mask needs no memory to take a chunk back, gives a warp up to
// 64 chunks with one atomic, and lets extents grow out of freed chunks.
#pragma once

#include <rhizome/alloc/bits.hpp>
#include <rhizome/alloc/motion.hpp>
#include <rhizome/alloc/run_window.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Words that the chunk store shares between threads, in the memory of the space.
struct chunk_store_state {
    std::uint64_t count;         ///< chunks that nobody has counted for himself
    std::uint64_t chunk_cursor;  ///< chunks that claims have passed, from the low end, round and round
    std::uint64_t extent_cursor; ///< chunks that searches have passed, from the high end, round and round
    std::uint64_t searches;      ///< for extents: under way and ever begun (motion.hpp)
    std::uint64_t segments;      ///< chunks that are segments of queues
    alignas(64) std::uint64_t
        spilled_bytes; ///< of pages for whose entries no chunk could be had, since the last trim
};

/// Chunks out of one word of the mask.
struct chunk_claim {
    std::uint64_t first_chunk; ///< chunk of bit 0
    std::uint64_t bits;        ///< which of the 64
};

class chunk_store_ref {
public:
    chunk_store_ref() = default;
    chunk_store_ref(chunk_store_state* state, std::uint64_t* mask, std::uint64_t words)
        : state_(state), mask_(mask), words_(words) {}

    /// Takes up to `wanted` (1 to 64) groups of Span neighbouring chunks out of one word; none where all free
    /// ones are counted by others, or no group was whole. What the former holders did happens before.
    /// Span: a power of two up to 64; the claim counts in groups.
    /// Cost: three atomics where the cursor is good; with Span > 1, a search that finds nothing passes the
    /// whole mask.
    template <std::uint32_t Span, class Thread>
    [[nodiscard]] RZ_HD chunk_claim take(Thread const& thread, std::uint32_t wanted) const {
        static_assert(Span != 0 && Span <= tuning::chunks_per_word && (Span & (Span - 1)) == 0);
        if constexpr (Span == 1) return take_single(thread, wanted);
        return take_groups<Span>(thread, wanted);
    }

    /// Chunks that nobody has counted for himself; below zero while somebody undoes his counting.
    template <class Thread>
    [[nodiscard]] RZ_HD std::int64_t count(Thread const& thread) const {
        return static_cast<std::int64_t>(thread.device(state_->count).load(exec::order::relaxed));
    }
    /// Whether no group of Span chunks was free. Who looks for an extent or a group counts its chunks first,
    /// and gives them back where there is none: being short beside him says nothing.
    template <std::uint32_t Span, class Thread>
    [[nodiscard]] RZ_HD bool looks_empty(Thread const& thread) const {
        if (is_short_of(thread, Span)) return true;
        if constexpr (Span == 1) return false;
        std::uint64_t const before = searches().read(thread);
        return motion_ref::movers(before) == 0 && !has_group<Span>(thread) &&
               searches().read(thread) == before;
    }
    /// The same at a glance: what others are about to give back does not count. Disturbs nobody.
    template <std::uint32_t Span, class Thread>
    [[nodiscard]] RZ_HD bool seems_empty(Thread const& thread) const {
        if (count(thread) < static_cast<std::int64_t>(Span)) return true;
        if constexpr (Span == 1) return false;
        return !has_group<Span>(thread);
    }

    /// Gives a group of Span chunks back. Its headers must be 0 by then.
    template <std::uint32_t Span, class Thread>
    RZ_HD void put(Thread const& thread, std::uint64_t group) const {
        std::uint64_t const chunk = group * Span;
        put_bits(thread, chunk / tuning::chunks_per_word,
                 detail::bit_range(0, Span) << (chunk % tuning::chunks_per_word));
    }
    /// All chunks, free or not; a little more where they do not fill the last word.
    [[nodiscard]] RZ_HD std::uint64_t chunks() const { return words_ * tuning::chunks_per_word; }

    static constexpr std::uint64_t none = ~std::uint64_t{0};

    /// Takes `chunks` neighbouring chunks for all lanes of `group`, which look for them together; the first
    /// one's number, or none where no such run was free. Next fit, from the high end of the heap downwards,
    /// since chunks are taken from the low end: those who ask at the same time look at different places.
    /// Cost: of the words of 64 chunks that are passed, each lane loads its share; a search that finds
    /// nothing passes the whole heap.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint64_t take_extent(Thread const& thread, Group const& group,
                                                  std::uint64_t chunks) const {
        if (chunks > this->chunks()) return none;
        bool const leads = group.is_leader();
        for (std::uint32_t look = 0; look < tuning::extent_looks; ++look) {
            if (group.any(leads && is_short_of(thread, chunks))) return none;
            std::uint64_t before = 0;
            bool counted = false;
            if (leads) {
                before = searches().begin(thread);
                counted = count_out_all(thread, chunks);
            }
            bool disturbed = leads && motion_ref::movers(before) != 1;
            std::uint64_t found = none;
            group.sync(); // all lanes see what earlier searches gave back
            if (group.any(counted)) found = search(thread, group, chunks, disturbed);
            group.sync(); // all lanes have looked before it is asked who searched meanwhile
            if (leads) {
                if (counted && found == none)
                    thread.device(state_->count).fetch_add(chunks, exec::order::relaxed);
                disturbed = disturbed || searches().read(thread) != before;
                searches().end(thread);
            }
            if (found != none || !group.any(disturbed)) return found;
            thread.relax(); // others hold what they may put back
        }
        return none;
    }

    template <class Thread>
    RZ_HD void put_extent(Thread const& thread, std::uint64_t first_chunk, std::uint64_t chunks) const {
        for_each_mask(first_chunk, chunks, [&](std::uint64_t word, std::uint64_t bits) {
            put_bits(thread, word, bits);
            return true;
        });
    }

    [[nodiscard]] RZ_HD std::uint64_t words() const { return words_; }
    [[nodiscard]] RZ_HD std::uint64_t* mask() const { return mask_; }
    [[nodiscard]] RZ_HD chunk_store_state* state() const { return state_; }

private:
    template <class Thread>
    [[nodiscard]] RZ_HD chunk_claim take_single(Thread const& thread, std::uint32_t wanted) const {
        std::uint64_t const counted = count_out(thread, wanted);
        if (counted == 0) return {0, 0};
        // Claims that come together aim side by side, and none walks over what the others have taken.
        auto const cursor = thread.device(state_->chunk_cursor);
        std::uint64_t const start = cursor.fetch_add(counted, exec::order::relaxed);
        std::uint64_t word = start / tuning::chunks_per_word % words_;
        std::uint64_t beyond =
            detail::bit_range(static_cast<std::uint32_t>(start % tuning::chunks_per_word), 64);
        for (std::uint64_t looked = 0;; ++looked, beyond = ~std::uint64_t{0}) {
            std::uint64_t const seen = thread.device(mask_[word]).load(exec::order::relaxed);
            std::uint64_t const aim =
                detail::lowest_bits((seen & beyond) != 0 ? seen & beyond : seen, counted);
            // acquire: pairs with put's release, so that the former holder's writes come first
            std::uint64_t const taken =
                aim == 0 ? 0 : thread.device(mask_[word]).fetch_and(~aim, exec::order::acquire) & aim;
            if (taken == 0) {
                word = word + 1 == words_ ? 0 : word + 1;
                continue;
            }
            std::uint32_t const got = detail::count_bits(taken);
            if (got < counted) thread.device(state_->count).fetch_add(counted - got, exec::order::relaxed);
            if (looked > 1) cursor.fetch_max(start + looked * tuning::chunks_per_word, exec::order::relaxed);
            return {word * tuning::chunks_per_word, taken};
        }
    }

    /// The groups of Span chunks that are wholly free: the lowest bit of each.
    template <std::uint32_t Span>
    [[nodiscard]] static RZ_HD constexpr std::uint64_t whole_groups(std::uint64_t bits) {
        for (std::uint32_t step = 1; step < Span; step *= 2)
            bits &= bits >> step;
        std::uint64_t lowest = 1;
        for (std::uint32_t step = Span; step < tuning::chunks_per_word; step *= 2)
            lowest |= lowest << step;
        return bits & lowest;
    }
    /// All bits of groups of which the lowest are given; the lowest bits closed up, one a group.
    template <std::uint32_t Span>
    [[nodiscard]] static RZ_HD constexpr std::uint64_t spread(std::uint64_t lowest) {
        return lowest * detail::bit_range(0, Span);
    }
    template <std::uint32_t Span>
    [[nodiscard]] static RZ_HD constexpr std::uint64_t closed_up(std::uint64_t lowest) {
        std::uint64_t closed = 0;
        for (std::uint32_t group = 0; group < tuning::chunks_per_word / Span; ++group)
            closed |= (lowest >> (group * Span) & 1) << group;
        return closed;
    }

    /// Next fit: it is seldom far from the cursor.
    template <std::uint32_t Span, class Thread>
    [[nodiscard]] RZ_HD bool has_group(Thread const& thread) const {
        std::uint64_t const start =
            thread.device(state_->chunk_cursor).load(exec::order::relaxed) / tuning::chunks_per_word;
        for (std::uint64_t looked = 0; looked < words_; ++looked) {
            std::uint64_t const word = (start + looked) % words_;
            if (whole_groups<Span>(thread.device(mask_[word]).load(exec::order::relaxed)) != 0) return true;
        }
        return false;
    }

    template <std::uint32_t Span, class Thread>
    [[nodiscard]] RZ_HD chunk_claim take_groups(Thread const& thread, std::uint32_t wanted) const {
        constexpr std::uint32_t groups_a_word = tuning::chunks_per_word / Span;
        searches().begin(thread);
        std::uint64_t const most = std::uint64_t{wanted < groups_a_word ? wanted : groups_a_word} * Span;
        std::uint64_t const counted = count_out(thread, most);
        std::uint64_t const groups = counted / Span;
        chunk_claim claim{0, 0};
        std::uint64_t const start =
            thread.device(state_->chunk_cursor).load(exec::order::relaxed) / tuning::chunks_per_word;
        for (std::uint64_t looked = 0; looked < words_ && groups != 0 && claim.bits == 0; ++looked) {
            std::uint64_t const word = (start + looked) % words_;
            std::uint64_t const seen = thread.device(mask_[word]).load(exec::order::relaxed);
            std::uint64_t const aim = spread<Span>(detail::lowest_bits(whole_groups<Span>(seen), groups));
            if (aim == 0) continue;
            // acquire: as in take_single; release: hands on what the former holders released
            std::uint64_t const taken =
                thread.device(mask_[word]).fetch_and(~aim, exec::order::acquire) & aim;
            std::uint64_t const whole = whole_groups<Span>(taken);
            std::uint64_t const torn = taken & ~spread<Span>(whole);
            if (torn != 0) thread.device(mask_[word]).fetch_or(torn, exec::order::release);
            claim = {word * groups_a_word, closed_up<Span>(whole)};
            if (looked != 0)
                thread.device(state_->chunk_cursor)
                    .fetch_max((start + looked) * tuning::chunks_per_word, exec::order::relaxed);
        }
        std::uint64_t const kept = std::uint64_t{detail::count_bits(claim.bits)} * Span;
        if (kept != counted) thread.device(state_->count).fetch_add(counted - kept, exec::order::relaxed);
        searches().end(thread);
        return claim;
    }

    /// Counts up to `most` chunks for the caller: one fetch_sub that undoes itself.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t count_out(Thread const& thread, std::uint64_t most) const {
        auto const count = thread.device(state_->count);
        // The count promises that bits are there; the bits themselves carry the order. acq_rel: whoever finds
        // himself short sees the refill or the search that took the chunks under way.
        if (static_cast<std::int64_t>(count.load(exec::order::relaxed)) <= 0) return 0;
        auto const held = static_cast<std::int64_t>(count.fetch_sub(most, exec::order::acq_rel));
        if (held >= static_cast<std::int64_t>(most)) return most;
        std::uint64_t const got = held <= 0 ? 0 : static_cast<std::uint64_t>(held);
        count.fetch_add(most - got, exec::order::relaxed);
        return got;
    }
    /// Counts `chunks` or none. Others find themselves short meanwhile: `searches` tells them.
    template <class Thread>
    [[nodiscard]] RZ_HD bool count_out_all(Thread const& thread, std::uint64_t chunks) const {
        std::uint64_t const got = count_out(thread, chunks);
        if (got == chunks) return true;
        if (got != 0) thread.device(state_->count).fetch_add(got, exec::order::relaxed);
        return false;
    }

    [[nodiscard]] RZ_HD motion_ref searches() const { return motion_ref(state_->searches); }

    /// Whether fewer chunks than `chunks` were free at some moment; false while somebody looks for an extent.
    template <class Thread>
    [[nodiscard]] RZ_HD bool is_short_of(Thread const& thread, std::uint64_t chunks) const {
        std::uint64_t const before = searches().read(thread);
        // acquire: with count_out's release, whoever finds himself short sees the refill that took the chunks
        auto const free = static_cast<std::int64_t>(thread.device(state_->count).load(exec::order::acquire));
        return motion_ref::movers(before) == 0 && free >= 0 && static_cast<std::uint64_t>(free) < chunks &&
               searches().read(thread) == before;
    }

    /// One round over the heap.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint64_t search(Thread const& thread, Group const& group, std::uint64_t wanted,
                                             bool& disturbed) const {
        std::uint64_t const all = chunks();
        auto const cursor = thread.device(state_->extent_cursor);
        // Runs of one size lie side by side from the high end, in every round: no gaps at the ends.
        std::uint64_t passed = 0;
        if (group.is_leader()) passed = cursor.fetch_add(wanted, exec::order::relaxed) / wanted * wanted;
        passed = group.broadcast(passed, 0);
        std::uint64_t const start = all - passed % (all / wanted * wanted);
        // Numbers of searches side by side differ: those who meet part by them.
        std::uint64_t turn = passed / wanted;
        std::uint64_t found = find_run(thread, group, wanted, 0, start, turn, disturbed);
        if (found == none)
            found = find_run(thread, group, wanted, start < wanted ? 0 : start - wanted + 1, all, turn,
                             disturbed);
        // Later searches need not pass again what this one has passed.
        if (found != none && group.is_leader()) {
            std::uint64_t const distance = found < start ? start - found : start + all - found;
            if (distance > wanted) cursor.fetch_max(passed + distance, exec::order::relaxed);
        }
        return found;
    }

    template <class Thread>
    RZ_HD void put_bits(Thread const& thread, std::uint64_t word, std::uint64_t bits) const {
        // release: this thread's use of the chunks comes before their next holder's
        thread.device(mask_[word]).fetch_or(bits, exec::order::release);
        thread.device(state_->count).fetch_add(detail::count_bits(bits), exec::order::relaxed);
    }

    /// Calls function(word, bits) for the bits of a run of chunks; stops where it returns false.
    template <class Function>
    RZ_HD static void for_each_mask(std::uint64_t first_chunk, std::uint64_t chunks, Function&& function) {
        constexpr std::uint64_t per_word = tuning::chunks_per_word;
        std::uint64_t const end = first_chunk + chunks;
        for (std::uint64_t chunk = first_chunk; chunk < end;) {
            std::uint64_t const word = chunk / per_word;
            std::uint64_t const next = (word + 1) * per_word < end ? (word + 1) * per_word : end;
            std::uint64_t const mask = detail::bit_range(0, static_cast<std::uint32_t>(next - chunk))
                                       << chunk % per_word;
            if (!function(word, mask)) return;
            chunk = next;
        }
    }

    /// A run of `wanted` free chunks within [begin, end), taken; or none. The highest, unless others were
    /// faster: then whichever `turn` says.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD std::uint64_t find_run(Thread const& thread, Group const& group, std::uint64_t wanted,
                                               std::uint64_t begin, std::uint64_t end, std::uint64_t turn,
                                               bool& disturbed) const {
        if (end <= begin || end - begin < wanted) return none;
        std::uint64_t const first_word = begin / tuning::chunks_per_word;
        std::uint64_t above = 0;    // free chunks right above those that are to come
        std::uint32_t meetings = 0; // with others, in these words
        for (std::uint64_t words = (end - 1) / tuning::chunks_per_word + 1; words > first_word;) {
            std::uint64_t const bits = words - first_word > group.rank()
                                           ? bits_between(thread, words - 1 - group.rank(), begin, end)
                                           : 0;
            run_window<Group> const window(group, bits, above, wanted);
            if (window.runs() != 0 && meetings != tuning::extent_meetings) {
                std::uint32_t const lane =
                    window.lane_of(meetings == 0 ? 0 : static_cast<std::uint32_t>(turn++ % window.runs()));
                std::uint64_t const first =
                    (words - 1 - lane) * tuning::chunks_per_word + window.bit_of(lane);
                if (group.any(group.is_leader() && take_run(thread, first, wanted))) return first;
                // Somebody took a chunk of it meanwhile: the same words again, as they are now.
                disturbed = true;
                ++meetings;
                above = 0;
                continue;
            }
            meetings = 0;
            above = window.low_run();
            words -= words - first_word < group.size() ? words - first_word : group.size();
        }
        return none;
    }
    /// The bits of a word that stand for chunks [begin, end).
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t bits_between(Thread const& thread, std::uint64_t word,
                                                   std::uint64_t begin, std::uint64_t end) const {
        std::uint64_t const chunk = word * tuning::chunks_per_word;
        auto const from = static_cast<std::uint32_t>(begin > chunk ? begin - chunk : 0);
        auto const to = static_cast<std::uint32_t>(
            end - chunk < tuning::chunks_per_word ? end - chunk : tuning::chunks_per_word);
        return thread.device(mask_[word]).load(exec::order::relaxed) & detail::bit_range(from, to);
    }

    /// Takes all bits of the run, or none of them.
    template <class Thread>
    [[nodiscard]] RZ_HD bool take_run(Thread const& thread, std::uint64_t first_chunk,
                                      std::uint64_t chunks) const {
        std::uint64_t failed_word = none;
        for_each_mask(first_chunk, chunks, [&](std::uint64_t word, std::uint64_t bits) {
            // acquire: as in take
            std::uint64_t const taken =
                thread.device(mask_[word]).fetch_and(~bits, exec::order::acquire) & bits;
            if (taken == bits) return true;
            // release: hands on what the former holders released
            thread.device(mask_[word]).fetch_or(taken, exec::order::release);
            failed_word = word;
            return false;
        });
        if (failed_word == none) return true;
        for_each_mask(first_chunk, chunks, [&](std::uint64_t word, std::uint64_t bits) {
            if (word == failed_word) return false;
            thread.device(mask_[word]).fetch_or(bits, exec::order::release);
            return true;
        });
        return false;
    }

    chunk_store_state* state_ = nullptr;
    std::uint64_t* mask_ = nullptr;
    std::uint64_t words_ = 0;
};

} // namespace rhizome::alloc

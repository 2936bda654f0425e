// SPDX-License-Identifier: Apache-2.0
// Requests for pages. A group looks in the shard's queue, in the rest of a fresh chunk, and at marked pages;
// then in other shards; then it takes fresh chunks. It is refused once nothing is in motion.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/ouroboros/chunk_refill.hpp>
#include <rhizome/alloc/ouroboros/chunk_return.hpp>
#include <rhizome/alloc/ouroboros/joint_claim.hpp>
#include <rhizome/alloc/ouroboros/shard.hpp>
#include <rhizome/alloc/ouroboros/used_up.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/rank_order.hpp>

#include <cstdint>

namespace rhizome::alloc {

template <class Ref, class Thread, class Group>
class page_request : public chunk_refill<Ref, Thread, Group> {
    using base = chunk_refill<Ref, Thread, Group>;
    using base::group_;
    using base::no_shard;
    using base::pages_;
    using base::ref_;
    using base::size_class_;
    using base::thread_;
    using base::words_;

public:
    using base::base;

    /// One page for each lane of the group; Ref::no_page for lanes that the heap cannot serve.
    [[nodiscard]] RZ_INLINED RZ_HD std::uint64_t run() {
        std::uint32_t const own = group_.broadcast(own_shard(thread_, ref_.shards()), 0);
        std::uint32_t number = own;
        for (;;) {
            if constexpr (Ref::granularity::queues_pages) {
                if (take_queued_pages(number) || take_uncut(number) || take_marked(number)) break;
            } else {
                // A chunk that is taken from the queue and not used up goes on the list, where all groups
                // share it.
                if (take_marked(number) || take_queued_chunks(number) || take_uncut(number)) break;
            }
            if (number == own && waits_ == 0 && looks_ == 0 && take_whole_chunks(own)) break;
            // It pays to wait for a refill of the own shard: looking at all the others costs more.
            if (number == own && waits_for_refill(own)) continue;
            number = next_shard(own);
            if (number != no_shard) continue;
            number = own;
            source const found = find_chunks(own);
            if (found.what != source::pages) waits_ = 0; // here, where all lanes agree
            if (found.what == source::chunks && cut(own, found.claim)) break;
            if (found.what != source::nothing) continue;
            // A refusal needs a moment at which there was too little.
            if (is_used_up(ref_, thread_, group_, size_class_) && !finds_whole_chunks()) break;
            // Pages are in motion. They come to rest, unless other threads keep them in motion for ever.
            if (++looks_ > tuning::refusal_looks) break;
            thread_
                .pause(); // relax() would wait for what this lane saw, and another may have seen the change
        }
        return page_;
    }

private:
    [[nodiscard]] RZ_HD std::uint32_t missing() const { return lanes_.missing(group_); }
    /// Whether the lane is one of the next `pages` to be served.
    [[nodiscard]] RZ_HD bool is_next(std::uint32_t pages) const { return lanes_.is_next(group_, pages); }
    /// Which of those pages is the lane's.
    [[nodiscard]] RZ_HD std::uint32_t turn() const { return lanes_.turn(group_); }
    /// Counts lanes as served; whether all are.
    [[nodiscard]] RZ_HD bool serve(std::uint32_t pages) { return lanes_.serve(group_, pages); }
    /// Serves marked pages of one word: bit b is page `first + b`.
    [[nodiscard]] RZ_HD bool serve_bits(std::uint64_t first, std::uint64_t bits) {
        std::uint32_t const pages = exec::popcount(bits);
        if (is_next(pages)) page_ = first + exec::nth_bit(bits, turn());
        return serve(pages < missing() ? pages : missing());
    }

    [[nodiscard]] RZ_HD bool take_queued_pages(std::uint32_t number) {
        auto const queue = ref_.queue(size_class_, number);
        auto const from = this->take_places(queue, missing());
        if (from.count == 0) return false;
        auto const window = queue.open_to_take(thread_, group_, from.first, from.count);
        if (is_next(from.count)) page_ = queue.take(thread_, window, from.first + turn());
        queue.close(thread_, group_, window, from.first, from.count);
        return serve(from.count);
    }

    /// Takes as many chunks as would do if all their pages were free; more each time, when they have few
    /// pages left. In the paper all requests look at the chunk at the front, and the last one takes it out
    /// (Algorithm 4). Here the first one takes it out, and puts it back behind the last, or offers a wholly
    /// free one to the others.
    [[nodiscard]] RZ_HD bool take_queued_chunks(std::uint32_t number) {
        auto const queue = ref_.queue(size_class_, number);
        std::uint32_t const full = (missing() + pages_ - 1) / pages_;
        std::uint32_t const more = full << tries_;
        auto const from = this->take_places(queue, more < group_.size() ? more : group_.size());
        if (from.count == 0) return false;
        if (tries_ < 5) ++tries_;
        bool const has_one = group_.rank() < from.count;
        auto const window = queue.open_to_take(thread_, group_, from.first, from.count);
        std::uint64_t const chunk = has_one ? queue.take(thread_, window, from.first + group_.rank()) : 0;
        queue.close(thread_, group_, window, from.first, from.count);

        auto const spilled = ref_.spilled(size_class_, number);
        bool const left = share_marks(chunk, from.count, number);
        if (offered_) { // by share_marks: no page of it is marked any more
            offered_ = false;
            if (group_.is_leader()) spilled.expect_fewer(thread_, 1);
            return missing() == 0;
        }
        bool known = has_one && (left || spilled.unflag(thread_, chunk));
        if (unflagged_)
            known = has_one && this->announce(chunk, 0); // or a thread that frees has made it known
        unflagged_ = false;
        std::uint32_t const again = exec::popcount(group_.ballot(known));
        if (again != 0) this->make_known(number, known, chunk);
        if (again != from.count && group_.is_leader()) spilled.expect_fewer(thread_, from.count - again);
        return missing() == 0;
    }
    /// Serves lanes from the marks of the chunks of the first `chunks` lanes, one word per lane at a time.
    /// Returns whether there may be marks left in the lane's own chunk.
    [[nodiscard]] RZ_HD bool share_marks(std::uint64_t chunk, std::uint32_t chunks, std::uint32_t number) {
        auto const spilled = ref_.spilled(size_class_, number);
        std::uint32_t const items = chunks * words_;
        bool left = false;
        for (std::uint32_t first = 0; first < items; first += group_.size()) {
            std::uint32_t const own_first = group_.rank() * words_;
            if (missing() == 0) return left || own_first + words_ > first;
            std::uint32_t const item = first + group_.rank();
            std::uint64_t const of = group_.shuffle(chunk, item < items ? item / words_ : 0);
            std::uint32_t const word = item % words_;
            std::uint64_t const marks = item < items ? spilled.take_marks(thread_, of, word) : 0;
            group_.sync(); // what a lane acquired with marks holds for every lane
            if (chunks == 1 && items <= group_.size() && offer_whole(number, of, word, marks)) return false;
            std::uint64_t const rest = serve_marks(of * pages_ + word * 64, marks);
            if (rest != marks) spilled.discount(thread_, of, exec::popcount(marks & ~rest));
            if (rest != 0) spilled.mark(thread_, of, word, rest);
            group_.sync(); // all are counted before a lane can give its page back
            std::uint64_t const not_empty = group_.ballot(rest != 0);
            // This lane's chunk has items [own_first, own_first + words), this round's lanes [first, ...).
            std::uint32_t const begin = own_first > first ? own_first - first : 0;
            std::uint32_t const end = own_first + words_ > first ? own_first + words_ - first : 0;
            if (begin < end && begin < 64)
                left = left || (not_empty & exec::bit_range(begin, end < 64 ? end : 64)) != 0;
        }
        return left;
    }
    /// Serves marked pages of all lanes, the lowest first: bit b of a lane's marks is page `first + b`.
    /// Returns what is left of the lane's own marks.
    [[nodiscard]] RZ_HD std::uint64_t serve_marks(std::uint64_t first, std::uint64_t marks) {
        std::uint32_t const mine = exec::popcount(marks);
        std::uint32_t const lower = group_.exclusive_scan(mine);
        std::uint32_t const total = group_.sum(mine);
        std::uint32_t const wanted = missing();
        // The lane that holds this lane's page: the last one with at most that many pages before its own.
        std::uint32_t const own = is_next(total) ? turn() : 0;
        std::uint32_t who = 0;
        for (std::uint32_t step = 16; step != 0; step /= 2) {
            std::uint32_t const further = who + step < group_.size() ? who + step : who;
            if (group_.shuffle(lower, further) <= own) who = further;
        }
        std::uint64_t const their_marks = group_.shuffle(marks, who);
        std::uint64_t const their_first = group_.shuffle(first, who);
        std::uint32_t const before = group_.shuffle(lower, who);
        if (is_next(total)) page_ = their_first + exec::nth_bit(their_marks, own - before);
        static_cast<void>(serve(total < wanted ? total : wanted));
        std::uint32_t const kept = lower >= wanted ? 0 : wanted - lower < mine ? wanted - lower : mine;
        return marks & ~exec::lowest_bits(marks, kept);
    }
    /// If the marks of all lanes are a whole chunk, and it is more than this group needs: serves lanes from
    /// it and offers the rest as uncut pages, which cost other groups one atomic.
    [[nodiscard]] RZ_HD bool offer_whole(std::uint32_t number, std::uint64_t chunk, std::uint32_t word,
                                         std::uint64_t marks) {
        std::uint32_t const end = pages_ - word * 64 < 64 ? pages_ - word * 64 : 64;
        bool const whole = group_.rank() >= words_ || marks == exec::bit_range(0, end);
        if (pages_ <= missing() || !group_.all(whole)) return false;
        bool offered = false;
        if (group_.is_leader()) {
            // No other thread has a page of it, so no thread marks one before the offer.
            auto const spilled = ref_.spilled(size_class_, number);
            spilled.unflag_whole(thread_, chunk, pages_);
            offered = ref_.uncut(size_class_, number).offer(thread_, chunk, 1, missing());
            if (!offered) spilled.count_again(thread_, chunk, pages_);
        }
        unflagged_ = !group_.any(offered);
        if (unflagged_) return false;
        chunk = group_.broadcast(chunk, 0);
        if (is_next(missing())) page_ = chunk * pages_ + turn();
        static_cast<void>(serve(missing()));
        offered_ = true;
        return true;
    }

    [[nodiscard]] RZ_HD bool take_uncut(std::uint32_t number) {
        std::uint64_t first = 0;
        std::uint32_t pages = 0;
        if (group_.is_leader()) {
            auto const rest = ref_.uncut(size_class_, number).take(thread_, missing());
            first = rest.first_page + rest.next;
            pages = rest.left() < missing() ? rest.left() : missing();
        }
        pages = group_.broadcast(pages, 0);
        if (pages == 0) return false;
        first = group_.broadcast(first, 0);
        if (is_next(pages)) page_ = first + turn();
        group_.sync(); // what the leader acquired with the pages is every lane's
        return serve(pages);
    }

    /// Large pages: whole chunks for as many lanes as use them up, while the heap has plenty of chunks. Pages
    /// that other shards were given back come first: they would stay free while fresh chunks are used up.
    [[nodiscard]] RZ_HD bool take_whole_chunks(std::uint32_t own) {
        if constexpr (Ref::template claims_jointly<Group>) {
            if (pages_ > tuning::joint_pages || missing() != group_.size() || missing() < pages_)
                return false;
            bool const returned = group_.is_leader() && ref_.store().had_large_pages_back(thread_);
            if (group_.any(returned) && next_shard(own) != no_shard) return false;
            page_ = joint_claim<Ref, Thread, Group>(ref_, thread_, group_, group_, size_class_)
                        .claim(group_.is_leader(), group_.is_leader() && ref_.store().has_plenty(thread_));
            return serve(exec::popcount(group_.ballot(page_ != Ref::no_page)));
        } else {
            return false;
        }
    }

    /// Marked pages of one word of a listed chunk.
    [[nodiscard]] RZ_HD bool take_marked(std::uint32_t number) {
        std::uint64_t first = 0;
        std::uint64_t bits = 0;
        if (group_.is_leader()) {
            auto const spilled = ref_.spilled(size_class_, number);
            auto const claim = spilled.take(thread_, missing(), words_);
            first = claim.chunk * pages_ + claim.first_page;
            bits = claim.bits;
            bool const is_of_class =
                Ref::granularity::queues_pages || bits == 0 ||
                ref_.table().header(thread_, claim.chunk) == Ref::page_header(size_class_);
            if (!is_of_class) {
                spilled.mark_again(thread_, claim);
                // A search may have met the chunk meanwhile and missed these marks.
                ref_.store().whole_chunks().note(thread_);
                bits = 0;
            }
            if (bits != 0) spilled.discount(thread_, claim.chunk, exec::popcount(bits));
        }
        bits = group_.broadcast(bits, 0);
        if (bits == 0) return false;
        first = group_.broadcast(first, 0);
        bool const all = serve_bits(first, bits);
        group_.sync(); // what the leader acquired with the pages is every lane's
        return all;
    }

    /// Where queues hold chunks: whether the store may have chunks now that were in queues of other classes.
    /// If not, the group looks once more: another one may have returned some just before. (In a heap of
    /// several instances ouroboros_ref does this, for all of them.)
    [[nodiscard]] RZ_HD bool finds_whole_chunks() {
        if constexpr (!Ref::returns_whole_chunks) return false;
        bool const found = return_whole_chunks(ref_, thread_, group_, false);
        bool const again = found || !was_last_look_;
        was_last_look_ = !found;
        return again;
    }

    /// A shard of the class that seems to have pages. Each lane looks at another shard, and the warps of a
    /// shard begin at different ones, so that not all of them choose the same.
    [[nodiscard]] RZ_HD std::uint32_t next_shard(std::uint32_t own) const {
        std::uint64_t const warp = thread_.rank() / tuning::shard_threads / ref_.shards();
        own = group_.broadcast(own + static_cast<std::uint32_t>(warp), 0) % ref_.shards();
        for (std::uint32_t past = 0; past < ref_.shards(); past += group_.size()) {
            std::uint32_t const number = (own + past + group_.rank()) % ref_.shards();
            bool const has = past + group_.rank() < ref_.shards() &&
                             (ref_.queue(size_class_, number).semaphore().permits(thread_) > 0 ||
                              ref_.spilled(size_class_, number).has_chunks(thread_) ||
                              ref_.uncut(size_class_, number).read(thread_).left() != 0);
            std::uint32_t const who = group_.ballot(has);
            if (who != 0) return (own + past + exec::countr_zero(who)) % ref_.shards();
        }
        return no_shard;
    }

    struct source {
        static constexpr std::uint32_t pages = 0;   ///< other groups bring some: look again
        static constexpr std::uint32_t chunks = 1;  ///< cut() ends the refill
        static constexpr std::uint32_t nothing = 2; ///< no chunk is free

        std::uint32_t what = pages;
        chunk_claim claim{0, 0};
    };
    [[nodiscard]] RZ_HD source find_chunks(std::uint32_t number) {
        source found;
        if (group_.is_leader()) found = leader_finds(number);
        found.what = group_.broadcast(found.what, 0);
        if (found.what == source::chunks) found.claim = this->shared_claim(found.claim);
        return found;
    }

    [[nodiscard]] RZ_HD bool waits_for_refill(std::uint32_t number) {
        if (waits_ >= tuning::refill_patience || !this->shares_chunks()) return false;
        bool under_way = false;
        if (group_.is_leader())
            under_way =
                motion_ref::movers(ref_.queue(size_class_, number).semaphore().refills().read(thread_)) != 0;
        if (!group_.any(under_way)) return false;
        ++waits_;
        thread_.pause();
        return true;
    }

    [[nodiscard]] RZ_HD source leader_finds(std::uint32_t number) {
        // Only a thread that sees a free chunk begins a refill: in a heap that is used up, no thread disturbs
        // the searches of others.
        if (ref_.store().template seems_empty<Ref::span>(thread_)) return {source::nothing, {0, 0}};
        bool const elected = this->shares_chunks() && this->elect(number);
        if (this->shares_chunks() && !elected && waits_ < tuning::refill_patience) return {};
        source found{source::nothing, {0, 0}};
        if (elected && ref_.uncut(size_class_, number).read(thread_).left() != 0) {
            found.what = source::pages; // another group was elected before, and is done
        } else {
            found.claim = this->take_chunks(number, chunks_to_take());
            if (found.claim.bits != 0) found.what = source::chunks;
        }
        if (elected && found.what != source::chunks) this->dismiss();
        return found;
    }
    /// Chunks for what the group misses; more where groups share chunks.
    [[nodiscard]] RZ_HD std::uint32_t chunks_to_take() const {
        std::uint32_t const own = (missing() + pages_ - 1) / pages_;
        if (!this->shares_chunks()) return own;
        std::uint32_t const more = this->chunks_ahead();
        return more < own ? own : more;
    }

    /// Cuts claimed chunks into pages: one for each lane that has none; the rest is offered.
    [[nodiscard]] RZ_INLINED RZ_HD bool cut(std::uint32_t number, chunk_claim const& claim) {
        std::uint32_t const all = exec::popcount(claim.bits) * pages_;
        std::uint32_t const own = missing() < all ? missing() : all;
        this->begin_cut(claim);
        if (is_next(own)) page_ = this->page_of(claim, turn());
        this->end_cut(number, claim, own);
        return serve(own);
    }

    std::uint64_t page_ = Ref::no_page;
    exec::rank_order lanes_;
    std::uint32_t tries_ = 0;    ///< chunks are taken from queues 2^tries at a time
    bool offered_ = false;       ///< a wholly free chunk is uncut now
    bool was_last_look_ = false; ///< for chunks of other classes
    bool unflagged_ = false;     ///< a wholly free chunk could not be offered, and its flag is cleared
    std::uint32_t waits_ = 0;    ///< for refills by other groups
    std::uint32_t looks_ = 0;    ///< that found pages in motion
};

} // namespace rhizome::alloc

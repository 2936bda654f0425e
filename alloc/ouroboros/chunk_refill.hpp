// SPDX-License-Identifier: Apache-2.0
// Fresh chunks for a shard: for requests that found no other pages, and ahead of requests.
#pragma once

#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/ouroboros/shard_access.hpp>
#include <rhizome/alloc/ouroboros/uncut_chunk.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// A refill: take_chunks(), begin_cut(), end_cut(). It is in motion from the first call to the last.
template <class Ref, class Thread, class Group>
class chunk_refill : public shard_access<Ref, Thread, Group> {
    using base = shard_access<Ref, Thread, Group>;

public:
    using base::base;

protected:
    using base::group_;
    using base::pages_;
    using base::ref_;
    using base::size_class_;
    using base::thread_;

    static constexpr std::uint32_t no_shard = ~std::uint32_t{0};

    /// Whether a group would leave pages of a chunk. Such chunks are cut by one group at a time, for all
    /// groups that wait at the shard.
    [[nodiscard]] RZ_HD bool shares_chunks() const {
        return pages_ > group_.size() || group_.size() % pages_ != 0;
    }

    // To be called by the leader only.

    /// Tries to become the refiller of the shard, until dismiss(); whether the caller did.
    [[nodiscard]] RZ_HD bool elect(std::uint32_t number) {
        if (!ref_.queue(size_class_, number).semaphore().elect(thread_)) return false;
        elected_at_ = number;
        return true;
    }
    RZ_HD void dismiss() {
        if (elected_at_ == no_shard) return;
        ref_.queue(size_class_, elected_at_).semaphore().dismiss(thread_);
        elected_at_ = no_shard;
    }
    /// The chunks that a refill takes for other groups as well; 0 where the heap has not plenty of chunks.
    [[nodiscard]] RZ_HD std::uint32_t chunks_ahead() const {
        std::int64_t const count = ref_.store().count(thread_); // less than 0 while other threads reserve
        std::uint64_t const free = (count > 0 ? static_cast<std::uint64_t>(count) : 0) / Ref::span;
        std::uint64_t const even = free / (tuning::refill_share * ref_.rings());
        std::uint64_t const few = free / tuning::refill_few_share;
        std::uint64_t const plenty =
            few > tuning::refill_few ? even > tuning::refill_few ? even : tuning::refill_few : few;
        std::uint32_t const pages = tuning::refill_pages / pages_;
        std::uint32_t const least = pages < tuning::refill_chunks ? tuning::refill_chunks : pages;
        std::uint32_t const most =
            least < uncut_chunk_ref::chunks_at_most ? least : uncut_chunk_ref::chunks_at_most;
        return plenty < most ? static_cast<std::uint32_t>(plenty) : most;
    }
    /// Takes up to `chunks` chunks from the store and begins a refill; no bits and no refill where there are
    /// none.
    [[nodiscard]] RZ_HD chunk_claim take_chunks(std::uint32_t number, std::uint32_t chunks) const {
        auto const refills = ref_.queue(size_class_, number).semaphore().refills();
        refills.begin(thread_);
        chunk_claim const claim = ref_.store().template take<Ref::span>(thread_, chunks);
        if (claim.bits == 0) refills.end(thread_);
        return claim;
    }

    // To be called by all lanes of the group.

    [[nodiscard]] RZ_HD chunk_claim shared_claim(chunk_claim claim) const {
        claim.first_chunk = group_.broadcast(claim.first_chunk, 0);
        claim.bits = group_.broadcast(claim.bits, 0);
        return claim;
    }
    RZ_HD void begin_cut(chunk_claim const& claim) const {
        std::uint32_t const chunks = exec::popcount(claim.bits);
        for (std::uint32_t item = group_.rank(); item < chunks; item += group_.size())
            ref_.table().set_header(thread_, chunk_of(claim, item), Ref::page_header(size_class_));
        // The leader took the chunks: what their former holders did must happen before every lane's use.
        group_.sync();
    }
    /// The i-th page of the claimed chunks.
    [[nodiscard]] RZ_HD std::uint64_t page_of(chunk_claim const& claim, std::uint32_t i) const {
        return chunk_of(claim, i / pages_) * pages_ + i % pages_;
    }
    /// Offers the pages from `next` on. Marks them instead if the chunks are not neighbours, or if there is
    /// an offer already.
    RZ_HD void end_cut(std::uint32_t number, chunk_claim const& claim, std::uint32_t next) {
        std::uint32_t const chunks = exec::popcount(claim.bits);
        if (next != chunks * pages_) leave(number, claim, chunks, next);
        if (group_.is_leader()) {
            ref_.queue(size_class_, number).semaphore().refills().end(thread_);
            dismiss();
        }
    }

private:
    [[nodiscard]] static RZ_HD std::uint64_t chunk_of(chunk_claim const& claim, std::uint32_t item) {
        return claim.first_chunk + exec::nth_bit(claim.bits, item);
    }
    RZ_HD void leave(std::uint32_t number, chunk_claim const& claim, std::uint32_t chunks,
                     std::uint32_t next) const {
        std::uint32_t const lowest = exec::countr_zero(claim.bits);
        bool const neighbours = exec::nth_bit(claim.bits, chunks - 1) - lowest == chunks - 1;
        bool offered = false;
        if (group_.is_leader() && neighbours)
            offered =
                ref_.uncut(size_class_, number).offer(thread_, claim.first_chunk + lowest, chunks, next);
        if (group_.any(offered)) {
            if (!Ref::granularity::queues_pages && group_.is_leader() && next <= (chunks - 1) * pages_)
                ref_.store().whole_chunks().note(thread_);
            return;
        }
        auto const spilled = ref_.spilled(size_class_, number);
        if (group_.is_leader()) spilled.expect(thread_, chunks - next / pages_);
        group_.sync();
        for (std::uint32_t done = next / pages_; done < chunks; done += group_.size()) {
            std::uint32_t const item = done + group_.rank();
            bool const has_one = item < chunks;
            std::uint64_t const chunk = has_one ? chunk_of(claim, item) : 0;
            if (has_one) {
                std::uint32_t const begin = item == next / pages_ ? next % pages_ : 0;
                spilled.mark_from(thread_, chunk, begin, pages_);
                (void)this->announce(chunk, pages_ - begin);
            }
            this->make_known(number, has_one, chunk);
        }
    }

    std::uint32_t elected_at_ = no_shard; ///< the shard that the leader was elected to refill
};

} // namespace rhizome::alloc

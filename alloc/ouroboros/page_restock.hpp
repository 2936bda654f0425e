// SPDX-License-Identifier: Apache-2.0
// Brings pages, and room for their return, ahead of requests. Otherwise a request would do this itself while
// other threads wait, about 20 us on an H200. Only for queues of pages.
#pragma once

#include <rhizome/alloc/ouroboros/chunk_refill.hpp>
#include <rhizome/alloc/ouroboros/page_release.hpp>
#include <rhizome/alloc/ouroboros/uncut_chunk.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

template <class Ref, class Thread, class Group>
class page_restock : public chunk_refill<Ref, Thread, Group> {
    using base = chunk_refill<Ref, Thread, Group>;
    using base::group_;
    using base::pages_;
    using base::ref_;
    using base::size_class_;
    using base::thread_;

public:
    using base::base;

    // All of this is done only where pages of the class were requested before, in any shard, and where the
    // heap has plenty of chunks.

    /// Makes sure that the shard has `pages` pages to hand out. Marked pages are enough: bringing more beside
    /// them, again and again, would use the heap up. So would bringing chunks of which a group uses all
    /// pages, since there are many such classes.
    RZ_HD void bring_pages(std::uint32_t number, std::uint32_t pages) {
        bool few = was_used() && this->shares_chunks();
        if (few && group_.is_leader()) few = has_fewer(number, pages);
        if (group_.broadcast(few ? 1u : 0u, 0) != 0) bring(number, pages);
    }
    /// Makes sure that the queue has room for `pages` more entries, and a spare segment; or adds a few
    /// segments.
    RZ_HD void make_room(std::uint32_t number, std::uint32_t pages) const {
        if (!was_used()) return;
        auto const queue = ref_.queue(size_class_, number);
        for (std::uint32_t added = 0; added < tuning::segments_at_once; ++added) {
            bool wanted = false;
            if (group_.is_leader()) {
                std::int64_t const room = thread_.device(queue.state().room).load(exec::order::relaxed);
                wanted = queue.wants_room(room - pages) && this->chunks_ahead() != 0;
            }
            if (!group_.any(wanted) || !queue.make_room(thread_, group_, 1, false)) return;
        }
    }

private:
    /// Each lane looks at another shard.
    [[nodiscard]] RZ_HD bool was_used() const {
        bool used = false;
        for (std::uint32_t number = group_.rank(); number < ref_.shards(); number += group_.size()) {
            auto& state = ref_.queue(size_class_, number).state();
            std::uint64_t const taken = thread_.device(state.front).load(exec::order::relaxed);
            std::uint64_t const given = thread_.device(state.back).load(exec::order::relaxed);
            used = used || (taken | given) != 0 || ref_.uncut(size_class_, number).read(thread_).pages != 0;
        }
        return group_.any(used);
    }

    [[nodiscard]] RZ_HD bool has_fewer(std::uint32_t number, std::uint32_t pages) const {
        std::int64_t const permits = ref_.queue(size_class_, number).semaphore().permits(thread_);
        std::int64_t const left = ref_.uncut(size_class_, number).read(thread_).left();
        return permits + left < std::int64_t{pages} && !ref_.spilled(size_class_, number).has_chunks(thread_);
    }

    RZ_HD void bring(std::uint32_t number, std::uint32_t pages) {
        chunk_claim claim{0, 0};
        uncut_chunk_ref::rest rest;
        if (group_.is_leader()) {
            std::uint32_t const wanted = (pages + pages_ - 1) / pages_;
            std::uint32_t const most = this->chunks_ahead();
            // The group that was elected before may have brought enough.
            if (most != 0 && this->elect(number) && has_fewer(number, pages))
                claim = this->take_chunks(number, wanted < most ? wanted : most);
            // The rest of an earlier offer is moved to the queue: one word names one run of chunks.
            if (claim.bits != 0)
                rest = ref_.uncut(size_class_, number).take_all(thread_);
            else
                this->dismiss();
        }
        claim = this->shared_claim(claim);
        if (claim.bits == 0) return;
        std::uint64_t const first = group_.broadcast(rest.first_page + rest.next, 0);
        std::uint32_t const left = group_.broadcast(rest.left(), 0);
        give_back(first, left);
        this->begin_cut(claim);
        this->end_cut(number, claim, 0);
    }
    /// Pages in a row, to the shard where this warp begins.
    RZ_HD void give_back(std::uint64_t first, std::uint32_t count) const {
        group_.sync(); // what the leader acquired with the pages holds for every lane
        for (std::uint32_t done = 0; done < count; done += group_.size()) {
            std::uint32_t const mine = done + group_.rank();
            if (mine < count) {
                auto const givers = thread_.coalesced().match(Ref::page_header(size_class_));
                page_release<Ref, Thread, decltype(givers)>(ref_, thread_, givers, size_class_)
                    .run(first + mine);
            }
            group_.sync();
        }
    }
};

} // namespace rhizome::alloc

// SPDX-License-Identifier: Apache-2.0
// Gives pages back: into the shard's queue, or marked in their chunks. Needs no memory and waits for no lock.
#pragma once

#include <rhizome/alloc/ouroboros/shard.hpp>
#include <rhizome/alloc/ouroboros/shard_access.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

template <class Ref, class Thread, class Group>
class page_release : public shard_access<Ref, Thread, Group> {
    using base = shard_access<Ref, Thread, Group>;
    using base::group_;
    using base::pages_;
    using base::ref_;
    using base::size_class_;
    using base::thread_;

public:
    using base::base;

    /// Each lane of the group gives back one page.
    RZ_HD void run(std::uint64_t page) const {
        std::uint32_t const number = group_.broadcast(own_shard(thread_, ref_.shards()), 0);
        std::uint32_t const lanes = group_.size();
        if constexpr (Ref::granularity::queues_pages) {
            if (pages_ <= tuning::joint_pages && group_.is_leader())
                ref_.store().note_large_pages_back(thread_);
            auto const queue = ref_.queue(size_class_, number);
            std::uint32_t const queued = this->give(queue, lanes, true, group_.rank(), page);
            if (queued < lanes) {
                if (group_.is_leader() && queue.lacks_chunks(thread_)) count_spilled(lanes - queued);
                mark(number, group_.rank() >= queued, page, lanes - queued);
            }
        } else {
            mark(number, true, page, lanes);
        }
        group_.sync(); // a thread that returns may ask again, and must find what it gave back
    }

private:
    RZ_HD void count_spilled(std::uint32_t pages) const {
        thread_.device(ref_.store().state()->spilled_bytes)
            .fetch_add(std::uint64_t{pages} * Ref::class_bytes(size_class_), exec::order::relaxed);
    }
    /// Marks the pages of `many` lanes, and makes their chunks known where no thread has done so.
    RZ_HD void mark(std::uint32_t number, bool has_one, std::uint64_t page, std::uint32_t many) const {
        auto const spilled = ref_.spilled(size_class_, number);
        std::uint64_t const chunk = page / pages_;
        // Announced first: a thread that finds a chunk flagged, and returns, relies on it.
        if (group_.is_leader()) spilled.expect(thread_, many);
        group_.sync();
        bool first = false;
        if (has_one) {
            auto const place = static_cast<std::uint32_t>(page % pages_);
            spilled.mark(thread_, chunk, place / 64, std::uint64_t{1} << (place % 64));
            first = this->announce(chunk, 1);
        }
        std::uint32_t const chunks = exec::popcount(group_.ballot(first));
        if (chunks != 0) this->make_known(number, first, chunk);
        if (group_.is_leader() && chunks != many) spilled.expect_fewer(thread_, many - chunks);
    }
};

} // namespace rhizome::alloc

// SPDX-License-Identifier: Apache-2.0
// Many pages of one class at once, next to each other in fresh chunks: for callers that load a graph and know
// how many pages of each size they need. One search replaces many refills.
#pragma once

#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/ouroboros/shard.hpp>
#include <rhizome/alloc/ouroboros/shard_access.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

template <class Ref, class Thread, class Group>
class page_run_request : public shard_access<Ref, Thread, Group> {
    using base = shard_access<Ref, Thread, Group>;
    using base::group_;
    using base::pages_;
    using base::ref_;
    using base::size_class_;
    using base::thread_;

public:
    using base::base;
    static constexpr std::uint64_t no_chunk = chunk_store_ref::none;

    /// The first of the chunks that hold the `count` pages, or no_chunk. Remaining pages are free for all
    /// threads.
    [[nodiscard]] RZ_HD std::uint64_t run(std::uint32_t count) const {
        std::uint32_t const chunks = (count + pages_ - 1) / pages_;
        std::uint32_t const number = group_.broadcast(own_shard(thread_, ref_.shards()), 0);
        auto const refills = ref_.queue(size_class_, number).semaphore().refills();
        if (group_.is_leader()) refills.begin(thread_); // other threads that find no chunk look again
        std::uint64_t const first = ref_.store().take_extent(thread_, group_, chunks);
        if (first != no_chunk) cut(number, first, chunks, count);
        if (group_.is_leader()) refills.end(thread_);
        return first;
    }

private:
    RZ_HD void cut(std::uint32_t number, std::uint64_t first, std::uint32_t chunks,
                   std::uint32_t count) const {
        for (std::uint32_t i = group_.rank(); i < chunks; i += group_.size())
            ref_.table().set_header(thread_, first + i, Ref::page_header(size_class_));
        group_.sync(); // what the former holders of the chunks did happens before every lane's use
        if (std::uint32_t const used = count % pages_; used != 0) leave(number, first + chunks - 1, used);
    }
    /// Offers the pages of a chunk from `used` on, or marks them.
    RZ_HD void leave(std::uint32_t number, std::uint64_t chunk, std::uint32_t used) const {
        bool offered = false;
        if (group_.is_leader()) offered = ref_.uncut(size_class_, number).offer(thread_, chunk, 1, used);
        if (group_.any(offered)) return;
        auto const spilled = ref_.spilled(size_class_, number);
        bool const first = group_.is_leader();
        if (first) {
            spilled.expect(thread_, 1);
            spilled.mark_from(thread_, chunk, used, pages_);
            (void)this->announce(chunk, pages_ - used);
        }
        this->make_known(number, first, chunk);
    }
};

} // namespace rhizome::alloc

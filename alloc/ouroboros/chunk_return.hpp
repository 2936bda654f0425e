// SPDX-License-Identifier: Apache-2.0
// Wholly free chunks go back to the store, for requests of other size classes (the purpose of Ouroboros,
// Algorithm 4, lines 30 to 32). Only for queues of chunks.
//
// In the paper the thread that frees the last page of a chunk takes the chunk out of the queue. Here it only
// notes that there is such a chunk (whole_chunks.hpp). A thread that would be refused otherwise searches the
// queues for it. So freeing costs one atomic more per emptied chunk, and a class that empties its chunks and
// fills them again keeps them as long as the heap has other free chunks.
#pragma once

#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/motion.hpp>
#include <rhizome/alloc/ouroboros/shard.hpp>
#include <rhizome/alloc/ouroboros/shard_access.hpp>
#include <rhizome/alloc/ouroboros/uncut_chunk.hpp>
#include <rhizome/alloc/whole_chunks.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::alloc {

/// What a search has found.
struct returned_chunks {
    bool some = false;    ///< it has returned chunks
    bool complete = true; ///< it has seen every chunk that is in a queue or list

    RZ_HD void add(returned_chunks const& other) {
        some = some || other.some;
        complete = complete && other.complete;
    }
};

/// One group of lanes at a time searches (whole_chunks.hpp).
template <class Ref, class Thread, class Group>
class chunk_return : public shard_access<Ref, Thread, Group> {
    using base = shard_access<Ref, Thread, Group>;
    using base::group_;
    using base::pages_;
    using base::ref_;
    using base::size_class_;
    using base::thread_;

public:
    /// Returns the wholly free chunks of all size classes of `ref`; or, unless `all`, those of the first
    /// shard that has some.
    [[nodiscard]] static RZ_HD returned_chunks run(Ref const& ref, Thread const& thread, Group const& group,
                                                   bool all) {
        // Each lane looks at another shard first.
        std::uint32_t const rings = ref.rings();
        std::uint32_t const start = group.broadcast(own_shard(thread, tuning::shards_at_most), 0);
        returned_chunks found;
        for (std::uint32_t past = 0; past < rings; past += group.size()) {
            std::uint32_t const own = (start + past + group.rank()) % rings;
            bool const has_some =
                past + group.rank() < rings &&
                chunk_return(ref, thread, group, own / ref.shards()).may_have_some(own % ref.shards());
            for (std::uint32_t left = group.ballot(has_some); left != 0; left &= left - 1) {
                std::uint32_t const ring = (start + past + exec::countr_zero(left)) % rings;
                chunk_return(ref, thread, group, ring / ref.shards())
                    .search_shard(ring % ref.shards(), found);
                if (found.some && !all) {
                    found.complete = false;
                    return found;
                }
            }
        }
        return found;
    }

private:
    using base::base;

    /// A quick look by one lane. Chunks that are expected and in no queue or list are in other threads'
    /// hands.
    [[nodiscard]] RZ_HD bool may_have_some(std::uint32_t number) const {
        return motion_ref::movers(ref_.spilled(size_class_, number).expected().read(thread_)) != 0 ||
               has_whole_chunk(ref_.uncut(size_class_, number).read(thread_));
    }
    RZ_HD void search_shard(std::uint32_t number, returned_chunks& found) const {
        found.some = return_uncut(number) || found.some;
        std::uint64_t seen = 0;
        std::uint32_t returned = return_listed(number, seen);
        returned += return_queued(number, seen); // afterwards: what stays goes to the list
        if (returned != 0) found.some = true;
        bool in_motion = false;
        if (group_.is_leader()) {
            auto const spilled = ref_.spilled(size_class_, number);
            if (returned != 0) spilled.expect_fewer(thread_, returned);
            in_motion = motion_ref::movers(spilled.expected().read(thread_)) > seen - returned;
        }
        if (group_.any(in_motion)) found.complete = false;
    }

    /// Gives a chunk that no other thread knows to the store.
    RZ_HD void put(std::uint64_t chunk) const {
        ref_.table().set_header(thread_, chunk, 0);
        ref_.store().template put<Ref::span>(thread_, chunk);
    }
    /// Returns a chunk that the group has taken out of its queue or list, if it is wholly free; whether it
    /// was.
    [[nodiscard]] RZ_HD bool put_whole(std::uint64_t chunk) const {
        if (!ref_.spilled(size_class_, 0).take_whole(thread_, chunk, pages_)) return false;
        put(chunk);
        return true;
    }

    /// The entries that are in the queue now, up to one per lane at a time. Chunks that stay go to the list:
    /// putting them back into the queue would cost every kernel that allocates registers. Returns how many
    /// chunks went back to the store; adds to `seen` how many there were.
    [[nodiscard]] RZ_HD std::uint32_t return_queued(std::uint32_t number, std::uint64_t& seen) const {
        auto const queue = ref_.queue(size_class_, number);
        std::uint32_t returned = 0;
        std::int64_t left = group_.is_leader() ? queue.semaphore().permits(thread_) : 0;
        left = group_.broadcast(left, 0);
        while (left > 0) {
            std::uint32_t const wanted =
                left < std::int64_t{group_.size()} ? static_cast<std::uint32_t>(left) : group_.size();
            auto const from = this->take_places(queue, wanted);
            if (from.count == 0) break;
            bool const has_one = group_.rank() < from.count;
            auto const window = queue.open_to_take(thread_, group_, from.first, from.count);
            std::uint64_t const chunk = has_one ? queue.take(thread_, window, from.first + group_.rank()) : 0;
            queue.close(thread_, group_, window, from.first, from.count);
            bool const known = has_one && !put_whole(chunk);
            returned += from.count - exec::popcount(group_.ballot(known));
            ref_.spilled(size_class_, number).push_all(thread_, group_, known, chunk);
            seen += from.count;
            left -= from.count;
        }
        return returned;
    }

    /// The chunks of the list, one by one. Those that stay go back together at the end, so that none is met
    /// twice. Called as return_queued().
    [[nodiscard]] RZ_HD std::uint32_t return_listed(std::uint32_t number, std::uint64_t& seen) const {
        auto const spilled = ref_.spilled(size_class_, number);
        std::uint32_t returned = 0;
        std::uint64_t met = 0;
        if (group_.is_leader()) {
            std::uint64_t first = spilled.none;
            std::uint64_t last = spilled.none;
            // Bounded: other threads may push chunks meanwhile.
            for (; met < ref_.store().chunks(); ++met) {
                std::uint64_t const chunk = spilled.pop(thread_);
                if (chunk == spilled.none) break;
                if (put_whole(chunk)) {
                    ++returned;
                    continue;
                }
                spilled.link(thread_, chunk, first);
                first = chunk;
                if (last == spilled.none) last = chunk;
            }
            if (first != spilled.none) spilled.push_chain(thread_, first, last);
        }
        seen += group_.broadcast(met, 0);
        return group_.broadcast(returned, 0);
    }

    /// Whether the rest of fresh chunks has a chunk that is uncut.
    [[nodiscard]] RZ_HD bool has_whole_chunk(uncut_chunk_ref::rest const& rest) const {
        return rest.left() >= pages_;
    }
    /// Returns the uncut chunks of a shard. Marks the uncut pages of a chunk that has others.
    [[nodiscard]] RZ_HD bool return_uncut(std::uint32_t number) const {
        auto const uncut = ref_.uncut(size_class_, number);
        auto const refills = ref_.queue(size_class_, number).semaphore().refills();
        uncut_chunk_ref::rest rest;
        if (group_.is_leader() && has_whole_chunk(uncut.read(thread_))) {
            refills.begin(thread_); // other threads that find no page look again
            rest = uncut.take_all(thread_);
            if (rest.left() == 0) refills.end(thread_);
        }
        std::uint64_t const begin = group_.broadcast(rest.first_page + rest.next, 0);
        std::uint64_t const end = begin + group_.broadcast(rest.left(), 0);
        if (begin == end) return false;
        group_.sync(); // what the leader acquired with the pages holds for every lane
        bool put_some = false;
        for (std::uint64_t done = begin / pages_; done * pages_ < end; done += group_.size()) {
            std::uint64_t const chunk = done + group_.rank();
            std::uint64_t const from = chunk * pages_ < begin ? begin : chunk * pages_;
            std::uint64_t const to = (chunk + 1) * pages_ < end ? (chunk + 1) * pages_ : end;
            bool const is_whole = from < to && to - from == pages_;
            if (is_whole) put(chunk);
            put_some = put_some || is_whole;
            mark(number, from < to && !is_whole, chunk, static_cast<std::uint32_t>(from - chunk * pages_),
                 static_cast<std::uint32_t>(from < to ? to - from : 0));
        }
        put_some = group_.any(put_some); // and all are put before the refill ends
        group_.sync();
        if (group_.is_leader()) refills.end(thread_);
        return put_some;
    }
    /// Marks `pages` pages of a chunk from `first` on, for the lanes that have one.
    RZ_HD void mark(std::uint32_t number, bool has_one, std::uint64_t chunk, std::uint32_t first,
                    std::uint32_t pages) const {
        auto const spilled = ref_.spilled(size_class_, number);
        std::uint32_t const chunks = exec::popcount(group_.ballot(has_one));
        if (chunks == 0) return;
        if (group_.is_leader()) spilled.expect(thread_, chunks);
        group_.sync();
        bool known = false;
        if (has_one) {
            spilled.mark_from(thread_, chunk, first, first + pages);
            known = this->announce(chunk, pages);
        }
        std::uint32_t const new_ones = exec::popcount(group_.ballot(known));
        spilled.push_all(thread_, group_, known, chunk);
        if (group_.is_leader() && new_ones != chunks) spilled.expect_fewer(thread_, chunks - new_ones);
    }
};

/// For a request that found too little: returns wholly free chunks of all instances of `ref` from queues to
/// the store, of all shards or of the first one that has some. Called by all lanes of the group. false: at a
/// moment of this call there were none, neither in queues nor in the hands of another group that returns
/// them. If the caller then finds too little again, the request is refused. Cost: two loads where no chunk
/// has become wholly free since the last search; otherwise a pass over the queues' entries and the lists.
template <class Ref, class Thread, class Group>
[[nodiscard]] RZ_NOINLINE RZ_HD bool return_whole_chunks(Ref ref, Thread thread, Group group, bool all) {
    auto const whole = ref.store().whole_chunks();
    whole_chunks_ref::look look{};
    bool searches = false;
    if (group.is_leader()) {
        look = whole.read(thread);
        searches = look.may_find && whole.begin(thread);
    }
    if (!group.any(look.may_find)) return false;
    if (!group.any(searches)) {
        thread.pause(); // another group returns them
        return true;
    }
    group.sync(); // what the leader acquired holds for every lane
    returned_chunks found;
    ref.for_each_instance([&](auto const& instance) {
        using instance_type = std::decay_t<decltype(instance)>;
        if constexpr (!instance_type::granularity::queues_pages) {
            if (found.some && !all) return;
            found.add(chunk_return<instance_type, Thread, Group>::run(instance, thread, group, all));
        }
    });
    group.sync();
    if (group.is_leader()) whole.end(thread, look.noted, found.complete);
    if (!found.complete && !found.some) thread.pause();
    return found.some || !found.complete;
}

} // namespace rhizome::alloc

// SPDX-License-Identifier: Apache-2.0
// The common part of requests and releases: the entries of a shard's queue, for a whole group of lanes.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// A group of lanes at the shards of one size class. Every function is called by all lanes of the group.
template <class Ref, class Thread, class Group>
class shard_access {
public:
    RZ_HD shard_access(Ref const& ref, Thread const& thread, Group const& group, std::uint32_t size_class)
        : ref_(ref), thread_(thread), group_(group), size_class_(size_class),
          pages_(Ref::pages_of(size_class)), words_((pages_ + 63) / 64) {}

protected:
    /// Consecutive places of a shard's queue.
    struct places {
        std::uint32_t count;
        std::uint64_t first;
        bool nears_end = false; ///< room is becoming scarce
    };
    /// The places of up to `wanted` entries to take.
    template <class Queue>
    [[nodiscard]] RZ_HD places take_places(Queue const& queue, std::uint32_t wanted) const {
        places found{0, 0};
        if (group_.is_leader()) {
            found.count = queue.semaphore().take(thread_, wanted);
            if (found.count != 0) found.first = queue.take_places(thread_, found.count);
        }
        return shared(found);
    }
    /// Gives the entries of the `wanted` lanes that have one, as far as there is room: of the first of them.
    /// `mine`: how many of these lanes come before the caller. Returns for how many there was room; the
    /// caller marks the others. With `sparing`, it adds one segment at a time to a virtualized queue, and
    /// none ahead of need.
    template <class Queue>
    [[nodiscard]] RZ_HD std::uint32_t give(Queue const& queue, std::uint32_t wanted, bool has_one,
                                           std::uint32_t mine, std::uint64_t entry,
                                           bool sparing = false) const {
        std::uint32_t const clearing = sparing ? 1 : group_.size();
        std::uint32_t given = 0;
        for (std::uint32_t tries = 0; given < wanted; ++tries) {
            places const to = room_for(queue, wanted - given);
            if (to.count == 0) {
                // Other groups may have taken the room, since many groups wait for each new segment.
                if (tries < tuning::room_tries && queue.make_room(thread_, group_, clearing, true)) continue;
                break;
            }
            auto const window = queue.open_to_give(thread_, group_, to.first, to.count);
            if (has_one && mine >= given && mine - given < to.count)
                queue.give(thread_, window, to.first + (mine - given), entry);
            group_.sync(); // every lane's entry is written before the permits are given
            if (group_.is_leader()) queue.semaphore().give(thread_, to.count);
            if (to.nears_end && !sparing)
                static_cast<void>(queue.make_room(thread_, group_, group_.size(), false));
            given += to.count;
        }
        return given;
    }

    /// Counts `marks` marks that the caller, a single lane, has made in a chunk, and flags the chunk; true:
    /// the caller must make it known. The caller has counted the chunk as expected.
    [[nodiscard]] RZ_HD bool announce(std::uint64_t chunk, std::uint32_t marks) const {
        std::uint64_t const before = ref_.spilled(size_class_, 0).flag(thread_, chunk, marks);
        if constexpr (!Ref::granularity::queues_pages)
            if (known_chunk::marks(before) + marks == pages_) ref_.store().whole_chunks().note(thread_);
        return !known_chunk::is_flagged(before);
    }

    /// Makes known the flagged chunks of the lanes that have one: in the shard's queue if it holds chunks and
    /// has room, otherwise in its list. The caller has counted them as expected.
    RZ_HD void make_known(std::uint32_t number, bool has_one, std::uint64_t chunk,
                          bool sparing = false) const {
        if constexpr (!Ref::granularity::queues_pages) {
            std::uint32_t const having = group_.ballot(has_one);
            std::uint32_t const count = exec::popcount(having);
            if (count == 0) return;
            std::uint32_t const mine = exec::popcount(having & exec::bit_range(0, group_.rank()));
            std::uint32_t const queued =
                give(ref_.queue(size_class_, number), count, has_one, mine, chunk, sparing);
            if (queued == count) return;
            has_one = has_one && mine >= queued;
        }
        ref_.spilled(size_class_, number).push_all(thread_, group_, has_one, chunk);
    }

    Ref const& ref_;
    Thread const& thread_;
    Group const& group_;
    std::uint32_t size_class_;
    std::uint32_t pages_; ///< per chunk
    std::uint32_t words_; ///< of marks per chunk

private:
    /// The places of room for up to `wanted` entries.
    template <class Queue>
    [[nodiscard]] RZ_HD places room_for(Queue const& queue, std::uint32_t wanted) const {
        places found{0, 0};
        if (group_.is_leader()) {
            std::int64_t left = 0;
            found.count = queue.take_room(thread_, wanted, left);
            if (found.count != 0) found.first = queue.give_places(thread_, found.count);
            found.nears_end = queue.wants_room(left);
        }
        found = shared(found);
        if constexpr (Ref::queue_policy::is_virtual) found.nears_end = group_.any(found.nears_end);
        return found;
    }
    [[nodiscard]] RZ_HD places shared(places found) const {
        found.count = group_.broadcast(found.count, 0);
        if (found.count != 0) found.first = group_.broadcast(found.first, 0);
        return found;
    }
};

} // namespace rhizome::alloc

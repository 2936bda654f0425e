// What requests and releases of pages share: the entries of a shard's queue, for a whole group of lanes.
#pragma once

#include <rhizome/alloc/bits.hpp>
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
    /// Neighbouring places of a shard's queue.
    struct places {
        std::uint32_t count;
        std::uint64_t first;
    };
    /// Up to `wanted` entries to take.
    template <class Queue>
    [[nodiscard]] RZ_HD places take_places(Queue const& queue, std::uint32_t wanted) const {
        places found{0, 0};
        if (group_.is_leader()) {
            found.count = queue.semaphore().take(thread_, wanted);
            if (found.count != 0) found.first = queue.take_places(thread_, found.count);
        }
        return shared(found);
    }
    /// Room for up to `wanted` entries.
    template <class Queue>
    [[nodiscard]] RZ_HD places give_places(Queue const& queue, std::uint32_t wanted) const {
        places found{0, 0};
        if (group_.is_leader()) {
            found.count = queue.take_room(thread_, wanted);
            if (found.count != 0) found.first = queue.give_places(thread_, found.count);
        }
        return shared(found);
    }
    /// After every lane has written its entries: the permits.
    template <class Queue>
    RZ_HD void publish(Queue const& queue, std::uint32_t entries) const {
        if (entries == 0) return;
        group_.sync();
        if (group_.is_leader()) queue.semaphore().give(thread_, entries);
    }

    /// Makes flagged chunks of those lanes that have one known: in the shard's queue where it holds chunks
    /// and has room, in its list otherwise. They are counted as expected.
    RZ_HD void make_known(std::uint32_t number, bool has_one, std::uint64_t chunk) const {
        if constexpr (!Ref::granularity::queues_pages) {
            std::uint32_t const having = group_.ballot(has_one);
            std::uint32_t const count = detail::count_bits(having);
            if (count == 0) return;
            auto const queue = ref_.queue(size_class_, number);
            places const to = give_places(queue, count);
            std::uint32_t const mine = detail::count_bits(having & detail::bit_range(0, group_.rank()));
            if (has_one && mine < to.count) queue.give(thread_, to.first + mine, chunk);
            publish(queue, to.count);
            if (to.count == count) return;
            has_one = has_one && mine >= to.count;
        }
        ref_.spilled(size_class_, number).push_all(thread_, group_, has_one, chunk);
    }

    Ref const& ref_;
    Thread const& thread_;
    Group const& group_;
    std::uint32_t size_class_;
    std::uint32_t pages_; ///< a chunk
    std::uint32_t words_; ///< of marks a chunk

private:
    [[nodiscard]] RZ_HD places shared(places found) const {
        found.count = group_.broadcast(found.count, 0);
        if (found.count != 0) found.first = group_.broadcast(found.first, 0);
        return found;
    }
};

} // namespace rhizome::alloc

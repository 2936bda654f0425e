// SPDX-License-Identifier: Apache-2.0
// Whether a request of a size class can be refused: whether at some moment the class had no free page, in any
// shard, and no chunk was free.
//
// Shards are read one after the other, and pages move between them, also from a shard that is not read yet to
// one that was. So all shards are read twice, and the store between. All counters that are read twice only
// grow while pages come to a shard: places given in its queue, chunks ever expected with marks, refills ever
// begun. If the first reading finds the shard empty, and the second finds the same counters, no page came to
// it between. So it was empty at each moment between, also when the store was read.
#pragma once

#include <rhizome/alloc/motion.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Called by all lanes of the group together; each reads other shards. Pages in motion, in a request, a
/// release or a refill that has not returned, count as free. Cost: five loads per shard; three atomics more
/// where all seem empty.
template <class Ref, class Thread, class Group>
class used_up_look {
public:
    RZ_HD used_up_look(Ref const& ref, Thread const& thread, Group const& group, std::uint32_t size_class)
        : ref_(ref), thread_(thread), group_(group), size_class_(size_class) {}

    [[nodiscard]] RZ_HD bool run() const {
        bool empty = true;
        std::uint64_t before = 0;
        for_own_shards([&](std::uint32_t number) { before += first_reading(number, empty); });
        if (!group_.all(empty)) return false; // decided without writing
        group_.sync();                        // every first reading comes before the store is read
        bool no_chunk = false;
        if (group_.is_leader()) no_chunk = ref_.store().template looks_empty<Ref::span>(thread_);
        if (!group_.any(no_chunk)) return false;
        group_.sync(); // and that before every second reading
        std::uint64_t after = 0;
        for_own_shards([&](std::uint32_t number) { after += second_reading(number); });
        return group_.all(before == after);
    }

private:
    template <class Function>
    RZ_HD void for_own_shards(Function&& function) const {
        for (std::uint32_t number = group_.rank(); number < ref_.shards(); number += group_.size())
            function(number);
    }
    /// The sum of the shard's counters; `empty` becomes false if the shard has a page or may get one.
    [[nodiscard]] RZ_HD std::uint64_t first_reading(std::uint32_t number, bool& empty) const {
        auto const queue = ref_.queue(size_class_, number);
        std::uint64_t const refills = queue.semaphore().refills().read(thread_);
        // Read before the uncut pages: whole chunks of marked pages become uncut ones while they are
        // expected.
        std::uint64_t const expected = ref_.spilled(size_class_, number).expected().read(thread_);
        bool const has_uncut =
            ref_.uncut(size_class_, number).read(thread_, exec::order::acquire).left() != 0;
        // front first: if back, read later, is no more, both were equal between. Permits would not do: they
        // are also zero while takers that undo their subtraction hide permits that were given meanwhile.
        std::uint64_t const taken = thread_.device(queue.state().front).load(exec::order::acquire);
        std::uint64_t const given = thread_.device(queue.state().back).load(exec::order::acquire);
        empty = empty && motion_ref::movers(refills) == 0 && motion_ref::movers(expected) == 0 &&
                !has_uncut && taken == given;
        return refills + expected + given;
    }
    /// The newest value.
    [[nodiscard]] RZ_HD std::uint64_t second_reading(std::uint32_t number) const {
        auto const queue = ref_.queue(size_class_, number);
        return queue.semaphore().refills().read_now(thread_) +
               ref_.spilled(size_class_, number).expected().read_now(thread_) +
               // acq_rel: a read-modify-write reads the newest value; no earlier read moves behind it
               thread_.device(queue.state().back).fetch_or(0, exec::order::acq_rel);
    }

    Ref const& ref_;
    Thread const& thread_;
    Group const& group_;
    std::uint32_t size_class_;
};

template <class Ref, class Thread, class Group>
[[nodiscard]] RZ_NOINLINE RZ_HD bool is_used_up(Ref ref, Thread thread, Group group,
                                                std::uint32_t size_class) {
    return used_up_look<Ref, Thread, Group>(ref, thread, group, size_class).run();
}

} // namespace rhizome::alloc

// SPDX-License-Identifier: Apache-2.0
// Makes marked pages known after a pass over the chunks: puts them back into queues, as far as these have
// room. A page in a queue costs the thread that gets it far less than a marked page (spilled_pages.hpp).
#pragma once

#include <rhizome/alloc/ouroboros/shard_access.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

template <class Ref, class Thread, class Group>
class requeue : public shard_access<Ref, Thread, Group> {
    using base = shard_access<Ref, Thread, Group>;
    using base::group_;
    using base::pages_;
    using base::ref_;
    using base::size_class_;
    using base::thread_;
    using base::words_;

public:
    using base::base;

    /// Makes known a chunk that is in no queue and no list. `queues_may_grow` says whether the heap has
    /// enough chunks to make some of them segments of queues.
    RZ_HD void run(std::uint64_t chunk, bool queues_may_grow) const {
        std::uint32_t const number = static_cast<std::uint32_t>(chunk) & (ref_.shards() - 1);
        auto const spilled = ref_.spilled(size_class_, number);
        std::uint32_t left = 0; // marks
        for (std::uint32_t word = 0; word < words_; ++word) {
            std::uint64_t marks = group_.is_leader() ? spilled.take_marks(thread_, chunk, word) : 0;
            marks = group_.broadcast(marks, 0);
            if constexpr (Ref::granularity::queues_pages)
                if (queues_may_grow) marks = give_pages(number, chunk * pages_ + word * 64, marks);
            if (marks != 0 && group_.is_leader()) spilled.mark(thread_, chunk, word, marks);
            left += exec::popcount(marks);
        }
        if (left == 0) return;
        bool first = false;
        if (group_.is_leader()) {
            spilled.expect(thread_, 1);
            first = this->announce(chunk, left);
        }
        if (Ref::granularity::queues_pages || queues_may_grow)
            this->make_known(number, first, chunk, true);
        else if (first)
            spilled.push(thread_, chunk);
    }

private:
    /// Gives page `first + b` for each bit b; returns the bits of pages that found no room.
    [[nodiscard]] RZ_HD std::uint64_t give_pages(std::uint32_t number, std::uint64_t first,
                                                 std::uint64_t bits) const {
        auto const queue = ref_.queue(size_class_, number);
        while (bits != 0) {
            std::uint32_t const all = exec::popcount(bits);
            std::uint32_t const wanted = all < group_.size() ? all : group_.size();
            bool const has_one = group_.rank() < wanted;
            std::uint64_t const page = has_one ? first + exec::nth_bit(bits, group_.rank()) : 0;
            std::uint32_t const given = this->give(queue, wanted, has_one, group_.rank(), page, true);
            bits &= ~exec::lowest_bits(bits, given);
            if (given < wanted) break;
        }
        return bits;
    }
};

} // namespace rhizome::alloc

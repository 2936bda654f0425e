// SPDX-License-Identifier: Apache-2.0
// Fresh chunks for lanes that want large pages, of any classes: one claim for all of them.
//
// A class of large pages has few pages per chunk. A refill of its shard lasts for a few warps, and other
// warps wait for it. But the lanes of one warp use most of the pages of a chunk up. So they take as many
// whole chunks as they use, and only the rest of the lanes share chunks with other warps. Shards are refilled
// one at a time; claims are made side by side.
#pragma once

#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/ouroboros/shard.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// All lanes of `together` call it; those of `group` want pages of the same class.
template <class Ref, class Thread, class Group>
class joint_claim {
public:
    RZ_HD joint_claim(Ref const& ref, Thread const& thread, Group const& together, Group const& group,
                      std::uint32_t size_class)
        : ref_(ref), thread_(thread), together_(together), group_(group), size_class_(size_class),
          pages_(Ref::pages_of(size_class)) {}

    /// A page, or Ref::no_page. Only for classes of which no shard has queued or marked pages, and only
    /// while the heap has plenty of chunks. Frees go to the shard of the warp that frees: if only the own
    /// shard counted, pages would pile up in others while fresh chunks are used up. So as long as no large
    /// page was ever given back, only the own shard counts.
    [[nodiscard]] RZ_INLINED RZ_HD std::uint64_t run() const {
        bool const large = pages_ <= tuning::joint_pages && group_.size() >= pages_;
        if (!together_.any(large)) return Ref::no_page;
        bool const plenty = together_.is_leader() && ref_.store().has_plenty(thread_);
        bool const returned =
            together_.any(together_.is_leader() && ref_.store().had_large_pages_back(thread_));
        bool has = group_.any(large && group_.is_leader() && has_pages(own_shard(thread_, ref_.shards())));
        if (returned && large && !has) {
            for (std::uint32_t number = group_.rank(); number < ref_.shards(); number += group_.size())
                has = has || has_pages(number);
            has = group_.any(has);
        }
        bool const fresh = !has && large && group_.is_leader();
        return claim(fresh, plenty);
    }

    /// The same for the classes whose leaders say so: whole chunks, for as many lanes as use all of their
    /// pages; Ref::no_page for the others. plenty: what the leader of all knows.
    [[nodiscard]] RZ_INLINED RZ_HD std::uint64_t claim(bool fresh, bool plenty) const {
        if (!together_.any(plenty)) return Ref::no_page;
        auto const refills = ref_.queue(size_class_, own_shard(thread_, ref_.shards())).semaphore().refills();
        std::uint32_t const wanted = fresh ? group_.size() / pages_ : 0;
        std::uint32_t const total = together_.sum(wanted);
        if (total == 0) return Ref::no_page;
        std::uint32_t const packed =
            together_.shuffle(wanted << 16 | together_.exclusive_scan(wanted), group_.leader_in(together_));
        std::uint32_t const own = packed >> 16;
        std::uint32_t const before = packed & 0xffff;

        if (fresh) static_cast<void>(refills.begin(thread_));
        together_.sync(); // the motion begins before the claim
        chunk_claims claims;
        if (together_.is_leader()) claims = ref_.store().take_of_plenty(thread_, total);
        std::uint64_t const lower = together_.broadcast(claims.lower.bits, 0);
        std::uint64_t const upper = together_.broadcast(claims.upper.bits, 0);
        std::uint64_t const lower_chunk = together_.broadcast(claims.lower.first_chunk, 0);
        std::uint64_t const upper_chunk = together_.broadcast(claims.upper.first_chunk, 0);
        together_.sync(); // what the former holders of the chunks did happens before every lane's use
        std::uint32_t const in_lower = exec::popcount(lower);
        std::uint32_t const got = in_lower + exec::popcount(upper);
        std::uint32_t const chunks = got <= before ? 0 : got - before < own ? got - before : own;
        std::uint64_t page = Ref::no_page;
        if (group_.rank() < chunks * pages_) {
            std::uint32_t const item = before + group_.rank() / pages_;
            std::uint32_t const within = group_.rank() % pages_;
            std::uint64_t const chunk = item < in_lower ? lower_chunk + exec::nth_bit(lower, item)
                                                        : upper_chunk + exec::nth_bit(upper, item - in_lower);
            if (within == 0) ref_.table().set_header(thread_, chunk, Ref::page_header(size_class_));
            page = chunk * pages_ + within;
        }
        together_.sync(); // a lane may pass its page on: the header is there
        if (fresh) refills.end(thread_);
        return page;
    }

private:
    /// Whether a shard of the class has queued or marked pages.
    [[nodiscard]] RZ_HD bool has_pages(std::uint32_t number) const {
        return ref_.queue(size_class_, number).semaphore().permits(thread_) > 0 ||
               ref_.spilled(size_class_, number).has_chunks(thread_);
    }

    Ref const& ref_;
    Thread const& thread_;
    Group const& together_;
    Group const& group_;
    std::uint32_t size_class_;
    std::uint32_t pages_; ///< per chunk
};

} // namespace rhizome::alloc

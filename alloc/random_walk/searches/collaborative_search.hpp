// SPDX-License-Identifier: Apache-2.0
// Search: CoRW of the paper, lanes that share what they find.
#pragma once

#include <rhizome/alloc/random_walk/hand_out.hpp>
#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/rank_order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// The lanes of a warp look at a random word each, lock those that have free pages, and give each other the
/// pages that they find, until every lane has one. So all lanes take the same number of steps. A lane that
/// does not get the lock finds nothing and only receives. Source: Algorithm 3 (section IV-B). There a lane
/// reads its word after it has locked it; here before, and the atomic that takes the pages tells what
/// changed. So a step waits three times for memory: for the word, the lock and the pages.
struct collaborative_search {
    static constexpr char const* name = "collaborative";
    using marks = bitmap_marks;
    static constexpr bool locks = true;

    template <class Store, class Thread, class Tally>
    [[nodiscard]] static RZ_HD std::uint64_t find(Store const& store, Thread const& thread, Tally& tally) {
        auto const group = thread.coalesced();
        std::uint64_t page = Store::none;
        exec::rank_order lanes;
        std::uint64_t const hint = store.hint(thread, thread.rank());
        exec::random_source random =
            store.random(thread.rank(), 0); // the first look does not wait for the hint
        std::uint32_t const steps = store.walk_steps();
        std::uint32_t step = 0;
        RZ_NO_UNROLL
        for (; step < steps; ++step) {
            if (step == 1) random = store.random(thread.rank(), hint + 1);
            auto const index = random_place(random, store.count());
            tally.one_step_more();
            auto free = store.free_pages(thread, index);
            if (!group.any(free != 0)) continue;
            // Only lanes whose pages will be needed lock their words.
            std::uint32_t const share = share_of(group, lanes, exec::popcount(free));
            typename Store::page_set got = 0;
            if (share != 0 && store.try_lock(thread, index)) {
                // The last holder of the lock, or a sweep, may have taken some: the atomic tells what is
                // left.
                got = store.take(thread, index, detail::lowest_pages(free, share), free);
                std::uint32_t const lost = share - exec::popcount(got);
                if (lost != 0 && free != 0)
                    got |= store.take(thread, index, detail::lowest_pages(free, lost), free);
                store.unlock(thread, index);
            }
            if (hand_out<Store>(group, lanes, index, got, page)) break;
        }
        if (step != 0 && page != Store::none) store.set_hint(thread, thread.rank(), page);
        return page;
    }
};

} // namespace rhizome::alloc

// SPDX-License-Identifier: Apache-2.0
// Search: RW-BM of the paper, a bit per page.
#pragma once

#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Each lane looks at random words until one has a free page, locks the word and takes the lowest free page.
/// A lane that does not get the lock counts the word as used and goes on. Source: Algorithm 2 (section IV-A).
/// There the lane locks first and reads then; here it locks only if it has seen a free page, and does not
/// read again. Expected steps: Eq. 5 with w = 32, the pages of a word.
struct bitmap_search {
    static constexpr char const* name = "bitmap";
    using marks = bitmap_marks;
    static constexpr bool locks = true;

    template <class Store, class Thread, class Tally>
    [[nodiscard]] static RZ_HD std::uint64_t find(Store const& store, Thread const& thread, Tally& tally) {
        exec::random_source random = store.random(thread.rank(), store.hint(thread, thread.rank()));
        RZ_NO_UNROLL
        for (std::uint32_t step = store.walk_steps(); step != 0; --step) {
            auto const index = random_place(random, store.count());
            tally.one_step_more(index);
            auto free = store.free_pages(thread, index);
            if (free == 0) continue;
            if (!store.try_lock(thread, index)) {
                tally.one_lost_more();
                continue;
            }
            // The last holder of the lock, or a sweep, may have taken the page: the atomic tells what is
            // left.
            auto got = store.take(thread, index, free & (~free + 1), free);
            if (got == 0 && free != 0) got = store.take(thread, index, free & (~free + 1), free);
            store.unlock(thread, index);
            if (got == 0) {
                tally.one_lost_more();
                continue;
            }
            std::uint64_t const page = std::uint64_t{index} * Store::pages_per_word + exec::countr_zero(got);
            store.set_hint(thread, thread.rank(), page);
            return page;
        }
        return Store::none;
    }
};

} // namespace rhizome::alloc

// SPDX-License-Identifier: Apache-2.0
// Search: RW of the paper, a flag per page.
#pragma once

#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Each lane looks at random pages until one is free, and sets its flag with an atomic. Source: Algorithm 1
/// (section III-A). Expected steps: Eq. 3.
struct flag_search {
    static constexpr char const* name = "flag";
    using marks = flag_marks;
    static constexpr bool locks = false;

    template <class Store, class Thread, class Tally>
    [[nodiscard]] static RZ_HD std::uint64_t find(Store const& store, Thread const& thread, Tally& tally) {
        exec::random_source random = store.random(thread.rank(), store.hint(thread, thread.rank()));
        RZ_NO_UNROLL
        for (std::uint32_t step = store.walk_steps(); step != 0; --step) {
            std::uint64_t const page = random_place(random, store.count());
            tally.one_step_more(page);
            if (store.free_pages(thread, page) == 0) continue;
            if (store.take(thread, page, 1) == 0) {
                tally.one_lost_more();
                continue;
            }
            store.set_hint(thread, thread.rank(), page);
            return page;
        }
        return Store::none;
    }
};

} // namespace rhizome::alloc

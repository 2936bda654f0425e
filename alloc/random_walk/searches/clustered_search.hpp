// SPDX-License-Identifier: Apache-2.0
// Search: CRW of the paper, beside the last page first.
#pragma once

#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/alloc/random_walk/searches/bitmap_search.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Each lane first tries the page after the one that it got last; if that is used, it searches as `Inner`
/// does, one of the searches that set a page as hint. So used pages cluster, and free ones too. Source:
/// Algorithm 5 (section IV-D). Expected steps: Eq. 9. The paper keeps the last page in a variable of the
/// thread; here it is the hint, which outlives the kernel.
template <class Inner = bitmap_search>
struct clustered_search {
    static constexpr char const* name = "clustered";
    using marks = typename Inner::marks;
    static constexpr bool locks = Inner::locks;

    template <class Store, class Thread, class Tally>
    [[nodiscard]] static RZ_HD std::uint64_t find(Store const& store, Thread const& thread, Tally& tally) {
        std::uint64_t const next = store.hint(thread, thread.rank()); // one more than the last page
        std::uint64_t const index = next / Store::pages_per_word;
        if (next != 0 && index < store.words()) {
            tally.one_step_more();
            auto const bit = typename Store::page_set{1} << next % Store::pages_per_word;
            if ((store.free_pages(thread, index) & bit) != 0 && store.take(thread, index, bit) != 0) {
                store.set_hint(thread, thread.rank(), next);
                return next;
            }
        }
        return Inner::find(store, thread, tally);
    }
};

} // namespace rhizome::alloc

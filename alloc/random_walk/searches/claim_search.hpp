// SPDX-License-Identifier: Apache-2.0
// Search: claim. Our own, and the fastest.
#pragma once

#include <rhizome/alloc/random_walk/hand_out.hpp>
#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/alloc/random_walk/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/random.hpp>
#include <rhizome/exec/rank_order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// The lanes of a warp look at neighbouring words together: 128 bytes are 512 pages. If a word has enough
/// free pages for all lanes, one atomic takes them, and the lanes share its bits; otherwise several lanes
/// take at the same time. There is no lock: an atomic that takes less than it wanted has taken nothing else.
///
/// A warp begins at its home, which is far from those of other warps. If there is too little, it continues
/// where its hint says that pages were found last, and then at random windows. There each lane looks at
/// several words and takes from the one with the most free pages, since memory answers several loads in the
/// time of one.
struct claim_search {
    static constexpr char const* name = "claim";
    using marks = bitmap_marks;
    static constexpr bool locks = false;

    /// A page for each lane, or `none` after a walk of bounded length.
    /// Cost: one load and one atomic for the lanes of a warp where pages abound.
    template <class Store, class Thread, class Tally>
    [[nodiscard]] static RZ_HD std::uint64_t find(Store const& store, Thread const& thread, Tally& tally) {
        using index_type = typename Store::index_type;
        auto const group = thread.coalesced();
        std::uint64_t page = Store::none;
        exec::rank_order lanes;
        std::uint64_t const leader = group.broadcast(thread.rank(), 0);
        std::uint64_t const warp = thread.warp().index();
        index_type start = store.home(leader);
        std::uint64_t const hint = store.hint(thread, warp); // in case it is needed: the look waits for both
        tally.one_step_more();
        if (look<false>(store, thread, group, start, lanes, page)) return page;

        exec::random_source random = store.random(leader, hint);
        RZ_NO_UNROLL
        for (std::uint32_t step = 0; step < random_walk_tuning::walk_windows; ++step) {
            bool const knows = step == 0 && hint != 0 && hint <= store.words();
            start = knows ? static_cast<index_type>(hint - 1) : random_place(random, store.count());
            start = group.broadcast(start, 0); // lanes may have read different hints
            tally.one_step_more();
            if (!look<true>(store, thread, group, start, lanes, page)) continue;
            if (group.is_leader() && hint != std::uint64_t{start} + 1) store.set_hint(thread, warp, start);
            break;
        }
        return page;
    }

private:
    template <bool Further, class Store, class Thread, class Group>
    [[nodiscard]] static RZ_HD bool look(Store const& store, Thread const& thread, Group const& group,
                                         typename Store::index_type start, exec::rank_order& lanes,
                                         std::uint64_t& page) {
        word_window<Store, Group> const window(store, group, start);
        typename Store::index_type index = window.index();
        typename Store::page_set free = window.looks() ? store.free_pages(thread, index) : 0;
        if constexpr (Further) look_further(store, thread, group, index, free);
        // Other warps may take the same pages; what is left is as good as what another window has.
        RZ_NO_UNROLL
        for (std::uint32_t turn = 0; turn < random_walk_tuning::window_takes && group.any(free != 0); ++turn)
            if (take_together(store, thread, group, lanes, index, free, page)) return true;
        return false;
    }

    /// Looks at further words of the caller's, a window apart, and replaces `index` and `free` by those of
    /// the one with the most free pages.
    template <class Store, class Thread, class Group>
    static RZ_HD void look_further(Store const& store, Thread const& thread, Group const& group,
                                   typename Store::index_type& index, typename Store::page_set& free) {
        constexpr std::uint32_t further = random_walk_tuning::walk_loads - 1;
        if (store.words() < std::uint64_t{random_walk_tuning::walk_loads} * group.size()) return;
        typename Store::index_type const first = index;
        typename Store::page_set there[further];
        RZ_UNROLL
        for (std::uint32_t i = 0; i < further; ++i)
            there[i] = store.free_pages(thread, store.further(first, (i + 1) * group.size()));
        RZ_UNROLL
        for (std::uint32_t i = 0; i < further; ++i) {
            if (exec::popcount(there[i]) <= exec::popcount(free)) continue;
            free = there[i];
            index = store.further(first, (i + 1) * group.size());
        }
    }
};

} // namespace rhizome::alloc

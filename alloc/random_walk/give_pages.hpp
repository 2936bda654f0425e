// SPDX-License-Identifier: Apache-2.0
// Giving pages back: lanes whose pages lie in one word share an atomic.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Marks the pages `bits` of word `index` free, for each lane of the group; no two lanes give one page. Cost:
/// one atomic for the lanes that name the word of the first lane, one for those that name the word of the
/// first other lane, and one for each lane besides, all at the same time: pages that a warp took together lie
/// in one or two words.
template <class Store, class Thread, class Group>
RZ_HD void give_pages(Store const& store, Thread const& thread, Group const& group, std::uint64_t index,
                      typename Store::page_set bits) {
    if constexpr (Store::pages_per_word > 1) {
        bool waits = true;
        for (std::uint32_t turn = 0; turn < 2; ++turn) {
            std::uint32_t const waiting = group.ballot(waits);
            if (waiting == 0) break;
            std::uint32_t const first = exec::countr_zero(waiting);
            std::uint64_t const chosen = group.shuffle(index, first);
            bool const alike = waits && index == chosen;
            auto const all =
                group.sum(alike ? bits : typename Store::page_set{0}); // distinct bits: their union
            if (alike) bits = group.rank() == first ? all : 0;
            waits = waits && !alike;
        }
        group.sync(); // what these lanes did with their pages happens before
    }
    if (bits != 0) store.give(thread, index, bits);
    group.sync(); // a thread that returns may ask again, and must find what it gave back
}

} // namespace rhizome::alloc

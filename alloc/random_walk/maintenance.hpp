// SPDX-License-Identifier: Apache-2.0
// The kernel by which the owner of a random_walk checks its words, while nothing else runs.
#pragma once

#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>

#include <cstdint>

namespace rhizome::alloc::random_walk_maintenance {

struct audit_counts {
    std::uint64_t words; ///< that were counted
    std::uint64_t free_pages;
    std::uint64_t used_past_end; ///< used pages in words after the last
    std::uint64_t held_locks;
    std::uint64_t moving;       ///< words in which runs in motion begin, or that are being joined
    std::uint64_t torn;         ///< words whose marks contradict those of their groups
    std::uint64_t in_doubt;     ///< words of lines whose mark is in doubt
    std::uint64_t wrongly_full; ///< free pages in lines that are marked full
};

template <class Store>
struct audit {
    Store store;
    std::uint64_t committed_words; ///< at least store.words()
    std::uint32_t const* locks;
    std::uint64_t lock_words;
    audit_counts* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t free = 0;
        std::uint64_t words = 0;
        std::uint64_t past_end = 0;
        std::uint64_t locked = 0;
        std::uint64_t moving = 0;
        std::uint64_t torn = 0;
        std::uint64_t doubted = 0;
        std::uint64_t wrongly_full = 0;
        exec::for_each_item(thread, committed_words, [&](std::uint64_t index) {
            if constexpr (requires { store.is_torn_at_rest(index); }) {
                moving += store.is_moving_at_rest(index) ? 1 : 0;
                torn += store.is_torn_at_rest(index) ? 1 : 0;
            }
            std::uint64_t const here = exec::popcount(store.free_at_rest(index));
            if (index < store.words()) {
                free += here;
                ++words;
                if constexpr (has_full_lines<typename Store::marks>) {
                    std::uint64_t const line = index / Store::marks::words_per_full_line;
                    if (store.full_lines().is_full_at_rest(line)) wrongly_full += here;
                    if (store.full_lines().is_in_doubt_at_rest(line)) ++doubted;
                }
            } else {
                past_end += Store::pages_per_word - here;
            }
        });
        exec::for_each_item(thread, lock_words,
                            [&](std::uint64_t index) { locked += exec::popcount(locks[index]); });
        exec::add_to_total(thread, counts->free_pages, free);
        exec::add_to_total(thread, counts->words, words);
        exec::add_to_total(thread, counts->used_past_end, past_end);
        exec::add_to_total(thread, counts->held_locks, locked);
        exec::add_to_total(thread, counts->moving, moving);
        exec::add_to_total(thread, counts->torn, torn);
        exec::add_to_total(thread, counts->in_doubt, doubted);
        exec::add_to_total(thread, counts->wrongly_full, wrongly_full);
    }
};

} // namespace rhizome::alloc::random_walk_maintenance

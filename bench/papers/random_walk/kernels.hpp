// SPDX-License-Identifier: Apache-2.0
// Kernels of the measurements of random walks.
#pragma once

#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::bench {

/// Takes the pages of a set.
template <class Store>
struct take_pages {
    Store store;
    std::uint32_t const* set; ///< a bit per page
    std::uint64_t set_words;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, set_words, [&](std::uint64_t word) {
            if constexpr (Store::pages_per_word >= 32) {
                constexpr std::uint32_t parts = Store::pages_per_word / 32;
                (void)store.take(thread, word / parts,
                                 typename Store::page_set{set[word]} << word % parts * 32);
            } else {
                for (std::uint32_t bits = set[word]; bits != 0; bits &= bits - 1)
                    (void)store.take(thread, word * 32 + exec::countr_zero(bits), 1);
            }
        });
    }
};

template <class Store>
struct place_hints {
    Store store;
    std::uint64_t const* last_pages;
    std::uint64_t threads;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, threads,
                            [&](std::uint64_t i) { store.set_hint(thread, i, last_pages[i]); });
    }
};

/// A page for each thread; keeps its steps, 0 if it was refused, and where it looked first.
template <class Ref>
struct count_steps {
    Ref ref;
    std::uint64_t threads;
    std::uint32_t* steps;
    std::uint64_t* first_places;
    std::uint64_t* lost; ///< of all threads

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const own = thread.rank();
        if (own >= threads) return;
        alloc::step_tally tally;
        bool const refused = ref.allocate(thread, 1, tally) == nullptr;
        steps[own] = refused ? 0 : static_cast<std::uint32_t>(tally.steps);
        first_places[own] = tally.first_place;
        if (tally.lost != 0) thread.device(*lost).fetch_add(tally.lost, exec::order::relaxed);
    }
};

/// The n-th page of a queue costs n steps: those before it are handed out while its thread waits.
struct count_queue_steps {
    std::uint32_t* next;
    std::uint64_t threads;
    std::uint32_t* steps;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const own = thread.rank();
        if (own < threads) steps[own] = thread.device(*next).fetch_add(1, exec::order::relaxed) + 1;
    }
};

/// Each thread adds `operations` times to one word; what it adds depends on what it saw last, so that one
/// operation follows the other, and the compiler does not merge those of a warp.
struct add_to_one_word {
    std::uint32_t* word;
    std::uint32_t* total; ///< of all that is added, modulo 2^32
    std::uint64_t threads;
    std::uint32_t operations;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() >= threads) return;
        auto const place = thread.device(*word);
        std::uint32_t seen = static_cast<std::uint32_t>(thread.rank());
        std::uint32_t added = 0;
        RZ_NO_UNROLL
        for (std::uint32_t i = 0; i < operations; ++i) {
            std::uint32_t const more = 1 + (seen & 1);
            seen = place.fetch_add(more, exec::order::relaxed);
            added += more;
        }
        thread.device(*total).fetch_add(added, exec::order::relaxed);
    }
};

/// Each thread puts its own number in the place of what is there, `operations` times: no two can be merged.
struct exchange_one_word {
    std::uint32_t* word;
    std::uint32_t* total; ///< of what was put there, less what was found, modulo 2^32
    std::uint64_t threads;
    std::uint32_t operations;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() >= threads) return;
        auto const place = thread.device(*word);
        std::uint32_t held = static_cast<std::uint32_t>(thread.rank()) + 1;
        std::uint32_t const first = held;
        RZ_NO_UNROLL
        for (std::uint32_t i = 0; i < operations; ++i)
            held = place.exchange(held, exec::order::relaxed);
        thread.device(*total).fetch_add(first - held, exec::order::relaxed);
    }
};

} // namespace rhizome::bench

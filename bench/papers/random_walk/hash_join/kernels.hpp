// SPDX-License-Identifier: Apache-2.0
// The kernels of a radix hash join.
//
// The slot of a key is the lowest bits of its hash. The highest bits of the slot are the partition, so that
// the slots of a partition are neighbours, and so are its tuples.
#pragma once

#include <rhizome/bench/papers/random_walk/hash_join/tables.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::bench {

struct join_radix {
    std::uint32_t slot_bits;
    std::uint32_t partition_bits; ///< at most slot_bits

    [[nodiscard]] RZ_HD std::uint32_t slot_of(std::uint32_t key) const {
        return static_cast<std::uint32_t>(exec::scramble(key + 1ull) & ((std::uint64_t{1} << slot_bits) - 1));
    }
    [[nodiscard]] RZ_HD std::uint32_t partition_of(std::uint32_t key) const {
        return slot_of(key) >> (slot_bits - partition_bits);
    }
};

/// Counts the tuples of each partition.
struct count_partitions {
    join_radix radix;
    join_tuple const* tuples;
    std::uint64_t count;
    std::uint32_t* sizes;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            thread.device(sizes[radix.partition_of(tuples[i].key)]).fetch_add(1, exec::order::relaxed);
        });
    }
};

/// Puts the tuples of each partition side by side.
struct scatter_tuples {
    join_radix radix;
    join_tuple const* tuples;
    std::uint64_t count;
    std::uint32_t* places; ///< where the next tuple of each partition goes
    join_tuple* partitioned;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            auto const place = thread.device(places[radix.partition_of(tuples[i].key)]);
            partitioned[place.fetch_add(1, exec::order::relaxed)] = tuples[i];
        });
    }
};

/// Links the tuples of each slot. An entry is the number of a tuple, from 1; 0 ends a list.
struct build_lists {
    join_radix radix;
    join_tuple const* tuples;
    std::uint64_t count;
    std::uint32_t* heads; ///< by slot
    std::uint32_t* nexts; ///< by tuple

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            // relaxed: lists are read after the end of the launch
            nexts[i] = thread.device(heads[radix.slot_of(tuples[i].key)])
                           .exchange(static_cast<std::uint32_t>(i) + 1, exec::order::relaxed);
        });
    }
};

/// What a thread of the probe has done. Its matches lie in pages, the newest of which is `page`. All pages
/// but the newest are full. A page begins with the address of the one before it.
struct probe_state {
    std::byte* page;       ///< nullptr: none
    std::uint32_t matches; ///< in its pages
    std::uint32_t done;    ///< tuples of the right table
    std::uint32_t entry; ///< of the present tuple's list, not yet compared; first_entry: the list's first one
};
inline constexpr std::uint32_t first_entry = ~std::uint32_t{0};

inline constexpr std::uint32_t page_header_bytes = sizeof(std::uint64_t);
[[nodiscard]] RZ_HD constexpr std::uint32_t matches_per_page(std::uint32_t page_bytes) {
    return (page_bytes - page_header_bytes) / static_cast<std::uint32_t>(sizeof(join_match));
}

struct reset_probe {
    probe_state* states;
    std::uint64_t threads;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, threads, [&](std::uint64_t i) {
            states[i] = probe_state{nullptr, 0, 0, first_entry};
        });
    }
};

/// Tells all threads of a launch that pages ran out. Each thread reads it before it requests a page, so there
/// are several copies, far apart: one word would serve one warp at a time.
struct shortage_flag {
    static constexpr std::uint32_t copies = 16;
    static constexpr std::uint32_t words_per_copy = 32; ///< a cache line of the GPU: 128 bytes
    static constexpr std::uint32_t words = copies * words_per_copy;

    std::uint32_t* launches; ///< shortage_flag::words words: the last launch in which pages ran out
    std::uint32_t launch;    ///< number of this one, from 1

    // relaxed: a hint. A thread that does not see it yet requests a page, and is refused itself.
    template <class Thread>
    [[nodiscard]] RZ_HD bool is_set(Thread const& thread) const {
        std::uint64_t const own = thread.rank() / 32 % copies;
        return thread.device(launches[own * words_per_copy]).load(exec::order::relaxed) == launch;
    }
    template <class Thread>
    RZ_HD void set(Thread const& thread) const {
        if (is_set(thread)) return;
        RZ_NO_UNROLL
        for (std::uint32_t i = 0; i < copies; ++i)
            thread.device(launches[i * words_per_copy]).store(launch, exec::order::relaxed);
    }
};

/// Compares tuples of the right table with those of their slot, and writes matches to pages of the allocator.
/// A thread that gets no page stops before the match for which it has no room; the next launch goes on there.
/// After one refusal all threads stop where they need a page: no page is given back during a launch, so each
/// of them would search in vain.
template <class Ref>
struct probe_lists {
    static constexpr std::uint32_t blocks_side_by_side =
        4; // as for the allocators' benchmarks: it waits for memory

    Ref ref;
    std::uint32_t page_bytes;
    join_radix radix;
    join_tuple const* left;
    std::uint32_t const* heads;
    std::uint32_t const* nexts;
    join_tuple const* right;
    std::uint64_t count; ///< of the right table
    probe_state* states;
    std::uint64_t threads; ///< thread t probes the tuples t, t + threads, ...
    shortage_flag ran_out;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const own = thread.rank();
        if (own >= threads) return;
        probe_state state = states[own];
        std::uint32_t const page_matches = matches_per_page(page_bytes);
        std::uint32_t room = 0; // of the newest page: a thread stops only where that is full
        RZ_NO_UNROLL
        for (std::uint64_t item = own + state.done * threads; item < count; item += threads) {
            join_tuple const probed = right[item];
            if (state.entry == first_entry) state.entry = heads[radix.slot_of(probed.key)];
            RZ_NO_UNROLL
            while (state.entry != 0) {
                join_tuple const built = left[state.entry - 1];
                if (built.key == probed.key) {
                    if (room == 0) {
                        std::byte* page = nullptr;
                        if (!ran_out.is_set(thread))
                            page = static_cast<std::byte*>(ref.allocate(thread, page_bytes));
                        if (page == nullptr) {
                            ran_out.set(thread);
                            states[own] = state;
                            return;
                        }
                        *reinterpret_cast<std::byte**>(page) = state.page;
                        state.page = page;
                        room = page_matches;
                    }
                    auto* const matches = reinterpret_cast<join_match*>(state.page + page_header_bytes);
                    matches[page_matches - room] = {built.payload, probed.payload};
                    --room;
                    ++state.matches;
                }
                state.entry = nexts[state.entry - 1];
            }
            ++state.done;
            state.entry = first_entry;
        }
        states[own] = state;
    }
};

/// Calls function(match, number) for the matches of a thread, from the newest page to the oldest.
template <class Function>
RZ_HD void for_each_match(probe_state const& state, std::uint32_t page_bytes, Function&& function) {
    std::uint32_t const page_matches = matches_per_page(page_bytes);
    std::uint32_t end = state.matches;
    for (std::byte const* page = state.page; page != nullptr;
         page = *reinterpret_cast<std::byte* const*>(page)) {
        std::uint32_t const begin = (end - 1) / page_matches * page_matches;
        auto const* const matches = reinterpret_cast<join_match const*>(page + page_header_bytes);
        for (std::uint32_t i = begin; i < end; ++i)
            function(matches[i - begin], i);
        end = begin;
    }
}

/// Adds up what all threads have done.
struct sum_progress {
    probe_state const* states;
    std::uint64_t threads;
    std::uint32_t page_bytes;
    join_progress* progress;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        join_progress own{};
        exec::for_each_item(thread, threads, [&](std::uint64_t i) {
            own.probed += states[i].done;
            own.matches += states[i].matches;
            for (std::byte const* page = states[i].page; page != nullptr;
                 page = *reinterpret_cast<std::byte* const*>(page))
                ++own.pages;
            for_each_match(states[i], page_bytes,
                           [&](join_match const& match, std::uint32_t) { own.marks += mark_of(match); });
        });
        exec::add_to_total(thread, progress->probed, own.probed);
        exec::add_to_total(thread, progress->matches, own.matches);
        exec::add_to_total(thread, progress->pages, own.pages);
        exec::add_to_total(thread, progress->marks, own.marks);
    }
};

struct count_matches {
    probe_state const* states;
    std::uint64_t threads;
    std::uint32_t* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, threads, [&](std::uint64_t i) { counts[i] = states[i].matches; });
    }
};

struct gather_matches {
    probe_state const* states;
    std::uint64_t threads;
    std::uint32_t page_bytes;
    std::uint64_t const* places; ///< of each thread's first match
    join_match* gathered;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, threads, [&](std::uint64_t i) {
            for_each_match(states[i], page_bytes, [&](join_match const& match, std::uint32_t number) {
                gathered[places[i] + number] = match;
            });
        });
    }
};

/// Gives all pages back; what was probed stays probed.
template <class Ref>
struct release_pages {
    Ref ref;
    probe_state* states;
    std::uint64_t threads;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, threads, [&](std::uint64_t i) {
            for (std::byte* page = states[i].page; page != nullptr;) {
                std::byte* const before = *reinterpret_cast<std::byte**>(page);
                ref.deallocate(thread, page);
                page = before;
            }
            states[i].page = nullptr;
            states[i].matches = 0;
        });
    }
};

} // namespace rhizome::bench

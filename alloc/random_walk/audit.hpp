// SPDX-License-Identifier: Apache-2.0
// What the owners of random walks have in common: the number of hints, and the audit.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/random_walk/maintenance.hpp>
#include <rhizome/alloc/random_walk/tuning.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/shape.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace rhizome::alloc {

/// A hint for each thread that the space runs at a time, within limits: a power of two.
template <class Space>
[[nodiscard]] std::uint64_t random_walk_hints(Space const& space) {
    return std::min(std::bit_ceil(std::max<std::uint64_t>(space.concurrency(), 1)),
                    random_walk_tuning::hints_at_most);
}

/// Checks the words of a store, of which word_bytes are committed, and lock_words locks. `counts`: one, in
/// the memory of the space. Waits.
template <class Space, class Store>
[[nodiscard]] audit_result
audit_random_walk(Space& space, Store const& store, std::uint64_t word_bytes, std::uint32_t const* locks,
                  std::uint64_t lock_words,
                  exec::buffer<Space, random_walk_maintenance::audit_counts>& counts,
                  std::uint64_t page_bytes, std::string const& name) {
    audit_result result;
    std::uint64_t const committed = word_bytes / sizeof(typename Store::word);
    if (committed == 0) return result;
    counts.fill_bytes(0);
    launch(space, cover_threads(space, committed),
           random_walk_maintenance::audit<Store>{store, committed, locks, lock_words, counts.data()});
    random_walk_maintenance::audit_counts const found = counts.to_host()[0];
    auto const expect = [&](char const* equation, std::uint64_t left, std::uint64_t right) {
        if (left != right)
            result.violations.push_back(name + ": " + equation + ": " + std::to_string(left) + " against " +
                                        std::to_string(right));
    };
    expect("words in committed memory = words of the heap", found.words, store.words());
    expect("used pages after the last = 0", found.used_past_end, 0);
    expect("locks that are held = 0", found.held_locks, 0);
    expect("runs in motion = 0", found.moving, 0);
    expect("words whose marks contradict those of their groups = 0", found.torn, 0);
    expect("marks in doubt = 0", found.in_doubt, 0);
    expect("free pages in lines that are marked full = 0", found.wrongly_full, 0);
    result.live_bytes = (store.words() * Store::pages_per_word - found.free_pages) * page_bytes;
    result.free_bytes = found.free_pages * page_bytes;
    return result;
}

} // namespace rhizome::alloc

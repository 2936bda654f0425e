// SPDX-License-Identifier: Apache-2.0
// Taking a run of neighbouring pages, whose words a group of lanes has just seen free.
#pragma once

#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/alloc/random_walk/run_marks.hpp>
#include <rhizome/alloc/random_walk/tuning.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

namespace detail {

/// Takes the words of a run after its first, or none of them: several of each lane at a time.
template <class Thread, class Group>
[[nodiscard]] RZ_HD bool take_further_words(Thread const& thread, Group const& group,
                                            page_store_ref<run_marks> const& store, std::uint64_t first,
                                            std::uint64_t pages) {
    constexpr std::uint32_t takes = random_walk_tuning::run_takes;
    constexpr std::uint64_t per_word = run_marks::pages_per_word;
    std::uint64_t const begin = first / per_word + 1 + group.rank();
    std::uint64_t const end = (first + pages - 1) / per_word + 1;
    std::uint64_t const step = std::uint64_t{takes} * group.size();
    std::uint64_t taken = begin; // the caller has all of its words below
    bool lost = false;
    RZ_NO_UNROLL
    for (; taken < end && !lost; taken += lost ? 0 : step) {
        std::uint32_t got[takes];
        thread.ordered_together(run_marks::take_order, [&](auto order) {
            RZ_UNROLL
            for (std::uint32_t i = 0; i < takes; ++i) {
                std::uint64_t const word = taken + std::uint64_t{i} * group.size();
                std::uint32_t const wanted = word < end ? run_bits(first, pages, word) : 0;
                got[i] = wanted == 0 ? 0 : run_marks::take(thread, store.word_at(word), wanted, order);
                lost = lost || got[i] != wanted;
            }
        });
        if (!lost) continue;
        RZ_UNROLL
        for (std::uint32_t i = 0; i < takes; ++i)
            if (got[i] != 0)
                run_marks::give(thread, store.word_at(taken + std::uint64_t{i} * group.size()), got[i]);
    }
    if (!group.any(lost)) return true;
    for (std::uint64_t word = begin; word < taken && word < end; word += group.size())
        run_marks::give(thread, store.word_at(word), run_bits(first, pages, word));
    return false;
}

} // namespace detail

/// Takes all pages of a run, or none. The first word decides among runs that begin there; the others are
/// taken at the same time. `lane` takes the first word, and has read `seen` there. All lanes of the group
/// call it. A run of several words is in motion until settle_run().
template <class Thread, class Group>
[[nodiscard]] RZ_HD bool take_run(Thread const& thread, Group const& group,
                                  page_store_ref<run_marks> const& store, std::uint64_t first,
                                  std::uint64_t pages, std::uint32_t lane, run_marks::word seen) {
    bool const spans = spans_words(first, pages);
    std::uint64_t const first_word = first / run_marks::pages_per_word;
    std::uint32_t const bits = first_word_bits(first, pages);
    bool begun = group.rank() == lane;
    if (begun) begun = run_marks::take_all(thread, store.word_at(first_word), seen, bits, spans);
    begun = group.any(begun);
    if (!begun || !spans) return begun;
    group.sync(); // the first word before the others
    if (detail::take_further_words(thread, group, store, first, pages)) return true;
    group.sync(); // the others before the end of the motion
    if (group.is_leader()) {
        run_marks::give(thread, store.word_at(first_word), bits);
        run_marks::settle(thread, store.word_at(first_word));
    }
    return false;
}

/// Ends the motion of a run that take_run() has taken.
template <class Thread, class Group>
RZ_HD void settle_run(Thread const& thread, Group const& group, page_store_ref<run_marks> const& store,
                      std::uint64_t first, std::uint64_t pages) {
    if (group.is_leader() && spans_words(first, pages))
        run_marks::settle(thread, store.word_at(first / run_marks::pages_per_word));
}

} // namespace rhizome::alloc

// SPDX-License-Identifier: Apache-2.0
// Taking a run of neighbouring pages, whose marks a group of lanes has just seen free.
#pragma once

#include <rhizome/alloc/random_walk/give_run.hpp>
#include <rhizome/alloc/random_walk/run_marks.hpp>
#include <rhizome/alloc/random_walk/run_store.hpp>
#include <rhizome/alloc/random_walk/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

namespace detail {

/// Takes some pages of a word that the caller has seen free, and splits it: the others are free still.
/// Returns whether it did. Cost: three atomics.
template <class Thread>
[[nodiscard]] RZ_HD bool split_word(Thread const& thread, run_store_ref const& store, std::uint64_t index,
                                    run_view seen, std::uint32_t wanted, bool moving) {
    // In motion: the other pages of the word look used until it is split.
    if (!run_marks::take_all(thread, store.group_of(index), seen.group, run_marks::bit_in_group(index), true))
        return false;
    // No other thread splits or joins it now; only the one that joined it last may end that.
    auto const at = thread.device(store.word_at(index));
    run_marks::word const change = (run_marks::split | wanted) + (moving ? run_marks::one_moving : 0);
    // acquire, release: accesses by former holders of the word's other pages come before those of their next
    while (!at.compare_exchange(seen.pages,
                                (seen.pages & ~run_marks::joining) + change + run_marks::one_given,
                                exec::order::acq_rel)) {
    }
    // release: a proof that finds the motion ended finds the word split (run_proof.hpp)
    thread.device(store.group_of(index))
        .fetch_add(run_marks::one_given - run_marks::one_moving, exec::order::release);
    return true;
}

/// Takes all pages of `wanted` in a word or none. seen: what the caller has read.
template <class Thread>
[[nodiscard]] RZ_HD bool take_pages(Thread const& thread, run_store_ref const& store, std::uint64_t index,
                                    run_view seen, std::uint32_t wanted, bool moving) {
    if (wanted == run_marks::all_pages)
        return run_marks::take_all(thread, store.group_of(index), seen.group, run_marks::bit_in_group(index),
                                   moving);
    auto const at = thread.device(store.word_at(index));
    while (run_marks::is_split(seen.pages)) {
        if ((seen.pages & wanted) != 0) return false;
        if (at.compare_exchange(seen.pages, (seen.pages | wanted) + (moving ? run_marks::one_moving : 0),
                                run_marks::take_order))
            return true;
    }
    return split_word(thread, store, index, seen, wanted, moving);
}

/// Of a run in motion: its words in a group, or its pages in a word.
template <class Thread>
RZ_HD void settle_or_give_words(Thread const& thread, run_store_ref const& store, std::uint64_t group,
                                std::uint32_t words, bool settles) {
    if (settles) {
        run_marks::settle(thread, store.group_at(group));
    } else {
        run_marks::give(thread, store.group_at(group), words, run_marks::give_order, true);
    }
}
template <class Thread>
RZ_HD void settle_or_give_pages(Thread const& thread, run_store_ref const& store, std::uint64_t index,
                                std::uint32_t pages, bool settles) {
    if (settles) {
        run_marks::settle(thread, store.word_at(index));
    } else {
        give_part(thread, store, index, pages, run_marks::give_order, true);
    }
}

} // namespace detail

/// Takes `wanted` pages from the beginning of a word on, if they and all others of their last word are free.
/// The lanes of the group look at a group of words each, and take it; the rest of the last word is given
/// back. All of them call it, with no more groups than lanes. Returns whether it did. This is how most
/// requests are served where pages abound.
template <class Thread, class Group>
[[nodiscard]] RZ_HD bool take_words(Thread const& thread, Group const& group, run_store_ref const& store,
                                    std::uint64_t first, std::uint64_t wanted) {
    constexpr std::uint64_t per_word = run_marks::pages_per_word;
    std::uint64_t const rest = (per_word - wanted % per_word) % per_word;
    run_parts const parts(first, wanted + rest);
    std::uint64_t const at = parts.group_begin() + group.rank();
    std::uint32_t const words = at < parts.group_end() ? parts.words_in(at) : 0;
    run_marks::word const seen = words != 0 ? store.load_group(thread, at) : 0;
    if (group.any((seen & words) != 0)) return false;
    // The first group decides among runs that begin there. In motion: until it is given back, the rest of the
    // last word looks used.
    bool const spans = parts.spans();
    bool const moves = spans || rest != 0;
    bool taken = group.is_leader() && run_marks::take_all(thread, store.group_at(at), seen, words, moves);
    if (!group.any(taken)) return false;
    if (spans && words != 0 && !taken)
        taken = run_marks::take_all(thread, store.group_at(at), seen, words, true);
    bool const all_taken = !spans || group.all(taken || words == 0);
    if (!taken || !moves) return all_taken;
    if (!all_taken || rest == 0 || at != parts.group_end() - 1) {
        detail::settle_or_give_words(thread, store, at, words, all_taken);
        return all_taken;
    }
    // The lane that took the last word gives its rest back: so accesses by former holders come before those
    // by the next ones.
    run_marks::word unsplit = 0;
    (void)detail::split_used(thread, store, parts.whole_end - 1,
                             static_cast<std::uint32_t>(~std::uint64_t{0} << (per_word - rest)), unsplit,
                             run_marks::give_order);
    // release: a proof that finds the motion ended finds the word split (run_proof.hpp)
    thread.device(store.group_at(at)).fetch_sub(run_marks::one_moving, exec::order::release);
    return true;
}

/// Takes all pages of a run, or none. The first mark decides among runs that begin there; the lanes of the
/// group take the others at the same time. All of them call it. seen: for the leader, what it has read of the
/// run's first word. A run of several marks is in motion until all are decided, and each says so. A function
/// of its own, since searches call it at several places, rarely.
template <class Thread, class Group>
[[nodiscard]] RZ_NOINLINE RZ_HD bool take_run(Thread const thread, Group const group,
                                              run_store_ref const store, std::uint64_t first,
                                              std::uint64_t pages, run_view seen) {
    run_parts const parts(first, pages);
    bool const spans = parts.spans();
    bool const begins_whole = parts.first_pages == 0;
    bool begun = group.is_leader();
    if (begun && begins_whole) {
        begun = run_marks::take_all(thread, store.group_at(parts.group_begin()), seen.group,
                                    parts.words_in(parts.group_begin()), spans);
    } else if (begun) {
        begun = detail::take_pages(thread, store, parts.first_word(), seen, parts.first_pages, spans);
    }
    if (!group.any(begun)) return false;
    if (!spans) return true;
    bool lost = false;
    std::uint64_t const begin = parts.group_begin() + (begins_whole ? 1 : 0) + group.rank();
    std::uint64_t taken = begin; // the caller has all of its groups below
    RZ_NO_UNROLL
    for (; taken < parts.group_end() && !lost; taken += lost ? 0 : group.size())
        lost = !run_marks::take_all(thread, store.group_at(taken), store.load_group(thread, taken),
                                    parts.words_in(taken), true);
    bool last_taken = parts.last_pages != 0 && group.rank() == group.size() - 1 && !lost;
    if (last_taken) {
        last_taken = detail::take_pages(thread, store, parts.whole_end, store.look(thread, parts.whole_end),
                                        parts.last_pages, true);
        lost = !last_taken;
    }
    bool const got = !group.any(lost);
    RZ_NO_UNROLL
    for (std::uint64_t at = begin; at < taken; at += group.size())
        detail::settle_or_give_words(thread, store, at, parts.words_in(at), got);
    if (last_taken) detail::settle_or_give_pages(thread, store, parts.whole_end, parts.last_pages, got);
    if (!group.is_leader()) return got;
    if (begins_whole) {
        detail::settle_or_give_words(thread, store, parts.group_begin(), parts.words_in(parts.group_begin()),
                                     got);
    } else {
        detail::settle_or_give_pages(thread, store, parts.first_word(), parts.first_pages, got);
    }
    return got;
}

} // namespace rhizome::alloc

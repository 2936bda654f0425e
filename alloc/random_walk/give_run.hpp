// SPDX-License-Identifier: Apache-2.0
// Giving runs of pages back: lanes whose runs lie side by side share atomics.
#pragma once

#include <rhizome/alloc/random_walk/run_marks.hpp>
#include <rhizome/alloc/random_walk/run_store.hpp>
#include <rhizome/alloc/random_walk/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

namespace detail {

/// Joins a word that the caller has seen split with no used page, as long as it is that. Cost: three atomics.
template <class Thread>
RZ_HD void join_word(Thread const& thread, run_store_ref const& store, std::uint64_t index,
                     run_marks::word seen) {
    auto const at = thread.device(store.word_at(index));
    do {
        if (!run_marks::is_split(seen) || run_marks::used(seen) != 0) return;
        // acquire, release: all threads that gave pages of the word back have used them before the next
        // holder of the word does.
    } while (
        !at.compare_exchange(seen, (seen & ~run_marks::split) | run_marks::joining, exec::order::acq_rel));
    seen = (seen & ~run_marks::split) | run_marks::joining;
    run_marks::give(thread, store.group_of(index), run_marks::bit_in_group(index), run_marks::give_order);
    // release: a proof that finds the word joined finds its bit cleared (run_proof.hpp). Where it fails,
    // another thread has split the word by now.
    (void)at.compare_exchange(seen, seen & ~run_marks::joining, exec::order::release);
}

/// Gives back some pages of a word that is not split, of which the caller holds some. Returns false, and what
/// it saw, if another thread has split the word.
template <class Thread, class Order>
[[nodiscard]] RZ_HD bool split_used(Thread const& thread, run_store_ref const& store, std::uint64_t index,
                                    std::uint32_t pages, run_marks::word& seen, Order order) {
    auto const at = thread.device(store.word_at(index));
    run_marks::word const rest = run_marks::split | static_cast<std::uint32_t>(~pages);
    while (!run_marks::is_split(seen))
        if (at.compare_exchange(seen, ((seen & ~run_marks::joining) | rest) + run_marks::one_given, order))
            return true;
    return false;
}

/// Gives back some pages of a word. ends: the motion of their run ends, too.
template <class Thread, class Order>
RZ_HD void give_part(Thread const& thread, run_store_ref const& store, std::uint64_t index,
                     std::uint32_t pages, Order order, bool ends = false) {
    auto const at = thread.device(store.word_at(index));
    // relaxed: the caller holds pages of the word, which was not split later than these were taken
    run_marks::word seen = at.load(exec::order::relaxed);
    if (split_used(thread, store, index, pages, seen, order)) return;
    run_marks::word const change = run_marks::one_given - pages - (ends ? run_marks::one_moving : 0);
    join_word(thread, store, index, at.fetch_add(change, order) + change);
}

/// Gives back pages of a word, which may be all.
template <class Thread, class Order>
RZ_HD void give_pages_of_word(Thread const& thread, run_store_ref const& store, std::uint64_t index,
                              std::uint32_t pages, Order order) {
    if (pages == run_marks::all_pages &&
        !run_marks::is_split(thread.device(store.word_at(index)).load(exec::order::relaxed))) {
        run_marks::give(thread, store.group_of(index), run_marks::bit_in_group(index), order);
    } else {
        give_part(thread, store, index, pages, order);
    }
}

/// What a lane gives back for itself and its neighbours: pages of its first and of its last word, 0 for a
/// word that a neighbour gives back.
struct shared_words {
    std::uint32_t first;
    std::uint32_t last;
};
/// Each lane names the pages that it gives back in at most two words, in ascending order; 0 pages: it names
/// no such word. Of neighbouring lanes that name the same word, the first one gets the pages of all. All
/// lanes of the group call it. Cost: a scan and four shuffles.
template <class Group>
[[nodiscard]] RZ_HD shared_words share_words(Group const& group, std::uint64_t first_word,
                                             std::uint32_t first, std::uint64_t last_word,
                                             std::uint32_t last) {
    std::uint32_t const rank = group.rank();
    std::uint32_t const before = rank == 0 ? 0 : rank - 1;
    constexpr std::uint64_t none = ~std::uint64_t{0};
    std::uint64_t const own_end = last != 0 ? last_word : first != 0 ? first_word : none;
    std::uint64_t const ending = group.shuffle(own_end, before);
    bool const begins = first != 0 && (rank == 0 || ending != first_word);
    // Distinct pages: their union is their sum, and a difference of sums is the union of those between.
    std::uint32_t const sum = group.exclusive_scan(first + last);
    std::uint32_t const begun = group.ballot(begins || first == 0);
    std::uint32_t const ends = begun | group.ballot(last != 0);
    std::uint32_t const higher = rank == 31 ? 0 : ends >> (rank + 1);
    // The last lane that adds to the caller's last word.
    std::uint32_t const next = higher == 0 ? group.size() : rank + 1 + exec::countr_zero(higher);
    std::uint32_t const end = next == group.size() || (begun >> next & 1) != 0 ? next - 1 : next;
    std::uint32_t const up_to_end = group.shuffle(sum + first, end);
    shared_words result{begins ? first : 0, last};
    if (begins && last == 0) result.first = up_to_end - sum;
    if (last != 0 && end != rank) result.last = up_to_end - (sum + first);
    return result;
}

} // namespace detail

/// Gives back the run of each lane of the group. All lanes call it, each with a run. Cost: an atomic for up
/// to 1024 pages of a run that are whole words; for the other words of neighbouring runs an atomic, and three
/// more where the word was split and has no more used pages.
template <class Thread, class Group>
RZ_HD void give_runs(Thread const& thread, Group const& group, run_store_ref const& store,
                     std::uint64_t first, std::uint64_t pages) {
    run_parts const parts(first, pages);
    bool const has_first = parts.first_pages != 0;
    // A run that begins with a whole word has its last word alone.
    std::uint64_t const first_word = has_first ? parts.first_word() : parts.whole_end;
    std::uint32_t const first_pages = has_first ? parts.first_pages : parts.last_pages;
    detail::shared_words const shared = detail::share_words(group, first_word, first_pages, parts.whole_end,
                                                            has_first ? parts.last_pages : 0);
    group.sync(); // what these lanes did with their pages happens before
    std::uint64_t const groups = parts.group_end() - parts.group_begin();
    bool const is_long = groups > random_walk_tuning::groups_of_one_lane;
    thread.ordered_together(run_marks::give_order, [&](auto order) {
        if (!is_long)
            for (std::uint64_t i = parts.group_begin(); i < parts.group_end(); ++i)
                run_marks::give(thread, store.group_at(i), parts.words_in(i), order);
        if (shared.first != 0) detail::give_pages_of_word(thread, store, first_word, shared.first, order);
        if (shared.last != 0) detail::give_pages_of_word(thread, store, parts.whole_end, shared.last, order);
        RZ_NO_UNROLL
        for (std::uint32_t left = group.ballot(is_long); left != 0; left &= left - 1) {
            std::uint32_t const holder = exec::countr_zero(left);
            run_parts const its(group.broadcast(first, holder), group.broadcast(pages, holder));
            for (std::uint64_t i = its.group_begin() + group.rank(); i < its.group_end(); i += group.size())
                run_marks::give(thread, store.group_at(i), its.words_in(i), order);
        }
    });
    group.sync(); // a thread that returns may ask again, and must find what it gave back
}

} // namespace rhizome::alloc

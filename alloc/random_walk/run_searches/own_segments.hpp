// SPDX-License-Identifier: Apache-2.0
// How a warp searches runs: a run for each lane out of one window. Algorithm 4 of the paper.
#pragma once

#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/alloc/random_walk/run_marks.hpp>
#include <rhizome/alloc/random_walk/run_search.hpp>
#include <rhizome/alloc/random_walk/run_store.hpp>
#include <rhizome/alloc/random_walk/shared_proof.hpp>
#include <rhizome/alloc/random_walk/take_run.hpp>
#include <rhizome/alloc/random_walk/tuning.hpp>
#include <rhizome/alloc/run_window.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/random.hpp>
#include <rhizome/exec/single_lane.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// The lanes of a warp look at a window of neighbouring words at a random place, 64 pages each. Free pages
/// side by side are a segment, also across words. Each lane takes as many pages as it wants out of one
/// segment; lanes that get none look at the next window. Source: Algorithm 4 (section IV-C). The list K of
/// segments is there in shared memory, and a segment serves one lane; here it is the free bits in the
/// registers of the lanes, and what a lane leaves of a segment serves others. There the loop does not end
/// while a lane has nothing; here a sweep follows, for one lane after the other.
struct own_segments {
    static constexpr char const* name = "segments";

    /// As joined_run::find(). Cost of a window: two loads per lane, about a hundred instructions for each
    /// lane that wants a segment, an atomic for all segments within one word, and for longer ones an atomic
    /// per word and one more. Lanes that want more than half a window are served one after the other.
    template <class Thread, class Group>
    [[nodiscard]] static RZ_HD std::uint64_t find(Thread const& thread, Group const& group,
                                                  run_store_ref const& store, shared_proof_ref proof,
                                                  std::uint64_t pages) {
        using search_type = run_search<Thread, Group>;
        std::uint64_t const all = store.words() * run_marks::pages_per_word;
        std::uint64_t const widest = std::uint64_t{group.size()} * pages_per_pair;
        std::uint64_t const window = widest < all ? widest : all;
        std::uint64_t const windows = 2 * (all / window) + 2; // where a store has few, more find nothing else
        std::uint64_t const pairs = (store.words() + 1) / 2;
        std::uint64_t page = store.none;
        std::uint64_t const warp = thread.warp().index();
        exec::random_source random =
            store.random(group.broadcast(thread.rank(), 0), group.broadcast(store.hint(thread, warp), 0));
        std::uint64_t end = 0; // of the window: segments are taken from high to low
        RZ_NO_UNROLL
        for (std::uint64_t step = 0; step < random_walk_tuning::segment_windows && step < windows; ++step) {
            bool const wants = page == store.none && pages <= window / 2;
            std::uint32_t const wanting = group.ballot(wants);
            if (wanting == 0) break;
            end = (random_place(random, pairs) + 1) * pages_per_pair;
            if (end < window) end = window;
            if (end > all) end = all;
            // So segments of one size leave no gaps.
            std::uint64_t const unit = group.broadcast(pages, exec::countr_zero(wanting));
            end = all - search_type::rounded_down(all - end, unit);
            std::uint64_t const first = take_in_window(thread, group, store, end, wants ? pages : 0);
            if (wants) page = first;
        }
        if (end != 0 && group.is_leader()) store.set_hint(thread, warp, end); // the next walk is another one
        search_type search(thread, group, store, proof);
        for (bool waits = page == store.none;;) {
            std::uint32_t const waiting = group.ballot(waits);
            if (waiting == 0) return page;
            std::uint32_t const leader = exec::countr_zero(waiting);
            std::uint64_t const wanted = group.broadcast(pages, leader);
            std::uint64_t first = wanted > window / 2 ? search.walk(wanted, wanted) : store.none;
            if (first == store.none) first = search.sweep(wanted);
            if (first == store.none) {
                waits = waits && pages < wanted; // there is no room for more either
            } else {
                if (group.rank() == leader) page = first;
                waits = waits && group.rank() != leader;
            }
        }
    }

    /// Lines 8 to 21: a segment for each lane out of the window that ends before page `end`, a pair of words
    /// for each lane. All lanes of the group call it. pages: 0 for a lane that wants none. Returns the first
    /// page that the caller has now, or none.
    template <class Thread, class Group>
    [[nodiscard]] static RZ_HD std::uint64_t take_in_window(Thread const& thread, Group const& group,
                                                            run_store_ref const& store, std::uint64_t end,
                                                            std::uint64_t pages) {
        std::uint64_t const top = (end - 1) / pages_per_pair;
        bool const looks = group.rank() <= top;
        std::uint64_t const pair = looks ? top - group.rank() : 0;
        bool const looks_twice = looks && 2 * pair + 1 < store.words();
        run_view const low = looks ? store.look(thread, 2 * pair) : run_view{};
        run_view const high = looks_twice ? store.look(thread, 2 * pair + 1) : run_view{};
        std::uint64_t const free_low = looks ? run_marks::free_pages(low, 2 * pair) : 0;
        std::uint64_t const free_high = looks_twice ? run_marks::free_pages(high, 2 * pair + 1) : 0;
        std::uint64_t free = (free_low | free_high << 32) & pair_bits(pair, 0, end);

        std::uint64_t first = store.none;
        std::uint32_t owner = 0; // the lane that has read its first word
        std::uint64_t too_long = store.none;
        RZ_NO_UNROLL
        for (std::uint32_t left = group.ballot(pages != 0); left != 0; left &= left - 1) {
            std::uint32_t const lane = exec::countr_zero(left);
            std::uint64_t const wanted = group.broadcast(pages, lane);
            if (wanted >= too_long) continue;
            run_window<Group> const segments(group, free, 0, wanted);
            if (segments.runs() == 0) {
                too_long = wanted;
                continue;
            }
            std::uint32_t const there = segments.lane_of(0);
            std::uint64_t const begin = (top - there) * pages_per_pair + segments.bit_of(there);
            if (group.rank() == lane) {
                first = begin;
                owner = there;
            }
            free &= ~pair_bits(pair, begin, begin + wanted);
        }
        std::uint64_t const word = first / run_marks::pages_per_word;
        std::uint64_t const seen_low = group.shuffle(low.pages, owner);
        std::uint64_t const seen_high = group.shuffle(high.pages, owner);
        run_view const seen{word % 2 == 0 ? seen_low : seen_high, group.shuffle(low.group, owner)};
        return take(thread, group, store, first, pages, seen) ? first : store.none;
    }

private:
    /// Takes all pages of each lane's segment, or none of them; first: none for a lane that has none.
    template <class Thread, class Group>
    [[nodiscard]] static RZ_HD bool take(Thread const& thread, Group const& group, run_store_ref const& store,
                                         std::uint64_t first, std::uint64_t pages, run_view seen) {
        bool const chose = first != store.none;
        run_parts const parts(chose ? first : 0, chose ? pages : 1);
        // A whole word alone is taken as a run.
        bool const within = chose && parts.first_pages != 0 && !parts.spans();
        std::uint64_t const word = within ? parts.first_word() : 0;
        std::uint32_t const bits = within ? parts.first_pages : 0;
        // Lanes whose segments lie in one word share an atomic. Where another warp has taken a page of any of
        // them, each takes its own.
        auto const sharers = group.match(within ? word : ~std::uint64_t{group.rank()});
        std::uint32_t const joint = sharers.sum(bits); // distinct bits: their union
        bool got =
            within && sharers.is_leader() && detail::take_pages(thread, store, word, seen, joint, false);
        got = sharers.any(got);
        if (within && !got)
            got = detail::take_pages(thread, store, word, store.look(thread, word), bits, false);
        if (chose && !within) {
            exec::single_lane const alone(0, 1);
            got = take_run(thread, alone, store, first, pages, seen);
        }
        return got;
    }
};

} // namespace rhizome::alloc

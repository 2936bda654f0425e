// SPDX-License-Identifier: Apache-2.0
// The end of a search: a pass over all lines of the store that takes what it finds, and the proof that a
// refusal is right.
//
// Guarantee. Let free(t) be the number of pages that no thread holds at moment t: the pages that no request
// has taken, or that were given back by a call that has returned before t. A request that is refused between
// moments b and e satisfies
//     free(t) = 0 for some t in [b, e],
// with one exception: sweep_passes passes, one after another, had no page for it, and during each of them but
// the first three another thread took a page, gave one back or marked a line. So a sweep ends, whatever other
// threads do.
//
// Why. A pass reads the marks of all lines (full_lines.hpp). In each line that is not marked it takes what is
// free; but for the first pass, until it sees no free page, and then it marks the line. If all lines were
// marked already, let t be the moment at which the pass ends; a second pass reads the newest value of all
// marks. If all lines are still marked, none is in doubt, and the sum of the times that lines were marked is
// as before, then no mark was removed in between: each count grows with each mark that is set again, and all
// together by less than 2^32, so an equal sum means equal counts. So at t all lines were marked, and
// full_lines.hpp says what that means.
#pragma once

#include <rhizome/alloc/random_walk/full_lines.hpp>
#include <rhizome/alloc/random_walk/hand_out.hpp>
#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/alloc/random_walk/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/random.hpp>
#include <rhizome/exec/rank_order.hpp>

#include <cstdint>

namespace rhizome::alloc {

namespace detail {

/// What a pass goes around: `count` words of marks, numbered from word `start`.
template <class Index>
struct swept_marks {
    Index count;
    Index start;

    /// Calls function(index) for the words of number done, done + size, ..., at most `Words` for each lane.
    template <std::uint32_t Words, class Group, class Function>
    RZ_HD void for_some(Group const& group, Index done, Function&& function) const {
        Index const left = count - done; // differences of numbers: their sums might be too wide
        RZ_UNROLL
        for (std::uint32_t i = 0; i < Words; ++i) {
            Index const more = Index{i} * group.size() + group.rank();
            if (more >= left) continue;
            Index const number = done + more;
            function(number < count - start ? start + number : number - (count - start));
        }
    }
    /// The number `done` of the next step of a pass: as many words further, or at the end.
    [[nodiscard]] RZ_HD Index next(Index done, Index words) const {
        return count - done > words ? done + words : count;
    }
};

/// A pass that takes what it finds, for the lanes of a group together.
template <class Store, class Thread, class Group, class Tally>
class taking_pass {
public:
    using index_type = typename Store::index_type;

    /// turn: threads with different ones try different pages first. thorough: takes all pages of a line
    /// before it goes on, and marks it full; otherwise it takes from one word of each line and marks none,
    /// which is faster as long as pages are left elsewhere.
    RZ_HD taking_pass(Store const& store, Thread const& thread, Group const& group, std::uint32_t turn,
                      bool thorough, Tally& tally)
        : store_(store), thread_(thread), group_(group), turn_(turn), thorough_(thorough), tally_(tally) {}

    /// Returns whether all lanes have a page now.
    [[nodiscard]] RZ_HD bool run(swept_marks<index_type> const& marks, exec::rank_order& lanes,
                                 std::uint64_t& page) {
        constexpr std::uint32_t loads = random_walk_tuning::sweep_loads;
        RZ_NO_UNROLL
        for (index_type done = 0; done < marks.count;) {
            index_type const end = marks.next(done, loads * group_.size());
            bool open = false;
            marks.template for_some<loads>(group_, done, [&](index_type index) {
                auto const bits = store_.full_lines().load(thread_, index);
                times_marked_ += full_lines_ref::times_marked(bits);
                open = open || store_.open_lines(bits, index) != 0;
                tally_.one_step_more();
            });
            if (!group_.any(open)) {
                done = end;
                continue;
            }
            found_ = true;
            RZ_NO_UNROLL
            for (; done < end; done = marks.next(done, group_.size())) {
                index_type index = 0;
                std::uint32_t lines = 0;
                marks.template for_some<1>(group_, done, [&](index_type word) {
                    index = word;
                    lines = store_.open_lines(store_.full_lines().load(thread_, word), word);
                });
                if (take_from(index, lines, lanes, page)) return true;
            }
        }
        return false;
    }

    /// Whether all lines that run() has read were full, and how often they were marked: of the caller's
    /// words.
    [[nodiscard]] RZ_HD bool found_only_full() const { return !found_; }
    [[nodiscard]] RZ_HD std::uint32_t times_marked() const { return times_marked_; }

private:
    /// Takes pages from the lines `lines` of each lane's word `index` of marks. The lanes share the lines.
    [[nodiscard]] RZ_HD bool take_from(index_type index, std::uint32_t lines, exec::rank_order& lanes,
                                       std::uint64_t& page) {
        RZ_NO_UNROLL
        while (group_.any(lines != 0)) {
            numbered_bits<Group> const open(group_, lines);
            bool const looks = group_.rank() < open.total();
            std::uint32_t owner = 0;
            std::uint32_t bit = 0;
            open.find(looks ? group_.rank() : 0, owner, bit);
            index_type const line = group_.shuffle(index, owner) * full_lines_ref::lines_per_word + bit;
            std::uint32_t const before = open.before();
            lines = before < group_.size() ? lines & ~lowest_pages(lines, group_.size() - before) : lines;
            if (empty(line, looks, lanes, page)) return true;
        }
        return false;
    }
    /// Takes pages of a line of each lane that looks. If thorough, until these have none; then marks them
    /// full. Leaves the lines to the next pass after `line_takes` attempts.
    [[nodiscard]] RZ_HD bool empty(index_type line, bool looks, exec::rank_order& lanes,
                                   std::uint64_t& page) {
        std::uint32_t left = random_walk_tuning::line_takes;
        for (;;) {
            index_type index = 0;
            typename Store::page_set free = 0;
            if (looks) {
                index = store_.best_word(thread_, line, turn_, free);
                tally_.steps_more(Store::marks::words_per_full_line);
            }
            if (!group_.any(free != 0)) break;
            do { // each turn takes pages, or other threads have taken them
                if (take_together(store_, thread_, group_, lanes, index, free, page, turn_)) return true;
            } while (--left != 0 && group_.any(free != 0));
            if (!thorough_ || left == 0) return false;
            turn_ += 7; // threads that collided here try different pages
        }
        if (!thorough_) return false;
        if (looks) store_.mark_full(thread_, line);
        group_.sync(); // all lanes see from now on what the marking lanes saw
        return false;
    }

    Store const& store_;
    Thread const& thread_;
    Group const& group_;
    std::uint32_t turn_;
    bool thorough_;
    Tally& tally_;
    std::uint32_t times_marked_ = 0;
    bool found_ = false;
};

/// A pass over the newest values of all marks. Returns whether all lines are full. times_marked: as
/// taking_pass.
template <class Store, class Thread, class Group>
[[nodiscard]] RZ_HD bool proving_pass(Store const& store, Thread const& thread, Group const& group,
                                      swept_marks<typename Store::index_type> const& marks,
                                      std::uint32_t& times_marked) {
    using index_type = typename Store::index_type;
    constexpr std::uint32_t updates = random_walk_tuning::proof_updates;
    auto const lines = store.full_lines();
    // All reads of the pass before come before all of this one: acq_rel keeps those of a lane apart, and
    // sync() those of different lanes. So each of the others may be relaxed, and several are under way.
    marks.template for_some<1>(
        group, 0, [&](index_type index) { (void)lines.newest(thread, index, exec::order::acq_rel); });
    group.sync();
    bool full = true;
    RZ_NO_UNROLL
    for (index_type done = 0; done < marks.count; done = marks.next(done, updates * group.size()))
        marks.template for_some<updates>(group, done, [&](index_type index) {
            auto const bits = lines.newest(thread, index, exec::order::relaxed);
            full = full && store.open_lines(bits, index) == 0;
            times_marked += full_lines_ref::times_marked(bits);
        });
    return group.all(full);
}

} // namespace detail

/// A page for each lane that calls it, or `none`; above stands what `none` guarantees. Lanes that arrive
/// together sweep together.
/// Cost: a pass over the marks, and over the lines that are not marked; two passes over the marks for a
/// refusal.
template <class Store, class Thread, class Tally>
[[nodiscard]] RZ_HD std::uint64_t sweep(Store const& store, Thread const& thread, Tally& tally) {
    auto const group = thread.coalesced();
    using group_type = decltype(thread.coalesced());
    std::uint64_t page = Store::none;
    exec::rank_order lanes;
    std::uint64_t const leader = group.broadcast(thread.rank(), 0);
    detail::swept_marks<typename Store::index_type> const marks{
        store.full_words(),
        store.home(leader) / (Store::marks::words_per_full_line * full_lines_ref::lines_per_word)};
    RZ_NO_UNROLL
    for (std::uint32_t number = 0; number < random_walk_tuning::sweep_passes; ++number) {
        auto const turn = static_cast<std::uint32_t>(exec::scramble(leader + number));
        detail::taking_pass<Store, Thread, group_type, Tally> pass(store, thread, group, turn, number != 0,
                                                                   tally);
        if (pass.run(marks, lanes, page)) return page;
        if (pass.found_only_full()) {
            std::uint32_t times_marked = 0;
            bool const full = detail::proving_pass(store, thread, group, marks, times_marked);
            if (full && group.sum(times_marked - pass.times_marked()) == 0) return page;
        }
        if (number != 0)
            thread.pause(); // the first pass often marks the lines that the second one finds full
    }
    return page;
}

} // namespace rhizome::alloc

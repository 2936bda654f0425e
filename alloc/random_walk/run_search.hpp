// SPDX-License-Identifier: Apache-2.0
// Searching for a run of neighbouring free pages, by a group of lanes that want it together.
//
// Guarantee. Let longest(t) be the length of the longest run of pages that no thread holds at moment t: pages
// that no request has taken, or that were given back by a call that has returned before t. A search for n
// pages that is refused between moments b and e satisfies
//     longest(t) < n for some t in [b, e]
// (run_proof.hpp gives the argument), with one exception: in [b, e], a thread that looked for n pages or
// fewer made run_proof_tries() searches of the whole store one after another, and each found no run that it
// could take and was disturbed. A search is disturbed if meanwhile another thread gives a page back, has a
// run in motion, splits or joins a word, or takes pages of a run first.
//
// A request ends, whatever other threads do. It makes at most run_proof_tries() such searches, and waits for
// at most run_proof_waits proofs of other threads, which end for the same reason. Only two things are
// repeated without a limit, while other threads change the same word or group: a compare-and-swap that takes
// pages or words which are free, and one that joins a word whose pages are all free.
#pragma once

#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/alloc/random_walk/run_marks.hpp>
#include <rhizome/alloc/random_walk/run_proof.hpp>
#include <rhizome/alloc/random_walk/run_store.hpp>
#include <rhizome/alloc/random_walk/shared_proof.hpp>
#include <rhizome/alloc/random_walk/take_run.hpp>
#include <rhizome/alloc/random_walk/tuning.hpp>
#include <rhizome/alloc/run_window.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/random.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Every function is called by all lanes of the group, with equal arguments.
template <class Thread, class Group>
class run_search {
public:
    using store_type = run_store_ref;
    static constexpr std::uint64_t none = store_type::none;

    RZ_HD run_search(Thread const& thread, Group const& group, store_type const& store,
                     shared_proof_ref proof)
        : thread_(thread), group_(group), store_(store), proof_(proof),
          leader_(group.broadcast(thread.rank(), 0)) {}

    /// Looks for `wanted` pages in parts of the store that are somewhat longer: at home, where the hint says,
    /// and around random words that have room. Returns the first page of a run that it has taken, or none.
    /// Runs begin a multiple of `unit` pages below the end of the store or of another block, so that blocks
    /// of one size leave no gaps.
    /// Source: Algorithm 4 (section IV-C); there a part has 32 words, whatever is wanted, and lies at a
    /// random place. In a nearly full store most of those are used up; so the lanes look at many words first,
    /// as those of Algorithm 3 do.
    [[nodiscard]] RZ_HD std::uint64_t walk(std::uint64_t wanted, std::uint64_t unit) {
        std::uint64_t const all = store_.words() * run_marks::pages_per_word;
        if (wanted > all) return none;
        std::uint64_t const window = std::uint64_t{group_.size()} * pages_per_lane;
        std::uint64_t const part = 2 * wanted < window ? window : 2 * wanted;
        std::uint64_t const own = wanted < run_marks::pages_per_word ? take_home(wanted) : none;
        if (own != none) return own;
        // A pass over a store of few parts costs no more than random parts.
        bool const few = all / random_walk_tuning::walk_parts <= part;
        std::uint32_t const steps = all <= part ? 0 : few ? 2 : random_walk_tuning::walk_parts;
        std::uint64_t hint = 0;
        exec::random_source random(0, 0);
        RZ_NO_UNROLL
        for (std::uint32_t step = 0; step < steps; ++step) {
            std::uint64_t end = all; // of the part: runs are taken from high to low
            if (step == 1) {
                hint = group_.broadcast(store_.hint(thread_, thread_.warp().index()), 0);
                random = store_.random(thread_.rank(), hint);
            }
            std::uint64_t const words = words_of_walk(part > window || step >= 6 ? 0 : step >= 4 ? 1 : 2);
            if (step == 0) {
                end -= store_.home(leader_, words) * run_marks::pages_per_word;
            } else if (step == 1 && hint != 0) {
                end = hint - 1;
            } else {
                std::uint64_t const word = word_with_room(random, words, wanted);
                if (word == none) continue;
                end = (word + 1) * run_marks::pages_per_word + part / 2;
            }
            if (end < part) end = part; // the lowest parts have their full length
            if (end > all) end = all;   // the hint is as old as the kernel that set it
            end = all - rounded_down(all - end, unit);
            std::uint64_t const first = find(end < part ? 0 : end - part, end, wanted, unit);
            if (first == none) continue;
            if (step != 0) remember(first);
            return first;
        }
        return few ? find(0, all, wanted, unit) : none;
    }

    /// Looks through the whole store; none: as the head of this file guarantees. While another thread makes a
    /// proof, the group waits for it, and uses it if it refuses `wanted` pages. After run_proof_waits proofs
    /// that do not, the group makes one of its own beside those of other threads.
    [[nodiscard]] RZ_HD std::uint64_t sweep(std::uint64_t wanted) {
        std::uint64_t const all = store_.words() * run_marks::pages_per_word;
        if (wanted > all) return none;
        shared_proof_ref::word const asked =
            group_.broadcast(group_.is_leader() ? proof_.ask(thread_) : 0, 0);
        group_.sync(); // asks before the others look
        std::uint64_t first = find(0, all, wanted, wanted);
        while (first == none) {
            shared_proof_ref::word const seen =
                group_.broadcast(group_.is_leader() ? proof_.load(thread_) : 0, 0);
            if (shared_proof_ref::refuses(seen, asked, wanted)) return none;
            bool const waits =
                shared_proof_ref::ended_since(seen, asked) < random_walk_tuning::run_proof_waits;
            bool begins = waits && group_.is_leader() && !shared_proof_ref::is_under_way(seen);
            if (begins) begins = proof_.begin(thread_, seen);
            if (waits && !group_.any(begins)) {
                thread_.pause();
                continue;
            }
            group_.sync(); // the proof comes after its begin
            first = find_or_prove(wanted);
            group_.sync(); // ... and before its end
            if (begins) proof_.end(thread_, seen, first == none, wanted);
            if (first == none) return none;
        }
        remember(first);
        return first;
    }

    /// A division of 32 bits where that is enough: one of 64 takes a hundred instructions.
    [[nodiscard]] static RZ_HD std::uint64_t rounded_down(std::uint64_t pages, std::uint64_t unit) {
        if ((pages | unit) >> 32 != 0) return pages / unit * unit;
        auto const short_unit = static_cast<std::uint32_t>(unit);
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(pages) / short_unit) * short_unit;
    }

    /// Takes `wanted` pages at home, where all of them mostly are free if pages abound; or none. From the
    /// pages of a word on. Looks at no other page. alike: other threads mostly want runs of this length; then
    /// they begin at multiples of it below the end, and never overlap in part.
    [[nodiscard]] static RZ_HD std::uint64_t take_words_at_home(Thread const& thread, Group const& group,
                                                                store_type const& store, std::uint64_t wanted,
                                                                bool alike) {
        constexpr std::uint32_t per_word = run_marks::pages_per_word;
        std::uint64_t const most = (std::uint64_t{group.size()} - 1) * run_marks::words_per_group * per_word;
        if (wanted < per_word || wanted > most) return none;
        std::uint64_t const all = store.words() * per_word;
        bool const is_long = 2 * wanted > std::uint64_t{group.size()} * pages_per_lane;
        std::uint64_t const words = ((store.words() - 1) >> (is_long ? 0 : 2)) + 1;
        std::uint64_t const taken = (wanted + per_word - 1) / per_word * per_word;
        std::uint64_t const home = store.home(group.broadcast(thread.rank(), 0), words) * per_word;
        std::uint64_t const below = alike ? rounded_down(home, taken) : home;
        if (below + taken > all) return none;
        std::uint64_t const first = all - below - taken;
        return take_words(thread, group, store, first, wanted) ? first : none;
    }

private:
    static constexpr std::uint32_t pages_per_lane = pages_per_pair;

    /// Short runs begin in the highest quarter of the store, and leave the rest to long ones as long as that
    /// has room. So many words has the highest part, after `halvings`.
    [[nodiscard]] RZ_HD std::uint64_t words_of_walk(std::uint32_t halvings) const {
        return ((store_.words() - 1) >> halvings) + 1;
    }

    /// Takes fewer pages than a word has at home, if all of them are free; or none.
    [[nodiscard]] RZ_HD std::uint64_t take_home(std::uint64_t wanted) {
        std::uint64_t const all = store_.words() * run_marks::pages_per_word;
        std::uint64_t const home = store_.home(leader_, words_of_walk(2)) * run_marks::pages_per_word;
        std::uint64_t const below = rounded_down(home, wanted);
        if (below + wanted > all) return none;
        std::uint64_t const first = all - below - wanted;
        return is_free(first, wanted) && take_run(thread_, group_, store_, first, wanted, seen_) ? first
                                                                                                 : none;
    }

    /// A random word of the highest `words` that may hold half of a run of `wanted` pages, or none. Each lane
    /// looks at several, which are far apart: where one word is used up, its neighbours mostly are too.
    [[nodiscard]] RZ_HD std::uint64_t word_with_room(exec::random_source& random, std::uint64_t words,
                                                     std::uint64_t wanted) const {
        constexpr std::uint32_t loads = random_walk_tuning::walk_loads;
        std::uint64_t const lowest = store_.words() - words;
        std::uint64_t at[loads];
        std::uint32_t free[loads];
        RZ_UNROLL
        for (std::uint32_t i = 0; i < loads; ++i)
            at[i] = lowest + random_place(random, words);
        RZ_UNROLL
        for (std::uint32_t i = 0; i < loads; ++i)
            free[i] = exec::popcount(store_.free_pages(thread_, at[i]));
        RZ_UNROLL
        for (std::uint32_t i = 1; i < loads; ++i) {
            if (free[i] <= free[0]) continue;
            free[0] = free[i];
            at[0] = at[i];
        }
        // A run of 2n - 1 pages has n in one of its words, or fills one.
        std::uint64_t const half = (wanted + 1) / 2;
        std::uint32_t const with_room =
            group_.ballot(free[0] >= (half < run_marks::pages_per_word ? half : run_marks::pages_per_word));
        return with_room == 0 ? none : group_.shuffle(at[0], exec::countr_zero(with_room));
    }

    /// A run that it has taken, or none: at a moment of this call there was none, or each of
    /// run_proof_tries() searches was disturbed.
    [[nodiscard]] RZ_HD std::uint64_t find_or_prove(std::uint64_t wanted) {
        std::uint64_t const all = store_.words() * run_marks::pages_per_word;
        std::uint32_t const most_tries = random_walk_tuning::run_proof_tries(store_.words());
        RZ_NO_UNROLL
        for (std::uint32_t tries = 0; tries < most_tries; ++tries) {
            given_ = 0;
            disturbed_ = false;
            std::uint64_t const first = find(0, all, wanted, wanted);
            if (first != none) return first;
            if (!group_.any(disturbed_) && detail::nothing_was_given(thread_, group_, store_, given_))
                return none;
        }
        return none;
    }
    /// The next walk of this warp looks below the run, where a sweep has not been.
    RZ_HD void remember(std::uint64_t first) const {
        if (group_.is_leader()) store_.set_hint(thread_, thread_.warp().index(), first);
    }

    /// Takes the highest run of `wanted` free pages within [begin, end); or none.
    [[nodiscard]] RZ_HD std::uint64_t find(std::uint64_t begin, std::uint64_t end, std::uint64_t wanted,
                                           std::uint64_t unit) {
        if (end - begin < wanted) return none;
        if (wanted > std::uint64_t{group_.size()} * pages_per_lane && is_free(end - wanted, wanted) &&
            take_run(thread_, group_, store_, end - wanted, wanted, seen_))
            return end - wanted;
        std::uint64_t const first_pair = begin / pages_per_lane;
        std::uint64_t above = 0; // free pages directly above the next pair
        std::uint32_t collisions = 0;
        RZ_NO_UNROLL
        for (std::uint64_t pairs = (end - 1) / pages_per_lane + 1; pairs > first_pair;) {
            std::uint64_t const pair = pairs - 1 - group_.rank();
            bool const looks = pairs - first_pair > group_.rank();
            std::uint64_t const free = looks ? free_between(pair, begin, end) : 0;
            std::uint64_t const read =
                pairs - first_pair < group_.size() ? pairs - first_pair : group_.size();
            if (!group_.any(free != 0)) {
                collisions = 0;
                above = 0;
                pairs -= read;
                skip_used_pairs(first_pair, pairs);
                continue;
            }
            run_window<Group> const window(group_, free, above, wanted);
            if (window.runs() != 0) {
                // Threads that collide at their highest runs try others.
                std::uint32_t const number =
                    collisions == 0
                        ? 0
                        : static_cast<std::uint32_t>(exec::scramble(leader_ + collisions)) % window.runs();
                std::uint32_t const lane = window.lane_of(number);
                std::uint64_t const first = (pairs - 1 - lane) * pages_per_lane + window.bit_of(lane);
                if (group_.is_leader()) seen_ = store_.look(thread_, first / run_marks::pages_per_word);
                if (take_run(thread_, group_, store_, first, wanted, seen_)) return first;
                disturbed_ = true;
                // Looks at the words as they are now. The pages above may be taken by now: it relies on them
                // a few times more, and then begins so many pages below them that no gap is left.
                if (++collisions % random_walk_tuning::aligned_collisions == 0 && above != 0) {
                    std::uint64_t const beyond = unit - 1 - (above - 1) % unit;
                    above = 0;
                    if (beyond < read * pages_per_lane) end = pairs * pages_per_lane - beyond;
                }
                if (collisions < random_walk_tuning::run_collisions) continue;
            }
            collisions = 0;
            above = window.low_run();
            pairs -= read;
        }
        return none;
    }

    /// Whether a run is free, as nearly always where pages abound: so it is found without looking at one
    /// window after another. The leader keeps what it saw of the first mark.
    [[nodiscard]] RZ_HD bool is_free(std::uint64_t first, std::uint64_t pages) {
        constexpr std::uint32_t loads = random_walk_tuning::sweep_loads;
        run_parts const parts(first, pages);
        bool used = false;
        if (parts.first_pages != 0 && group_.is_leader()) {
            seen_ = store_.look(thread_, parts.first_word());
            used = (~run_marks::free_pages(seen_, parts.first_word()) & parts.first_pages) != 0;
        }
        if (parts.last_pages != 0 && group_.rank() == group_.size() - 1)
            used = used || (~store_.free_pages(thread_, parts.whole_end) & parts.last_pages) != 0;
        if (parts.group_end() - parts.group_begin() <= group_.size()) {
            std::uint64_t const at = parts.group_begin() + group_.rank();
            run_marks::word const bits = at < parts.group_end() ? store_.load_group(thread_, at) : 0;
            if (parts.first_pages == 0) seen_.group = bits;
            return !group_.any(used || (bits & (at < parts.group_end() ? parts.words_in(at) : 0)) != 0);
        }
        if (group_.any(used)) return false;
        RZ_NO_UNROLL
        for (std::uint64_t group = parts.group_begin(); group < parts.group_end();
             group += std::uint64_t{loads} * group_.size()) {
            run_marks::word bits = 0;
            RZ_UNROLL
            for (std::uint32_t i = 0; i < loads; ++i) {
                std::uint64_t const own = group + std::uint64_t{i} * group_.size() + group_.rank();
                if (own >= parts.group_end()) continue;
                run_marks::word const there = store_.load_group(thread_, own);
                if (own == parts.group_begin() && parts.first_pages == 0) seen_.group = there;
                bits |= there & parts.words_in(own);
            }
            if (group_.any(bits != 0)) return false;
        }
        return true;
    }

    /// Lowers `pairs` as far as all pairs from there are used, several of each lane at a time.
    RZ_HD void skip_used_pairs(std::uint64_t first_pair, std::uint64_t& pairs) {
        constexpr std::uint32_t loads = random_walk_tuning::sweep_loads;
        std::uint64_t const step = std::uint64_t{loads / 2} * group_.size();
        RZ_NO_UNROLL
        while (pairs - first_pair >= step) {
            std::uint64_t const lowest = 2 * (pairs - step);
            if (lowest + loads * group_.size() > store_.words()) return; // the last pair is half a one
            std::uint32_t free = 0;
            std::uint64_t given = 0;
            bool moving = false;
            RZ_UNROLL
            for (std::uint32_t i = 0; i < loads; ++i) {
                std::uint64_t const word = lowest + i * group_.size() + group_.rank();
                run_view const seen = store_.look(thread_, word);
                free |= run_marks::free_pages(seen, word);
                given += times_given(seen);
                moving = moving || run_marks::is_moving(seen.pages) || run_marks::is_moving(seen.group);
            }
            if (group_.any(free != 0)) return;
            given_ += given;
            disturbed_ = disturbed_ || moving;
            pairs -= step;
        }
    }

    /// The free pages of a pair of words, those of [begin, end) alone.
    [[nodiscard]] RZ_HD std::uint64_t free_between(std::uint64_t pair, std::uint64_t begin,
                                                   std::uint64_t end) {
        std::uint64_t const low = look(2 * pair);
        std::uint64_t const high = 2 * pair + 1 < store_.words() ? look(2 * pair + 1) : 0;
        return (low | high << 32) & pair_bits(pair, begin, end);
    }
    [[nodiscard]] RZ_HD std::uint32_t look(std::uint64_t word) {
        run_view const seen = store_.look(thread_, word);
        given_ += times_given(seen);
        disturbed_ = disturbed_ || run_marks::is_moving(seen.pages) || run_marks::is_moving(seen.group);
        return run_marks::free_pages(seen, word);
    }
    /// Of a word, and of its group: each look at a word reads the group's bit, and must notice that it is
    /// old.
    [[nodiscard]] static RZ_HD std::uint64_t times_given(run_view seen) {
        return std::uint64_t{run_marks::times_given(seen.pages)} + run_marks::times_given(seen.group);
    }

    Thread const& thread_;
    Group const& group_;
    store_type const& store_;
    shared_proof_ref proof_;
    std::uint64_t leader_; ///< the leader's rank in the grid
    run_view seen_ = {};   ///< of the leader: what it has read of the first word of a run
    std::uint64_t given_ = 0;
    bool disturbed_ = false;
};

/// A walk, and a sweep if `sweeps` and the walk finds nothing. A function of its own: most requests are
/// served before.
template <class Thread, class Group>
[[nodiscard]] RZ_NOINLINE RZ_HD std::uint64_t
search_run(Thread const thread, Group const group, run_store_ref const store, shared_proof_ref proof,
           std::uint64_t wanted, std::uint64_t unit, bool sweeps) {
    run_search<Thread, Group> search(thread, group, store, proof);
    std::uint64_t const first = search.walk(wanted, unit);
    return first == search.none && sweeps ? search.sweep(wanted) : first;
}

} // namespace rhizome::alloc

// SPDX-License-Identifier: Apache-2.0
// Searching for an extent: a run of free chunks, by a group of lanes that want it together.
//
// Next fit, from the high end of the heap downwards, since single chunks are taken from the low end. Each
// search begins at another place. A search that has looked at some words without success, or collides with
// others at its runs, begins again at another place, four times as far from its neighbours as before: among
// many single lanes each soon has a part of the heap to itself.
#pragma once

#include <rhizome/alloc/chunk_counts.hpp>
#include <rhizome/alloc/free_runs.hpp>
#include <rhizome/alloc/run_window.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Calls function(word, bits) for the bits of a run of chunks; stops where it returns false.
template <class Function>
RZ_HD void for_each_mask(std::uint64_t first_chunk, std::uint64_t chunks, Function&& function) {
    constexpr std::uint64_t per_word = tuning::chunks_per_word;
    std::uint64_t const end = first_chunk + chunks;
    for (std::uint64_t chunk = first_chunk; chunk < end;) {
        std::uint64_t const word = chunk / per_word;
        std::uint64_t const next = (word + 1) * per_word < end ? (word + 1) * per_word : end;
        std::uint64_t const mask = exec::bit_range(0, static_cast<std::uint32_t>(next - chunk))
                                   << chunk % per_word;
        if (!function(word, mask)) return;
        chunk = next;
    }
}

/// One search over the heap. Every function is called by all lanes of the group.
template <class Thread, class Group>
class extent_search {
public:
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    RZ_HD extent_search(Thread const& thread, Group const& group, chunk_counts_ref const& counts,
                        free_runs_ref const& runs, std::uint64_t wanted)
        : thread_(thread), group_(group), counts_(counts), runs_(runs), wanted_(wanted),
          bit_(free_runs_ref::class_bit(wanted)), all_(runs.words() * tuning::chunks_per_word) {}

    /// Takes `wanted` neighbouring chunks and returns the number of the first; or none. Writes nothing that
    /// other threads read before it has seen a run.
    [[nodiscard]] RZ_HD std::uint64_t run() {
        std::uint64_t const found = look();
        if (group_.is_leader() && found != none) counts_.note_taken(thread_, wanted_);
        if (group_.is_leader() && counted_ && found == none) counts_.count_back(thread_, wanted_);
        if (group_.is_leader() && begun_) counts_.searches().end(thread_);
        return found;
    }
    /// For the leader: whether the search saw a run that it could not take, or did not look at the whole
    /// heap.
    [[nodiscard]] RZ_HD bool was_disturbed() const { return disturbed_; }

private:
    [[nodiscard]] RZ_HD std::uint64_t look() {
        auto const cursor = thread_.device(counts_.state()->extent_cursor);
        for (std::uint64_t step = wanted_;; step = step < all_ / 4 ? step * 4 : all_) {
            patience_ = step == all_ ? ~0u : tuning::extent_patience;
            // Runs of one size lie next to each other from the high end, in every round, without gaps at the
            // ends.
            std::uint64_t passed = 0;
            // relaxed: a place to begin at
            if (group_.is_leader()) passed = cursor.fetch_add(step, exec::order::relaxed) / wanted_ * wanted_;
            passed = group_.broadcast(passed, 0);
            std::uint64_t const start = all_ - passed % (all_ / wanted_ * wanted_);
            // Concurrent searches have different numbers; searches that collide separate by them.
            turn_ = passed / wanted_;
            std::uint64_t found = find_run(0, start);
            if (found == none && patience_ != 0 && !failed_)
                found = find_run(start < wanted_ ? 0 : start - wanted_ + 1, all_);
            if (found != none) {
                // Later searches need not pass again over what this one has passed.
                std::uint64_t const distance = found < start ? start - found : start + all_ - found;
                if (group_.is_leader() && distance > wanted_)
                    cursor.fetch_max(passed + distance, exec::order::relaxed);
                return found;
            }
            if (failed_ || patience_ != 0) return none; // the whole heap was searched
        }
    }

    /// Takes a run of `wanted` free chunks within [begin, end); or none. The highest one, unless other
    /// threads took it first: then the one that `turn` selects.
    [[nodiscard]] RZ_HD std::uint64_t find_run(std::uint64_t begin, std::uint64_t end) {
        if (end <= begin || end - begin < wanted_) return none;
        std::uint64_t const first_word = begin / tuning::chunks_per_word;
        std::uint64_t above = 0;    // free chunks directly above the next word
        std::uint32_t meetings = 0; // collisions with other threads in these words
        for (std::uint64_t words = (end - 1) / tuning::chunks_per_word + 1; words > first_word;) {
            if (above == 0 && meetings == 0) {
                words = next_window(words, first_word);
                if (words == none) return none;
            }
            std::uint64_t const word = words - 1 - group_.rank();
            bool const looks = words - first_word > group_.rank();
            run_window<Group> const window(group_, looks ? bits_between(word, begin, end) : 0, above,
                                           wanted_);
            if (window.runs() != 0 && meetings != tuning::extent_meetings) {
                std::uint32_t const lane =
                    window.lane_of(meetings == 0 ? 0 : static_cast<std::uint32_t>(turn_++ % window.runs()));
                std::uint64_t const first =
                    (words - 1 - lane) * tuning::chunks_per_word + window.bit_of(lane);
                if (!prepare()) return none;
                if (group_.any(group_.is_leader() && take_run(first))) return first;
                // Another thread took a chunk of it meanwhile: look at the same words again, as they are now.
                disturbed_ = true;
                if (is_impatient()) return none;
                ++meetings;
                above = 0;
                continue;
            }
            meetings = 0;
            above = window.low_run();
            if (looks) runs_.reconsider(thread_, word, bit_);
            words -= words - first_word < group_.size() ? words - first_word : group_.size();
            if (above == 0 && is_impatient()) return none;
        }
        return none;
    }
    /// The end of the words to look at next. A run touches a word that the tree knows; the highest word of
    /// the run is that word or the next one, since the tree knows every wholly free word.
    [[nodiscard]] RZ_HD std::uint64_t next_window(std::uint64_t words, std::uint64_t first_word) const {
        std::uint64_t known = 0;
        if (group_.is_leader()) known = runs_.template find<true>(thread_, words - 1, first_word, bit_);
        known = group_.broadcast(known, 0);
        if (known == free_runs_ref::none) return none;
        return known + 2 < words ? known + 2 : words;
    }
    /// Whether the search should begin elsewhere.
    [[nodiscard]] RZ_HD bool is_impatient() { return patience_ != ~0u && --patience_ == 0; }

    /// Reserves the chunks, before the first attempt to take some; whether there were enough.
    [[nodiscard]] RZ_HD bool prepare() {
        if (counted_) return true;
        if (group_.is_leader()) {
            static_cast<void>(counts_.searches().begin(thread_));
            counted_ = counts_.count_out_all(thread_, wanted_);
        }
        begun_ = true;
        counted_ = group_.any(counted_);
        if (counted_) return true;
        disturbed_ = true; // other threads have reserved chunks, and may give them back
        failed_ = true;
        return false;
    }

    /// The bits of a word that stand for chunks [begin, end).
    [[nodiscard]] RZ_HD std::uint64_t bits_between(std::uint64_t word, std::uint64_t begin,
                                                   std::uint64_t end) const {
        std::uint64_t const chunk = word * tuning::chunks_per_word;
        auto const from = static_cast<std::uint32_t>(begin > chunk ? begin - chunk : 0);
        auto const to = static_cast<std::uint32_t>(
            end - chunk < tuning::chunks_per_word ? end - chunk : tuning::chunks_per_word);
        // acquire: the newest count of given chunks is read after it; the takes carry the order of the chunks
        return thread_.device(runs_.mask()[word]).load(exec::order::acquire) & exec::bit_range(from, to);
    }

    /// Takes all bits of the run, or none of them. For the leader.
    [[nodiscard]] RZ_HD bool take_run(std::uint64_t first_chunk) const {
        std::uint64_t failed_word = none;
        for_each_mask(first_chunk, wanted_, [&](std::uint64_t word, std::uint64_t bits) {
            // acquire: what the former holders did happens before
            std::uint64_t const taken =
                thread_.device(runs_.mask()[word]).fetch_and(~bits, exec::order::acquire) & bits;
            if (taken == bits) return true;
            if (taken != 0) runs_.put(thread_, word, taken);
            failed_word = word;
            return false;
        });
        if (failed_word == none) return true;
        for_each_mask(first_chunk, wanted_, [&](std::uint64_t word, std::uint64_t bits) {
            if (word == failed_word) return false;
            runs_.put(thread_, word, bits);
            return true;
        });
        return false;
    }

    Thread const& thread_;
    Group const& group_;
    chunk_counts_ref const& counts_;
    free_runs_ref const& runs_;
    std::uint64_t wanted_;
    std::uint64_t bit_;
    std::uint64_t all_;
    std::uint64_t turn_ = 0;
    std::uint32_t patience_ = 0; ///< unsuccessful words and collisions left, before it begins elsewhere
    bool begun_ = false;
    bool counted_ = false;
    bool failed_ = false; ///< to reserve the chunks
    bool disturbed_ = false;
};

} // namespace rhizome::alloc

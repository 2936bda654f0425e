// SPDX-License-Identifier: Apache-2.0
// What the searches for runs see of the pages: words, groups of words, hints, random places.
#pragma once

#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/alloc/random_walk/run_marks.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// The words and groups of a store of pages that are handed out in runs. Trivially copyable.
class run_store_ref : private page_store_ref<run_marks> {
    using base = page_store_ref<run_marks>;

public:
    using base::hint, base::home, base::none, base::pages_per_word, base::random, base::set_hint,
        base::word_at, base::words;
    using typename base::marks, typename base::page_set, typename base::word;

    /// count: of the words. groups: one for each 32 words.
    RZ_HD run_store_ref(word* words, std::uint64_t count, word* groups, std::uint64_t* hints,
                        std::uint64_t hint_mask, std::uint64_t seed)
        : base(words, count, nullptr, nullptr, hints, hint_mask, seed), groups_(groups) {}

    [[nodiscard]] static RZ_HD constexpr std::uint64_t groups_for(std::uint64_t words) {
        return (words + run_marks::words_per_group - 1) / run_marks::words_per_group;
    }
    [[nodiscard]] RZ_HD std::uint64_t groups() const { return groups_for(words()); }
    [[nodiscard]] RZ_HD word& group_at(std::uint64_t group) const { return groups_[group]; }
    [[nodiscard]] RZ_HD word& group_of(std::uint64_t index) const {
        return groups_[index / run_marks::words_per_group];
    }

    /// A word and its group as they were a moment ago. relaxed: taking pages checks again.
    template <class Thread>
    [[nodiscard]] RZ_HD run_view look(Thread const& thread, std::uint64_t index) const {
        return {base::load(thread, index), load_group(thread, index / run_marks::words_per_group)};
    }
    template <class Thread>
    [[nodiscard]] RZ_HD word load_group(Thread const& thread, std::uint64_t group) const {
        return thread.device(groups_[group]).load(exec::order::relaxed);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD page_set free_pages(Thread const& thread, std::uint64_t index) const {
        return run_marks::free_pages(look(thread, index), index);
    }

    // For checks, while nothing runs, of all words in committed memory.

    [[nodiscard]] RZ_HD page_set free_at_rest(std::uint64_t index) const {
        return run_marks::free_pages(at_rest(index), index);
    }
    [[nodiscard]] RZ_HD bool is_moving_at_rest(std::uint64_t index) const {
        return run_marks::is_moving(at_rest(index).pages) || run_marks::is_moving(at_rest(index).group);
    }
    /// Whether a word that is not split has marks of pages, or one whose bit in the group is 0 is split.
    [[nodiscard]] RZ_HD bool is_torn_at_rest(std::uint64_t index) const {
        run_view const seen = at_rest(index);
        return run_marks::is_split(seen.pages) ? (seen.group & run_marks::bit_in_group(index)) == 0
                                               : run_marks::used(seen.pages) != 0;
    }

private:
    [[nodiscard]] RZ_HD run_view at_rest(std::uint64_t index) const {
        return {word_at(index), index / run_marks::words_per_group < groups() ? group_of(index) : 0};
    }

    word* groups_;
};

} // namespace rhizome::alloc

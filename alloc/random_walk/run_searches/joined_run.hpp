// SPDX-License-Identifier: Apache-2.0
// How a warp searches runs: one run for all of its lanes. Our own.
#pragma once

#include <rhizome/alloc/random_walk/run_marks.hpp>
#include <rhizome/alloc/random_walk/run_search.hpp>
#include <rhizome/alloc/random_walk/run_store.hpp>
#include <rhizome/alloc/random_walk/shared_proof.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// The lanes that arrive together are served by one run for all of them, as far as there is one: then for
/// half of what they want, and at last for each lane.
struct joined_run {
    static constexpr char const* name = "joined";

    /// The first of `pages` neighbouring pages that the caller has now, or none: run_search.hpp says when.
    /// All lanes of the group call it, and sync() before they use the pages. Cost, where the heap is not
    /// nearly full: a load and an atomic per 1024 pages that all lanes want together, by lanes at the same
    /// time, one more atomic for each where they are several, and one for the rest of the last word.
    template <class Thread, class Group>
    [[nodiscard]] static RZ_HD std::uint64_t find(Thread const& thread, Group const& group,
                                                  run_store_ref const& store, shared_proof_ref proof,
                                                  std::uint64_t pages) {
        using search_type = run_search<Thread, Group>;
        std::uint64_t page = search_type::none;
        std::uint64_t most =
            ~std::uint64_t{0}; // pages of a joined run: half of those that there were none for
        bool waits = true;
        for (;;) {
            std::uint32_t const waiting = group.ballot(waits);
            if (waiting == 0) break;
            // Lanes join whose blocks have at most `most` pages together; if no lane has so few, one is
            // served alone. Blocks of more than `short_pages` join no others, so that 32 bits hold the sums.
            bool const is_short = waits && pages <= short_pages && pages <= most;
            std::uint32_t const joinable = group.ballot(is_short);
            std::uint32_t const leader = exec::countr_zero(joinable != 0 ? joinable : waiting);
            std::uint64_t const of_leader = group.broadcast(pages, leader);
            std::uint64_t before = group.rank() * of_leader;
            std::uint64_t wanted = group.size() * of_leader;
            bool joins = group.rank() == leader;
            bool const alike = group.all(is_short && pages == of_leader);
            if (joinable == 0) {
                wanted = of_leader;
                before = 0;
            } else if (wanted <= most && alike) {
                joins = true;
            } else {
                auto const mine = is_short ? static_cast<std::uint32_t>(pages) : 0u;
                before = group.exclusive_scan(mine);
                joins = is_short && before + pages <= most;
                wanted = group.sum(joins ? mine : 0u);
            }
            bool const single = exec::popcount(group.ballot(joins)) == 1;
            // What a run of whole words leaves of the last one must not become gaps between blocks of one
            // size.
            bool const at_home = alike ? wanted % run_marks::pages_per_word == 0 : most == ~std::uint64_t{0};
            std::uint64_t first = at_home
                                      ? search_type::take_words_at_home(thread, group, store, wanted, alike)
                                      : search_type::none;
            if (first == search_type::none)
                first = search_run(thread, group, store, proof, wanted, of_leader, single);
            if (first != search_type::none) {
                if (joins) page = first + before;
                waits = waits && !joins;
            } else {
                // Where there is no run for as many pages, a lane that wants less than half as many is next.
                if (single) waits = waits && pages < wanted;
                most = wanted / 2;
            }
        }
        return page;
    }

private:
    static constexpr std::uint64_t short_pages = std::uint64_t{1} << 26;
};

} // namespace rhizome::alloc

// SPDX-License-Identifier: Apache-2.0
// How a warp searches runs: one run for all of its lanes. Our own.
#pragma once

#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/alloc/random_walk/run_marks.hpp>
#include <rhizome/alloc/random_walk/run_search.hpp>
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
    /// nearly full: a search for all lanes of a warp, which reads the words of a part of the heap at most
    /// twice as long as what they want together; an atomic per 32 pages, at most one after another for each
    /// 32nd of them, and two more for a run that begins in one word and ends in another.
    template <class Thread, class Group>
    [[nodiscard]] static RZ_HD std::uint64_t find(Thread const& thread, Group const& group,
                                                  page_store_ref<run_marks> const& store,
                                                  shared_proof_ref proof, std::uint64_t pages) {
        using search_type = run_search<Thread, Group>;
        search_type search(thread, group, store, proof);
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
            if (joinable == 0) {
                wanted = of_leader;
                before = 0;
            } else if (wanted <= most && group.all(is_short && pages == of_leader)) {
                joins = true;
            } else {
                auto const mine = is_short ? static_cast<std::uint32_t>(pages) : 0u;
                before = group.exclusive_scan(mine);
                joins = is_short && before + pages <= most;
                wanted = group.sum(joins ? mine : 0u);
            }
            bool const single = exec::popcount(group.ballot(joins)) == 1;
            std::uint64_t first = search.walk(wanted, of_leader);
            if (first == search_type::none && single) first = search.sweep(wanted);
            if (first != search_type::none) {
                if (joins) page = first + before;
                waits = waits && !joins;
                search.settle(first, wanted);
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

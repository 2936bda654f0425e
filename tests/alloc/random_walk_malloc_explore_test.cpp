// SPDX-License-Identifier: Apache-2.0
// Inside random_walk_malloc: tiny stores under many interleavings and weak memory.
#include "tiny_runs.hpp"

#include <rhizome/alloc/random_walk/run_proof.hpp>
#include <rhizome/alloc/random_walk/run_search.hpp>
#include <rhizome/alloc/random_walk/shared_proof.hpp>
#include <rhizome/exec/random.hpp>
#include <rhizome/exec/simt/explore.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests::of_random_walk_malloc {
namespace {

using exec::simt_space;

constexpr std::uint64_t seeds = 100; ///< RHIZOME_SIMT_SEEDS asks for another number
constexpr std::uint64_t page_bytes = 16;
using owner_type = alloc::random_walk_malloc<simt_space, page_bytes>;
using ref_type = owner_type::ref_type;
template <std::uint64_t Pages>
using always_enough = tests::always_enough<owner_type, Pages>;
using more_than_there_is = tests::more_than_there_is<owner_type>;
using all_at_once = tests::all_at_once<owner_type>;

/// A proof holds for requests that asked before it began, for runs at least as long.
TEST(shared_proof, refuses_only_requests_that_asked_before_it_began) {
    using proof_type = alloc::shared_proof_ref;
    std::uint64_t place = 0;
    proof_type const proof(&place);
    exec::host_thread<exec::no_shared> const thread(0, 1, nullptr);
    constexpr std::uint64_t longest = std::uint64_t{1} << 40;

    std::uint64_t const before = proof.ask(thread);
    EXPECT_FALSE(proof_type::refuses(proof.load(thread), before, longest)) << "there was no proof";
    ASSERT_TRUE(proof.begin(thread, before));
    std::uint64_t const meanwhile = proof.ask(thread);
    EXPECT_TRUE(proof_type::is_under_way(meanwhile));
    EXPECT_FALSE(proof_type::refuses(meanwhile, before, longest)) << "it has not ended";
    EXPECT_FALSE(proof.begin(thread, before)) << "one at a time";
    proof.end(thread, before, true, 10);
    std::uint64_t seen = proof.load(thread);
    EXPECT_TRUE(proof_type::refuses(seen, before, 10));
    EXPECT_TRUE(proof_type::refuses(seen, before, longest));
    EXPECT_FALSE(proof_type::refuses(seen, before, 9)) << "a shorter run may be free";
    EXPECT_FALSE(proof_type::refuses(seen, meanwhile, 10))
        << "the moment of the proof may lie before the request";
    EXPECT_FALSE(proof_type::refuses(seen, seen, 10));
    EXPECT_EQ(proof_type::ended_since(seen, before), 1u);
    EXPECT_EQ(proof_type::ended_since(seen, meanwhile), 1u);
    EXPECT_EQ(proof_type::ended_since(meanwhile, before), 0u) << "it has only begun";

    ASSERT_TRUE(proof.begin(thread, seen));
    proof.end(thread, seen, false, 3); // found a run
    EXPECT_FALSE(proof_type::refuses(proof.load(thread), meanwhile, longest));
    seen = proof.load(thread);
    ASSERT_TRUE(proof.begin(thread, seen));
    proof.end(thread, seen, true, longest);
    EXPECT_FALSE(proof_type::refuses(proof.load(thread), seen, longest)) << "32 bits do not hold its length";
    seen = proof.load(thread);
    ASSERT_TRUE(proof.begin(thread, seen));
    proof.end(thread, seen, true, 5);
    EXPECT_TRUE(proof_type::refuses(proof.load(thread), meanwhile, 5));
}

TEST(tiny_random_walk_malloc, runs_within_words_are_enough_for_all_that_hold_one) {
    explore_runs<always_enough<3>>(always_enough<3>::pages_for(32), {1, 32}, seeds);
    explore_runs<always_enough<5>>(always_enough<5>::pages_for(64), {2, 32}, seeds / 2);
}
TEST(tiny_random_walk_malloc, runs_that_span_words_are_enough_for_all_that_hold_one) {
    explore_runs<always_enough<29>>(always_enough<29>::pages_for(12), {4, 3}, seeds);
    explore_runs<always_enough<40>>(always_enough<40>::pages_for(8), {2, 4}, seeds);
    explore_runs<always_enough<150>>(always_enough<150>::pages_for(4), {4, 1}, seeds);
}

/// Words are split and joined all the time; as many threads as there are pages.
TEST(tiny_random_walk_malloc, single_pages_are_enough_for_all_that_hold_one) {
    explore_runs<always_enough<1>>(32, {1, 32}, 8 * seeds);
    explore_runs<always_enough<1>>(32, {4, 8}, 4 * seeds);
    explore_runs<always_enough<1>>(64, {64, 1}, 4 * seeds);
}
/// Runs of whole words, of several groups of words too.
TEST(tiny_random_walk_malloc, runs_of_whole_words_are_enough_for_all_that_hold_one) {
    explore_runs<always_enough<32>>(always_enough<32>::pages_for(6), {3, 2}, seeds);
    explore_runs<always_enough<65>>(always_enough<65>::pages_for(6), {6, 1}, seeds / 2);
    explore_runs<always_enough<1100>>(always_enough<1100>::pages_for(4), {4, 1}, seeds / 4);
}

TEST(tiny_random_walk_malloc, refusals_come_to_an_end_and_harm_no_thread) {
    explore_runs<more_than_there_is>(256, {2, 32}, seeds / 2);
    explore_runs<more_than_there_is>(96, {3, 8}, seeds);
    explore_runs<more_than_there_is>(1024, {2, 32}, seeds / 4);
}

TEST(tiny_random_walk_malloc, every_page_is_handed_out_before_a_request_is_refused) {
    explore_runs<all_at_once>(32, {1, 64}, seeds);
    explore_runs<all_at_once>(160, {1, 64}, seeds);
}

/// All blocks run at a time: threads wait for threads of other blocks.
[[nodiscard]] exec::simt_options side_by_side() {
    exec::simt_options options;
    options.tuning.resident_blocks = 16;
    return options;
}

/// Uses every second page, the odd ones: no two neighbouring pages are free.
struct use_every_second_page {
    ref_type ref;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, ref.store().words(), [&](std::uint64_t word) {
            (void)alloc::detail::take_pages(thread, ref.store(), word, ref.store().look(thread, word),
                                            0xaaaa'aaaau, false);
        });
    }
};

/// Some threads ask for `pages` pages each, and are refused, since every second page is used. The others take
/// and give back single pages until all of those are answered; one that reaches its last round has waited in
/// vain.
struct ask_among_others {
    ref_type ref;
    std::uint64_t askers;
    std::uint64_t pages;
    std::uint64_t* answered;
    std::uint64_t* wrong;

    static constexpr std::uint32_t rounds_at_most = 50'000;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        auto const answers = thread.device(*answered);
        if (thread.rank() < askers) {
            errors += ref.allocate(thread, (pages + thread.rank()) * page_bytes) == nullptr ? 0 : 1;
            answers.fetch_add(1, exec::order::relaxed);
        } else {
            std::uint32_t round = 0;
            for (; round < rounds_at_most; ++round) {
                if (answers.fetch_or(0, exec::order::relaxed) == askers) break;
                void* const page = ref.allocate(thread, page_bytes);
                errors += page == nullptr ? 1 : 0; // far more pages are free than there are threads
                thread.pause();
                ref.deallocate(thread, page);
            }
            errors += round == rounds_at_most ? 1 : 0;
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

/// The other threads disturb each proof that there is no such run.
void explore_asking(std::uint64_t heap_pages, std::uint64_t askers, std::uint64_t pages,
                    exec::launch_shape shape, std::uint64_t many) {
    exec::exploration const found = exec::explore(
        1, scaled(many),
        [&](simt_space& space) {
            std::uint64_t const heap_bytes = heap_pages * page_bytes;
            owner_type owner(space, {.heap_bytes = heap_bytes, .reserve_bytes = heap_bytes}, space.seed());
            exec::buffer<simt_space, std::uint64_t> counts(space, 2);
            counts.fill_bytes(0);
            launch(space, {1, 32}, use_every_second_page{owner.ref()});
            launch(space, shape,
                   ask_among_others{owner.ref(), askers, pages, counts.data(), counts.data() + 1});
            alloc::audit_result const audit = owner.audit();
            for (std::string const& violation : audit.violations)
                throw std::runtime_error(violation);
            if (audit.free_bytes != heap_bytes / 2) throw std::runtime_error("pages of the heap are lost");
            return counts.to_host()[1] == 0;
        },
        side_by_side());
    EXPECT_TRUE(found) << found.report();
}

TEST(tiny_random_walk_malloc, a_request_is_refused_while_other_threads_take_and_give_pages) {
    explore_asking(4096, 1, 2, {9, 1}, seeds);
    explore_asking(4096, 1, 40, {3, 3}, seeds / 4);
    explore_asking(16384, 1, 2, {9, 1}, seeds / 4);
}
TEST(tiny_random_walk_malloc, requests_of_many_lengths_are_refused_while_other_threads_take_and_give_pages) {
    explore_asking(4096, 4, 2, {12, 1}, seeds / 2);
    explore_asking(4096, 6, 30, {2, 7}, seeds / 4);
}

/// One thread looks for two pages where every second one is used. The other one stands for all that begin
/// proofs about longer runs: whenever one ends, the next one is under way.
struct look_beside_longer_proofs {
    ref_type ref;
    alloc::shared_proof_ref::word* proof;
    std::uint64_t* answered;
    std::uint64_t* wrong;

    static constexpr std::uint32_t rounds_at_most = 100'000;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const answer = thread.device(*answered);
        std::uint64_t errors = 0;
        if (thread.rank() == 0) {
            auto const group = thread.coalesced();
            using search_type = alloc::run_search<Thread, decltype(thread.coalesced())>;
            search_type search(thread, group, ref.store(), alloc::shared_proof_ref(proof));
            errors += search.sweep(2) == search_type::none ? 0 : 1;
            answer.fetch_or(1, exec::order::relaxed);
        } else {
            constexpr alloc::shared_proof_ref::word end_and_begin = std::uint64_t{2} << 32;
            std::uint32_t round = 0;
            for (; round < rounds_at_most && answer.fetch_or(0, exec::order::relaxed) == 0; ++round) {
                thread.device(*proof).fetch_add(end_and_begin, exec::order::acq_rel);
                thread.pause();
            }
            errors += round == rounds_at_most ? 1 : 0;
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

TEST(tiny_random_walk_malloc, a_request_is_refused_while_other_threads_prove_without_end) {
    exec::exploration const found = exec::explore(
        1, scaled(seeds),
        [](simt_space& space) {
            constexpr std::uint64_t heap_bytes = 512 * page_bytes;
            owner_type owner(space, {.heap_bytes = heap_bytes, .reserve_bytes = heap_bytes}, space.seed());
            std::vector<std::uint64_t> const at_first{std::uint64_t{1} << 32 | 0xffff'ffffu, 0, 0};
            exec::buffer<simt_space, std::uint64_t> words(space, at_first);
            launch(space, {1, 32}, use_every_second_page{owner.ref()});
            launch(space, {2, 1},
                   look_beside_longer_proofs{owner.ref(), words.data(), words.data() + 1, words.data() + 2});
            return words.to_host()[2] == 0;
        },
        side_by_side());
    EXPECT_TRUE(found) << found.report();
}

/// A word counts modulo 2^24. A proof compares sums of these counts, which must not be taken modulo 2^24 too.
TEST(run_proof, notices_as_many_gives_as_a_word_counts) {
    constexpr std::uint32_t words = 128;
    constexpr std::uint32_t gives = 1u << 24;
    std::vector<alloc::run_marks::word> places(words, alloc::run_marks::all_used);
    std::vector<alloc::run_marks::word> groups(words / 32, alloc::run_marks::all_pages);
    alloc::run_store_ref const store(places.data(), words, groups.data(), nullptr, 0, 1);
    exec::host_thread<exec::no_shared> const thread(0, 1, nullptr);
    auto const group = thread.coalesced();
    EXPECT_TRUE(alloc::detail::nothing_was_given(thread, group, store, 0));
    for (std::uint64_t const each : {gives / words, gives / 2}) { // 2^24 and 2^30 of all words together
        for (alloc::run_marks::word& word : places)
            word = alloc::run_marks::all_used + each * alloc::run_marks::one_given;
        EXPECT_FALSE(alloc::detail::nothing_was_given(thread, group, store, 0)) << each << " of each word";
        EXPECT_TRUE(alloc::detail::nothing_was_given(thread, group, store, each * words));
    }
}

} // namespace
} // namespace rhizome::tests::of_random_walk_malloc

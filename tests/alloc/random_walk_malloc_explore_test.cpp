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
/// For many seeds: calls run(space, owner, counts) with a fresh heap of so many pages and three counts of 0,
/// of which the first is to count errors, and audits the heap.
template <class Run>
void explore_side_by_side(std::uint64_t pages, std::uint64_t many, Run run) {
    exec::exploration const found = exec::explore(
        1, scaled(many),
        [&](simt_space& space) {
            std::uint64_t const heap_bytes = pages * page_bytes;
            owner_type owner(space, {.heap_bytes = heap_bytes, .reserve_bytes = heap_bytes}, space.seed());
            exec::buffer<simt_space, std::uint64_t> counts(space, 3);
            counts.fill_bytes(0);
            run(space, owner, counts.data());
            for (std::string const& violation : owner.audit().violations)
                throw std::runtime_error(violation);
            return counts.to_host()[0] == 0;
        },
        side_by_side());
    EXPECT_TRUE(found) << found.report();
}
template <class Kernel>
void explore_kernel(std::uint64_t pages, exec::launch_shape shape) {
    explore_side_by_side(pages, 20 * seeds, [&](simt_space& space, owner_type& owner, std::uint64_t* counts) {
        launch(space, shape, Kernel{owner.ref(), counts, counts + 1});
    });
}

/// Of 64 pages, a warp of two lanes holds 33 at most, another thread one.
struct keep_a_rest {
    ref_type ref;
    std::uint64_t* wrong;
    std::uint64_t* scratch;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        bool const in_warp = thread.block().index() == 0;
        if (!in_warp && thread.block().rank() != 0) return;
        std::uint64_t errors = 0;
        for (int turn = 0; turn < (in_warp ? 6 : 20); ++turn) {
            void* const block = ref.allocate(thread, (in_warp ? 16 + thread.rank() : 1) * page_bytes);
            errors += block == nullptr && !in_warp ? 1 : 0;
            thread.pause();
            ref.deallocate(thread, block);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};
TEST(tiny_random_walk_malloc, what_a_run_leaves_of_its_last_word_is_never_missed) {
    explore_kernel<keep_a_rest>(64, {2, 2});
}

/// Words 1 to 30 are used. One thread moves from word 31 to word 0 and back, so that always one of them is
/// free; the other one looks for it.
struct move_between_words {
    ref_type ref;
    std::uint64_t* wrong;
    std::uint64_t* scratch; ///< whether the search is over, and the proof

    static constexpr std::uint32_t low = 1;
    static constexpr std::uint32_t high = 1u << 31;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        using marks = alloc::run_marks;
        auto const& store = ref.store();
        marks::word& word_group = store.group_at(0);
        auto const done = thread.device(scratch[0]);
        if (thread.rank() == 0) {
            auto const group = thread.coalesced();
            using search_type = alloc::run_search<Thread, decltype(thread.coalesced())>;
            for (int turn = 0; turn < 40; ++turn) {
                search_type search(thread, group, store, alloc::shared_proof_ref(scratch + 1));
                std::uint64_t const first = search.sweep(32);
                if (first == search_type::none)
                    thread.device(*wrong).fetch_add(std::uint64_t{1}, exec::order::relaxed);
                else
                    marks::give(thread, word_group, marks::bit_in_group(first / 32), marks::give_order);
            }
            done.store(1, exec::order::relaxed);
            return;
        }
        exec::random_source dice = exec::random_of(thread, 7);
        auto const take = [&](std::uint32_t word) {
            while (!marks::take_all(thread, word_group, store.load_group(thread, 0), word, false))
                thread.pause();
        };
        auto const wait = [&] {
            for (std::uint32_t left = dice.below(60); left != 0; --left)
                (void)store.load_group(thread, 0);
        };
        take(high);
        for (int turn = 0; turn < 400 && done.load(exec::order::relaxed) == 0; ++turn) {
            wait();
            marks::give(thread, word_group, high, marks::give_order);
            take(low);
            wait();
            marks::give(thread, word_group, low, marks::give_order);
            take(high);
        }
        marks::give(thread, word_group, high, marks::give_order);
    }
};
struct use_words_between {
    ref_type ref;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0)
            (void)alloc::run_marks::take_all(thread, ref.store().group_at(0), 0, 0x7fff'fffe, false);
    }
};
TEST(tiny_random_walk_malloc, a_word_that_moves_within_its_group_is_never_missed) {
    explore_side_by_side(1024, 20 * seeds, [](simt_space& space, owner_type& owner, std::uint64_t* counts) {
        launch(space, {1, 1}, use_words_between{owner.ref()});
        launch(space, {2, 1}, move_between_words{owner.ref(), counts, counts + 1});
    });
}

/// Block 1 writes to a page of word 37 and gives the word back. A warp takes a run over two groups that ends
/// in that word, and gives its rest back; block 2 takes the page out of the rest.
struct pass_a_page_on {
    ref_type ref;
    std::uint64_t* wrong;
    std::uint64_t* scratch;

    static constexpr std::uint64_t word = 37;
    static constexpr std::uint32_t page = 20;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        using marks = alloc::run_marks;
        auto const& store = ref.store();
        auto const content =
            thread.device(*static_cast<std::uint64_t*>(ref.page_at(word * marks::pages_per_word + page)));
        std::uint64_t const block = thread.block().index();
        if (block == 0) {
            auto const group = thread.coalesced();
            if (group.size() != 2) return; // the lanes came apart
            while (group.any(marks::times_given(store.load_group(thread, 1)) == 0))
                thread.pause();
            (void)alloc::take_words(thread, group, store, 0, word * marks::pages_per_word + 17);
        } else if (thread.block().rank() == 0 && block == 1) {
            std::uint32_t const bit = marks::bit_in_group(word);
            if (!marks::take_all(thread, store.group_at(1), store.load_group(thread, 1), bit, false)) return;
            content.store(7, exec::order::relaxed);
            marks::give(thread, store.group_at(1), bit, marks::give_order);
        } else if (thread.block().rank() == 0) {
            for (int turn = 0; turn < 3000; ++turn) {
                alloc::run_view const seen = store.look(thread, word);
                if (marks::is_split(seen.pages)) {
                    if (alloc::detail::take_pages(thread, store, word, seen, 1u << page, false) &&
                        content.load(exec::order::relaxed) != 7)
                        thread.device(*wrong).fetch_add(std::uint64_t{1}, exec::order::relaxed);
                    return;
                }
                thread.pause();
            }
        }
    }
};
TEST(tiny_random_walk_malloc, what_a_holder_wrote_comes_before_what_the_next_one_of_a_rest_reads) {
    explore_kernel<pass_a_page_on>(2048, {3, 2});
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
    explore_side_by_side(heap_pages, many, [&](simt_space& space, owner_type& owner, std::uint64_t* counts) {
        launch(space, {1, 32}, use_every_second_page{owner.ref()});
        launch(space, shape, ask_among_others{owner.ref(), askers, pages, counts + 1, counts});
        if (owner.audit().free_bytes != heap_pages / 2 * page_bytes)
            throw std::runtime_error("pages of the heap are lost");
    });
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

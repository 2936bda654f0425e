// SPDX-License-Identifier: Apache-2.0
// Inside random walks: damage that their audit must notice, and tiny stores under many interleavings and weak
// memory.
#include "blocks.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/random.hpp>
#include <rhizome/exec/rank_order.hpp>
#include <rhizome/exec/simt/explore.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::tests::of_random_walk {
namespace {

using exec::simt_space;

/// Each damage, done by hand, must be reported.
class random_walk_audit : public ::testing::Test {
protected:
    using owner_type = alloc::random_walk<exec::host_space, alloc::bitmap_search, 256>;
    struct case_on_host {
        using space = exec::host_space;
        using owner = owner_type;
    };

    random_walk_audit() : tested_(256u << 10) {
        block_set const some = tested_.take(500, 256);
        tested_.give_back(split(some, [](std::size_t i) { return i % 2 == 0; }).first);
        EXPECT_EQ(violations(), "");
    }
    [[nodiscard]] std::string violations() {
        std::string all;
        for (std::string const& violation : tested_.owner().audit().violations)
            all += violation + "\n";
        return all;
    }

    heap<case_on_host> tested_;
};

TEST_F(random_walk_audit, notices_a_used_page_after_the_last) {
    auto const store = tested_.owner().ref().store();
    std::uint32_t& after = store.word_at(store.words()); // committed: the table grows in whole steps
    after = 4;
    EXPECT_NE(violations(), "");
    after = 0;
    EXPECT_EQ(violations(), "");
}

TEST_F(random_walk_audit, notices_a_lock_that_is_held) {
    auto const store = tested_.owner().ref().store();
    exec::host_thread<exec::no_shared> const thread(0, 1, nullptr);
    ASSERT_TRUE(store.try_lock(thread, 17));
    EXPECT_FALSE(store.try_lock(thread, 17));
    EXPECT_NE(violations(), "");
    store.unlock(thread, 17);
    EXPECT_EQ(violations(), "");
}

TEST_F(random_walk_audit, notices_a_free_page_in_a_line_that_is_marked_full_and_a_mark_in_doubt) {
    auto const lines = tested_.owner().ref().store().full_lines();
    exec::host_thread<exec::no_shared> const thread(0, 1, nullptr);
    bool asked = false;
    lines.mark(thread, 1, [&] {
        asked = true;
        lines.reopen(thread, 1); // as a thread that gives a page back; the doubt stays
        EXPECT_NE(violations().find("in doubt"), std::string::npos);
        EXPECT_EQ(violations().find("marked full"), std::string::npos);
        return true;
    });
    EXPECT_TRUE(asked);
    EXPECT_EQ(violations(), "");
    lines.mark(thread, 1, [] { return false; });
    EXPECT_NE(violations().find("marked full"), std::string::npos);
    lines.reopen(thread, 1);
    EXPECT_EQ(violations(), "");
}

/// A line is marked once at a time, and a page that is given back while it is marked removes the mark.
TEST_F(random_walk_audit, finds_no_mark_after_a_page_was_given_back) {
    auto const store = tested_.owner().ref().store();
    exec::host_thread<exec::no_shared> const thread(0, 1, nullptr);
    for (std::uint64_t index = 0; index < store.words(); ++index)
        (void)store.take(thread, index, ~0u);
    store.mark_full(thread, 0);
    EXPECT_TRUE(store.full_lines().is_full_at_rest(0));
    store.give(thread, 3, 1u << 5);
    EXPECT_FALSE(store.full_lines().is_full_at_rest(0));
    store.mark_full(thread, 0); // looks once more
    EXPECT_FALSE(store.full_lines().is_full_at_rest(0));
    EXPECT_EQ(violations(), "");
    store.full_lines().mark(thread, 1, [&] {
        store.give(thread, 20, 1u << 7); // another thread, after this one has looked at the word
        store.mark_full(thread, 1);      // and a third one, which leaves the mark to the first
        return false;
    });
    EXPECT_FALSE(store.full_lines().is_full_at_rest(1));
    EXPECT_EQ(violations(), "");
}

TEST_F(random_walk_audit, counts_what_is_handed_out) {
    auto const store = tested_.owner().ref().store();
    alloc::audit_result const before = tested_.owner().audit();
    EXPECT_EQ(before.live_bytes, 250u * 256);
    EXPECT_EQ(before.live_bytes + before.free_bytes, 256u << 10);
    exec::host_thread<exec::no_shared> const thread(0, 1, nullptr);
    std::uint32_t taken = 0;
    for (std::uint64_t index = 0; index < store.words(); ++index)
        taken += exec::popcount(store.take(thread, index, ~0u));
    EXPECT_EQ(taken, 1024u - 250u);
    EXPECT_EQ(tested_.owner().audit().live_bytes, 256u << 10);
}

// ---- numbers of words and pages ----

TEST(random_walk_places, words_beyond_32_bits_are_chosen_and_pages_have_64_bits) {
    constexpr std::uint64_t count = std::uint64_t{5} << 32;
    alloc::page_store_ref<alloc::flag_marks> const store(nullptr, count, nullptr, nullptr, nullptr, 0, 7);
    exec::random_source random(3, 4);
    std::uint64_t homes_beyond = 0;
    std::uint64_t places_beyond = 0;
    for (std::uint64_t rank = 0; rank < 1000; ++rank) {
        std::uint64_t const place = alloc::random_place(random, store.count());
        EXPECT_LT(place, count);
        EXPECT_LT(store.home(rank), count);
        places_beyond += place >> 32 != 0 ? 1 : 0;
        homes_beyond += store.home(rank) >> 32 != 0 ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(places_beyond), 800.0, 60.0);
    EXPECT_NEAR(static_cast<double>(homes_beyond), 800.0, 60.0);
    exec::host_thread<exec::no_shared> const thread(0, 1, nullptr);
    std::uint64_t page = ~std::uint64_t{0};
    exec::rank_order lanes;
    using narrow = alloc::page_store_ref<alloc::bitmap_marks>;
    EXPECT_TRUE(alloc::hand_out<narrow>(thread.coalesced(), lanes, 0xffff'ff00u, 1u << 9, page));
    EXPECT_EQ(page, 0xffff'ff00ull * 32 + 9);
}

struct lane_of_32 {
    std::uint32_t lane;
    [[nodiscard]] std::uint32_t rank() const { return lane; }
    [[nodiscard]] static constexpr std::uint32_t size() { return 32; }
};

/// Windows and sweeps go on at the first word after the last, also where numbers of words nearly overflow.
TEST(random_walk_places, windows_and_sweeps_go_around_the_store) {
    using store_type = alloc::page_store_ref<alloc::bitmap_marks>;
    for (std::uint64_t const count : {std::uint64_t{3}, std::uint64_t{40}, store_type::most_words}) {
        store_type const store(nullptr, count, nullptr, nullptr, nullptr, 0, 7);
        for (std::uint64_t const below_end : {1u, 2u, 17u, 31u, 40u}) {
            if (below_end > count) continue;
            auto const start = static_cast<std::uint32_t>(count - below_end);
            std::vector<std::uint64_t> seen;
            for (std::uint32_t lane = 0; lane < 32; ++lane) {
                alloc::word_window<store_type, lane_of_32> const window(store, {lane}, start);
                if (window.looks()) seen.push_back(window.index());
            }
            ASSERT_EQ(seen.size(), std::min<std::uint64_t>(count, 32));
            EXPECT_EQ(seen[0], start) << "words differ in which lane looks at them first";
            std::sort(seen.begin(), seen.end());
            EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
            EXPECT_LT(seen.back(), count);

            alloc::detail::swept_marks<std::uint32_t> const pass{static_cast<std::uint32_t>(count), start};
            std::uint64_t swept = 0;
            for (std::uint32_t lane = 0; lane < 32; ++lane)
                pass.for_some<4>(lane_of_32{lane}, 0, [&](std::uint64_t word) {
                    EXPECT_LT(word, count);
                    ++swept;
                });
            EXPECT_EQ(swept, std::min<std::uint64_t>(count, 128));
        }
    }
}

/// A heap that needs wider numbers of words than its search has is refused before any memory is committed.
TEST(random_walk_places, a_heap_of_too_many_words_is_refused) {
    using owner_type = alloc::random_walk<exec::host_space, alloc::claim_search, 32>;
    constexpr std::uint64_t most_bytes = std::uint64_t{4} << 40;
    owner_type owner(make_space<exec::host_space>(),
                     {.heap_bytes = 1u << 20, .reserve_bytes = 5 * most_bytes / 4});
    try {
        owner.grow_to(most_bytes);
        FAIL() << "2^32 words";
    } catch (exec::out_of_memory const& error) {
        EXPECT_EQ(error.available_bytes(), most_bytes - 1024);
    }
    EXPECT_EQ(owner.heap_bytes(), 1u << 20);
    EXPECT_TRUE(owner.audit().violations.empty());
}

// ---- many interleavings and weak memory ----

constexpr std::uint64_t seeds = 40; ///< RHIZOME_SIMT_SEEDS asks for another number
constexpr std::uint64_t page_bytes = 64;

struct search_names {
    template <class Search>
    static std::string GetName(int) {
        return search_name<Search>();
    }
};
using searches = ::testing::Types<alloc::flag_search, alloc::bitmap_search, alloc::claim_search,
                                  alloc::collaborative_search, alloc::clustered_search<>,
                                  alloc::wide_words<alloc::collaborative_search>>;
template <class Search>
class tiny_random_walk : public ::testing::Test {
protected:
    using owner = alloc::random_walk<simt_space, Search, page_bytes>;
    using ref = typename owner::ref_type;
};
TYPED_TEST_SUITE(tiny_random_walk, searches, search_names);

/// Takes `held` pages before the others come, so that the store is nearly full.
template <class Ref>
struct hold_pages {
    Ref ref;
    void** held;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) { held[i] = ref.allocate(thread, 1); });
    }
};

/// Runs a kernel for many seeds on a store of so many pages, of which `held` are used all the time, at places
/// that differ from round to round. The store must be sound and whole after each round.
template <class Owner, class Kernel>
void explore_pages(std::uint64_t pages, std::uint64_t held, exec::launch_shape shape,
                   std::uint64_t many = seeds) {
    constexpr std::uint64_t per_word = Owner::ref_type::store_type::pages_per_word;
    std::uint64_t const beyond = (per_word - pages % per_word) % per_word; // of the last word: also held
    pages += beyond;
    held += beyond;
    exec::exploration const found = exec::explore(1, scaled(many), [&](simt_space& space) {
        std::uint64_t const heap_bytes = pages * page_bytes;
        Owner owner(space, {.heap_bytes = heap_bytes, .reserve_bytes = heap_bytes}, space.seed());
        exec::buffer<simt_space, std::uint64_t> wrong(space, 1);
        exec::buffer<simt_space, void*> holders(space, held);
        wrong.fill_bytes(0);
        using ref_type = typename Owner::ref_type;
        for (int round = 0; round < 2; ++round) { // the second finds hints as the first left them
            if (held != 0) launch(space, {1, 32}, hold_pages<ref_type>{owner.ref(), holders.data(), held});
            launch(space, shape, Kernel{owner.ref(), pages - held, wrong.data()});
            alloc::audit_result const audit = owner.audit();
            for (std::string const& violation : audit.violations)
                throw std::runtime_error(violation);
            if (audit.live_bytes != held * page_bytes)
                throw std::runtime_error("other pages are live than held");
            if (audit.free_bytes != heap_bytes - held * page_bytes)
                throw std::runtime_error("pages of the heap are lost");
            if (held != 0) launch(space, {1, 32}, return_blocks<ref_type>{owner.ref(), holders.data(), held});
        }
        return wrong.to_host()[0] == 0;
    });
    EXPECT_TRUE(found) << found.report();
}

RZ_HD void stamp(void* block, std::uint64_t owner) {
    for (std::uint64_t word = 0; word < page_bytes / 8; ++word)
        static_cast<std::uint64_t*>(block)[word] = owner_pattern(owner, word);
}
RZ_HD bool stamped(void const* block, std::uint64_t owner) {
    for (std::uint64_t word = 0; word < page_bytes / 8; ++word)
        if (static_cast<std::uint64_t const*>(block)[word] != owner_pattern(owner, word)) return false;
    return true;
}

/// As many threads as there are free pages, each of which holds one at a time: at every moment a page is free
/// for a thread that asks. So a refusal contradicts the guarantee.
template <class Ref>
struct always_enough {
    Ref ref;
    std::uint64_t pages;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        for (int turn = 0; turn < 4 && thread.rank() < pages; ++turn) {
            void* const page = ref.allocate(thread, page_bytes);
            errors += page == nullptr ? 1 : 0;
            if (page == nullptr) continue;
            stamp(page, thread.rank());
            thread.pause();
            errors += stamped(page, thread.rank()) ? 0 : 1;
            ref.deallocate(thread, page);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

/// The pages that one thread gets, one after another; every other is given back.
template <class Ref>
struct take_in_turn {
    Ref ref;
    std::uint64_t* offsets;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        void* first = nullptr;
        for (std::uint64_t turn = 0; turn < 60; ++turn) {
            void* const page = ref.allocate(thread, page_bytes);
            if (turn == 0) first = page;
            offsets[turn] =
                static_cast<std::uint64_t>(static_cast<std::byte*>(page) - static_cast<std::byte*>(first));
            if (turn % 2 == 1) ref.deallocate(thread, page);
        }
    }
};

template <class Space, class Search>
[[nodiscard]] std::vector<std::uint64_t> offsets_of_one_thread(std::uint64_t seed) {
    Space space = make_space<Space>();
    alloc::random_walk<Space, Search, page_bytes> owner(space, {.heap_bytes = 1000 * 32 * page_bytes}, seed);
    exec::buffer<Space, std::uint64_t> offsets(space, 60);
    using ref_type = decltype(owner.ref());
    launch(space, {1, 1}, take_in_turn<ref_type>{owner.ref(), offsets.data()});
    return offsets.to_host();
}

TYPED_TEST(tiny_random_walk, equal_seeds_give_equal_pages_on_host_and_emulator) {
    auto const on_host = offsets_of_one_thread<exec::host_space, TypeParam>(5);
    EXPECT_EQ(on_host, (offsets_of_one_thread<simt_space, TypeParam>(5)));
    bool const stays = std::is_same_v<TypeParam, alloc::claim_search> || // where it began
                       std::is_base_of_v<alloc::collaborative_search, TypeParam> ||
                       std::is_same_v<TypeParam, alloc::clustered_search<>>;
    if (!stays) {
        EXPECT_NE(on_host, (offsets_of_one_thread<exec::host_space, TypeParam>(6)));
    }
}

TYPED_TEST(tiny_random_walk, one_word_is_enough_for_all_that_hold_a_page) {
    explore_pages<typename TestFixture::owner, always_enough<typename TestFixture::ref>>(32, 0, {1, 32});
}
TYPED_TEST(tiny_random_walk, words_are_enough_for_all_warps_that_hold_a_page) {
    explore_pages<typename TestFixture::owner, always_enough<typename TestFixture::ref>>(128, 0, {2, 64});
}
TYPED_TEST(tiny_random_walk, a_nearly_full_store_is_enough_for_the_pages_that_are_left) {
    explore_pages<typename TestFixture::owner, always_enough<typename TestFixture::ref>>(192, 152, {2, 32});
}
TYPED_TEST(tiny_random_walk, four_words_are_enough_for_four_full_warps) {
    explore_pages<typename TestFixture::owner, always_enough<typename TestFixture::ref>>(128, 0, {4, 32},
                                                                                         seeds / 2);
    explore_pages<typename TestFixture::owner, always_enough<typename TestFixture::ref>>(640, 512, {4, 32},
                                                                                         seeds / 4);
}
TYPED_TEST(tiny_random_walk, two_last_pages_are_enough_for_two_warps) {
    explore_pages<typename TestFixture::owner, always_enough<typename TestFixture::ref>>(640, 638, {2, 1});
}

template <class Store>
struct use_up {
    Store store;
    std::uint64_t kept_apart; ///< one page in so many stays free

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        constexpr std::uint64_t per_word = Store::pages_per_word;
        exec::for_each_item(thread, store.words(), [&](std::uint64_t index) {
            bool const keeps = index * per_word % kept_apart == 0;
            auto const wanted = ~typename Store::page_set{keeps ? 1u : 0u};
            if (per_word > 1 || !keeps) (void)store.take(thread, index, wanted);
        });
    }
};

/// Free pages that lie under different words of marks: a pass sees these at different times, in which other
/// threads move from page to page. Only the proof prevents a refusal.
TYPED_TEST(tiny_random_walk, last_pages_far_apart_are_enough) {
    constexpr std::uint64_t threads = 4;
    constexpr std::uint64_t apart = 8192;
    constexpr std::uint64_t heap_bytes = threads * apart * page_bytes;
    exec::exploration const found = exec::explore(1, scaled(seeds), [&](simt_space& space) {
        using ref_type = typename TestFixture::ref;
        typename TestFixture::owner heap(space, {.heap_bytes = heap_bytes, .reserve_bytes = heap_bytes},
                                         space.seed());
        exec::buffer<simt_space, std::uint64_t> wrong(space, 1);
        wrong.fill_bytes(0);
        launch(space, {1, 32}, use_up<typename ref_type::store_type>{heap.ref().store(), apart});
        launch(space, {4, 1}, always_enough<ref_type>{heap.ref(), threads, wrong.data()});
        alloc::audit_result const audit = heap.audit();
        for (std::string const& violation : audit.violations)
            throw std::runtime_error(violation);
        if (audit.free_bytes != threads * page_bytes) throw std::runtime_error("pages are lost");
        return wrong.to_host()[0] == 0;
    });
    EXPECT_TRUE(found) << found.report();
}

/// More requests than pages: refusals come to an end and harm no thread, and what is freed meanwhile is
/// found.
template <class Ref>
struct more_than_there_is {
    Ref ref;
    std::uint64_t pages;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        void* held[4] = {};
        exec::random_source dice = exec::random_of(thread, 5);
        for (int turn = 0; turn < 10; ++turn) {
            std::uint32_t const i = dice.below(4);
            if (held[i] == nullptr) {
                held[i] = ref.allocate(thread, 1 + dice.below(page_bytes));
                if (held[i] != nullptr) stamp(held[i], thread.rank() * 4 + i);
            } else {
                errors += stamped(held[i], thread.rank() * 4 + i) ? 0 : 1;
                ref.deallocate(thread, held[i]);
                held[i] = nullptr;
            }
        }
        for (std::uint64_t i = 0; i < 4; ++i) {
            if (held[i] != nullptr) errors += stamped(held[i], thread.rank() * 4 + i) ? 0 : 1;
            ref.deallocate(thread, held[i]);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

TYPED_TEST(tiny_random_walk, refusals_come_to_an_end_and_harm_no_thread) {
    explore_pages<typename TestFixture::owner, more_than_there_is<typename TestFixture::ref>>(32, 0, {2, 32},
                                                                                              seeds / 2);
    explore_pages<typename TestFixture::owner, more_than_there_is<typename TestFixture::ref>>(96, 40, {3, 32},
                                                                                              seeds / 2);
}

/// All threads take what they get before any gives back: exactly the pages of the store are handed out.
template <class Ref>
struct all_at_once {
    Ref ref;
    std::uint64_t pages;
    std::uint64_t* wrong; ///< counts the pages that were not handed out

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        void* held[4];
        std::uint64_t served = 0;
        for (void*& page : held) {
            page = ref.allocate(thread, page_bytes);
            served += page == nullptr ? 0 : 1;
        }
        thread.block().sync(); // one block
        thread.device(*wrong).fetch_sub(served, exec::order::relaxed);
        if (thread.rank() == 0) thread.device(*wrong).fetch_add(pages, exec::order::relaxed);
        for (void* const page : held)
            ref.deallocate(thread, page);
    }
};

TYPED_TEST(tiny_random_walk, every_page_is_handed_out_before_a_request_is_refused) {
    explore_pages<typename TestFixture::owner, all_at_once<typename TestFixture::ref>>(32, 0, {1, 64});
    explore_pages<typename TestFixture::owner, all_at_once<typename TestFixture::ref>>(352, 160, {1, 64});
}

/// A store in which other threads are always first: it has free pages, but the caller never gets one.
struct lost_store : alloc::page_store_ref<alloc::bitmap_marks> {
    using base = alloc::page_store_ref<alloc::bitmap_marks>;
    std::uint64_t* takes_left;

    lost_store(base const& store, std::uint64_t& left) : base(store), takes_left(&left) {}

    template <class Thread>
    [[nodiscard]] std::uint32_t take(Thread const&, std::uint64_t, std::uint32_t, std::uint32_t& free) const {
        if ((*takes_left)-- == 0) throw std::runtime_error("the sweep does not end");
        free = ~0u;
        return 0;
    }
};

TEST(random_walk_refusals, a_sweep_ends_while_other_threads_are_first_at_each_page) {
    std::vector<std::uint32_t> words(20, 0); // two lines
    std::vector<std::uint64_t> full(1, 0);
    std::uint64_t takes_left = 1'000'000;
    lost_store const store({words.data(), words.size(), full.data(), nullptr, nullptr, 0, 7}, takes_left);
    exec::host_thread<exec::no_shared> const thread(0, 1, nullptr);
    alloc::no_tally tally;
    EXPECT_EQ(alloc::sweep(store, thread, tally), lost_store::none);
    EXPECT_FALSE(store.full_lines().is_full_at_rest(0)) << "it has free pages";
}

using claiming_owner = alloc::random_walk<simt_space, alloc::claim_search, 32>;
using claiming_ref = claiming_owner::ref_type;

struct use_all_pages {
    claiming_ref ref;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, ref.store().words(),
                            [&](std::uint64_t index) { (void)ref.store().take(thread, index, ~0u); });
    }
};

/// One thread asks for a page while all are used. The others remove and set marks of full lines until that
/// one is answered, as threads do that give and take pages, and so disturb its proof. One that reaches its
/// last round has waited in vain.
struct ask_among_markers {
    claiming_ref ref;
    std::uint64_t* answered;
    std::uint64_t* wrong;

    static constexpr std::uint64_t rounds_at_most = 200'000;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const answer = thread.device(*answered);
        std::uint64_t errors = 0;
        if (thread.rank() == 0) {
            errors += ref.allocate(thread, 1) == nullptr ? 0 : 1;
            answer.fetch_or(1, exec::order::relaxed);
        } else {
            auto const store = ref.store();
            std::uint64_t round = 0;
            for (; round < rounds_at_most && answer.fetch_or(0, exec::order::relaxed) == 0; ++round) {
                auto const line =
                    static_cast<std::uint32_t>((thread.rank() * 97 + round * 31) % store.lines());
                store.full_lines().reopen(thread, line);
                store.mark_full(thread, line);
            }
            errors += round == rounds_at_most ? 1 : 0;
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

TEST(random_walk_refusals, a_request_is_refused_while_other_threads_disturb_each_proof) {
    constexpr std::uint64_t heap_bytes = std::uint64_t{64} * 8192 * 32; // 64 words of marks
    exec::simt_options options;
    options.tuning.resident_blocks = 5; // all: threads wait for threads of other blocks
    auto const scenario = [](simt_space& space) {
        claiming_owner owner(space, {.heap_bytes = heap_bytes, .reserve_bytes = heap_bytes}, space.seed());
        exec::buffer<simt_space, std::uint64_t> counts(space, 2);
        counts.fill_bytes(0);
        launch(space, {4, 32}, use_all_pages{owner.ref()});
        launch(space, {5, 1}, ask_among_markers{owner.ref(), counts.data(), counts.data() + 1});
        alloc::audit_result const audit = owner.audit();
        for (std::string const& violation : audit.violations)
            throw std::runtime_error(violation);
        return counts.to_host()[1] == 0;
    };
    exec::exploration const found = exec::explore(1, scaled(seeds / 8), scenario, options);
    EXPECT_TRUE(found) << found.report();
}

} // namespace
} // namespace rhizome::tests::of_random_walk

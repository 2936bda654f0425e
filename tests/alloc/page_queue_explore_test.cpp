// SPDX-License-Identifier: Apache-2.0
// Inside the page queue: damage that its audit must notice, and tiny heaps under many interleavings and weak
// memory.
#include "blocks.hpp"

#include <rhizome/exec/simt/explore.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace rhizome::tests::of_page_queue {
namespace {

using exec::simt_space;

/// Each damage, done by hand, must be reported.
class page_queue_audit : public ::testing::Test {
protected:
    using owner_type = alloc::page_queue<exec::host_space, 128>;
    struct case_on_host {
        using space = exec::host_space;
        using owner = owner_type;
    };

    page_queue_audit() : tested_(256u << 10) {
        block_set const some = tested_.take(1000, 128);
        auto const [returned, kept] = split(some, [](std::size_t i) { return i % 2 == 0; });
        tested_.give_back(returned);
        kept_ = kept;
        EXPECT_EQ(violations(), "");
    }
    [[nodiscard]] std::string violations() {
        std::string all;
        for (std::string const& violation : tested_.owner().audit().violations)
            all += violation + "\n";
        return all;
    }
    template <class Word>
    void expect_noticed(Word& word, std::type_identity_t<Word> damaged, char const* what) {
        ASSERT_NE(word, damaged) << what;
        Word const before = std::exchange(word, damaged);
        EXPECT_NE(violations(), "") << what;
        word = before;
        EXPECT_EQ(violations(), "") << what;
    }
    /// A shard that has queued pages and room.
    [[nodiscard]] std::uint32_t filled_shard() {
        for (std::uint32_t number = 0; number < owner_type::ref_type::shards; ++number)
            if (state(number).count > 3 && state(number).count < 60) return number;
        ADD_FAILURE() << "no ring has entries";
        return 0;
    }
    [[nodiscard]] alloc::page_ring_state& state(std::uint32_t number) {
        return tested_.owner().ref().shard(number).ring;
    }
    [[nodiscard]] std::uint32_t& slot(std::uint32_t number, std::uint64_t entry) {
        return tested_.owner().ref().ring_of(number).slot_of(state(number).front + entry);
    }

    heap<case_on_host> tested_;
    block_set kept_;
};

TEST_F(page_queue_audit, notices_wrong_counters) {
    std::uint32_t const number = filled_shard();
    expect_noticed(state(number).count, state(number).count + 1, "permits");
    expect_noticed(state(number).front, state(number).front + 1, "front");
    expect_noticed(state(number).back, state(number).back + 1, "back");
    auto& fresh = tested_.owner().ref().shard(number).fresh;
    expect_noticed(fresh, 0, "queued pages that are fresh as well");
}

TEST_F(page_queue_audit, notices_wrong_slots) {
    std::uint32_t const number = filled_shard();
    auto const held = static_cast<std::uint64_t>(state(number).count);
    expect_noticed(slot(number, 1), alloc::page_ring_ref::empty, "an entry that is gone");
    expect_noticed(slot(number, 1), 1u << 20, "a page outside the heap");
    expect_noticed(slot(number, 1), slot(number, 0), "a page twice");
    expect_noticed(slot(number, held), slot(number, 0), "an entry behind the last");
}

TEST_F(page_queue_audit, notices_a_page_that_was_given_back_twice) {
    auto const [one, others] = split(kept_, [](std::size_t i) { return i == 7; });
    tested_.give_back(one);
    EXPECT_EQ(violations(), "");
    tested_.give_back(one);
    EXPECT_NE(violations(), "");
}

// ---- many interleavings and weak memory ----

using tiny = alloc::page_queue<simt_space, 64>;
using tiny_ref = tiny::ref_type;
constexpr std::uint64_t seeds = 200; ///< RHIZOME_SIMT_SEEDS asks for another number

/// Runs a kernel for many seeds on a heap of so many pages; the heap must be sound and whole after each
/// round.
template <class Kernel>
void explore_pages(std::uint64_t pages, exec::launch_shape shape, std::uint64_t many = seeds) {
    exec::exploration const found = exec::explore(1, scaled(many), [&](simt_space& space) {
        std::uint64_t const heap_bytes = pages * 64;
        tiny owner(space, {.heap_bytes = heap_bytes, .reserve_bytes = 4 * heap_bytes});
        exec::buffer<simt_space, std::uint64_t> wrong(space, 1);
        wrong.fill_bytes(0);
        for (int round = 0; round < 3; ++round) { // later rounds meet the rings as the first left them
            launch(space, shape, Kernel{owner.ref(), pages, wrong.data()});
            alloc::audit_result const audit = owner.audit();
            for (std::string const& violation : audit.violations)
                throw std::runtime_error(violation);
            if (audit.live_bytes != 0) throw std::runtime_error("bytes are live that nobody holds");
            if (audit.free_bytes != heap_bytes) throw std::runtime_error("bytes of the heap are lost");
            if (round == 1) owner.trim();
        }
        return wrong.to_host()[0] == 0;
    });
    EXPECT_TRUE(found) << found.report();
}

RZ_HD void stamp(void* block, std::uint64_t owner) {
    for (std::uint64_t word = 0; word < 64 / 8; ++word)
        static_cast<std::uint64_t*>(block)[word] = owner_pattern(owner, word);
}
RZ_HD bool stamped(void const* block, std::uint64_t owner) {
    for (std::uint64_t word = 0; word < 64 / 8; ++word)
        if (static_cast<std::uint64_t const*>(block)[word] != owner_pattern(owner, word)) return false;
    return true;
}

/// All threads together hold at most all pages, so that a refusal is a page that was lost sight of.
struct always_enough {
    tiny_ref ref;
    std::uint64_t pages;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        std::uint64_t const at_once = pages / thread.size() < 4 ? pages / thread.size() : 4;
        void* held[4];
        for (int turn = 0; turn < 4; ++turn) {
            for (std::uint64_t i = 0; i < at_once; ++i) {
                held[i] = ref.allocate(thread, 64);
                errors += held[i] == nullptr ? 1 : 0;
                if (held[i] != nullptr) stamp(held[i], thread.rank() * 4 + i);
            }
            for (std::uint64_t i = 0; i < at_once; ++i) {
                if (held[i] != nullptr) errors += stamped(held[i], thread.rank() * 4 + i) ? 0 : 1;
                ref.deallocate(thread, held[i]);
            }
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

TEST(tiny_page_queue, one_shard_is_enough_for_all_who_may_hold_a_page) {
    explore_pages<always_enough>(32, {1, 32}, 4 * seeds);
}
TEST(tiny_page_queue, two_shards_are_enough_for_all_who_may_hold_a_page) {
    explore_pages<always_enough>(64, {2, 32}, 4 * seeds);
}
TEST(tiny_page_queue, pages_of_many_shards_are_enough_for_all_who_may_hold_some) {
    explore_pages<always_enough>(512, {4, 64});
}
TEST(tiny_page_queue, pages_are_enough_for_blocks_of_odd_size) { explore_pages<always_enough>(160, {3, 50}); }
TEST(tiny_page_queue, all_shards_are_enough_for_all_who_may_hold_a_page) {
    explore_pages<always_enough>(1056, {33, 32}, seeds / 4);
}

/// More wishes than pages, again and again. What is refused is refused while all pages are out: so the pages
/// are all handed out at least once.
struct more_than_there_is {
    tiny_ref ref;
    std::uint64_t pages;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        void* held[4] = {};
        std::uint64_t dice = thread.rank() * 0x9e37'79b9'7f4a'7c15ull + 1;
        for (int turn = 0; turn < 10; ++turn) {
            dice = dice * 6364136223846793005ull + 1442695040888963407ull;
            std::uint64_t const i = dice >> 62;
            if (held[i] == nullptr) {
                held[i] = ref.allocate(thread, 1 + (dice >> 20) % 64);
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

TEST(tiny_page_queue, refusals_come_to_an_end_and_harm_nobody) {
    explore_pages<more_than_there_is>(32, {2, 64}, seeds / 2);
    explore_pages<more_than_there_is>(96, {3, 50}, seeds / 2);
    explore_pages<more_than_there_is>(256, {4, 64}, seeds / 2);
}

/// All take as much as they get before anybody gives back, which a count of those who are done sees to:
/// exactly the pages of the heap are handed out.
struct all_at_once {
    tiny_ref ref;
    std::uint64_t pages;
    std::uint64_t* wrong; ///< counts the pages that were not handed out

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        void* held[4];
        std::uint64_t served = 0;
        for (std::uint64_t i = 0; i < 4; ++i) {
            held[i] = ref.allocate(thread, 64);
            served += held[i] == nullptr ? 0 : 1;
        }
        thread.block().sync(); // one block
        thread.device(*wrong).fetch_sub(served, exec::order::relaxed);
        if (thread.rank() == 0) thread.device(*wrong).fetch_add(pages, exec::order::relaxed);
        for (void* const block : held)
            ref.deallocate(thread, block);
    }
};

TEST(tiny_page_queue, every_page_is_handed_out_before_anybody_is_refused) {
    explore_pages<all_at_once>(32, {1, 64});
    explore_pages<all_at_once>(224, {1, 96});
}

} // namespace
} // namespace rhizome::tests::of_page_queue

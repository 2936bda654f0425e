// SPDX-License-Identifier: Apache-2.0
// Decorators: what they count, what they notice, what they make fail.
#include "blocks.hpp"
#include "expectations.hpp"

#include <rhizome/alloc/decorators/checked.hpp>
#include <rhizome/alloc/decorators/counting.hpp>
#include <rhizome/alloc/decorators/failing.hpp>

#include <gtest/gtest.h>
#include <scale.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Allocator>
struct counted {
    static std::string name_of() { return "counting_" + Allocator::name_of(); }
    template <class Space>
    using owner = alloc::counting<typename Allocator::template owner<Space>>;
};
template <class Allocator>
struct watched {
    static std::string name_of() { return "checked_" + Allocator::name_of(); }
    template <class Space>
    using owner = alloc::checked<typename Allocator::template owner<Space>>;
};
template <class Allocator>
struct breakable {
    static std::string name_of() { return "failing_" + Allocator::name_of(); }
    template <class Space>
    using owner = alloc::failing<typename Allocator::template owner<Space>>;
};

// ---- counting ----

template <class Case>
class counting_allocator : public space_test {};
using counting_list =
    type_list<counted<catalogued::ouroboros_page_array>, counted<catalogued::page_queue>,
              counted<catalogued::bump>, counted<catalogued::device_malloc>,
              counted<watched<catalogued::ouroboros_page_array>>, counted<breakable<catalogued::page_queue>>>;
using counting_cases = cross_types<allocator_on, counting_list, space_list>;
TYPED_TEST_SUITE(counting_allocator, counting_cases, named_types);

TYPED_TEST(counting_allocator, counts_what_is_served_refused_returned_and_live) {
    heap<TypeParam> tested(2u << 20);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t i = 0; i < 2000; ++i)
        sizes.push_back(served_size<TypeParam>(1 + i * 7 % 200));
    block_set const set = tested.take(sizes);
    ASSERT_EQ(set.served(), 2000u);
    alloc::allocation_counts counts = tested.owner().counts();
    EXPECT_EQ(counts.served, 2000u);
    EXPECT_EQ(counts.refused, 0u);
    EXPECT_EQ(counts.untracked, 0u);
    EXPECT_EQ(counts.live_bytes, tested.usable_bytes(set));
    EXPECT_EQ(counts.peak_bytes, counts.live_bytes);

    EXPECT_EQ(tested.take(70, TypeParam::traits::largest_bytes + 1).served(), 0u);
    EXPECT_EQ(tested.owner().counts().refused, 70u);

    auto const [returned, kept] = split(set, [](std::size_t i) { return i % 4 == 0; });
    tested.give_back(returned);
    tested.give_back({std::vector<std::uint64_t>(9, 16), std::vector<void*>(9, nullptr), {}});
    counts = tested.owner().counts();
    EXPECT_EQ(counts.returned, 500u);
    EXPECT_EQ(counts.live_requests(), 1500u);
    EXPECT_EQ(counts.live_bytes, tested.usable_bytes(kept));
    EXPECT_EQ(counts.peak_bytes, tested.usable_bytes(set)) << "of before";
    block_set const more = tested.take(1000, served_size<TypeParam>(200));
    EXPECT_EQ(tested.owner().counts().peak_bytes,
              std::max(tested.usable_bytes(set), tested.usable_bytes(kept) + tested.usable_bytes(more)));

    tested.give_back(more);
    auto const [leaked, rest] = split(kept, [](std::size_t i) { return i == 3; });
    tested.give_back(rest);
    counts = tested.owner().counts();
    EXPECT_EQ(counts.live_requests(), 1u) << "what leaked";
    EXPECT_EQ(counts.live_bytes, tested.usable_bytes(leaked));
    tested.give_back(leaked);
    EXPECT_EQ(tested.owner().counts().live_requests(), 0u);
    EXPECT_EQ(tested.owner().counts().live_bytes, 0u);
    expect_sound(tested);
}

TYPED_TEST(counting_allocator, knows_its_blocks_after_growth) {
    heap<TypeParam> tested(64u << 10, {}, 16u << 20);
    block_set const before = tested.take(400, 16);
    tested.owner().grow_to(4u << 20);
    block_set const after = tested.take(4000, 16);
    EXPECT_EQ(before.served() + after.served(), 4400u);
    EXPECT_EQ(tested.owner().counts().live_bytes, tested.usable_bytes(before) + tested.usable_bytes(after));
    tested.give_back(before);
    tested.give_back(after);
    EXPECT_EQ(tested.owner().counts().live_bytes, 0u);
    EXPECT_EQ(tested.owner().counts().live_requests(), 0u);
    expect_sound(tested);
}

TYPED_TEST(counting_allocator, a_table_for_a_size_that_wraps_is_refused) {
    // With a limit, the budget refuses: AddressSanitizer ends a program that requests so much from the host.
    auto space = make_space<typename TypeParam::space>({.memory_limit_bytes = std::uint64_t{1} << 36});
    EXPECT_THROW(typename TypeParam::owner(space, {.heap_bytes = ~std::uint64_t{0}}), exec::out_of_memory);
    EXPECT_EQ(space.budget().held_bytes(), 0u);
}

// ---- checked ----

/// Changes one byte near a block.
struct write_byte {
    void* block;
    std::int64_t offset;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0) static_cast<unsigned char*>(block)[offset] ^= 0x55;
    }
};

template <class Case>
class checked_allocator : public space_test {
protected:
    using space_type = typename Case::space;

    /// Violations of the decorator, without the base's.
    [[nodiscard]] std::vector<std::string> violations() { return tested().owner().audit().violations; }
    /// Exactly one violation, which says `what` and names the address.
    void expect_only(std::string const& what, void const* address) {
        std::vector<std::string> const found = violations();
        ASSERT_EQ(found.size(), 1u) << what;
        EXPECT_NE(found[0].find(what), std::string::npos) << found[0];
        char text[32];
        std::snprintf(text, sizeof text, "0x%016llx",
                      static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address)));
        EXPECT_NE(found[0].find(text), std::string::npos) << found[0] << " names not " << text;
    }
    void damage(void* block, std::int64_t offset) {
        launch(tested().space(), {1, 1}, write_byte{block, offset});
        tested().space().synchronize();
    }
    void give_back(std::vector<void*> pointers) {
        std::size_t const count = pointers.size();
        tested().give_back({std::vector<std::uint64_t>(count, 16), std::move(pointers), {}});
    }
    [[nodiscard]] heap<Case>& tested() {
        if (!tested_) tested_ = std::make_unique<heap<Case>>(1u << 20); // not where the test is skipped
        return *tested_;
    }
    /// The heap serves as if nothing had happened: nothing reached it.
    void expect_unharmed(block_set const& kept) {
        EXPECT_TRUE(tested().owner().base().audit().violations.empty());
        EXPECT_EQ(tested().wrong_words(kept), 0u);
        block_set all = tested().take(2000, 64);
        tested().fill(all);
        EXPECT_EQ(tested().wrong_words(kept), 0u);
        EXPECT_EQ(tested().wrong_words(all), 0u);
        all.at.insert(all.at.end(), kept.at.begin(), kept.at.end());
        all.bytes.insert(all.bytes.end(), kept.bytes.begin(), kept.bytes.end());
        expect_apart(tested(), all);
    }

private:
    std::unique_ptr<heap<Case>> tested_;
};
// These tests lose blocks on purpose; of the C library's heap, a sanitizer rightly calls that a leak.
template <class OverMalloc, class... Others>
using without_leaks = std::conditional_t<sanitized, type_list<Others...>, type_list<Others..., OverMalloc>>;
using checked_list =
    without_leaks<watched<catalogued::device_malloc>, watched<catalogued::ouroboros_page_array>,
                  watched<catalogued::page_queue>, watched<catalogued::random_walk_claim_128>,
                  watched<catalogued::random_walk_malloc>,
                  watched<counted<catalogued::ouroboros_chunk_array>>>;
using checked_cases = cross_types<allocator_on, checked_list, space_list>;
TYPED_TEST_SUITE(checked_allocator, checked_cases, named_types);

TYPED_TEST(checked_allocator, says_nothing_where_nothing_is_wrong) {
    for (int round = 0; round < 3; ++round) {
        block_set const set = this->tested().take(3000, 1 + 20 * static_cast<unsigned>(round));
        EXPECT_EQ(set.served(), 3000u);
        this->tested().fill(set); // all usable bytes
        EXPECT_TRUE(this->violations().empty()) << this->violations()[0];
        EXPECT_EQ(this->tested().wrong_words(set), 0u);
        expect_apart(this->tested(), set);
        this->tested().give_back(set);
        EXPECT_TRUE(this->violations().empty()) << this->violations()[0];
    }
    EXPECT_EQ(this->tested().owner().untracked(), 0u);
}

TYPED_TEST(checked_allocator, notices_a_block_that_is_freed_twice) {
    block_set const kept = this->tested().take(500, 64);
    block_set const set = this->tested().take(3, 64);
    this->tested().fill(kept);
    this->give_back(set.at);
    EXPECT_TRUE(this->violations().empty());
    this->give_back({set.at[1]});
    this->expect_only("1 blocks freed twice", set.at[1]);
    this->give_back({set.at[1], set.at[0]});
    this->expect_only("3 blocks freed twice", set.at[1]);
    this->expect_unharmed(kept);
}

TYPED_TEST(checked_allocator, of_threads_that_free_the_same_block_together_one_is_right) {
    block_set const kept = this->tested().take(500, 64);
    block_set const set = this->tested().take(1, 64);
    this->tested().fill(kept);
    this->give_back(std::vector<void*>(100, set.at[0]));
    this->expect_only("99 blocks freed twice", set.at[0]);
    this->expect_unharmed(kept);
}

TYPED_TEST(checked_allocator, notices_pointers_that_were_never_handed_out) {
    block_set const kept = this->tested().take(500, 64);
    this->tested().fill(kept);
    auto* const inside = static_cast<std::byte*>(kept.at[100]);
    int on_the_stack = 0;
    std::vector<void*> const foreign = {inside + 16,   inside + 1,
                                        inside - 16,   inside + 8,
                                        &on_the_stack, reinterpret_cast<void*>(std::uintptr_t{16})};
    std::uint64_t count = 0;
    for (void* const pointer : foreign) {
        this->give_back({pointer});
        this->expect_only(std::to_string(++count) + " pointers freed that were never handed out", foreign[0]);
    }
    this->expect_unharmed(kept);
}

TYPED_TEST(checked_allocator, notices_writes_past_the_end_while_live_and_when_freed) {
    block_set const set = this->tested().take(100, 40);
    auto const usable = static_cast<std::int64_t>(this->tested().owner().ref().usable_bytes(40));
    this->damage(set.at[7], usable - 1);
    EXPECT_TRUE(this->violations().empty()) << "the last byte is the user's";
    for (std::int64_t const offset : {usable, usable + 8, usable + 15}) {
        this->damage(set.at[7], offset);
        this->expect_only("1 live blocks that were written past their end", set.at[7]);
        this->damage(set.at[7], offset);
        EXPECT_TRUE(this->violations().empty()) << "as before";
    }
    this->damage(set.at[7], usable);
    this->give_back({set.at[7]});
    this->expect_only("1 freed blocks that were written past their end", set.at[7]);
    this->give_back({set.at[8], set.at[9]});
    this->expect_only("1 freed blocks that were written past their end", set.at[7]);
}

TYPED_TEST(checked_allocator, notices_writes_before_the_start_while_live_and_when_freed) {
    block_set const set = this->tested().take(100, 40);
    for (std::int64_t const offset : {-1, -8, -16}) {
        this->damage(set.at[7], offset);
        this->expect_only("1 live blocks that were written before their start", set.at[7]);
        this->damage(set.at[7], offset);
    }
    this->damage(set.at[7], -1);
    this->give_back({set.at[7]});
    this->expect_only("1 freed blocks that were written before their start", set.at[7]);
}

TYPED_TEST(checked_allocator, knows_its_blocks_after_growth) {
    block_set const before = this->tested().take(3000, 64);
    this->tested().owner().grow_to(8u << 20);
    block_set const after = this->tested().take(20'000, 64);
    EXPECT_EQ(before.served() + after.served(), 23'000u);
    this->tested().give_back(after);
    this->tested().give_back(before);
    EXPECT_TRUE(this->violations().empty()) << this->violations()[0];
    this->give_back({before.at[0]});
    this->expect_only("1 blocks freed twice", before.at[0]);
}

/// Each thread takes and frees many times; some of the frees are made twice at once, before anybody can have
/// the block again but whoever is quick.
template <class Ref>
struct misuse {
    Ref ref;
    std::uint32_t turns;
    std::uint64_t* foreign;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t mine = 0;
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            void* const block = ref.allocate(thread, 16 + (thread.rank() + turn) % 40);
            if (block == nullptr) continue;
            if ((thread.rank() + turn) % 5 == 0) {
                void* volatile wrong = static_cast<std::byte*>(block) + 8; // g++ would warn of the free that
                ref.deallocate(thread, wrong);                             // never comes to be
                ++mine;
            }
            ref.deallocate(thread, block);
        }
        thread.device(*foreign).fetch_add(mine, exec::order::relaxed);
    }
};

TYPED_TEST(checked_allocator, loses_no_finding_among_many_threads) {
    auto const turns = static_cast<std::uint32_t>(work<typename TypeParam::space>(200, 20));
    exec::buffer<typename TypeParam::space, std::uint64_t> foreign(this->tested().space(), 1);
    foreign.fill_bytes(0);
    launch(this->tested().space(), cover_threads(this->tested().space(), 512, 128),
           misuse<typename TypeParam::owner::ref_type>{this->tested().owner().ref(), turns, foreign.data()});
    std::uint64_t const planted = foreign.to_host()[0];
    ASSERT_GT(planted, 0u);
    std::vector<std::string> const found = this->violations();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].find("checked: " + std::to_string(planted) + " pointers freed that were never"), 0u)
        << found[0] << ", planted: " << planted;
    expect_live_bytes(this->tested(), 0);
}

// ---- failing ----

template <class Case>
class failing_allocator : public space_test {};
using failing_list =
    without_leaks<breakable<catalogued::device_malloc>, breakable<catalogued::ouroboros_page_array>,
                  breakable<catalogued::page_queue>,
                  breakable<watched<counted<catalogued::ouroboros_page_array>>>>;
using failing_cases = cross_types<allocator_on, failing_list, space_list>;
TYPED_TEST_SUITE(failing_allocator, failing_cases, named_types);

TYPED_TEST(failing_allocator, the_nth_request_fails_for_every_n) {
    heap<TypeParam> tested(1u << 20);
    std::uint64_t n = 1;
    for (;; ++n) {
        tested.owner().fail_at(n);
        block_set const set = tested.take(100, 64);
        tested.give_back(set);
        EXPECT_EQ(tested.owner().requests_seen(), 100u);
        if (tested.owner().requests_seen() < n) {
            EXPECT_EQ(set.served(), 100u) << "beyond the last";
            break;
        }
        EXPECT_EQ(set.served(), 99u) << n;
    }
    EXPECT_EQ(n, 101u);
    expect_sound(tested);
    expect_live_bytes(tested, 0);
}

TYPED_TEST(failing_allocator, from_the_nth_on_all_fail_until_told_otherwise) {
    heap<TypeParam> tested(1u << 20);
    EXPECT_EQ(tested.take(100, 64).served(), 100u) << "without a plan none fails";
    EXPECT_EQ(tested.owner().requests_seen(), 100u);
    for (std::uint64_t const n : {1u, 33u, 100u}) {
        tested.owner().fail_from(n);
        EXPECT_EQ(tested.take(100, 64).served(), n - 1);
        EXPECT_EQ(tested.take(50, 64).served(), 0u);
        EXPECT_EQ(tested.owner().requests_seen(), 150u);
    }
    auto const ref = tested.owner().ref(); // made before the plan
    tested.owner().fail_never();
    (void)ref;
    EXPECT_EQ(tested.owner().requests_seen(), 0u);
    EXPECT_EQ(tested.take(100, 64).served(), 100u);
    expect_sound(tested);
}

} // namespace
} // namespace rhizome::tests

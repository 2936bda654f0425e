// SPDX-License-Identifier: Apache-2.0
// Pages by the run: as many as were asked for, apart from all others, each given back on its own; what a run
// leaves of its last chunk is everybody's; where no run is, nothing is taken.
#include "blocks.hpp"
#include "expectations.hpp"

#include <rhizome/alloc/decorators/checked.hpp>
#include <rhizome/alloc/decorators/counting.hpp>
#include <rhizome/alloc/decorators/failing.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Case>
class page_runs : public space_test {};
struct counting_failing_default {
    static std::string name_of() { return "counting_failing_default"; }
    template <class Space>
    using owner = alloc::counting<alloc::failing<ouroboros_default::owner<Space>>>;
};
using page_run_cases = cross_types<allocator_on,
                                   type_list<ouroboros_default, catalogued::ouroboros_page_virtual_linked,
                                             catalogued::ouroboros_chunk_array, counting_failing_default>,
                                   space_list>;
TYPED_TEST_SUITE(page_runs, page_run_cases, named_types);

/// One warp takes runs one after the other, and writes down their pages.
template <class Ref>
struct take_runs_of {
    Ref ref;
    std::uint64_t bytes;
    std::uint32_t count; ///< a run
    std::uint32_t runs;
    void** pages;                ///< nullptr where there was no run
    std::uint32_t* usable_bytes; ///< of the pages of each run; 0: there was none

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        if (warp.index() != 0) return;
        for (std::uint32_t number = 0; number < runs; ++number) {
            auto const run = ref.allocate_run(thread, warp, bytes, count);
            for (std::uint32_t i = warp.rank(); i < count; i += warp.size())
                pages[number * count + i] = run.first == nullptr ? nullptr : run.page(i);
            if (warp.rank() == 0) usable_bytes[number] = run.first == nullptr ? 0 : run.usable_bytes;
        }
    }
};

template <class Ref>
struct take_empty_run {
    Ref ref;
    void** first;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        if (warp.index() != 0) return;
        auto const run = ref.allocate_run(thread, warp, 64, 0);
        if (warp.rank() == 0) *first = run.first;
    }
};

template <class Case>
[[nodiscard]] block_set take_runs(heap<Case>& tested, std::uint64_t bytes, std::uint32_t count,
                                  std::uint32_t runs) {
    std::vector<std::uint64_t> const sizes(std::uint64_t{count} * runs, bytes);
    block_set set{sizes, {}, {}};
    for (std::uint64_t i = 0; i < sizes.size(); ++i)
        set.owners.push_back(std::uint64_t{1} << 40 | i);
    exec::buffer<typename Case::space, void*> pages(tested.space(), sizes.size());
    exec::buffer<typename Case::space, std::uint32_t> usable_bytes(tested.space(), runs);
    using ref_type = typename Case::owner::ref_type;
    launch(
        tested.space(), one_warp(tested.space()),
        take_runs_of<ref_type>{tested.owner().ref(), bytes, count, runs, pages.data(), usable_bytes.data()});
    set.at = pages.to_host();
    for (std::uint32_t const told : usable_bytes.to_host()) {
        std::uint64_t const usable = tested.owner().ref().usable_bytes(bytes);
        EXPECT_TRUE(told == 0 || told == usable) << told << " != " << usable;
    }
    return set;
}

TYPED_TEST(page_runs, of_no_page_are_none) {
    heap<TypeParam> tested(1u << 20);
    exec::buffer<typename TypeParam::space, void*> first(tested.space(), 1);
    launch(tested.space(), one_warp(tested.space()),
           take_empty_run<typename TypeParam::owner::ref_type>{tested.owner().ref(), first.data()});
    EXPECT_EQ(first.to_host()[0], nullptr);
    expect_sound(tested);
    expect_live_bytes(tested, 0);
}

TYPED_TEST(page_runs, are_apart_and_go_back_page_by_page) {
    for (std::uint64_t const bytes : {16u, 48u, 100u, 512u, 8192u})
        for (std::uint32_t const count : {1u, 31u, 170u, 171u}) {
            SCOPED_TRACE(bytes);
            SCOPED_TRACE(count);
            heap<TypeParam> tested(8u << 20);
            block_set const before = tested.take(100, bytes);
            block_set const runs = take_runs(tested, bytes, count, 3);
            EXPECT_EQ(runs.served(), 3u * count);
            block_set const after = tested.take(300, bytes); // of what the runs have left, too
            EXPECT_EQ(after.served(), 300u);
            for (block_set const* set : {&before, &runs, &after})
                tested.fill(*set);
            for (block_set const* set : {&before, &runs, &after})
                EXPECT_EQ(tested.wrong_words(*set), 0u);
            expect_sound(tested);
            expect_live_bytes(tested, tested.usable_bytes(before) + tested.usable_bytes(runs) +
                                          tested.usable_bytes(after));
            for (block_set const* set : {&before, &runs, &after})
                tested.give_back(*set);
            expect_sound(tested);
            tested.owner().trim();
            expect_whole(tested);
        }
}

TYPED_TEST(page_runs, leave_a_heap_without_such_a_run_alone) {
    heap<TypeParam> tested(2u << 20);
    block_set const held = tested.take(3 * (1u << 20) / 2 / 8192, 8192);
    block_set const refused = take_runs(tested, 64, 1u << 14, 1); // a whole MiB
    EXPECT_EQ(refused.served(), 0u);
    expect_sound(tested);
    expect_live_bytes(tested, tested.usable_bytes(held));
    EXPECT_EQ(tested.take(4096, 64).served(), 4096u) << "there are pages, only not that many";
}

template <class Case>
class decorated_page_runs : public space_test {};
using decorated_cases = cross_types<allocator_on, type_list<counting_failing_default>, space_list>;
TYPED_TEST_SUITE(decorated_page_runs, decorated_cases, named_types);

TYPED_TEST(decorated_page_runs, count_each_page_and_fail_as_one_request) {
    heap<TypeParam> tested(2u << 20);
    auto& counting = tested.owner();
    counting.base().fail_at(2);
    block_set const runs = take_runs(tested, 64, 100, 3);
    EXPECT_EQ(counting.base().requests_seen(), 3u);
    EXPECT_EQ(runs.served(), 200u);
    for (std::size_t i = 0; i < runs.at.size(); ++i)
        EXPECT_EQ(runs.at[i] == nullptr, i / 100 == 1) << i;
    EXPECT_EQ(counting.counts().served, 200u);
    EXPECT_EQ(counting.counts().live_bytes, 200u * 64);
    EXPECT_EQ(counting.counts().peak_bytes, 200u * 64);
    tested.give_back(runs);
    EXPECT_EQ(counting.counts().live_requests(), 0u);
    EXPECT_EQ(counting.counts().live_bytes, 0u);
}

template <class Case>
class checked_page_runs : public space_test {};
struct counting_checked_default {
    static std::string name_of() { return "counting_checked_default"; }
    template <class Space>
    using owner = alloc::counting<alloc::checked<ouroboros_default::owner<Space>>>;
};
using checked_page_run_cases = cross_types<allocator_on, type_list<counting_checked_default>, space_list>;
TYPED_TEST_SUITE(checked_page_runs, checked_page_run_cases, named_types);

TYPED_TEST(checked_page_runs, are_blocks_each_with_canaries_of_its_own) {
    for (std::uint32_t const count : {1u, 31u, 171u}) {
        SCOPED_TRACE(count);
        heap<TypeParam> tested(2u << 20);
        block_set const runs = take_runs(tested, 100, count, 3);
        EXPECT_EQ(runs.served(), 3u * count);
        tested.fill(runs); // all usable bytes
        expect_sound(tested);
        EXPECT_EQ(tested.wrong_words(runs), 0u);
        expect_apart(tested, runs);
        EXPECT_EQ(tested.owner().counts().live_bytes, tested.usable_bytes(runs));

        block_set const last{{100}, {runs.at.back()}, {}};
        tested.give_back(last);
        expect_sound(tested);
        tested.give_back(last);
        auto const found = tested.owner().audit().violations;
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].find("checked: 1 blocks freed twice"), 0u) << found[0];
        block_set others = runs;
        others.at.pop_back();
        others.bytes.pop_back();
        tested.give_back(others);
        EXPECT_EQ(tested.owner().counts().live_requests(), 0u);
        EXPECT_EQ(tested.owner().audit().live_bytes, 0u);
        EXPECT_EQ(tested.owner().audit().violations.size(), 1u) << "no canary was written over";
    }
}

} // namespace
} // namespace rhizome::tests

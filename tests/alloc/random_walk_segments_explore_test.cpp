// SPDX-License-Identifier: Apache-2.0
// Runs that each lane takes out of one window (own_segments): a window by itself, and tiny stores under many
// interleavings and weak memory.
#include "tiny_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rhizome::tests::of_own_segments {
namespace {

using exec::simt_space;

constexpr std::uint64_t seeds = 100; ///< RHIZOME_SIMT_SEEDS asks for another number
using owner_type = alloc::random_walk_malloc<simt_space, 16, alloc::own_segments>;
using ref_type = owner_type::ref_type;

/// Lane i takes pages[i] pages out of the window that ends before page `end`.
struct take_in_one_window {
    ref_type ref;
    std::uint64_t end;
    std::uint64_t const* pages;
    std::uint64_t* first;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        first[thread.rank()] = alloc::own_segments::take_in_window(thread, thread.warp(), ref.store(), end,
                                                                   pages[thread.rank()]);
    }
};

/// A store of 64 words, of which these pages are free before.
class own_segments_window : public ::testing::Test {
protected:
    static constexpr std::uint64_t store_pages = 2048;

    explicit own_segments_window()
        : space_(make_space<simt_space>({})),
          owner_(space_, {.heap_bytes = store_pages * 16, .reserve_bytes = store_pages * 16}) {
        for (std::uint64_t word = 0; word < store_pages / 32; ++word)
            owner_.ref().store().word_at(word) = alloc::run_marks::all_used;
        for (std::uint64_t group = 0; group < store_pages / 1024; ++group)
            owner_.ref().store().group_at(group) = alloc::run_marks::all_pages;
    }
    void free_pages(std::uint64_t first, std::uint64_t count) {
        auto const store = owner_.ref().store();
        for (std::uint64_t page = first; page < first + count; ++page)
            store.word_at(page / 32) &= ~(std::uint64_t{1} << page % 32);
        // Joins the words that have no used page left, as the thread that gives back the last one does.
        for (std::uint64_t word = 0; word < store_pages / 32; ++word)
            if (store.word_at(word) == alloc::run_marks::split) {
                store.word_at(word) = 0;
                store.group_of(word) &= ~std::uint64_t{alloc::run_marks::bit_in_group(word)};
            }
    }
    /// The first page of each lane's segment.
    [[nodiscard]] std::vector<std::uint64_t> take(std::vector<std::uint64_t> pages, std::uint64_t end) {
        pages.resize(32);
        exec::buffer<simt_space, std::uint64_t> const wanted(space_, pages);
        exec::buffer<simt_space, std::uint64_t> first(space_, 32);
        launch(space_, {1, 32}, take_in_one_window{owner_.ref(), end, wanted.data(), first.data()});
        return first.to_host();
    }

    static constexpr std::uint64_t none = ref_type::store_type::none;
    simt_space space_;
    owner_type owner_;
};

TEST_F(own_segments_window, serves_lanes_of_all_sizes_out_of_segments_apart) {
    std::vector<std::uint64_t> pages; // segments of 32 to 1 pages, the long ones high
    std::uint64_t place = store_pages;
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
        std::uint64_t const length = 32 - lane;
        place -= length + 30; // of all positions in words, many across two
        free_pages(place, length);
        pages.push_back(length);
    }
    std::vector<std::uint64_t> const first = take(pages, store_pages);
    for (std::uint64_t lane = 0; lane < 32; ++lane)
        EXPECT_NE(first[lane], none) << "no run is long enough for two lanes together, each serves its own";
    alloc::audit_result const audit = owner_.audit();
    EXPECT_TRUE(audit.violations.empty()) << "runs in motion";
    EXPECT_EQ(audit.free_bytes, 0u);
}
TEST_F(own_segments_window, shares_what_is_left_of_a_segment_and_connects_words) {
    free_pages(1000, 70); // over four words
    std::vector<std::uint64_t> const first = take({40, 31, 30, 1}, store_pages);
    EXPECT_EQ(first[0], 1030u);
    EXPECT_EQ(first[1], none) << "30 pages are left";
    EXPECT_EQ(first[2], 1000u);
    EXPECT_EQ(first[3], none);
    EXPECT_EQ(first[4], none) << "wants none";
    EXPECT_EQ(owner_.audit().free_bytes, 0u);
}
TEST_F(own_segments_window, ends_where_it_is_told_to) {
    free_pages(0, store_pages);
    std::vector<std::uint64_t> const first = take({7, 7, 64}, 1403);
    EXPECT_EQ(first[0], 1396u);
    EXPECT_EQ(first[1], 1389u);
    EXPECT_EQ(first[2], 1325u);
    EXPECT_TRUE(owner_.audit().violations.empty());
    EXPECT_EQ(owner_.audit().live_bytes, 78u * 16);
}

TEST(tiny_random_walk_segments, runs_within_words_are_enough_for_all_that_hold_one) {
    using three = always_enough<owner_type, 3>;
    using five = always_enough<owner_type, 5>;
    explore_runs<three>(three::pages_for(32), {1, 32}, seeds);
    explore_runs<five>(five::pages_for(64), {2, 32}, seeds / 2);
}
TEST(tiny_random_walk_segments, runs_that_span_words_are_enough_for_all_that_hold_one) {
    using short_run = always_enough<owner_type, 29>;
    using long_run = always_enough<owner_type, 150>; // longer than half a window of one lane
    explore_runs<short_run>(short_run::pages_for(12), {4, 3}, seeds);
    explore_runs<long_run>(long_run::pages_for(4), {4, 1}, seeds);
}
TEST(tiny_random_walk_segments, refusals_come_to_an_end_and_harm_no_thread) {
    explore_runs<more_than_there_is<owner_type>>(256, {2, 32}, seeds / 2);
    explore_runs<more_than_there_is<owner_type>>(96, {3, 8}, seeds);
}
TEST(tiny_random_walk_segments, every_page_is_handed_out_before_a_request_is_refused) {
    explore_runs<all_at_once<owner_type>>(160, {1, 64}, seeds);
}

/// With pages of 256 bytes of 16 slots: blocks of 1 to 12 slots share pages, some across two; longer ones do
/// not.
using sharing_type = alloc::page_sharing<alloc::random_walk_malloc<simt_space, 256, alloc::own_segments>>;
constexpr std::uint64_t slots_per_page = sharing_type::ref_type::slots_per_page;

TEST(tiny_page_sharing, refusals_come_to_an_end_and_harm_no_thread) {
    using kernel = more_than_there_is<sharing_type>;
    explore_runs<kernel>(96 * slots_per_page, {2, 32}, seeds / 2);
    explore_runs<kernel>(32 * slots_per_page, {3, 8}, seeds);
}
/// 16 threads hold a block of 11 slots each, which keep two pages each from other use at most.
TEST(tiny_page_sharing, pages_are_enough_for_all_that_hold_a_small_block) {
    explore_runs<always_enough<sharing_type, 11>>(32 * slots_per_page, {2, 8}, seeds);
    explore_runs<always_enough<sharing_type, 11>>(32 * slots_per_page, {16, 1}, seeds / 2);
}

} // namespace
} // namespace rhizome::tests::of_own_segments

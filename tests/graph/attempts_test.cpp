// SPDX-License-Identifier: Apache-2.0
// The tries of a batch: each transition of their state machine, and that it comes to an end.
#include <rhizome/graph/batch/attempts.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace rhizome::tests {
namespace {

using graph::batch::attempt;
using graph::batch::attempts;
using graph::batch::stop;

TEST(attempts, begin_as_they_are_told) {
    attempts const counted(false, false);
    EXPECT_EQ(counted.state(), attempt::counted);
    EXPECT_FALSE(counted.sorts());
    attempts const sorted(true, false);
    EXPECT_EQ(sorted.state(), attempt::sorted);
    EXPECT_TRUE(sorted.sorts());
    for (attempts const& each : {counted, sorted}) {
        EXPECT_TRUE(each.merges_in_pieces());
        EXPECT_FALSE(each.has_trimmed());
    }
}

TEST(attempts, without_pages_trim_then_sort_then_grow_until_the_heap_may_not) {
    attempts tries(false, false);
    EXPECT_EQ(tries.stopped(stop::lacks_pages, true), attempt::trimmed);
    EXPECT_FALSE(tries.sorts());
    EXPECT_TRUE(tries.has_trimmed());
    EXPECT_FALSE(tries.merges_in_pieces()) << "pages that are of use only, in a heap that lacks others";
    EXPECT_EQ(tries.stopped(stop::lacks_pages, true), attempt::sorted);
    EXPECT_TRUE(tries.sorts());
    EXPECT_EQ(tries.stopped(stop::lacks_pages, true), attempt::grown);
    EXPECT_TRUE(tries.sorts());
    EXPECT_EQ(tries.stopped(stop::lacks_pages, true), attempt::grown);
    EXPECT_EQ(tries.stopped(stop::lacks_pages, false), attempt::refused);
}

TEST(attempts, of_an_exact_layout_do_not_sort_for_want_of_pages) {
    attempts tries(false, true);
    EXPECT_EQ(tries.stopped(stop::lacks_pages, true), attempt::trimmed);
    EXPECT_EQ(tries.stopped(stop::lacks_pages, true), attempt::grown);
    EXPECT_FALSE(tries.sorts());
}

TEST(attempts, request_in_bulk_first_and_in_a_heap_that_has_grown) {
    attempts tries(true, false, true);
    EXPECT_TRUE(tries.bulk());
    EXPECT_EQ(tries.stopped(stop::lacks_pages, true), attempt::trimmed);
    EXPECT_FALSE(tries.bulk()) << "single free pages may suffice";
    EXPECT_EQ(tries.stopped(stop::lacks_pages, true), attempt::grown);
    EXPECT_TRUE(tries.bulk());
    EXPECT_EQ(tries.stopped(stop::lacks_pages, true), attempt::grown);
    EXPECT_FALSE(tries.bulk());
}

TEST(attempts, without_scratch_give_up_bulk_requests_first) {
    attempts tries(true, false, true);
    EXPECT_EQ(tries.lacks_scratch(), attempt::sorted);
    EXPECT_FALSE(tries.bulk());
    EXPECT_TRUE(tries.merges_in_pieces());
    attempts counted(false, false, true);
    EXPECT_EQ(counted.lacks_scratch(), attempt::counted);
    EXPECT_FALSE(counted.bulk());
    EXPECT_EQ(counted.lacks_scratch(), attempt::refused);
}

TEST(attempts, that_sort_already_trim_then_grow) {
    attempts tries(true, false);
    EXPECT_EQ(tries.stopped(stop::lacks_pages, true), attempt::trimmed);
    EXPECT_EQ(tries.stopped(stop::lacks_pages, true), attempt::grown);
    EXPECT_TRUE(tries.sorts());
}

TEST(attempts, sort_where_a_row_demands_it_whatever_the_layout_and_the_heap) {
    for (bool const exact : {false, true}) {
        attempts tries(false, exact);
        EXPECT_EQ(tries.stopped(stop::needs_sorting, false), attempt::sorted);
        EXPECT_TRUE(tries.sorts());
        EXPECT_FALSE(tries.has_trimmed());
        EXPECT_TRUE(tries.merges_in_pieces());

        attempts late(false, exact);
        late.stopped(stop::lacks_pages, true);
        EXPECT_EQ(late.stopped(stop::needs_sorting, false), attempt::sorted);
        EXPECT_TRUE(late.has_trimmed());
    }
}

TEST(attempts, refuse_a_row_that_overflows_at_once) {
    for (bool const sorts : {false, true}) {
        attempts tries(sorts, false);
        EXPECT_EQ(tries.stopped(stop::overflows_row, true), attempt::refused);
    }
}

TEST(attempts, without_scratch_drop_the_pieces_then_sorting_then_refuse) {
    attempts tries(true, false);
    EXPECT_EQ(tries.lacks_scratch(), attempt::sorted);
    EXPECT_TRUE(tries.sorts());
    EXPECT_FALSE(tries.merges_in_pieces());
    EXPECT_EQ(tries.lacks_scratch(), attempt::counted);
    EXPECT_FALSE(tries.sorts());
    EXPECT_FALSE(tries.merges_in_pieces());
    EXPECT_EQ(tries.lacks_scratch(), attempt::refused);
}

TEST(attempts, that_count_and_lack_scratch_are_refused) {
    attempts tries(false, false);
    EXPECT_EQ(tries.lacks_scratch(), attempt::refused);
}

TEST(attempts, that_must_sort_never_fall_back_to_counting) {
    attempts tries(false, false);
    tries.stopped(stop::needs_sorting, true);
    EXPECT_EQ(tries.lacks_scratch(), attempt::sorted) << "without pieces";
    EXPECT_EQ(tries.lacks_scratch(), attempt::refused);
}

TEST(attempts, once_trimmed_have_no_pieces_to_drop) {
    attempts tries(true, false);
    tries.stopped(stop::lacks_pages, true);
    EXPECT_EQ(tries.lacks_scratch(), attempt::counted);
    EXPECT_EQ(tries.stopped(stop::lacks_pages, true), attempt::sorted) << "now on demand";
    EXPECT_EQ(tries.lacks_scratch(), attempt::refused);
}

TEST(attempts, in_a_grown_heap_fall_back_to_counting_and_sort_again_on_demand) {
    attempts tries(true, false);
    tries.stopped(stop::lacks_pages, true);
    ASSERT_EQ(tries.stopped(stop::lacks_pages, true), attempt::grown);
    EXPECT_EQ(tries.lacks_scratch(), attempt::counted);
    EXPECT_EQ(tries.stopped(stop::needs_sorting, true), attempt::sorted);
    EXPECT_EQ(tries.stopped(stop::lacks_pages, true), attempt::grown);
}

TEST(attempts, come_to_an_end_whatever_happens_once_the_heap_may_not_grow) {
    // Every sequence of six events, from every beginning; the longest way takes five.
    constexpr int events = 3;
    constexpr int length = 6;
    int sequences = 1;
    for (int i = 0; i < length; ++i)
        sequences *= events;
    for (bool const sorts : {false, true})
        for (bool const exact : {false, true})
            for (int sequence = 0; sequence < sequences; ++sequence) {
                attempts tries(sorts, exact);
                std::vector<attempt> seen{tries.state()};
                for (int left = sequence, i = 0; i < length && seen.back() != attempt::refused;
                     ++i, left /= events)
                    seen.push_back(left % events == 0   ? tries.lacks_scratch()
                                   : left % events == 1 ? tries.stopped(stop::lacks_pages, false)
                                                        : tries.stopped(stop::needs_sorting, false));
                EXPECT_EQ(seen.back(), attempt::refused) << sorts << ' ' << exact << ' ' << sequence;
            }
}

} // namespace
} // namespace rhizome::tests

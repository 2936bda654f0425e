// SPDX-License-Identifier: Apache-2.0
// Requests to a partly free heap, on an allocator of the standard library that can be told to get something
// wrong.
#include "../io/scratch_folder.hpp"

#include <rhizome/bench/papers/random_walk/comparison.hpp>
#include <rhizome/bench/papers/random_walk/partly_free.hpp>
#include <rhizome/bench/papers/random_walk/utilisation.hpp>
#include <rhizome/cli/usage_error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using namespace rhizome;
using namespace rhizome::bench;
using rhizome::testing::message_of;

namespace {

enum class wrong : std::uint8_t { nothing, refuses_one, hands_one_out_twice };

/// Blocks of up to 64 units of 16 bytes each, wherever so many neighbouring units are free.
class plain_allocator : public runtime::any_allocator {
public:
    plain_allocator(std::uint64_t heap_bytes, wrong what, std::vector<std::uint64_t>* free_before)
        : what_(what), units_(heap_bytes / unit), used_(units_, false), free_before_(free_before) {}

    [[nodiscard]] runtime::allocator_traits traits() const override { return {64 * unit, true, true}; }
    [[nodiscard]] std::uint64_t request_count(std::uint64_t threads, bool) const override { return threads; }
    void renew_heap() override {
        std::fill(used_.begin(), used_.end(), false);
        stamps_.clear();
        ++renewals;
    }
    void set_slots(std::uint64_t count) override { slots_.assign(count, none); }
    double allocate_ms(runtime::requests const& wanted, std::uint64_t first) override {
        if (free_before_ != nullptr) free_before_->push_back(units_ - used());
        for (std::uint64_t i = 0; i < wanted.count; ++i)
            slots_.at(first + i) = take((wanted.bytes_at(first + i) + unit - 1) / unit);
        if (what_ == wrong::refuses_one && wanted.count > 1) slots_.at(first) = none;
        if (what_ == wrong::hands_one_out_twice && wanted.count > 1) slots_.at(first) = slots_.at(first + 1);
        return 1;
    }
    double deallocate_ms(runtime::requests const& wanted, std::uint64_t first) override {
        for (std::uint64_t i = 0; i < wanted.count; ++i) {
            std::uint64_t const at = slots_.at(first + i);
            for (std::uint64_t u = 0; at != none && u < (wanted.bytes_at(first + i) + unit - 1) / unit; ++u)
                used_.at(at + u) = false;
        }
        return 2;
    }
    void shuffle(std::uint64_t first, std::uint64_t count, std::uint64_t seed) override {
        auto const begin = slots_.begin() + static_cast<std::ptrdiff_t>(first);
        seeds.push_back(seed);
        std::shuffle(begin, begin + static_cast<std::ptrdiff_t>(count), std::mt19937_64(seed));
    }
    void stamp(runtime::requests const& wanted, std::uint64_t first) override {
        stamps_.resize(units_, none);
        for (std::uint64_t i = 0; i < wanted.count; ++i)
            if (slots_.at(first + i) != none) stamps_.at(slots_.at(first + i)) = first + i;
    }
    [[nodiscard]] runtime::findings check(runtime::requests const& wanted, std::uint64_t first,
                                          bool stamped) override {
        runtime::findings found{};
        for (std::uint64_t i = 0; i < wanted.count; ++i) {
            std::uint64_t const at = slots_.at(first + i);
            found.refused += at == none ? 1 : 0;
            if (stamped && at != none && stamps_.at(at) != first + i) ++found.damaged;
        }
        return found;
    }
    [[nodiscard]] runtime::address_span span(runtime::requests const&, std::uint64_t) override { return {}; }

    static inline int renewals = 0;
    static inline std::vector<std::uint64_t> seeds; ///< of the shuffles

private:
    static constexpr std::uint64_t unit = 16;
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    [[nodiscard]] std::uint64_t used() const {
        return static_cast<std::uint64_t>(std::count(used_.begin(), used_.end(), true));
    }
    std::uint64_t take(std::uint64_t count) {
        for (std::uint64_t at = 0; at + count <= units_; ++at) {
            auto const begin = used_.begin() + static_cast<std::ptrdiff_t>(at);
            auto const end = begin + static_cast<std::ptrdiff_t>(count);
            if (std::find(begin, end, true) != end) continue;
            std::fill(begin, end, true);
            return at;
        }
        return none;
    }

    wrong what_;
    std::uint64_t units_;
    std::vector<bool> used_;
    std::vector<std::uint64_t> slots_;
    std::vector<std::uint64_t> stamps_;
    std::vector<std::uint64_t>* free_before_;
};

partly_free_options small_heap() {
    return {.heap_bytes = 16'384,
            .block_bytes = 256,
            .free_share = 0.25,
            .freed_at_random = true,
            .threads = 8,
            .what = {256, 256, false},
            .warm_up = 1,
            .repetitions = 3};
}

/// real_heap_bytes: those of which the allocator makes blocks; 0: all.
cell_result measured(partly_free_options const& options, wrong what = wrong::nothing,
                     std::vector<std::uint64_t>* free_before = nullptr, std::uint64_t real_heap_bytes = 0) {
    plain_allocator::renewals = 0;
    plain_allocator::seeds.clear();
    std::uint64_t const heap_bytes = real_heap_bytes != 0 ? real_heap_bytes : options.heap_bytes;
    return measure_partly_free(
        [&] { return std::make_unique<plain_allocator>(heap_bytes, what, free_before); }, options);
}

} // namespace

TEST(partly_free, begins_each_repetition_with_that_share_free) {
    for (bool const freed : {true, false}) {
        std::vector<std::uint64_t> free_units;
        partly_free_options options = small_heap();
        options.freed_at_random = freed;
        cell_result const found = measured(options, wrong::nothing, &free_units);
        ASSERT_EQ(found.status, cell_status::ok) << found.message;
        EXPECT_EQ(found.measures.at(0).samples, (std::vector<double>{1, 1, 1}));
        EXPECT_EQ(plain_allocator::renewals, 3);
        // Each repetition fills, then requests: the second number of each pair is a quarter of the 1024
        // units.
        ASSERT_EQ(free_units.size(), 8u);
        for (std::size_t i = 0; i < free_units.size(); i += 2) {
            EXPECT_EQ(free_units[i], 1024u);
            EXPECT_EQ(free_units[i + 1], 256u);
        }
    }
}
TEST(partly_free, draws_other_free_blocks_for_each_heap) {
    EXPECT_EQ(measured(small_heap()).status, cell_status::ok);
    EXPECT_EQ(plain_allocator::seeds, (std::vector<std::uint64_t>{1, 2, 3, 4}));
}
TEST(partly_free, frees_that_share_of_a_heap_that_holds_fewer_blocks) {
    // 58 blocks of 16 units and 9 units more, instead of 64 blocks: all blocks that fit are there, none of
    // them refused, before 16 are freed.
    std::vector<std::uint64_t> free_units;
    cell_result const found = measured(small_heap(), wrong::nothing, &free_units, 937 * 16);
    ASSERT_EQ(found.status, cell_status::ok) << found.message;
    ASSERT_FALSE(free_units.empty());
    EXPECT_EQ(free_units.back(), 16u * 16 + 9);
}
TEST(partly_free, goes_on_with_one_heap_if_blocks_are_freed) {
    partly_free_options options = small_heap();
    options.what.frees = true;
    cell_result const found = measured(options);
    EXPECT_EQ(found.measures.at(0).samples, (std::vector<double>{3, 3, 3}));
    EXPECT_EQ(plain_allocator::renewals, 1); // after the warm-up: the first measured launch finds a new heap
}
TEST(partly_free, tells_what_does_not_fit_and_what_was_refused) {
    partly_free_options options = small_heap();
    options.threads = 17; // 4352 of 4096 free bytes
    EXPECT_EQ(measured(options).status, cell_status::not_served);
    options = small_heap();
    options.what = {2048, 2048, false};
    options.threads = 1;
    EXPECT_EQ(measured(options).status, cell_status::not_served); // larger than any block
    options = small_heap();
    options.what = {1024, 1024, false};
    options.threads = 4;
    cell_result const scattered = measured(options); // a quarter is free, but hardly as neighbours
    EXPECT_EQ(scattered.status, cell_status::not_served);
    EXPECT_NE(scattered.message.find("of 4 requests were refused"), std::string::npos);
    options.freed_at_random = false;
    EXPECT_EQ(measured(options).status, cell_status::ok);
}
TEST(partly_free, throws_for_pages_that_are_free_but_refused_and_for_blocks_that_overlap) {
    partly_free_options options = small_heap();
    options.free_share = 1;
    EXPECT_EQ(measured(options, wrong::refuses_one).status, cell_status::not_served);
    options.always_served = true;
    EXPECT_NE(
        message_of<std::runtime_error>([&] { (void)measured(options, wrong::refuses_one); }).find("1 of 8"),
        std::string::npos);
    EXPECT_NE(message_of<std::runtime_error>([&] {
                  (void)measured(options, wrong::hands_one_out_twice);
              }).find("overwritten"),
              std::string::npos);
}
TEST(scenarios, are_sizes_ranges_and_frees) {
    EXPECT_EQ(parse_scenario("s", "4100").highest_bytes, 4100u);
    EXPECT_FALSE(parse_scenario("s", "4100").frees);
    EXPECT_TRUE(parse_scenario("s", "4096-freed").frees);
    EXPECT_EQ(parse_scenario("s", "4-64-freed").lowest_bytes, 4u);
    EXPECT_EQ(parse_scenario("s", "mixed").lowest_bytes, 4u);
    EXPECT_EQ(parse_scenario("s", "mixed").highest_bytes, 8192u);
    for (char const* text : {"", "freed", "-freed", "2", "64-4", "mixed-", "4096-kept"})
        EXPECT_THROW((void)parse_scenario("s", text), cli::usage_error) << text;
}

namespace {

measured_cell fig4_cell(std::string allocator, std::string scenario, std::vector<double> samples) {
    return {{"random-walk-fig4",
             {{"allocator", std::move(allocator)}, {"scenario", std::move(scenario)}, {"threads", "10"}}},
            {cell_status::ok, "", {{"alloc", "ms", false, std::move(samples)}}},
            0};
}

} // namespace

TEST(walk_comparisons, divide_means_of_the_scenarios_of_ouroboros) {
    auto const found = compare_walk_fig4({fig4_cell("ouroboros-page-array", "4096-freed", {7, 1, 1}),
                                          fig4_cell("ouroboros-page-array", "4096", {30, 30, 30}),
                                          fig4_cell("ouroboros-page-array", "4100", {60, 60, 60}),
                                          fig4_cell("random-walk-malloc", "4096", {1}),
                                          fig4_cell("random-walk-malloc", "4096-freed", {1})});
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].ratios, 1u);
    EXPECT_DOUBLE_EQ(*found[0].ours.mean, 10);
    EXPECT_DOUBLE_EQ(*found[1].ours.mean, 2);
    EXPECT_EQ(found[2].ratios, 0u); // 8192 bytes were not measured
}
TEST(walk_comparisons, leave_out_cells_that_take_many_pages) {
    auto const cell_with = [](char const* free, char const* threads, double tas) {
        measured_cell made{
            {"random-walk-fig11",
             {{"allocator", "random-walk-bitmap"}, {"pages", "32768"}, {"free", free}, {"threads", threads}}},
            {cell_status::ok, "", {}},
            0};
        made.result.measures = {{"tas", "steps", false, {tas}}, {"tas_formula", "steps", false, {2}}};
        return made;
    };
    // More than one thread for 20 of 1024 words; more than one for 20 of 328 free pages.
    auto const found =
        compare_walk_fig11({cell_with("50", "51", 2), cell_with("50", "52", 6), cell_with("1", "17", 6)});
    ASSERT_GE(found.size(), 3u);
    EXPECT_EQ(found[2].ratios, 1u);
    EXPECT_DOUBLE_EQ(*found[2].ours.mean, 1);
}
TEST(utilisation, is_the_share_before_the_first_refusal_and_at_most_that_of_rounding) {
    /// Has room for `room` blocks.
    struct plain_heap : utilisation_subject {
        explicit plain_heap(std::uint64_t blocks) : room(blocks) {}
        std::uint64_t request(std::uint64_t threads, std::uint64_t) override {
            std::uint64_t const served = std::min(threads, room);
            room -= served;
            return served;
        }
        std::uint64_t room;
    };
    plain_heap heap(777);
    EXPECT_DOUBLE_EQ(handed_out_share(heap, 100'000, 10, 100), 0.777);
    plain_heap larger_than_it_is(1001);
    EXPECT_THROW((void)handed_out_share(larger_than_it_is, 100'000, 10, 100), std::runtime_error);
    EXPECT_DOUBLE_EQ(share_after_rounding({.allocator = "ouroboros", .largest_bytes = 8192}, 1050),
                     1050.0 / 2048);
    EXPECT_DOUBLE_EQ(share_after_rounding({.allocator = "random-walk-malloc", .largest_bytes = 8192}, 1050),
                     1050.0 / 1280);
    EXPECT_DOUBLE_EQ(
        share_after_rounding({.allocator = "random-walk-malloc-16", .largest_bytes = 8192}, 1050),
        1050.0 / 1056);
}

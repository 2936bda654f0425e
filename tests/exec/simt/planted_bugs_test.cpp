// SPDX-License-Identifier: Apache-2.0
// Each planted bug is found within the stated number of seeds; the right version never is, over as many.
#include "planted_kernels.hpp"

#include <rhizome/exec/simt.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

namespace rhizome::exec {
namespace {

using scenario = std::function<bool(simt_space&)>;

void expect_found(std::uint64_t within_seeds, scenario const& wrong, scenario const& right) {
    exploration const found = explore_exactly(1, within_seeds, wrong);
    EXPECT_FALSE(found) << "not found within " << within_seeds << " seeds";
    if (!found) std::cout << "found by seed " << *found.failed_seed << "\n";
    exploration const passed = explore_exactly(1, 4 * within_seeds, right);
    EXPECT_TRUE(passed) << passed.report();
}

template <class Kernel>
bool counts(simt_space& space, launch_shape shape) {
    buffer<simt_space, std::uint32_t> counter(space, 1);
    counter.fill_bytes(0);
    launch(space, shape, Kernel{counter.data()});
    return counter.to_host()[0] == shape.blocks * shape.block_threads;
}

TEST(planted_bugs, lost_update) {
    expect_found(
        20,
        [](simt_space& space) {
            return counts<planted::count_up<false>>(space, {1, 32});
        },
        [](simt_space& space) {
            return counts<planted::count_up<true>>(space, {1, 32});
        });
}

TEST(planted_bugs, block_scoped_atomic_shared_by_two_blocks) {
    expect_found(
        20,
        [](simt_space& space) {
            return counts<planted::count_over_blocks<false>>(space, {2, 32});
        },
        [](simt_space& space) {
            return counts<planted::count_over_blocks<true>>(space, {2, 32});
        });
    // Block scope is right where one block alone uses the word.
    exploration const alone = explore_exactly(1, 80, [](simt_space& space) {
        return counts<planted::count_over_blocks<false>>(space, {1, 64});
    });
    EXPECT_TRUE(alone) << alone.report();
}

template <bool Right>
bool reads_neighbour(simt_space& space) {
    buffer<simt_space, std::uint32_t> out(space, 64);
    launch(space, {1, 64}, planted::read_neighbour<Right>{out.data()});
    std::vector<std::uint32_t> const got = out.to_host();
    for (std::uint32_t i = 0; i < 64; ++i)
        if (got[i] != (i + 1) % 64) return false;
    return true;
}

TEST(planted_bugs, missing_barrier) { expect_found(5, reads_neighbour<false>, reads_neighbour<true>); }

template <class StoreOrder, class LoadOrder>
bool message_arrives(simt_space& space) {
    buffer<simt_space, std::uint32_t> words(space, 3);
    words.fill_bytes(0);
    std::uint32_t* const word = words.data();
    launch(space, {1, 64}, planted::pass_message<StoreOrder, LoadOrder>{word, word + 1, word + 2});
    return words.to_host()[2] == 42;
}
constexpr auto right_message = message_arrives<order::release_t, order::acquire_t>;

TEST(planted_bugs, missing_release) {
    expect_found(100, message_arrives<order::relaxed_t, order::acquire_t>, right_message);
}

TEST(planted_bugs, missing_acquire) {
    expect_found(100, message_arrives<order::release_t, order::relaxed_t>, right_message);
}

template <bool Right>
bool recycles(simt_space& space) {
    constexpr std::uint32_t items = 4;
    std::vector<std::uint32_t> chain(items);
    std::iota(chain.begin(), chain.end(), 1u);
    chain.back() = planted::recycle_items<Right>::nothing;
    buffer<simt_space, std::uint32_t> next(space, chain);
    buffer<simt_space, std::uint64_t> head(space, 1);
    buffer<simt_space, std::uint32_t> owners(space, items + 1);
    head.fill_bytes(0);
    owners.fill_bytes(0);
    launch(space, {1, 8},
           planted::recycle_items<Right>{head.data(), next.data(), owners.data(), owners.data() + items, 6});
    return owners.to_host()[items] == 0;
}

TEST(planted_bugs, aba_in_a_free_list) { expect_found(50, recycles<false>, recycles<true>); }

template <bool Right>
bool takes_locks(simt_space& space) {
    buffer<simt_space, std::uint32_t> words(space, 3);
    words.fill_bytes(0);
    launch(space, {1, 32}, planted::take_two_locks<Right>{words.data(), words.data() + 2});
    return words.to_host()[2] == 2;
}

TEST(planted_bugs, lanes_of_one_warp_take_two_locks_in_opposite_order) {
    expect_found(50, takes_locks<false>, takes_locks<true>);
    exploration const found = explore_exactly(1, 50, takes_locks<false>);
    for (char const* part : {"deadlock", "block 0 thread 0 (warp 0 lane 0) waits in relax() at ",
                             "block 0 thread 1 (warp 0 lane 1) waits in relax() at ",
                             "planted_kernels.hpp:", "allocation 1 + 0 bytes", "allocation 1 + 4 bytes",
                             "replay: RHIZOME_SIMT_SEED="})
        EXPECT_NE(found.what.find(part), std::string::npos) << part << " is not in:\n" << found.what;
}

template <bool Right>
bool meets_under_lock(simt_space& space) {
    buffer<simt_space, std::uint32_t> lock(space, 1);
    lock.fill_bytes(0);
    launch(space, {1, 32}, planted::meet_under_lock<Right>{lock.data()});
    return lock.to_host()[0] == 0;
}

TEST(planted_bugs, lane_waits_for_its_warp_while_it_holds_a_lock) {
    expect_found(1, meets_under_lock<false>, meets_under_lock<true>);
    exploration const found = explore_exactly(1, 1, meets_under_lock<false>);
    EXPECT_NE(found.what.find("waits in sync of lanes 0xffffffff at "), std::string::npos) << found.what;
    EXPECT_NE(found.what.find("waits in relax() at "), std::string::npos) << found.what;
}

} // namespace
} // namespace rhizome::exec

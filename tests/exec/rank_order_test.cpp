// SPDX-License-Identifier: Apache-2.0
// Lanes that want one item each, from batches of any size: each gets one, in the order of their ranks.
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/rank_order.hpp>
#include <rhizome/exec/shape.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::tests {
namespace {

constexpr std::uint32_t no_item = ~std::uint32_t{0};
constexpr std::uint32_t most_rounds = 64;

/// What one lane has seen.
struct seen_by_lane {
    std::uint32_t rank;
    std::uint32_t size;
    std::uint32_t item;   ///< items of a group have the numbers 0, 1, 2, ...
    std::uint32_t times;  ///< that the lane was next
    std::uint32_t rounds; ///< until all were served
};

/// Each group serves itself from batches of sizes[0], sizes[1], ... items, and from the first again, capped
/// at what it misses. Odd lanes form a group of their own, so that ranks are not places in the warp.
struct serve_from_batches {
    std::uint32_t const* sizes;
    std::uint32_t size_count;
    seen_by_lane* seen;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const lanes_of_warp = thread.warp();
        auto const group = lanes_of_warp.match(static_cast<std::uint32_t>(thread.rank() % 2));
        seen_by_lane own{group.rank(), group.size(), no_item, 0, 0};
        std::uint32_t handed_out = 0;
        exec::rank_order lanes;
        for (bool all = false; !all && own.rounds < most_rounds; ++own.rounds) {
            std::uint32_t const size = sizes[own.rounds % size_count];
            std::uint32_t const batch = size < lanes.missing(group) ? size : lanes.missing(group);
            if (lanes.is_next(group, batch)) {
                own.item = handed_out + lanes.turn(group);
                ++own.times;
            }
            handed_out += batch;
            all = lanes.serve(group, batch);
        }
        seen[thread.rank()] = own;
    }
};

template <class Space>
class rank_order : public space_test {};
TYPED_TEST_SUITE(rank_order, all_spaces, space_names);

TYPED_TEST(rank_order, every_lane_is_served_once_and_lower_ranks_first) {
    TypeParam space = make_space<TypeParam>();
    for (std::vector<std::uint32_t> const& sizes :
         std::vector<std::vector<std::uint32_t>>{{32}, {1}, {0, 3}, {5, 0, 0, 1, 7}, {16}, {15}, {100}}) {
        exec::launch_shape const shape = cover_threads(space, 128, 64);
        std::uint64_t const threads = std::uint64_t{shape.blocks} * shape.block_threads;
        exec::buffer<TypeParam, std::uint32_t> batches(space, sizes);
        exec::buffer<TypeParam, seen_by_lane> seen(space, threads);
        launch(space, shape,
               serve_from_batches{batches.data(), static_cast<std::uint32_t>(sizes.size()), seen.data()});
        for (seen_by_lane const& lane : seen.to_host()) {
            EXPECT_EQ(lane.item, lane.rank);
            EXPECT_EQ(lane.times, 1u);
            std::uint32_t rounds = 0;
            for (std::uint32_t served = 0; served < lane.size; ++rounds)
                served += sizes[rounds % sizes.size()];
            EXPECT_EQ(lane.rounds, rounds) << "all lanes know at once that all are served";
        }
    }
}

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// Many lanes of many blocks that make a gg_array grow at the same time, under many schedules and weak memory.
#include "cases.hpp"
#include "numbered.hpp"

#include <rhizome/exec/simt/explore.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace rhizome::tests {
namespace {

using exec::simt_space;

template <class Insertion>
class explored_growth : public ::testing::Test {};
using insertions = ::testing::Types<container::atomic, container::warp_scan, container::tensor_scan>;
struct insertion_names {
    template <class Insertion>
    static std::string GetName(int) {
        std::string policy = Insertion::name;
        std::replace(policy.begin(), policy.end(), '-', '_');
        return policy;
    }
};
TYPED_TEST_SUITE(explored_growth, insertions, insertion_names);

constexpr std::uint64_t seeds = 60; ///< RHIZOME_SIMT_SEEDS asks for another number

template <class Array, class Wishes>
void check(Array& array, Wishes const& wishes, bool all) {
    for (std::string const& violation : array.audit())
        throw std::runtime_error(violation);
    std::string const difference = wishes.difference(array);
    if (!difference.empty()) throw std::runtime_error(difference);
    if (all && wishes.inserted() != wishes.wanted())
        throw std::runtime_error("elements were refused though there was memory");
    if (wishes.wrong() != 0) throw std::runtime_error("elements do not lie where insert_anywhere() said");
}

/// Inserts into an array over `heap`, twice; the seed decides how many vectors there are. `refused`: whether
/// some requests are refused, which the seed chooses as well. `Anywhere`: with insert_anywhere().
template <class Insertion, class Heap, bool Anywhere = false>
void explore_growth(exec::launch_shape shape, bool refused) {
    std::uint64_t short_runs = 0;
    exec::exploration const found = exec::explore(1, scaled(seeds), [&](simt_space& space) {
        alloc::failing<Heap> heap(space, {.heap_bytes = 256u << 10, .reserve_bytes = 256u << 10});
        using array_type = container::gg_array<simt_space, std::uint64_t, alloc::failing<Heap>>;
        array_type array(space, heap,
                         {.vectors = static_cast<std::uint32_t>(1 + space.seed() % 3), .first_bucket = 1});
        numbered_wishes<simt_space, Insertion> wishes(space, shape, 3, 2);
        if (refused) {
            if (space.seed() % 2 == 0)
                heap.fail_at(1 + space.seed() / 2 % 16);
            else
                heap.fail_from(1 + space.seed() / 2 % 16);
        }
        wishes.template insert_into<Anywhere>(array);
        check(array, wishes, !refused);
        short_runs += wishes.inserted() < wishes.wanted() ? 1 : 0;
        heap.fail_never();
        wishes.template insert_into<Anywhere>(array);
        check(array, wishes, true);
        numbered_wishes<simt_space, Insertion> more(space, shape, 2, 1);
        array.shrink_to(0);
        more.insert_into(array);
        check(array, more, true);
        return true;
    });
    EXPECT_TRUE(found) << found.report();
    if (refused && found.seeds_run >= 30) {
        EXPECT_GT(short_runs, 0u) << "refusals are tested";
    }
}

TYPED_TEST(explored_growth, loses_and_doubles_nothing) {
    explore_growth<TypeParam, alloc::bump<simt_space>>({4, 64}, false);
}
TYPED_TEST(explored_growth, loses_and_doubles_nothing_with_pages_that_come_back) {
    explore_growth<TypeParam, ouroboros_default::owner<simt_space>>({3, 32}, false);
}
TYPED_TEST(explored_growth, that_is_refused_loses_and_doubles_nothing) {
    explore_growth<TypeParam, alloc::bump<simt_space>>({4, 64}, true);
}
TYPED_TEST(explored_growth, that_goes_on_to_other_vectors_loses_and_doubles_nothing) {
    explore_growth<TypeParam, alloc::bump<simt_space>, true>({4, 64}, true);
}

} // namespace
} // namespace rhizome::tests

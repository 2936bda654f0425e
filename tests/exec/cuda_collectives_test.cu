// SPDX-License-Identifier: Apache-2.0
// Tiles, coalesced groups and blocks on the GPU.
#include "collectives_cases.hpp"

#include <rhizome/exec/cuda.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>
#include <type_names.hpp>

#include <cstdint>

using namespace rhizome;

namespace {

class cuda_collectives : public tests::space_test {};

template <class T>
class cuda_collectives_of : public tests::space_test {};
using word_types = ::testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(cuda_collectives_of, word_types, tests::value_names);

TYPED_TEST(cuda_collectives_of, tiles_answer_from_the_ranks) {
    exec_test::tiles_answer_from_the_ranks<TypeParam>(exec::cuda_space());
}
TYPED_TEST(cuda_collectives_of, groups_answer_from_the_ranks) {
    exec_test::groups_answer_from_the_ranks<TypeParam>(exec::cuda_space(), 1, 500);
}
TEST_F(cuda_collectives, tiles_of_one_warp_may_diverge) {
    exec_test::tiles_of_one_warp_may_diverge(exec::cuda_space());
}
TEST_F(cuda_collectives, order_memory_by_sync) { exec_test::tile_sync_orders_memory(exec::cuda_space()); }
TEST_F(cuda_collectives, order_shared_storage_by_barriers) {
    for (std::uint32_t const threads : {32u, 64u, 128u, 256u})
        exec_test::barriers_order_shared_storage(exec::cuda_space(), threads);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0
// Atomic words of every type, over many seeds.
#include "../atomics_cases.hpp"

#include <rhizome/exec/simt.hpp>

#include <gtest/gtest.h>
#include <type_names.hpp>

#include <cstdint>

namespace rhizome::exec {
namespace {

template <class T>
class simt_atomics : public ::testing::Test {};
using word_types = ::testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(simt_atomics, word_types, tests::value_names);

TYPED_TEST(simt_atomics, compute_what_their_names_say) {
    auto const found = explore(1, 10, [](simt_space& space) {
        exec_test::atomics_compute<TypeParam>(space, {2, 64}, 64);
        return !::testing::Test::HasFailure();
    });
    EXPECT_TRUE(found) << found.report();
}

} // namespace
} // namespace rhizome::exec

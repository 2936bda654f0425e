// SPDX-License-Identifier: Apache-2.0
// Atomic words of every type on the GPU.
#include "atomics_cases.hpp"

#include <rhizome/exec/cuda.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>
#include <type_names.hpp>

#include <cstdint>

using namespace rhizome;

namespace {

template <class T>
class cuda_atomics : public tests::space_test {};
using word_types = ::testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(cuda_atomics, word_types, tests::value_names);

TYPED_TEST(cuda_atomics, compute_what_their_names_say) {
    exec_test::atomics_compute<TypeParam>(exec::cuda_space(), {64, 128}, 256);
}

} // namespace

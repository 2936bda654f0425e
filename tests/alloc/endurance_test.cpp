// SPDX-License-Identifier: Apache-2.0
// Endurance of all allocators whose blocks are used again.
#include "endurance.hpp"

#include <gtest/gtest.h>

namespace rhizome::tests {
namespace {

template <class Case>
class allocator_endurance : public space_test {};
TYPED_TEST_SUITE(allocator_endurance, recycling_conformance_cases, named_types);

TYPED_TEST(allocator_endurance, books_and_blocks_agree_and_the_heap_is_whole_at_the_end) {
    endure_many_launches<TypeParam>();
}

} // namespace
} // namespace rhizome::tests

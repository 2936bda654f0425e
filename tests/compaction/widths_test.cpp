// SPDX-License-Identifier: Apache-2.0
// Every width from 1 to 16 bytes at any address, on host and emulator.
#include "compaction_check.hpp"

#include <rhizome/compaction/select.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::tests {
namespace {

static_assert(compaction::selectable<bytes_of<16>>);
static_assert(!compaction::selectable<bytes_of<17>>);
static_assert(!compaction::selectable<std::vector<int>>);

template <class Space>
class compaction_widths : public space_test {};
TYPED_TEST_SUITE(compaction_widths, all_spaces, space_names);

TYPED_TEST(compaction_widths, from_1_to_16_bytes) {
    auto space = make_space<TypeParam>();
    compaction::compactor<TypeParam> compactor(space);
    for (double const share : {0.03, 0.6}) {
        plain_mask const mask = uniform_mask(5003, share);
        auto const check = [&]<std::size_t Bytes>() {
            SCOPED_TRACE(std::to_string(Bytes) + " bytes, share " + std::to_string(share));
            check_select<bytes_of<Bytes>>(space, compactor, mask, {0, 1, 1});
            check_select<bytes_of<Bytes>>(space, compactor, mask);
            check_in_place<bytes_of<Bytes>>(space, compactor, mask);
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) { (check.template operator()<I + 1>(), ...); }
        (std::make_index_sequence<16>{});
    }
}

} // namespace
} // namespace rhizome::tests

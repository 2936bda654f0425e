// SPDX-License-Identifier: Apache-2.0
// More than 2^32 elements, where memory allows.
#include <rhizome/compaction/select.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Space>
class large_compaction : public space_test {};
using large_spaces = detail::as_types<fast_space_list>::type;
TYPED_TEST_SUITE(large_compaction, large_spaces, space_names);

[[nodiscard]] bool enough_memory(std::uint64_t memory_bytes) {
    return memory_bytes > (std::uint64_t{12} << 30);
}

TYPED_TEST(large_compaction, selects_beyond_2_to_the_32) {
    auto space = make_space<TypeParam>();
    if (sanitized || !enough_memory(space.memory_bytes())) GTEST_SKIP() << "needs 12 GiB of memory";
    std::uint64_t const items = (std::uint64_t{1} << 32) + 12'345'677;
    exec::buffer<TypeParam, std::uint8_t> array(space, items);
    exec::buffer<TypeParam, std::uint32_t> words(space, compaction::words_for(items));
    std::uint8_t* const bytes = array.data();
    std::uint32_t* const mask_words = words.data();
    // All are selected but for item 5 and the last one.
    space.fill(bytes, 1, items);
    space.fill(mask_words, 0xff, compaction::words_for(items) * 4);
    std::uint32_t const all_but_5 = ~std::uint32_t{0} ^ 1u << 5;
    space.copy_in(mask_words, &all_but_5, sizeof(all_but_5));
    std::uint64_t const last = items - 1;
    std::uint32_t const last_word = (std::uint32_t{1} << last % 32) - 1; // its bit and those beyond are 0
    space.copy_in(mask_words + last / 32, &last_word, sizeof(last_word));
    std::uint64_t const marked = (std::uint64_t{1} << 32) + 4'000'000;
    std::uint8_t const mark = 77;
    space.copy_in(bytes + marked, &mark, 1);
    std::uint8_t const refused = 99;
    space.copy_in(bytes + 5, &refused, 1);
    space.copy_in(bytes + last, &refused, 1);

    compaction::compactor<TypeParam> compactor(space);
    compaction::bit_mask const mask{mask_words, items};
    // The host's test machines have memory for one such array.
    std::uint8_t* out = bytes;
    std::uint64_t found = 0;
    exec::buffer<TypeParam, std::uint8_t> output(space);
    if constexpr (is_gpu<TypeParam>) {
        output.discard_and_resize(items);
        out = output.data();
        found = compactor.select(bytes, mask, out);
    } else {
        found = compactor.select_in_place(bytes, mask);
    }
    ASSERT_EQ(found, items - 2);
    std::vector<std::uint8_t> piece(1'000'000);
    space.copy_out(piece.data(), out, piece.size());
    EXPECT_EQ(piece, std::vector<std::uint8_t>(piece.size(), 1));
    space.copy_out(piece.data(), out + marked - 1 - piece.size() / 2, piece.size());
    std::vector<std::uint8_t> expected(piece.size(), 1);
    expected[piece.size() / 2] = mark;
    EXPECT_EQ(piece, expected);
    space.copy_out(piece.data(), out + found - piece.size(), piece.size());
    EXPECT_EQ(piece, std::vector<std::uint8_t>(piece.size(), 1));

    // Few items, found by number.
    space.fill(mask_words, 0, compaction::words_for(items) * 4);
    std::uint32_t const one = 1;
    std::vector<std::uint64_t> const chosen{64, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                            marked / 32 * 32};
    for (std::uint64_t const item : chosen)
        space.copy_in(mask_words + item / 32, &one, sizeof(one));
    exec::buffer<TypeParam, std::uint64_t> indices(space, chosen.size());
    ASSERT_EQ(compactor.select_indices(mask, indices.data()), chosen.size());
    EXPECT_EQ(indices.to_host(), chosen);
}

} // namespace
} // namespace rhizome::tests

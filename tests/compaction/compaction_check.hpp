// SPDX-License-Identifier: Apache-2.0
// Runs one compaction and compares counts, contents, and what lies around the output with the oracle's.
#pragma once

#include "elements.hpp"
#include "masks.hpp"

#include <rhizome/compaction/bit_mask.hpp>
#include <rhizome/exec/buffer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rhizome::tests {

/// How far arrays lie from an aligned address.
struct displacement {
    std::uint64_t mask_words = 0;
    std::uint64_t output_elements = 0;
    std::uint64_t input_elements = 0;
};

/// A mask in the memory of a space.
template <class Space>
class mask_in_space {
public:
    mask_in_space(Space space, plain_mask const& mask, std::uint64_t displaced_words = 0)
        : words_(std::move(space),
                 std::span<std::uint32_t const>(displaced(words_of(mask), displaced_words))),
          displaced_(displaced_words), bits_(mask.size()) {}
    [[nodiscard]] compaction::bit_mask view() const { return {words_.data() + displaced_, bits_}; }

private:
    static std::vector<std::uint32_t> displaced(std::vector<std::uint32_t> words, std::uint64_t by) {
        words.insert(words.begin(), by, ~std::uint32_t{0});
        if (words.empty()) words.push_back(0);
        return words;
    }

    exec::buffer<Space, std::uint32_t> words_;
    std::uint64_t displaced_;
    std::uint64_t bits_;
};

/// Room for an output of `count` elements, with 16 elements of known bytes before and behind it.
template <class Space, class T>
class guarded_output {
public:
    guarded_output(Space space, std::uint64_t count, std::uint64_t displaced = 0)
        : room_(std::move(space), count + 2 * guard + displaced), begin_(guard + displaced), count_(count) {
        room_.fill_bytes(guard_byte);
    }
    [[nodiscard]] T* data() { return room_.data() + begin_; }
    void expect(std::vector<T> const& expected) const {
        std::vector<T> const found = room_.to_host();
        T outside;
        std::memset(static_cast<void*>(&outside), guard_byte, sizeof(T));
        ASSERT_EQ(expected.size(), count_);
        for (std::uint64_t i = 0; i < found.size(); ++i) {
            bool const inside = i >= begin_ && i < begin_ + count_;
            T const& wanted = inside ? expected[i - begin_] : outside;
            ASSERT_TRUE(found[i] == wanted) << (inside ? "element " : "outside, element ")
                                            << static_cast<std::int64_t>(i - begin_) << " of " << count_;
        }
    }

private:
    static constexpr std::uint64_t guard = 16;
    static constexpr std::uint8_t guard_byte = 0xab; // elements of tests have no such byte
    exec::buffer<Space, T> room_;
    std::uint64_t begin_;
    std::uint64_t count_;
};

template <class T, class Space, class Compactor>
void check_select(Space& space, Compactor& compactor, plain_mask const& mask, displacement const& by = {}) {
    auto const values = elements_of<T>(mask.size() + by.input_elements);
    exec::buffer<Space, T> const input(space, std::span<T const>(values));
    mask_in_space<Space> const bits(space, mask, by.mask_words);
    std::vector<T> const own(values.begin() + static_cast<std::ptrdiff_t>(by.input_elements), values.end());
    std::vector<T> const expected = selected_of(own, mask);
    guarded_output<Space, T> waited(space, expected.size(), by.output_elements);
    EXPECT_EQ(compactor.select(input.data() + by.input_elements, bits.view(), waited.data()),
              expected.size());
    waited.expect(expected);

    guarded_output<Space, T> given(space, expected.size(), by.output_elements);
    exec::buffer<Space, std::uint64_t> count(space, 1);
    count.fill_bytes(0xff);
    compactor.select(input.data() + by.input_elements, bits.view(), given.data(), count.data());
    EXPECT_EQ(count.to_host().front(), expected.size());
    given.expect(expected);
}

template <class T, class Space, class Compactor>
void check_in_place(Space& space, Compactor& compactor, plain_mask const& mask, displacement const& by = {}) {
    constexpr std::uint64_t guard = 16;
    std::uint64_t const first = guard + by.input_elements;
    // Other elements before and behind those that move.
    auto const values = elements_of<T>(first + mask.size() + guard);
    auto const begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    auto const end = begin + static_cast<std::ptrdiff_t>(mask.size());
    mask_in_space<Space> const bits(space, mask, by.mask_words);
    std::vector<T> const expected = selected_of(std::vector<T>(begin, end), mask);
    exec::buffer<Space, T> data(space, std::span<T const>(values));
    EXPECT_EQ(compactor.select_in_place(data.data() + first, bits.view()), expected.size());
    std::vector<T> const found = data.to_host();
    auto const found_begin = found.begin() + static_cast<std::ptrdiff_t>(first);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found_begin));
    EXPECT_TRUE(std::equal(found.begin(), found_begin, values.begin())) << "before the elements";
    EXPECT_TRUE(std::equal(found.end() - guard, found.end(), values.end() - guard)) << "behind the elements";
}

template <class Index, class Space, class Compactor>
void check_indices(Space& space, Compactor& compactor, plain_mask const& mask) {
    mask_in_space<Space> const bits(space, mask);
    std::vector<Index> expected;
    for (std::uint64_t item = 0; item < mask.size(); ++item)
        if (mask[item]) expected.push_back(static_cast<Index>(item));
    guarded_output<Space, Index> output(space, expected.size(), 3);
    EXPECT_EQ(compactor.select_indices(bits.view(), output.data()), expected.size());
    output.expect(expected);
}

} // namespace rhizome::tests

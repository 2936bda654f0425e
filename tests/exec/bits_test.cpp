// SPDX-License-Identifier: Apache-2.0
// Bits of a word, compared with a loop over each bit, in every space.
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstdint>
#include <random>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Word>
struct answers {
    std::uint32_t set;
    std::uint32_t right_zeros;
    std::uint32_t right_ones;
    std::uint32_t left_zeros;
    std::uint32_t left_ones;
    std::uint32_t width;
    Word floor;
    Word ceil; ///< 0 where the word cannot hold it
    Word turned;
};

/// By the number of set bits: the place of each, and the lowest so many.
struct choices {
    std::uint32_t place[64];
    std::uint64_t lowest[66];
};

template <class Word>
struct ask {
    Word const* words;
    std::uint64_t count;
    answers<Word>* found;
    choices* chosen;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            Word const word = words[i];
            answers<Word>& own = found[i];
            own.set = exec::popcount(word);
            own.right_zeros = exec::countr_zero(word);
            own.right_ones = exec::countr_one(word);
            own.left_zeros = exec::countl_zero(word);
            own.left_ones = exec::countl_one(word);
            own.width = exec::bit_width(word);
            own.floor = exec::bit_floor(word);
            bool const holds = word <= Word{1} << (sizeof(Word) * 8 - 1);
            own.ceil = holds ? exec::bit_ceil(word) : Word{0};
            own.turned = exec::rotr(word, static_cast<std::uint32_t>(i % (2 * sizeof(Word) * 8)));
            for (std::uint32_t rank = 0; rank < own.set; ++rank)
                chosen[i].place[rank] = exec::nth_bit(word, rank);
            for (std::uint32_t wanted = 0; wanted < 66; ++wanted)
                chosen[i].lowest[wanted] = exec::lowest_bits(word, wanted);
        });
    }
};

struct range_answers {
    std::uint64_t of[65][65];
};
struct ask_for_ranges {
    range_answers* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, 65, [&](std::uint64_t begin) {
            for (std::uint32_t end = static_cast<std::uint32_t>(begin); end <= 64; ++end)
                found->of[begin][end] = exec::bit_range(static_cast<std::uint32_t>(begin), end);
        });
    }
};

/// One answer after the other, from the word's bits, the lowest first.
template <class Word>
void expect_answers(Word word, std::uint64_t number, answers<Word> const& found, choices const& chosen) {
    constexpr std::uint32_t width = sizeof(Word) * 8;
    std::vector<bool> bits(width);
    for (std::uint32_t i = 0; i < width; ++i)
        bits[i] = (word >> i & 1) != 0;
    auto const run = [&](bool value, bool from_the_left) {
        std::uint32_t length = 0;
        while (length < width && bits[from_the_left ? width - 1 - length : length] == value)
            ++length;
        return length;
    };
    SCOPED_TRACE(testing::Message() << "word " << word);
    EXPECT_EQ(found.right_zeros, run(false, false));
    EXPECT_EQ(found.right_ones, run(true, false));
    EXPECT_EQ(found.left_zeros, run(false, true));
    EXPECT_EQ(found.left_ones, run(true, true));
    EXPECT_EQ(found.width, width - run(false, true));
    EXPECT_EQ(found.floor, word == 0 ? 0 : Word{1} << (width - 1 - run(false, true)));
    Word ceil = 1;
    while (ceil != 0 && ceil < word)
        ceil = static_cast<Word>(ceil * 2);
    EXPECT_EQ(found.ceil, ceil);
    Word turned = 0;
    for (std::uint32_t i = 0; i < width; ++i)
        if (bits[(i + number) % width]) turned |= Word{1} << i;
    EXPECT_EQ(found.turned, turned);

    std::uint32_t set = 0;
    std::uint64_t lowest = 0;
    for (std::uint32_t i = 0; i < width; ++i) {
        if (!bits[i]) continue;
        EXPECT_EQ(chosen.place[set], i) << "set bit " << set;
        EXPECT_EQ(chosen.lowest[set], lowest) << set << " bits";
        lowest |= std::uint64_t{1} << i;
        ++set;
    }
    EXPECT_EQ(found.set, set);
    for (std::uint32_t wanted = set; wanted < 66; ++wanted)
        EXPECT_EQ(chosen.lowest[wanted], word) << wanted << " bits";
}

template <class Word, class Space>
void expect_right_answers(Space space) {
    constexpr std::uint32_t width = sizeof(Word) * 8;
    std::vector<Word> words{0, static_cast<Word>(~Word{0})};
    for (std::uint32_t i = 0; i < width; ++i) {
        Word const one = Word{1} << i;
        words.insert(words.end(), {one, static_cast<Word>(~one), static_cast<Word>(one - 1),
                                   static_cast<Word>(one + 1), static_cast<Word>(~(one - 1))});
    }
    std::mt19937_64 random(3);
    while (words.size() < 600) {
        auto const some = static_cast<Word>(random());
        words.insert(words.end(),
                     {some, static_cast<Word>(some & random()), static_cast<Word>(some | random())});
    }
    exec::buffer<Space, Word> asked(space, words);
    exec::buffer<Space, answers<Word>> found(space, words.size());
    exec::buffer<Space, choices> chosen(space, words.size());
    launch(space, cover_threads(space, words.size()),
           ask<Word>{asked.data(), words.size(), found.data(), chosen.data()});
    auto const answered = found.to_host();
    auto const choices_made = chosen.to_host();
    for (std::uint64_t i = 0; i < words.size(); ++i)
        expect_answers(words[i], i, answered[i], choices_made[i]);
}

template <class Space>
class bits : public space_test {};
TYPED_TEST_SUITE(bits, all_spaces, space_names);

TYPED_TEST(bits, are_counted_and_chosen) {
    expect_right_answers<std::uint64_t>(make_space<TypeParam>());
    expect_right_answers<std::uint32_t>(make_space<TypeParam>());
}

TYPED_TEST(bits, of_a_range_are_those_from_its_begin_to_its_end) {
    TypeParam space = make_space<TypeParam>();
    exec::buffer<TypeParam, range_answers> found(space, 1);
    launch(space, cover_threads(space, 65), ask_for_ranges{found.data()});
    range_answers const ranges = found.to_host()[0];
    for (std::uint32_t begin = 0; begin <= 64; ++begin)
        for (std::uint32_t end = begin; end <= 64; ++end) {
            std::uint64_t expected = 0;
            for (std::uint32_t i = begin; i < end; ++i)
                expected |= std::uint64_t{1} << i;
            ASSERT_EQ(ranges.of[begin][end], expected) << begin << " to " << end;
        }
}

// The same at compile time.
static_assert(exec::popcount(0xf0u) == 4 && exec::countr_zero(0xf0u) == 4 && exec::bit_width(0xf0u) == 8);
static_assert(exec::nth_bit(0b1011'0100, 2) == 5 && exec::lowest_bits(0b1011'0100, 2) == 0b1'0100);

} // namespace
} // namespace rhizome::tests

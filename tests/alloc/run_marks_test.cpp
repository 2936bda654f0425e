// SPDX-License-Identifier: Apache-2.0
// Parts of random_walk_malloc by themselves: the marks of a run, pages that lanes give back together,
// lengths.
#include "blocks.hpp"

#include <rhizome/alloc/random_walk/give_run.hpp>
#include <rhizome/alloc/random_walk/run_lengths.hpp>
#include <rhizome/alloc/random_walk/run_marks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace rhizome::tests {
namespace {

using alloc::run_marks;

TEST(run_parts, name_each_page_of_a_run_once) {
    for (std::uint64_t first = 0; first < 70; ++first) {
        for (std::uint64_t pages = 1; pages < 2200; pages += pages < 140 ? 1 : 31) {
            alloc::run_parts const parts(first, pages);
            std::vector<int> named(first + pages + 2048, 0);
            auto const name = [&](std::uint64_t word, std::uint32_t bits) {
                for (std::uint32_t bit = 0; bit < 32; ++bit)
                    if ((bits >> bit & 1) != 0) ++named[word * 32 + bit];
            };
            std::uint64_t marks = parts.group_end() - parts.group_begin();
            for (std::uint64_t group = parts.group_begin(); group < parts.group_end(); ++group) {
                ASSERT_NE(parts.words_in(group), 0u) << first << ", " << pages;
                for (std::uint32_t word = 0; word < 32; ++word)
                    if ((parts.words_in(group) >> word & 1) != 0) name(group * 32 + word, ~0u);
            }
            if (parts.first_pages != 0) name(parts.first_word(), parts.first_pages);
            if (parts.last_pages != 0) name(parts.whole_end, parts.last_pages);
            EXPECT_NE(parts.first_pages, ~0u) << "a whole word is taken by its group";
            EXPECT_NE(parts.last_pages, ~0u);
            marks += (parts.first_pages != 0 ? 1 : 0) + (parts.last_pages != 0 ? 1 : 0);
            EXPECT_EQ(parts.spans(), marks > 1) << first << ", " << pages;
            for (std::uint64_t page = 0; page < named.size(); ++page)
                ASSERT_EQ(named[page], page >= first && page < first + pages ? 1 : 0)
                    << page << " of " << first << ", " << pages;
        }
    }
}

struct share_in_a_warp {
    std::uint64_t const* first_words;
    std::uint32_t const* first;
    std::uint64_t const* last_words;
    std::uint32_t const* last;
    alloc::detail::shared_words* shared;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const i = thread.rank();
        shared[i] =
            alloc::detail::share_words(thread.warp(), first_words[i], first[i], last_words[i], last[i]);
    }
};

/// Blocks of random lengths, side by side or with gaps: what is given of each word are all of its pages, and
/// neighbours give them together.
TEST(share_words, gives_the_pages_of_each_word_once_for_all_neighbours) {
    std::mt19937_64 random(3);
    exec::simt_space space = make_space<exec::simt_space>({});
    for (int round = 0; round < 200; ++round) {
        std::vector<std::uint64_t> first_words(32), last_words(32);
        std::vector<std::uint32_t> first(32), last(32);
        std::map<std::uint64_t, std::uint32_t> expected;
        std::uint64_t place = random() % 40;
        bool const side_by_side = round % 2 == 0;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            std::uint64_t const pages = 1 + random() % (round % 3 == 0 ? 4 : round % 3 == 1 ? 40 : 300);
            alloc::run_parts const parts(place, pages);
            bool const has_first = parts.first_pages != 0;
            first_words[lane] = has_first ? parts.first_word() : parts.whole_end;
            first[lane] = has_first ? parts.first_pages : parts.last_pages;
            last_words[lane] = parts.whole_end;
            last[lane] = has_first ? parts.last_pages : 0;
            if (first[lane] != 0) expected[first_words[lane]] += first[lane];
            if (last[lane] != 0) expected[last_words[lane]] += last[lane];
            place += pages + (side_by_side ? 0 : random() % 50);
        }
        exec::buffer<exec::simt_space, std::uint64_t> const in_first_words(space, first_words);
        exec::buffer<exec::simt_space, std::uint64_t> const in_last_words(space, last_words);
        exec::buffer<exec::simt_space, std::uint32_t> const in_first(space, first);
        exec::buffer<exec::simt_space, std::uint32_t> const in_last(space, last);
        exec::buffer<exec::simt_space, alloc::detail::shared_words> out(space, 32);
        launch(space, {1, 32},
               share_in_a_warp{in_first_words.data(), in_first.data(), in_last_words.data(), in_last.data(),
                               out.data()});
        auto const shared = out.to_host();
        std::map<std::uint64_t, std::uint32_t> given;
        std::size_t gives = 0;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            if (shared[lane].first != 0) ++gives, given[first_words[lane]] += shared[lane].first;
            if (shared[lane].last != 0) ++gives, given[last_words[lane]] += shared[lane].last;
        }
        EXPECT_EQ(given, expected) << "round " << round;
        EXPECT_EQ(gives, expected.size()) << "each word once, round " << round;
    }
}

TEST(run_lengths, of_long_and_short_blocks_that_begin_among_the_same_pages) {
    constexpr std::uint64_t beyond = (std::uint64_t{1} << 26) - 1; // needs further words
    std::vector<std::uint8_t> bytes(512);
    std::vector<std::uint32_t> long_lengths(8);
    alloc::run_lengths_ref const lengths(bytes.data(), long_lengths.data());
    exec::host_thread<exec::no_shared> const thread(0, 1, nullptr);
    for (std::uint64_t const pages :
         {std::uint64_t{64}, std::uint64_t{65}, beyond - 1, beyond, beyond + 1, std::uint64_t{5} << 40}) {
        lengths.set(thread, 128, 2);
        lengths.set(thread, 130, 63);
        lengths.set(thread, 191, 1);
        lengths.set(thread, 129 + 64, pages);
        EXPECT_EQ(lengths.of(thread, 128), 2u);
        EXPECT_EQ(lengths.of(thread, 130), 63u);
        EXPECT_EQ(lengths.of(thread, 191), 1u);
        EXPECT_EQ(lengths.of(thread, 193), pages);
        EXPECT_EQ(lengths.remove(thread, 191), 1u);
        EXPECT_EQ(lengths.remove(thread, 193), pages);
        for (std::uint32_t const left : long_lengths)
            EXPECT_EQ(left, 0u) << "a later block would be taken for one of " << pages << " pages";
        lengths.set(thread, 193, 7); // where the long one began
        EXPECT_EQ(lengths.remove(thread, 193), 7u);
    }
}

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// Names of vertices: numbers, text, and the way from one to the other.
#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/vertex_names.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace rhizome;

namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

std::vector<std::string> all_of(io::vertex_names const& names) {
    std::vector<std::string> all;
    for (std::uint64_t v = 0; v < names.size(); ++v)
        all.push_back(names.name(static_cast<graph::vertex_id>(v)));
    return all;
}

} // namespace

TEST(vertex_names, are_empty_at_first) {
    io::vertex_names const names;
    EXPECT_TRUE(names.empty());
    EXPECT_FALSE(names.is_text());
    EXPECT_EQ(names.find(std::uint64_t{0}), std::nullopt);
    EXPECT_EQ(names.find("0"), std::nullopt);
    EXPECT_EQ(names.find(""), std::nullopt);
}

TEST(vertex_names, number_vertices_in_the_order_of_new_names) {
    io::vertex_names names;
    EXPECT_EQ(names.find_or_add(std::uint64_t{70}), 0u);
    EXPECT_EQ(names.find_or_add(largest), 1u);
    EXPECT_EQ(names.find_or_add(std::uint64_t{0}), 2u);
    EXPECT_EQ(names.find_or_add(std::uint64_t{70}), 0u);
    EXPECT_EQ(names.find_or_add(largest), 1u);
    EXPECT_EQ(names.size(), 3u);
    EXPECT_FALSE(names.is_text());
    EXPECT_EQ(names.number(1), largest);
    EXPECT_EQ(all_of(names), (std::vector<std::string>{"70", "18446744073709551615", "0"}));
    EXPECT_EQ(names.find(std::uint64_t{70}), 0u);
    EXPECT_EQ(names.find(std::uint64_t{7}), std::nullopt);
}

TEST(vertex_names, take_a_number_and_its_text_as_the_same_name) {
    io::vertex_names names;
    EXPECT_EQ(names.find_or_add("12"), 0u);
    EXPECT_EQ(names.find_or_add(std::uint64_t{12}), 0u);
    EXPECT_EQ(names.find_or_add("18446744073709551615"), 1u);
    EXPECT_EQ(names.find_or_add(largest), 1u);
    EXPECT_FALSE(names.is_text());
    EXPECT_EQ(names.find("12"), 0u);
    EXPECT_EQ(names.find("x"), std::nullopt);
    EXPECT_EQ(names.find_or_add("x"), 2u);
    EXPECT_EQ(names.find_or_add(std::uint64_t{12}), 0u);
    EXPECT_EQ(names.find_or_add("12"), 0u);
    EXPECT_EQ(names.find(largest), 1u);
}

TEST(vertex_names, become_text_with_the_first_name_that_is_no_number) {
    for (char const* text : {"Ada", "", "007", "00", "-1", "+1", "1.5", "1e3", "1 ", " 1", "0x10",
                             "18446744073709551616", "99999999999999999999999"}) {
        io::vertex_names names;
        for (std::uint64_t number = 0; number < 40; ++number)
            (void)names.find_or_add(number);
        EXPECT_FALSE(names.is_text());
        EXPECT_EQ(names.find(text), std::nullopt) << text;
        EXPECT_EQ(names.find_or_add(text), 40u) << text;
        EXPECT_TRUE(names.is_text()) << text;
        for (std::uint64_t number = 0; number < 40; ++number) {
            EXPECT_EQ(names.find(number), number) << text;
            EXPECT_EQ(names.name(static_cast<graph::vertex_id>(number)), std::to_string(number));
        }
        EXPECT_EQ(names.find_or_add(text), 40u) << text;
        EXPECT_EQ(names.name(40), text);
        EXPECT_EQ(names.find_or_add(std::uint64_t{40}), 41u) << text;
        EXPECT_EQ(names.find("40"), 41u) << text;
    }
}

TEST(vertex_names, keep_zeros_in_front) {
    io::vertex_names names;
    EXPECT_EQ(names.find_or_add(std::uint64_t{7}), 0u);
    EXPECT_EQ(names.find_or_add("007"), 1u);
    EXPECT_EQ(names.find_or_add("0"), 2u);
    EXPECT_EQ(names.find_or_add("00"), 3u);
    EXPECT_EQ(all_of(names), (std::vector<std::string>{"7", "007", "0", "00"}));
}

TEST(vertex_names, keep_every_byte_of_text) {
    using namespace std::string_literals;
    std::vector<std::string> const texts{
        "a b", "a\tb", "\xc3\xa9", "x\0y"s, "x\0"s, "x", std::string(1 << 16, 'q')};
    io::vertex_names names;
    for (std::string const& text : texts)
        (void)names.find_or_add(text);
    EXPECT_EQ(all_of(names), texts);
    for (std::size_t v = 0; v < texts.size(); ++v)
        EXPECT_EQ(names.find(texts[v]), v);
}

TEST(vertex_names, are_made_of_ascending_numbers) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < 100; ++i)
        numbers.push_back(3 * i);
    for (bool const text : {false, true}) {
        auto names = io::vertex_names::ascending(numbers);
        EXPECT_EQ(names.size(), 100u);
        EXPECT_EQ(names.find(std::uint64_t{30}), 10u);
        EXPECT_EQ(names.find(std::uint64_t{31}), std::nullopt);
        EXPECT_EQ(names.find(std::uint64_t{298}), std::nullopt);
        EXPECT_EQ(names.find("297"), 99u);
        EXPECT_EQ(names.find("x"), std::nullopt);
        EXPECT_EQ(text ? names.find_or_add("x") : names.find_or_add(std::uint64_t{31}), 100u);
        EXPECT_EQ(names.find_or_add(std::uint64_t{30}), 10u);
        EXPECT_EQ(names.find_or_add("297"), 99u);
        EXPECT_EQ(names.find("298"), std::nullopt);
        EXPECT_EQ(names.size(), 101u);
    }
    EXPECT_TRUE(io::vertex_names::ascending({}).empty());
}

TEST(vertex_names, are_compared_in_their_order) {
    io::vertex_names a;
    io::vertex_names b;
    EXPECT_EQ(a, b);
    for (std::uint64_t const number : {5u, 3u})
        (void)a.find_or_add(number);
    for (std::uint64_t const number : {3u, 5u})
        (void)b.find_or_add(number);
    EXPECT_FALSE(a == b);
    io::vertex_names c;
    (void)c.find_or_add("5");
    EXPECT_FALSE(a == c);
    (void)c.find_or_add("3");
    EXPECT_EQ(a, c);
    (void)a.find_or_add("x");
    EXPECT_FALSE(a == c);
}

TEST(vertex_names, agree_with_a_map) {
    io::random_source random(41);
    for (int round = 0; round < 30; ++round) {
        io::vertex_names names;
        std::map<std::string, graph::vertex_id> expected;
        std::uint64_t const unused_bits = random.below(61);
        std::uint64_t const text_share = round % 3 == 0 ? 0 : random.below(50);
        for (int i = 0; i < 2000; ++i) {
            bool const is_text = random.below(100) < text_share;
            std::uint64_t const number = random.bits() >> unused_bits;
            std::string const name = is_text ? "v" + std::to_string(number % 300) : std::to_string(number);
            auto const found = expected.find(name);
            std::optional<graph::vertex_id> const known =
                found == expected.end() ? std::nullopt : std::optional(found->second);
            ASSERT_EQ(names.find(name), known) << name;
            graph::vertex_id const vertex =
                is_text || i % 2 == 0 ? names.find_or_add(name) : names.find_or_add(number);
            ASSERT_EQ(
                vertex,
                expected.try_emplace(name, static_cast<graph::vertex_id>(expected.size())).first->second);
        }
        ASSERT_EQ(names.size(), expected.size());
        for (auto const& [name, vertex] : expected)
            ASSERT_EQ(names.name(vertex), name);
    }
}

/// Numbers that a fixed hash puts into one slot: the table must not become a list.
TEST(vertex_names, cannot_be_made_to_collide) {
    auto const inverse = [](std::uint64_t hash) { // of the mixing without a seed
        auto const undo = [](std::uint64_t bits, int shift) {
            std::uint64_t result = bits;
            for (int i = 0; i < 64 / shift; ++i)
                result = bits ^ (result >> shift);
            return result;
        };
        hash = undo(hash, 31) * 0x319642b2d24d8ec3u;
        hash = undo(hash, 27) * 0x96de1b173f119089u;
        return undo(hash, 30);
    };
    constexpr std::uint64_t count = 200'000; // as a list this would take minutes
    io::vertex_names names;
    for (std::uint64_t i = 0; i < count; ++i)
        (void)names.find_or_add(inverse(i << 24));
    EXPECT_EQ(names.size(), count);
}

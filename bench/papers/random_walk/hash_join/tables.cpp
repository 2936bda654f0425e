// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/random_walk/hash_join/tables.hpp>

#include <random>
#include <stdexcept>

namespace rhizome::bench {

join_tables draw_join_tables(std::uint64_t tuples, std::uint32_t copies, std::uint64_t seed) {
    if (tuples == 0 || tuples >= 0xffff'ffff || copies == 0)
        throw std::invalid_argument("a table of 1 to 2^32 - 2 tuples, with each key once or more");
    join_tables drawn;
    // An odd factor permutes the 32-bit numbers: keys of different groups differ.
    auto const key_of = [](std::uint64_t group) { return static_cast<std::uint32_t>(group) * 0x9e37'79b1u; };
    drawn.left.reserve(tuples);
    drawn.right.reserve(tuples);
    for (std::uint64_t i = 0; i < tuples; ++i)
        drawn.left.push_back({key_of(i / copies), static_cast<std::uint32_t>(i)});
    std::mt19937_64 bits(seed);
    std::uniform_int_distribution<std::uint64_t> group(0, (tuples - 1) / copies);
    for (std::uint64_t j = 0; j < tuples; ++j) {
        std::uint64_t const chosen = group(bits);
        auto const right = static_cast<std::uint32_t>(j);
        drawn.right.push_back({key_of(chosen), right});
        for (std::uint64_t i = chosen * copies; i < (chosen + 1) * copies && i < tuples; ++i) {
            ++drawn.matches;
            drawn.marks += mark_of({static_cast<std::uint32_t>(i), right});
        }
    }
    return drawn;
}

} // namespace rhizome::bench

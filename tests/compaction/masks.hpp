// SPDX-License-Identifier: Apache-2.0
// Bit masks for tests, and a sequential oracle that shares no code with the module.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::tests {

/// One bool per item.
using plain_mask = std::vector<bool>;

/// The words of a mask. Bits beyond the end are set: they must be ignored.
[[nodiscard]] inline std::vector<std::uint32_t> words_of(plain_mask const& mask) {
    std::vector<std::uint32_t> words((mask.size() + 31) / 32, 0);
    for (std::size_t item = 0; item < 32 * words.size(); ++item)
        if (item >= mask.size() || mask[item]) words[item / 32] |= std::uint32_t{1} << item % 32;
    return words;
}

template <class T>
[[nodiscard]] std::vector<T> selected_of(std::vector<T> const& input, plain_mask const& mask) {
    std::vector<T> output;
    for (std::size_t item = 0; item < mask.size(); ++item)
        if (mask[item]) output.push_back(input[item]);
    return output;
}

struct named_mask {
    std::string name;
    plain_mask mask;
};

[[nodiscard]] inline plain_mask mask_where(std::uint64_t items,
                                           std::function<bool(std::uint64_t)> const& selects) {
    plain_mask mask(items);
    for (std::uint64_t item = 0; item < items; ++item)
        mask[item] = selects(item);
    return mask;
}

/// Each item with this probability.
[[nodiscard]] inline plain_mask uniform_mask(std::uint64_t items, double share, std::uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    std::bernoulli_distribution draw(share);
    return mask_where(items, [&](std::uint64_t) { return draw(random); });
}

/// `clusters` runs of selected items at equal distances, which together are this share of the items.
[[nodiscard]] inline plain_mask clustered_mask(std::uint64_t items, double share, std::uint64_t clusters) {
    return mask_where(items, [&](std::uint64_t item) {
        double const place =
            static_cast<double>(item) / static_cast<double>(items) * static_cast<double>(clusters);
        return place - static_cast<double>(static_cast<std::uint64_t>(place)) < share;
    });
}

/// What a compaction may get wrong: nothing, all, single items, tails, clusters, and densities on both sides
/// of each limit between code paths.
[[nodiscard]] inline std::vector<named_mask> masks_of(std::uint64_t items) {
    return {
        {"none", plain_mask(items, false)},
        {"all", plain_mask(items, true)},
        {"first", mask_where(items, [](std::uint64_t i) { return i == 0; })},
        {"last", mask_where(items, [&](std::uint64_t i) { return i + 1 == items; })},
        {"all but the first", mask_where(items, [](std::uint64_t i) { return i != 0; })},
        {"every second", mask_where(items, [](std::uint64_t i) { return i % 2 == 1; })},
        {"every 64th word", mask_where(items, [](std::uint64_t i) { return i / 32 % 64 == 63; })},
        {"every 64th, 512 per chunk", mask_where(items, [](std::uint64_t i) { return i % 64 == 5; })},
        {"every 63rd, 520 per chunk", mask_where(items, [](std::uint64_t i) { return i % 63 == 5; })},
        {"full rows among sparse ones",
         mask_where(items, [](std::uint64_t i) { return i / 1024 % 5 == 1 || i % 100 == 0; })},
        {"0.1 %", uniform_mask(items, 0.001)},
        {"3 %", uniform_mask(items, 0.03)},
        {"10 %", uniform_mask(items, 0.1)},
        {"50 %", uniform_mask(items, 0.5)},
        {"97 %", uniform_mask(items, 0.97)},
        {"one cluster", clustered_mask(items, 0.3, 1)},
        {"7 clusters", clustered_mask(items, 0.6, 7)},
    };
}

} // namespace rhizome::tests

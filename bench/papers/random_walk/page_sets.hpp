// SPDX-License-Identifier: Apache-2.0
// Which pages of a store are used before a measurement.
#pragma once

#include <cstdint>
#include <vector>

namespace rhizome::bench {

/// A bit per page, 32 per word: set means used. Bits after the last page are clear.
using page_set = std::vector<std::uint32_t>;

[[nodiscard]] inline bool has_page(page_set const& set, std::uint64_t page) {
    return (set[page / 32] >> page % 32 & 1) != 0;
}

/// All but `free` of `pages` pages, which are drawn at random: each choice is equally likely. Cost: a number
/// per page.
[[nodiscard]] page_set draw_used_pages(std::uint64_t pages, std::uint64_t free, std::uint64_t seed);

/// Free pages in clusters, after Eq. 7: `free` stars and `clusters` - 1 bars in random order. A bar stands
/// for used pages, one at least; where two bars meet, a cluster is empty. Precondition: free + clusters <=
/// pages.
struct clustered_pages {
    page_set used;
    /// For each star and each bar, the page that it begins with. Page 0 is used.
    std::vector<std::uint64_t> symbols;
};
[[nodiscard]] clustered_pages draw_clusters(std::uint64_t pages, std::uint64_t free, std::uint64_t clusters,
                                            std::uint64_t seed);

} // namespace rhizome::bench

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/random_walk/page_sets.hpp>

#include <random>
#include <stdexcept>

namespace rhizome::bench {
namespace {

/// Whether each of `all` items is among the `chosen` ones, drawn one after the other.
class drawing {
public:
    drawing(std::uint64_t all, std::uint64_t chosen, std::uint64_t seed)
        : left_(all), wanted_(chosen), bits_(seed) {}

    [[nodiscard]] bool next() {
        std::uniform_int_distribution<std::uint64_t> below(0, left_ - 1);
        bool const is_chosen = below(bits_) < wanted_;
        --left_;
        wanted_ -= is_chosen ? 1 : 0;
        return is_chosen;
    }

private:
    std::uint64_t left_;
    std::uint64_t wanted_;
    std::mt19937_64 bits_;
};

void add_page(page_set& set, std::uint64_t page) { set[page / 32] |= 1u << page % 32; }

} // namespace

page_set draw_used_pages(std::uint64_t pages, std::uint64_t free, std::uint64_t seed) {
    if (free > pages) throw std::invalid_argument("more free pages than pages");
    page_set used((pages + 31) / 32, 0);
    drawing is_free(pages, free, seed);
    for (std::uint64_t page = 0; page < pages; ++page)
        if (!is_free.next()) add_page(used, page);
    return used;
}

clustered_pages draw_clusters(std::uint64_t pages, std::uint64_t free, std::uint64_t clusters,
                              std::uint64_t seed) {
    if (clusters == 0 || free > pages || clusters > pages - free)
        throw std::invalid_argument("no room for so many clusters and free pages");
    clustered_pages drawn{page_set((pages + 31) / 32, 0), {}};
    std::uint64_t const bars = clusters - 1;
    std::uint64_t const used = pages - free;
    // One used page goes before all, the others are shared out among the bars; without bars they follow at
    // the end.
    std::uint64_t const each = bars == 0 ? 0 : (used - 1) / bars;
    std::uint64_t longer = bars == 0 ? 0 : (used - 1) % bars; // bars with one page more
    drawn.symbols.reserve(free + bars);
    add_page(drawn.used, 0);
    std::uint64_t page = 1;
    drawing is_bar(free + bars, bars, seed);
    for (std::uint64_t symbol = 0; symbol < free + bars; ++symbol) {
        drawn.symbols.push_back(page);
        if (!is_bar.next()) {
            ++page;
            continue;
        }
        std::uint64_t const end = page + each + (longer != 0 ? 1 : 0);
        longer -= longer != 0 ? 1 : 0;
        for (; page < end; ++page)
            add_page(drawn.used, page);
    }
    for (; page < pages; ++page)
        add_page(drawn.used, page);
    return drawn;
}

} // namespace rhizome::bench

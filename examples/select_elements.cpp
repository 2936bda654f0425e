// SPDX-License-Identifier: Apache-2.0
// Selected elements of an array: stream compaction by bit mask.
#include "space.hpp"

#include <rhizome/compaction/select.hpp>

#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

namespace {

template <class T>
void print(std::vector<T> const& values, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
        std::printf(" %u", static_cast<unsigned>(values[i]));
    std::printf("\n");
}

} // namespace

int main() {
    auto space = examples::open_space();
    std::vector<std::uint32_t> const squares = {0, 1, 4, 9, 16, 25};
    std::vector<std::uint32_t> const bits = {1u << 1 | 1u << 2 | 1u << 3 | 1u << 5};
    rhizome::exec::buffer<examples::space, std::uint32_t> input(space, std::span(squares));
    rhizome::exec::buffer<examples::space, std::uint32_t> const words(space, std::span(bits));
    rhizome::exec::buffer<examples::space, std::uint32_t> output(space, squares.size());

    rhizome::compaction::compactor<examples::space> compactor(space); // keeps its scratch between calls
    rhizome::compaction::bit_mask const mask{words.data(), squares.size()};
    std::uint64_t const count = compactor.select(input.data(), mask, output.data());
    std::printf("%u selected:", static_cast<unsigned>(count));
    print(output.to_host(), count);

    std::uint64_t const items = compactor.select_indices(mask, output.data());
    std::printf("items");
    print(output.to_host(), items);

    // Does not wait: the count stays in the memory of the space.
    rhizome::exec::buffer<examples::space, std::uint64_t> left(space, 1);
    compactor.select_in_place(input.data(), mask, left.data());
    std::uint64_t const kept = left.to_host().front();
    std::printf("in place %u:", static_cast<unsigned>(kept));
    print(input.to_host(), kept);
    return kept == count ? 0 : 1;
}

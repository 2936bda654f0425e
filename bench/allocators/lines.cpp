// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/allocators/lines.hpp>

#include <algorithm>
#include <vector>

namespace rhizome::bench {
namespace {

constexpr std::uint64_t line_bytes = 128;
constexpr std::uint64_t sector_bytes = 32;

/// How many different numbers there are. Sorts them.
std::uint64_t count_different(std::vector<std::uint64_t>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    return static_cast<std::uint64_t>(std::unique(numbers.begin(), numbers.end()) - numbers.begin());
}

/// How many different units of so many bytes the ranges touch.
std::uint64_t count_units(std::span<byte_range const> ranges, std::uint64_t unit_bytes,
                          std::vector<std::uint64_t>& units) {
    units.clear();
    for (byte_range const& range : ranges)
        for (std::uint64_t unit = range.begin / unit_bytes; unit * unit_bytes < range.end; ++unit)
            units.push_back(unit);
    return count_different(units);
}

} // namespace

touched_memory count_touched(std::span<byte_range const> ranges) {
    std::vector<std::uint64_t> units;
    std::uint64_t const lines = count_units(ranges, line_bytes, units);
    return {lines, count_units(ranges, sector_bytes, units)};
}

std::uint32_t place_of_access(access_pattern pattern, std::uint64_t thread, std::uint32_t k,
                              std::uint32_t floats) {
    if (pattern == access_pattern::scattered) return scattered_place(thread, k, floats);
    if (pattern != access_pattern::stride) return k;
    // Rounds begin at 0, 1, ...; the first floats % stride_floats of them are longer by one.
    std::uint32_t const shorter = floats / stride_floats;
    std::uint32_t const longer_rounds = floats % stride_floats;
    std::uint32_t const in_longer = longer_rounds * (shorter + 1);
    if (k < in_longer) return k / (shorter + 1) + k % (shorter + 1) * stride_floats;
    std::uint32_t const rest = k - in_longer;
    return longer_rounds + rest / shorter + rest % shorter * stride_floats;
}

touched_lines count_touched_lines(std::span<void* const> blocks, access_pattern pattern,
                                  std::uint32_t floats) {
    constexpr std::uint64_t lanes = 32;
    constexpr std::uint64_t most_warps = 256;
    std::uint64_t const warps = (blocks.size() + lanes - 1) / lanes;
    std::uint64_t const counted = std::min(warps, most_warps);
    touched_lines total;
    std::vector<std::uint64_t> addresses;
    std::vector<std::uint64_t> all_lines;
    for (std::uint64_t i = 0; i < counted; ++i) {
        std::uint64_t const first = i * warps / counted * lanes;
        std::uint64_t const end = std::min<std::uint64_t>(first + lanes, blocks.size());
        all_lines.clear();
        for (std::uint32_t k = 0; k < floats; ++k) {
            addresses.clear();
            for (std::uint64_t thread = first; thread < end; ++thread)
                addresses.push_back(reinterpret_cast<std::uintptr_t>(blocks[thread]) +
                                    place_of_access(pattern, thread, k, floats) * sizeof(float));
            std::vector<std::uint64_t> units = addresses;
            for (std::uint64_t& unit : units)
                unit /= sector_bytes;
            total.sectors += static_cast<double>(count_different(units));
            for (std::uint64_t& address : addresses)
                address /= line_bytes;
            total.lines += static_cast<double>(count_different(addresses));
            all_lines.insert(all_lines.end(), addresses.begin(), addresses.end());
        }
        total.footprint += static_cast<double>(count_different(all_lines));
        auto const [lowest, highest] =
            std::minmax_element(blocks.begin() + static_cast<std::ptrdiff_t>(first),
                                blocks.begin() + static_cast<std::ptrdiff_t>(end));
        total.span_bytes += static_cast<double>(reinterpret_cast<std::uintptr_t>(*highest) -
                                                reinterpret_cast<std::uintptr_t>(*lowest)) +
                            static_cast<double>(floats * sizeof(float));
    }
    double const accesses = static_cast<double>(counted) * static_cast<double>(floats);
    if (accesses == 0) return {};
    return {total.lines / accesses, total.sectors / accesses, total.footprint / static_cast<double>(counted),
            total.span_bytes / static_cast<double>(counted)};
}

} // namespace rhizome::bench

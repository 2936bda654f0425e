// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/component_sizes.hpp>

#include <algorithm>
#include <bit>

namespace rhizome::cli {

std::vector<sized_component> sizes_of(std::span<graph::vertex_id const> components) {
    std::vector<std::uint64_t> vertices(components.size());
    for (graph::vertex_id const first : components)
        if (first != graph::no_vertex) ++vertices[first];
    std::vector<sized_component> sizes;
    for (std::size_t v = 0; v < vertices.size(); ++v)
        if (vertices[v] != 0) sizes.push_back({static_cast<graph::vertex_id>(v), vertices[v]});
    return sizes;
}

std::vector<sized_component> largest_of(std::vector<sized_component> sizes, std::size_t count) {
    count = std::min(count, sizes.size());
    std::partial_sort(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(count), sizes.end(),
                      [](sized_component const& a, sized_component const& b) {
                          return a.vertices != b.vertices ? a.vertices > b.vertices
                                                          : a.first_vertex < b.first_vertex;
                      });
    sizes.resize(count);
    return sizes;
}

std::vector<histogram_bin> size_bins(std::span<sized_component const> sizes) {
    std::vector<std::uint64_t> counts;
    for (sized_component const& each : sizes) {
        auto const bin = static_cast<std::size_t>(std::bit_width(each.vertices));
        if (bin >= counts.size()) counts.resize(bin + 1);
        ++counts[bin];
    }
    std::vector<histogram_bin> bins = doubling_bins(counts);
    std::erase_if(bins, [](histogram_bin const& bin) { return bin.count == 0; });
    return bins;
}

} // namespace rhizome::cli

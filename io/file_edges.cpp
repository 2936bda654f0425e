// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/file_edges.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/stored_numbers.hpp>

#include <utility>

namespace rhizome::io {

void file_edges::add_reverses() {
    std::size_t const count = edges.size();
    edges.reserve(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
        auto const [source, target] = edges[i];
        if (source == target) continue;
        edges.push_back({target, source});
        if (!weights.empty()) weights.push_back(weights[i]);
    }
}

file_edges take_edges(std::string const& path, graph_file& file, bool directed, bool weights) {
    file_edges taken{std::move(file.edges), {}};
    if (weights && !file.edge_values.empty()) {
        taken.weights = std::move(file.edge_values);
    } else if (weights) {
        for (std::uint64_t const weight : file.edge_weights)
            if (weight > largest_exact_number)
                throw file_error(path, "holds the edge weight " + std::to_string(weight) +
                                           "; whole numbers are kept up to 2^53");
        taken.weights.assign(file.edge_weights.begin(), file.edge_weights.end());
    }
    if (directed && !file.directed) taken.add_reverses();
    return taken;
}

} // namespace rhizome::io

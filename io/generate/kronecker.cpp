// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/generate/kronecker.hpp>
#include <rhizome/io/generate/recursive_matrix.hpp>
#include <rhizome/io/generate/scale.hpp>

#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace rhizome::io {
std::vector<graph::vertex_id> kronecker_labels(unsigned scale, std::uint64_t seed) {
    check_scale("kronecker", scale, largest_kronecker_scale);
    std::vector<graph::vertex_id> labels(std::size_t{1} << scale);
    std::iota(labels.begin(), labels.end(), graph::vertex_id{0});
    // A stream that no block of edges has: those are numbered from 0.
    random_source random = random_source::stream(seed, ~std::uint64_t{0});
    for (std::size_t left = labels.size(); left > 1; --left)
        std::swap(labels[left - 1], labels[random.below(left)]);
    return labels;
}

graph_file generate_kronecker(unsigned scale, unsigned edge_factor, std::uint64_t seed, unsigned threads) {
    check_scale("kronecker", scale, largest_kronecker_scale);
    if (edge_factor < 1 || edge_factor > largest_kronecker_edge_factor)
        throw std::invalid_argument("kronecker: edge factor must be from 1 to " +
                                    std::to_string(largest_kronecker_edge_factor));
    std::vector<graph::vertex_id> const labels = kronecker_labels(scale, seed);
    return draw_recursive_matrix_graph(exec::host_space({.threads = threads}), scale, edge_factor, seed,
                                       [&](std::uint64_t id) { return labels[id]; });
}

} // namespace rhizome::io

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/generate/recursive_matrix.hpp>
#include <rhizome/io/generate/rmat.hpp>
#include <rhizome/io/generate/scale.hpp>

#include <stdexcept>
#include <string>

namespace rhizome::io {

graph_file generate_rmat(unsigned scale, unsigned edge_factor, std::uint64_t seed, unsigned threads) {
    check_scale("rmat", scale, largest_rmat_scale);
    if (edge_factor < 1 || edge_factor > largest_rmat_edge_factor)
        throw std::invalid_argument("rmat: edge factor must be from 1 to " +
                                    std::to_string(largest_rmat_edge_factor));
    return draw_recursive_matrix_graph(exec::host_space({.threads = threads}), scale, edge_factor, seed,
                                       [](std::uint64_t id) { return id; });
}

} // namespace rhizome::io

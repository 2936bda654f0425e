// SPDX-License-Identifier: Apache-2.0
// Parallel edges of a graph file: edges with the same ends, of which a graph keeps one.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::io {

/// Which weight an edge gets that is several times in a file.
enum class parallel_rule : std::uint8_t {
    least, ///< the least one: shortest paths are then those of the file
    sum,   ///< the sum of all
    last,  ///< that of the last edge of the file
    first  ///< that of the first edge of the file
};

/// The rule of readers, writers and the tool if the caller names none.
inline constexpr parallel_rule default_parallel_rule = parallel_rule::least;

/// Returns the names of all rules, as a user types them, the default first.
[[nodiscard]] std::vector<std::string> parallel_rule_names();
/// Returns the rule of this name, if there is one.
[[nodiscard]] std::optional<parallel_rule> parallel_rule_named(std::string_view wanted);

struct merged_edges {
    std::uint64_t left_out = 0;       ///< edges that the file no longer has
    std::uint64_t weights_differ = 0; ///< edges that were several times in the file with different weights
};

/// Leaves one of several parallel edges in the file, with its time and the weight that the rule says. `sum`
/// keeps the first edge; without weights, `least` does too. Other edges keep their order. Throws
/// std::overflow_error if a sum is beyond 2^53 for whole weights, or not finite. `threads`: that sort; 0: one
/// per core. Cost: nothing for edges that ascend strictly, otherwise a sort and 4 bytes per edge.
merged_edges merge_parallel_edges(graph_file& file, parallel_rule rule = default_parallel_rule,
                                  unsigned threads = 0);

} // namespace rhizome::io

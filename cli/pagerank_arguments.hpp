// SPDX-License-Identifier: Apache-2.0
// The options of PageRank, for the commands that run it.
#pragma once

#include <rhizome/cli/arguments.hpp>
#include <rhizome/cli/usage_error.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace rhizome::cli {

inline std::vector<option_text> with_pagerank_options(std::vector<option_text> options) {
    options.push_back({"damping", "PageRank: damping, in [0, 1)", "X", "0.85"});
    options.push_back(
        {"tolerance", "PageRank: stops when the L1 norm of a step's change is at most this", "X", "1e-6"});
    options.push_back({"max-iterations", "PageRank: stops after as many iterations", "N", "100"});
    return options;
}

/// Throws usage_error for values that PageRank does not take.
inline algorithms::pagerank_options pagerank_arguments(arguments const& args) {
    algorithms::pagerank_options options;
    options.damping = args.real("damping");
    options.tolerance = args.real("tolerance");
    options.max_iterations =
        static_cast<unsigned>(args.count("max-iterations", 1, std::numeric_limits<unsigned>::max()));
    try {
        options.check();
    } catch (std::invalid_argument const& error) {
        throw usage_error(error.what());
    }
    return options;
}

} // namespace rhizome::cli

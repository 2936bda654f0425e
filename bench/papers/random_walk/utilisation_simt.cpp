// SPDX-License-Identifier: Apache-2.0
// Heaps of figure 15 on simt.
#include <rhizome/bench/papers/random_walk/utilisation_on.hpp>
#include <rhizome/exec/simt.hpp>

namespace rhizome::bench {

std::unique_ptr<utilisation_subject> open_utilisation_on_simt(utilisation_options const& options) {
    return open_utilisation_on(exec::simt_space({.seed = options.seed}), options);
}

} // namespace rhizome::bench

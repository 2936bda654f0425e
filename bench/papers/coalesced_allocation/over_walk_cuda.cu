// SPDX-License-Identifier: Apache-2.0
// Coalescing over random walks, measured on cuda.
#include <rhizome/bench/papers/coalesced_allocation/on_cuda.hpp>
#include <rhizome/bench/papers/coalesced_allocation/open_on.hpp>

namespace rhizome::bench {

std::unique_ptr<coalescing_subject> open_over_walk_on_cuda(exec::cuda_space const& space,
                                                           std::string const& variant,
                                                           coalescing_options const& options) {
    return open_over_walk(space, variant, options);
}

} // namespace rhizome::bench

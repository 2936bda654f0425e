// SPDX-License-Identifier: Apache-2.0
// Coalescing over the default allocator, measured on cuda.
#include <rhizome/bench/papers/coalesced_allocation/on_cuda.hpp>
#include <rhizome/bench/papers/coalesced_allocation/open_on.hpp>

namespace rhizome::bench {

std::unique_ptr<coalescing_subject> open_coalescing_on_cuda(coalescing_options const& options) {
    exec::cuda_space const space({.preload_kernels = false});
    return open_named(
        options.allocator, [&](auto const& variant) { return open_over_default(space, variant, options); },
        [&](auto const& variant) { return open_over_malloc_on_cuda(space, variant, options); },
        [&](auto const& variant) { return open_over_walk_on_cuda(space, variant, options); });
}

} // namespace rhizome::bench

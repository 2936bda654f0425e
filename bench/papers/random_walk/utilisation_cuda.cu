// SPDX-License-Identifier: Apache-2.0
// Heaps of figure 15 on cuda.
#include <rhizome/bench/papers/random_walk/utilisation_on.hpp>
#include <rhizome/exec/cuda.hpp>

namespace rhizome::bench {

std::unique_ptr<utilisation_subject> open_utilisation_on_cuda(utilisation_options const& options) {
    return open_utilisation_on(exec::cuda_space({.preload_kernels = false}), options);
}

} // namespace rhizome::bench

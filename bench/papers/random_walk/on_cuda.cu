// SPDX-License-Identifier: Apache-2.0
// Random walks measured on cuda.
#include <rhizome/bench/papers/random_walk/subject_on.hpp>
#include <rhizome/exec/cuda.hpp>

namespace rhizome::bench {

std::unique_ptr<walk_subject> open_walk_on_cuda(walk_options const& options) {
    return open_walk_on(exec::cuda_space({.preload_kernels = false}), options);
}

std::unique_ptr<latency_subject> open_latency_on_cuda(walk_options const&) {
    return std::make_unique<latency_subject_on<exec::cuda_space>>(
        exec::cuda_space({.preload_kernels = false}));
}

} // namespace rhizome::bench

// SPDX-License-Identifier: Apache-2.0
// Hash joins measured on cuda.
#include <rhizome/bench/papers/random_walk/hash_join/subject_on.hpp>
#include <rhizome/exec/cuda.hpp>

namespace rhizome::bench {

std::unique_ptr<join_subject> open_join_on_cuda(join_options const& options) {
    return open_join_on(exec::cuda_space({.preload_kernels = false}), options);
}

} // namespace rhizome::bench

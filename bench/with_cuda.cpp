// SPDX-License-Identifier: Apache-2.0
// The GPU's own words about itself, in builds with CUDA.
#include <rhizome/bench/spaces.hpp>
#include <rhizome/exec/cuda.hpp>
#include <rhizome/runtime/catalogue.hpp>

namespace rhizome::bench {

space_description describe_cuda() {
    space_description space{.name = "cuda"};
    space.reason = runtime::cuda_unusable_because();
    space.usable = space.reason.empty();
    if (!space.usable) return space;
    exec::cuda_space const gpu;
    space.device = gpu.device_name();
    space.memory_bytes = gpu.memory_bytes();
    space.driver = exec::cuda_space::driver_version();
    space.runtime = exec::cuda_space::runtime_version();
    return space;
}

} // namespace rhizome::bench

// The GPU's own words about itself, in builds with CUDA.
#include <rhizome/bench/spaces.hpp>
#include <rhizome/exec/cuda.hpp>

namespace rhizome::bench {

space_description describe_cuda() {
    space_description space{.name = "cuda"};
    space.reason = exec::cuda_space::unusable_because();
    space.usable = space.reason.empty();
    if (!space.usable) {
        space.reason = "no usable GPU: " + space.reason;
        return space;
    }
    exec::cuda_space const gpu;
    space.device = gpu.device_name();
    space.memory_bytes = gpu.memory_bytes();
    space.driver = exec::cuda_space::driver_version();
    space.runtime = exec::cuda_space::runtime_version();
    return space;
}

} // namespace rhizome::bench

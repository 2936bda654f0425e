// SPDX-License-Identifier: Apache-2.0
// The spaces of this build, as this machine has them.
#include <rhizome/bench/harness/registry.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/runtime/catalogue.hpp>

#if defined(RHIZOME_HAS_CUDA)
#include <rhizome/exec/cuda.hpp>
#endif
#if defined(RHIZOME_COMPILED_SIMT)
#include <rhizome/exec/simt/space.hpp>
#endif

namespace rhizome::bench {

std::vector<space_description> describe_spaces() {
    space_description cuda{.name = "cuda", .reason = runtime::cuda_unusable_because()};
    cuda.usable = cuda.reason.empty();
#if defined(RHIZOME_HAS_CUDA)
    if (cuda.usable) {
        exec::cuda_space const gpu;
        cuda.device = gpu.device_name();
        cuda.memory_bytes = gpu.memory_bytes();
        cuda.driver = exec::cuda_space::driver_version();
        cuda.runtime = exec::cuda_space::runtime_version();
    }
#endif
    exec::host_space const host;
    std::vector<space_description> spaces{
        std::move(cuda), {.name = "host", .device = host.device_name(), .memory_bytes = host.memory_bytes()}};
#if defined(RHIZOME_COMPILED_SIMT)
    exec::simt_space const simt;
    spaces.push_back({.name = "simt", .device = "emulator", .memory_bytes = simt.memory_bytes()});
#endif
    return spaces;
}

} // namespace rhizome::bench

// SPDX-License-Identifier: Apache-2.0
// Communication measured on the GPUs of this machine: by ranks of one process, and by one of several
// processes.
#include <rhizome/bench/communication/measure_threads.hpp>
#include <rhizome/comm/nccl/nccl.hpp>
#include <rhizome/exec/cuda.hpp>

#include <cuda_runtime_api.h>

#include <chrono>
#include <stdexcept>

namespace rhizome::bench {

std::vector<double> communicate_on_cuda(communication_options const& options) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        throw std::runtime_error("no GPU can be used");
    std::vector<exec::cuda_space> spaces;
    for (int rank = 0; rank < options.ranks; ++rank)
        spaces.emplace_back(exec::cuda_options{.device = rank % devices, .preload_kernels = false});
    return measure_threads(std::move(spaces), options);
}

std::vector<double> communicate_through_nccl(communication_options const& options) {
    auto const self =
        comm::connect_nccl({.preload_kernels = false}, {.time_limit = std::chrono::seconds(30)});
    return measure_call(*self, options);
}

std::string no_nccl_because() { return comm::nccl_unusable_because(); }

} // namespace rhizome::bench

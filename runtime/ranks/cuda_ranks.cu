// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/nccl/nccl.hpp>
#include <rhizome/exec/cuda.hpp>
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/runtime/detail/rank_on.hpp>
#include <rhizome/runtime/ranks/open_ranks.hpp>

#include <cuda_runtime_api.h>

namespace rhizome::runtime {

std::unique_ptr<any_rank> cuda_rank(rank_options const& options) {
    return std::make_unique<detail::rank_on<exec::cuda_space>>(comm::connect_nccl(
        {.memory_limit_bytes = options.memory_limit_bytes}, {.time_limit = options.time_limit}));
}

std::string cuda_ranks_unusable_because() {
    std::string const reason = cuda_unusable_because();
    return reason.empty() ? comm::nccl_unusable_because() : reason;
}

int cuda_device_count() {
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess ? devices : 0;
}

} // namespace rhizome::runtime

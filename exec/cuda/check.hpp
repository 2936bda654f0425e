// CUDA errors become exceptions that carry the call's text.
#pragma once

#include <rhizome/exec/errors.hpp>

#include <cuda_runtime_api.h>

#include <string>

namespace rhizome::exec {

/// Throws cuda_error unless `result` is cudaSuccess. `call` is the call's text.
inline void check_cuda(cudaError_t result, char const* call) {
    if (result != cudaSuccess)
        throw cuda_error(std::string(call) + ": " + cudaGetErrorName(result) + ": " +
                         cudaGetErrorString(result));
}

} // namespace rhizome::exec

// SPDX-License-Identifier: Apache-2.0
// CUDA errors become exceptions that carry the call's text.
#pragma once

#include <rhizome/exec/errors.hpp>

#include <cuda_runtime_api.h>

#include <string>

namespace rhizome::exec {

/// Clears the last error of the thread after a failed call whose result the library has handled, so that a
/// later cudaGetLastError() of the user does not report it. Another error stays for the user to read.
inline void forget_error(cudaError_t dealt_with) noexcept {
    if (cudaPeekAtLastError() == dealt_with) static_cast<void>(cudaGetLastError());
}

/// Throws cuda_error unless `result` is cudaSuccess. `call` is the text of the call. The error that is thrown
/// does not stay as the last error of the thread, unless the device itself has failed: CUDA then goes on
/// reporting it.
inline void check_cuda(cudaError_t result, char const* call) {
    if (result == cudaSuccess) return;
    forget_error(result);
    throw cuda_error(std::string(call) + ": " + cudaGetErrorName(result) + ": " + cudaGetErrorString(result));
}

/// The same for the result of a launch: throws launch_refused if the device lacks what the launch needs.
inline void check_launch(cudaError_t result) {
    constexpr char const* call = "kernel launch";
    if (result == cudaErrorLaunchOutOfResources || result == cudaErrorMemoryAllocation ||
        result == cudaErrorCooperativeLaunchTooLarge) {
        forget_error(result);
        throw launch_refused(std::string(call) + ": " + cudaGetErrorName(result) + ": " +
                             cudaGetErrorString(result));
    }
    check_cuda(result, call);
}

} // namespace rhizome::exec

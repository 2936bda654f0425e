// SPDX-License-Identifier: Apache-2.0
// The current device of a thread, changed for a while.
#pragma once

#include <rhizome/exec/cuda/check.hpp>

#include <new>

namespace rhizome::exec {

/// Makes `device` the current device of the calling thread, and restores the previous one at the end of the
/// scope. Every call that depends on the current device is made under a guard: streams, events and memory are
/// created on it, kernels can be given only to its streams, and the handles of the default streams mean those
/// of the current device. Costs one cudaGetDevice where the device is current already. Otherwise, restoring
/// the previous device creates a context there if the process has none (CUDA 12 and later). A program that
/// uses only one device should select it first.
class device_guard {
public:
    /// Throws cuda_error where the device cannot be used; the thread's current device is then unchanged.
    explicit device_guard(int device) { check_cuda(select(device), "cudaSetDevice"); }
    /// For destructors: where the device cannot be used, the calls that follow fail or do nothing.
    device_guard(int device, std::nothrow_t) noexcept {
        if (cudaError_t const result = select(device); result != cudaSuccess) forget_error(result);
    }
    device_guard(device_guard const&) = delete;
    device_guard& operator=(device_guard const&) = delete;
    ~device_guard() {
        if (previous_ == none) return;
        if (cudaError_t const result = cudaSetDevice(previous_); result != cudaSuccess) forget_error(result);
    }

private:
    static constexpr int none = -1;

    [[nodiscard]] cudaError_t select(int device) noexcept {
        int current = none;
        cudaError_t result = cudaGetDevice(&current);
        if (result != cudaSuccess || current == device) return result;
        result = cudaSetDevice(device);
        if (result == cudaSuccess) previous_ = current;
        return result;
    }

    int previous_ = none; ///< to be restored
};

} // namespace rhizome::exec

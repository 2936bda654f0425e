// SPDX-License-Identifier: Apache-2.0
// Events of a device.
#pragma once

#include <rhizome/exec/cuda/space.hpp>
#include <rhizome/exec/event.hpp>

#include <driver_types.h>

#include <utility>

namespace rhizome::exec {

/// A CUDA event of the space's device, without timing. Move-only. space.record() and space.wait_for() take
/// any cudaEvent_t, so this event can be used in CUDA calls as well. The constructor throws cuda_error.
template <>
class event<cuda_space> {
public:
    explicit event(cuda_space const& space);
    event(event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    event& operator=(event&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~event();

    [[nodiscard]] bool reached() const;
    [[nodiscard]] operator cudaEvent_t() const { return handle_; }

private:
    cudaEvent_t handle_ = nullptr;
};

} // namespace rhizome::exec

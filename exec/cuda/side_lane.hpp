// SPDX-License-Identifier: Apache-2.0
// Kernels beside the work of a device: a stream of their own.
#pragma once

#include <rhizome/exec/cuda/space.hpp>
#include <rhizome/exec/side_lane.hpp>

#include <memory>

namespace rhizome::exec {

/// The first call makes the stream. Only the destructor waits on the host.
template <>
class side_lane<cuda_space> {
public:
    explicit side_lane(cuda_space space);
    side_lane(side_lane&&) noexcept;
    side_lane& operator=(side_lane&&) = delete;
    ~side_lane();

    [[nodiscard]] cuda_space& space();
    void awaits_work();
    void work_awaits();

private:
    struct state;
    [[nodiscard]] state& prepared();

    cuda_space space_;
    std::unique_ptr<state> state_;
};

} // namespace rhizome::exec

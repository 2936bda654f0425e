// SPDX-License-Identifier: Apache-2.0
// Kernels that run beside the work of a space.
#pragma once

#include <utility>

namespace rhizome::exec {

/// An order of its own for kernels. They do not wait for the work of the space, nor the work for them, except
/// through the calls below. Move-only; the destructor waits for the kernels. This version is for spaces that
/// have done all work on return; `cuda/side_lane.hpp` has one with a stream of its own.
template <class Space>
class side_lane {
public:
    explicit side_lane(Space space) : space_(std::move(space)) {}
    side_lane(side_lane&&) noexcept = default;
    side_lane& operator=(side_lane&&) = delete;

    /// The space to launch the kernels on.
    [[nodiscard]] Space& space() { return space_; }
    void awaits_work() {} ///< later kernels of the lane come after all work given to the space so far
    void work_awaits() {} ///< later work of the space comes after all kernels of the lane so far

private:
    Space space_;
};

} // namespace rhizome::exec

// Kernels that go on beside the work of a space.
#pragma once

#include <utility>

namespace rhizome::exec {

/// An order of its own for kernels: they do not wait for the work given to the space, nor that for them, but
/// where one awaits the other. Move-only; its end waits for what it was given. Here: for spaces that have
/// done everything on return; `cuda/side_lane.hpp` has the one with a stream of its own.
template <class Space>
class side_lane {
public:
    explicit side_lane(Space space) : space_(std::move(space)) {}
    side_lane(side_lane&&) noexcept = default;
    side_lane& operator=(side_lane&&) = delete;

    /// What its kernels are given to.
    [[nodiscard]] Space& space() { return space_; }
    void awaits_work() {} ///< its kernels from now on come after the work given to the space so far
    void work_awaits() {} ///< work given to the space from now on comes after its kernels so far

private:
    Space space_;
};

} // namespace rhizome::exec

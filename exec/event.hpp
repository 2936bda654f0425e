// SPDX-License-Identifier: Apache-2.0
// Points in the order of a space that other work can wait for.
#pragma once

namespace rhizome::exec {

/// A point in the order of a space. space.record(event) sets it in one space, and another space waits for it
/// with wait_for(event). An event that was never recorded counts as reached. This version is for spaces that
/// have done all work on return, so that every point has been reached; `cuda/event.hpp` has one that is a
/// CUDA event.
template <class Space>
class event {
public:
    explicit event(Space const&) {}
    event(event&&) noexcept = default;
    event& operator=(event&&) noexcept = default;

    /// Whether the work before the point is done. Never waits.
    [[nodiscard]] bool reached() const { return true; }
};

} // namespace rhizome::exec

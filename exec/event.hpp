// Points in the order of a space that other work can wait for.
#pragma once

namespace rhizome::exec {

/// A point that space.record(event) sets in the order of one space, and that another space waits for with
/// wait_for(event). One that was never recorded counts as reached. Here: for spaces that have done everything
/// on return, so that every point has been reached; `cuda/event.hpp` has the one that is a CUDA event.
template <class Space>
class event {
public:
    explicit event(Space const&) {}
    event(event&&) noexcept = default;
    event& operator=(event&&) noexcept = default;

    /// Whether the work recorded is done. Never waits.
    [[nodiscard]] bool reached() const { return true; }
};

} // namespace rhizome::exec

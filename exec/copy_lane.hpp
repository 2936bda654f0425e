// Copies from the host into a space that go on beside the work given to it.
#pragma once

#include <cstdint>
#include <utility>

namespace rhizome::exec {

/// An order of its own for copies into a space: they do not wait for the kernels given before them, nor
/// kernels for them, but where a point is awaited. Move-only. Here: for spaces that have done everything on
/// return, so that there is nothing to await; `cuda/copy_lane.hpp` has the one with a stream of its own.
///
/// Copies of one lane may be given from another thread than the space's work, if the space is not the
/// emulator.
template <class Space>
class copy_lane {
public:
    /// A point in the order of the lane, or of the space. One that was never recorded has been reached.
    struct point {};

    explicit copy_lane(Space space) : space_(std::move(space)) {}
    copy_lane(copy_lane&&) noexcept = default;
    copy_lane& operator=(copy_lane&&) = delete;

    /// Host -> space, in the order of the lane; `from` may be reused on return. Throws out_of_memory the
    /// first time, where the host has no memory for it.
    void copy(void* to, void const* from, std::uint64_t bytes) { space_.copy_in(to, from, bytes); }

    /// Host -> space, in the order of the space; `from` stays as it is until the space has come so far.
    void lend(void* to, void const* from, std::uint64_t bytes) { space_.copy_in(to, from, bytes); }

    void record_copies(point&) {}      ///< the copies given so far
    void record_work(point&) {}        ///< the work given to the space so far
    void work_awaits(point const&) {}  ///< work given to the space from now on comes after it
    void copies_await(point const&) {} ///< copies from now on come after it
    void synchronize() {}              ///< waits for the copies given so far

private:
    Space space_;
};

} // namespace rhizome::exec

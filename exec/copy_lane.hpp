// Copies from the host into a space that run beside the work of the space.
#pragma once

#include <cstdint>
#include <utility>

namespace rhizome::exec {

/// An order of its own for copies into a space. Copies do not wait for kernels given before them, nor kernels
/// for copies, except where one waits for a point of the other. Move-only. This version is for spaces that
/// have done all work on return, so that there is nothing to wait for; `cuda/copy_lane.hpp` has one with a
/// stream of its own.
///
/// Copies of one lane may be given from another thread than the work of the space, unless the space is the
/// emulator.
template <class Space>
class copy_lane {
public:
    /// A point in the order of the lane, or of the space. A point that was never recorded counts as reached.
    struct point {};

    explicit copy_lane(Space space) : space_(std::move(space)) {}
    copy_lane(copy_lane&&) noexcept = default;
    copy_lane& operator=(copy_lane&&) = delete;

    /// Host -> space, in the order of the lane; the caller may reuse `from` on return. The first call throws
    /// out_of_memory where the host has no memory for it.
    void copy(void* to, void const* from, std::uint64_t bytes) { space_.copy_in(to, from, bytes); }

    /// Host -> space, in the order of the space. The caller keeps `from` unchanged until the space has read
    /// it.
    void lend(void* to, void const* from, std::uint64_t bytes) { space_.copy_in(to, from, bytes); }

    void record_copies(point&) {}      ///< marks the point after all copies given so far
    void record_work(point&) {}        ///< marks the point after all work given so far
    void work_awaits(point const&) {}  ///< later work of the space comes after the point
    void copies_await(point const&) {} ///< later copies come after the point
    void synchronize() {}              ///< waits for the copies given so far

private:
    Space space_;
};

} // namespace rhizome::exec

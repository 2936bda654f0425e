// SPDX-License-Identifier: Apache-2.0
// Launching a kernel in the emulator.
#pragma once

#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/simt/grid.hpp>
#include <rhizome/exec/simt/space.hpp>
#include <rhizome/exec/simt/thread.hpp>

#include <type_traits>

namespace rhizome::exec {

namespace detail {
template <class Kernel>
void run_on(simt_space& space, launch_shape shape, Kernel const& kernel, bool all_resident) {
    static_assert(std::is_trivially_copyable_v<Kernel>, "a kernel travels to the device by value");
    using shared = shared_of<Kernel>;
    space.run({shape, &kernel,
               [](void const* body, emulator::lane& caller) {
                   (*static_cast<Kernel const*>(body))(simt_thread<shared>(caller));
               },
               sizeof(shared), alignof(shared), all_resident});
}
} // namespace detail

/// Runs the kernel to its end. Throws what a lane threw, deadlock, or step_limit_exceeded.
template <class Kernel>
void launch(simt_space& space, launch_shape shape, Kernel const& kernel) {
    detail::run_on(space, shape, kernel, false);
}

/// The same with blocks that all run at once, so that they may wait for each other (grid_barrier.hpp). One
/// thread per item, at most space.concurrency() threads.
template <class Kernel>
void launch_resident(simt_space& space, std::uint64_t items, Kernel const& kernel) {
    detail::run_on(space, cover_threads(space, items, space.max_block_threads()), kernel, true);
}

} // namespace rhizome::exec

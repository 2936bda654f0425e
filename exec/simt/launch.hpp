// Launching a kernel in the emulator.
#pragma once

#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/simt/grid.hpp>
#include <rhizome/exec/simt/space.hpp>
#include <rhizome/exec/simt/thread.hpp>

#include <type_traits>

namespace rhizome::exec {

/// Runs the kernel to its end. Throws what a lane threw, deadlock, or step_limit_exceeded.
template <class Kernel>
void launch(simt_space& space, launch_shape shape, Kernel const& kernel) {
    static_assert(std::is_trivially_copyable_v<Kernel>, "a kernel travels to the device by value");
    using shared = shared_of<Kernel>;
    space.run({shape, &kernel,
               [](void const* body, emulator::lane& caller) {
                   (*static_cast<Kernel const*>(body))(simt_thread<shared>(caller));
               },
               sizeof(shared), alignof(shared)});
}

} // namespace rhizome::exec

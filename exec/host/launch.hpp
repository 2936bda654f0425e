// SPDX-License-Identifier: Apache-2.0
// Launching a kernel on the host.
#pragma once

#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/exec/host/space.hpp>
#include <rhizome/exec/host/thread.hpp>
#include <rhizome/exec/shape.hpp>

namespace rhizome::exec {

/// Runs the kernel to its end. shape.block_threads is 1, as the cover functions ensure.
template <class Kernel>
void launch(host_space& space, launch_shape shape, Kernel const& kernel) {
    parallel_for(space.team(), shape.blocks, [&](std::uint64_t block) {
        shared_of<Kernel> storage;
        kernel(host_thread<shared_of<Kernel>>(block, shape.blocks, &storage));
    });
}

} // namespace rhizome::exec

// SPDX-License-Identifier: Apache-2.0
// A barrier for all threads of a launch.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::exec {

/// A barrier for all threads of a grid whose blocks all run at once: of a kernel given to launch_resident().
/// Lies in the memory of the space, and is zero when a launch begins.
struct grid_barrier {
    std::uint64_t arrivals; ///< of blocks, since the launch began

    /// Called by all threads of the grid. What any thread wrote before is visible to every thread after it.
    /// Cost: one atomic addition per block, and two barriers of the block; about 1.5 us on 132
    /// multiprocessors.
    template <class Thread>
    RZ_HD void sync(Thread const& thread) {
        auto const block = thread.block();
        block.sync();
        if (block.rank() == 0) {
            auto const word = thread.device(arrivals);
            std::uint64_t const blocks = block.count();
            // Releases what this block wrote, in one chain with the arrivals of all blocks before it.
            std::uint64_t const all =
                (word.fetch_add(std::uint64_t{1}, order::acq_rel) / blocks + 1) * blocks;
            while (word.load(order::acquire) <
                   all) // reads from that chain, and so acquires every block's writes
                thread.relax();
        }
        block.sync();
    }
};

} // namespace rhizome::exec

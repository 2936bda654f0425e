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

/// A barrier for all threads of any launch, at which they learn whether all blocks run at once. Other kernels
/// may occupy multiprocessors for long, and some blocks then do not begin: so blocks that wait here give up
/// after a while. Once all have met, they may wait for each other in a grid_barrier. Lies in the
/// memory of the space, and is zero when a launch begins.
struct grid_meeting {
    std::uint32_t arrivals; ///< of blocks; `called_off` is added if they do not meet

    static constexpr std::uint32_t called_off = 1u << 31;
    /// How often a block looks before it gives up: some 0.15 ms. It looks without a pause at first, since
    /// blocks that come at all mostly come at once.
    static constexpr std::uint32_t most_looks = 160;
    static constexpr std::uint32_t looks_without_pause = 32;

    enum class result : std::uint32_t {
        met,        ///< what any thread wrote before is visible to every thread
        missed,     ///< some block did not come
        called_off, ///< the same, to one block of all
    };

    /// Called by all threads of the grid, once. The blocks get met, or all get one of the others. `answer`: a
    /// word of the block's own shared storage.
    template <class Thread>
    [[nodiscard]] RZ_HD result sync(Thread const& thread, std::uint32_t& answer) {
        auto const block = thread.block();
        block.sync();
        if (block.rank() == 0) answer = static_cast<std::uint32_t>(arrive(thread, block.count()));
        block.sync();
        return static_cast<result>(answer);
    }

private:
    template <class Thread>
    [[nodiscard]] RZ_HD result arrive(Thread const& thread, std::uint32_t blocks) {
        auto const word = thread.device(arrivals);
        // Releases what this block wrote, in one chain with the arrivals of all blocks before it.
        std::uint32_t now = word.fetch_add(1u, order::acq_rel) + 1;
        for (std::uint32_t look = 0; (now & called_off) == 0; ++look) {
            if (now == blocks) return result::met;
            // The last block to come and the one that gives up change one word: one of them is first.
            if (look >= most_looks && word.compare_exchange(now, now | called_off, order::relaxed))
                return result::called_off;
            if (look >= looks_without_pause) thread.pause();
            now = word.load(order::acquire); // reads from that chain, and so acquires every block's writes
        }
        return result::missed;
    }
};

} // namespace rhizome::exec

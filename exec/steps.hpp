// SPDX-License-Identifier: Apache-2.0
// Many short steps, one after another, of which each needs what all threads did in the one before.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/grid_barrier.hpp>
#include <rhizome/exec/shape.hpp>

#include <cstdint>

namespace rhizome::exec {

// What run_steps() runs: trivially copyable, with these members, all RZ_HD.
//     progress                        a trivially copyable type; each thread has its own, and all are equal
//     progress begin() const          before the first step
//     bool next(progress&) const      moves to the next step; false: there is none. Reads what earlier steps
//                                     wrote, and writes nothing
//     void step(thread, progress const&) const   one step, run by all threads
//     void finish(progress const&) const         called once, by one thread, after the last step
//     uint64_t items(progress const&) const      items of the step, for spaces that launch each step
//     block_threads                   threads per block
//     blocks_side_by_side             may be left out; as of a kernel (exec/cuda/launch.hpp)
// A step must not write what next() reads before it. So a step that counts for the next one takes turns
// between several words.

namespace detail {

template <class Program>
struct limits_of {};
template <class Program>
requires requires { Program::blocks_side_by_side; }
struct limits_of<Program> {
    static constexpr std::uint32_t blocks_side_by_side = Program::blocks_side_by_side;
};

template <class Program>
struct resident_steps : limits_of<Program> {
    using shared = shared_of<Program>;
    static constexpr std::uint32_t block_threads = Program::block_threads;

    Program program;
    grid_barrier* barrier;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto progress = program.begin();
        while (program.next(progress)) {
            program.step(thread, progress);
            barrier->sync(thread);
        }
        if (thread.rank() == 0) program.finish(progress);
    }
};

template <class Program>
struct single_step {
    using shared = shared_of<Program>;

    Program program;
    typename Program::progress progress;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        program.step(thread, progress);
    }
};

} // namespace detail

/// Runs the steps of a program. On cuda and simt: in one launch, whose blocks all run at once and meet in
/// `barrier` (zero, in the memory of the space) after each step. On host: a launch per step, because threads
/// run to completion one after another. Asynchronous on cuda. Launches at least one block, and at most as
/// many as `items` need with one thread per item.
template <class Space, class Program>
void run_steps(Space& space, std::uint64_t items, Program const& program, grid_barrier* barrier) {
    static_assert(Program::block_threads != 0 && Program::block_threads % 32 == 0, "blocks are whole warps");
    if constexpr (threads_take_runs<Space>) {
        auto progress = program.begin();
        while (program.next(progress))
            launch(space, cover_threads(space, program.items(progress)),
                   detail::single_step<Program>{program, progress});
        program.finish(progress);
    } else {
        using kernel = detail::resident_steps<Program>;
        launch_resident(space, items, kernel{{}, program, barrier});
    }
}

} // namespace rhizome::exec

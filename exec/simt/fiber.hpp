// SPDX-License-Identifier: Apache-2.0
// Stacks that take turns on one OS thread.
#pragma once

#include <cstddef>

namespace rhizome::exec::emulator {

/// An execution context with a stack of its own; or, made by the first constructor, the OS thread's own
/// stack. A fiber is used repeatedly: `start` gives it a body, which runs at the next switch to it. When the
/// body ends it names the fiber to continue with.
class fiber {
public:
    using body = fiber& (*)(void* argument);

    /// Represents the caller's own stack; must live while other fibers switch back to it.
    fiber();
    /// Makes a stack of `stack_bytes`, with a guard page below.
    explicit fiber(std::size_t stack_bytes);
    fiber(fiber const&) = delete;
    fiber& operator=(fiber const&) = delete;
    ~fiber();

    /// The fiber is new, or its last body has ended.
    void start(body run, void* argument) {
        run_ = run;
        argument_ = argument;
    }
    /// Switches from this fiber, which is running, to `next`; returns when another fiber switches back.
    void switch_to(fiber& next);

private:
    struct arrival;

    void* context_ = nullptr;
    body run_ = nullptr;
    void* argument_ = nullptr;
    void* mapping_ = nullptr; ///< stack and guard page; null for an OS thread's own stack
    std::size_t mapping_bytes_ = 0;
    void const* stack_bottom_ = nullptr;
    std::size_t stack_bytes_ = 0;
    [[maybe_unused]] void* fake_stack_ = nullptr;       ///< AddressSanitizer's, while this fiber does not run
    [[maybe_unused]] void* thread_sanitizer_ = nullptr; ///< ThreadSanitizer's name for this fiber
};

} // namespace rhizome::exec::emulator

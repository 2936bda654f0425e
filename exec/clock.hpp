// SPDX-License-Identifier: Apache-2.0
// Clocks for measurements inside kernels.
#pragma once

#include <rhizome/exec/config.hpp>

#include <chrono>
#include <cstdint>

namespace rhizome::exec {

namespace detail {
[[nodiscard]] inline std::uint64_t host_nanoseconds() {
    auto const now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
} // namespace detail

/// A clock for short times within one thread: on cuda cycles of the multiprocessor (clock64), elsewhere
/// nanoseconds. On cuda the compiler moves no memory access over the call.
[[nodiscard]] RZ_HD inline std::uint64_t clock_ticks() {
#if defined(__CUDA_ARCH__)
    std::uint64_t now = 0;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
#else
    return detail::host_nanoseconds();
#endif
}

/// Nanoseconds of a clock that all threads share. On cuda it moves on in steps, of up to a microsecond.
[[nodiscard]] RZ_HD inline std::uint64_t clock_nanoseconds() {
#if defined(__CUDA_ARCH__)
    std::uint64_t now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
#else
    return detail::host_nanoseconds();
#endif
}

} // namespace rhizome::exec

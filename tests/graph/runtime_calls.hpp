// SPDX-License-Identifier: Apache-2.0
// What a program asks of the CUDA runtime: the linker sends these calls through a counter first.
#pragma once

#include <cstdint>

namespace rhizome::tests {

/// Since the program began.
struct runtime_calls {
    std::uint64_t waits = 0;       ///< synchronizations, of streams, events and the device; copies that wait
    std::uint64_t allocations = 0; ///< of memory of the device, and of pinned memory
    std::uint64_t frees = 0;
};

[[nodiscard]] runtime_calls runtime_calls_so_far();

} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// What a test needs of the machine. Where the machine lacks it, the test is skipped, unless the environment
// says that the machine has it: then the test fails.
//   RHIZOME_REQUIRE_GPU=N          N GPUs can be used: tests that need as many may not be skipped.
//   RHIZOME_REQUIRE_GPU_MEMORY=1   the GPU has the memory that the largest tests need (94 GB).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace rhizome::tests {

/// A number from the environment; 0 where `name` is not set. Throws std::invalid_argument for other text.
inline std::uint64_t number_from_environment(char const* name) {
    char const* const text = std::getenv(name);
    if (text == nullptr || *text == '\0') return 0;
    char* end = nullptr;
    std::uint64_t const number = std::strtoull(text, &end, 10);
    if (*end != '\0' || *text == '-')
        throw std::invalid_argument(std::string(name) + " must be a number, not '" + text + "'");
    return number;
}

/// Whether a test that needs this many GPUs may not be skipped.
inline bool gpus_are_required(std::uint64_t count = 1) {
    return number_from_environment("RHIZOME_REQUIRE_GPU") >= count;
}
inline bool gpu_memory_is_required() { return number_from_environment("RHIZOME_REQUIRE_GPU_MEMORY") != 0; }

/// Ends a test on a machine that lacks something: as failed where it is required, as skipped otherwise. The
/// caller returns afterwards.
inline void end_without(bool required, std::string const& what_is_missing) {
    if (required)
        FAIL() << what_is_missing << ": RHIZOME_REQUIRE_GPU and RHIZOME_REQUIRE_GPU_MEMORY rule that out";
    GTEST_SKIP() << what_is_missing;
}

} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// How much work a test does: less under sanitizers, more where the environment asks for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RZ_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RZ_TEST_SANITIZED 1
#endif
#endif
#if !defined(RZ_TEST_SANITIZED)
#define RZ_TEST_SANITIZED 0
#endif

namespace rhizome::tests {

inline constexpr bool sanitized = RZ_TEST_SANITIZED != 0;
inline constexpr std::uint64_t sanitizer_share = 8; ///< of the work is left: checked code is as much slower

/// A heap that a test uses up, block by block. For a GPU, what it maps at once; elsewhere less, since the
/// emulator takes seconds for it.
#if defined(__CUDACC__)
inline constexpr std::uint64_t small_heap_bytes = 2u << 20;
#else
inline constexpr std::uint64_t small_heap_bytes = 512u << 10;
#endif

/// RHIZOME_TEST_SCALE, a number; 1 where it is not set.
inline double scale_from_environment() {
    char const* const text = std::getenv("RHIZOME_TEST_SCALE");
    double const scale = text == nullptr ? 1.0 : std::strtod(text, nullptr);
    return scale > 0.0 ? scale : 1.0;
}

/// `amount` of work in an ordinary build.
inline std::uint64_t scaled(std::uint64_t amount) {
    double const wanted = static_cast<double>(sanitized ? amount / sanitizer_share : amount);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted * scale_from_environment()));
}

/// For tests that try numbers one after another: each, or every so many, so that `scaled` work is done.
inline std::uint64_t stride(std::uint64_t sanitized_stride) {
    double const least = sanitized ? static_cast<double>(sanitized_stride) : 1.0;
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(least / scale_from_environment()));
}

} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// Calls by which the emulator informs the sanitizers. Without sanitizers every function here is empty.
#pragma once

#include <rhizome/exec/host/sanitizers.hpp>

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define RZ_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RZ_ADDRESS_SANITIZER 1
#endif
#endif
#if !defined(RZ_ADDRESS_SANITIZER)
#define RZ_ADDRESS_SANITIZER 0
#endif

#if RZ_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if RZ_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
extern "C" {
void AnnotateIgnoreReadsBegin(char const* file, int line);
void AnnotateIgnoreReadsEnd(char const* file, int line);
void AnnotateIgnoreWritesBegin(char const* file, int line);
void AnnotateIgnoreWritesEnd(char const* file, int line);
}
#define RZ_NOT_BY_THREAD_SANITIZER __attribute__((no_sanitize("thread")))
#else
#define RZ_NOT_BY_THREAD_SANITIZER
#endif

namespace rhizome::exec::emulator {

inline constexpr bool under_address_sanitizer = RZ_ADDRESS_SANITIZER != 0;

/// While an object of this type lives, ThreadSanitizer ignores this fiber's plain accesses. All lanes share
/// the emulator's own bookkeeping without synchronisation, and this must not count as a race of the kernel.
class bookkeeping {
public:
    bookkeeping() {
#if RZ_THREAD_SANITIZER
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
#endif
    }
    bookkeeping(bookkeeping const&) = delete;
    bookkeeping& operator=(bookkeeping const&) = delete;
    ~bookkeeping() {
#if RZ_THREAD_SANITIZER
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
    }
};

/// Everything before a release of a token happens before everything after an acquire of it.
inline void release_token([[maybe_unused]] void* token) {
#if RZ_THREAD_SANITIZER
    __tsan_release(token);
#endif
}
inline void acquire_token([[maybe_unused]] void* token) {
#if RZ_THREAD_SANITIZER
    __tsan_acquire(token);
#endif
}

} // namespace rhizome::exec::emulator

// SPDX-License-Identifier: Apache-2.0
// Which sanitizer this translation unit is compiled for.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define RZ_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RZ_THREAD_SANITIZER 1
#endif
#endif
#if !defined(RZ_THREAD_SANITIZER)
#define RZ_THREAD_SANITIZER 0
#endif

namespace rhizome::exec {

/// ThreadSanitizer sees only the synchronisation that it was compiled into.
inline constexpr bool under_thread_sanitizer = RZ_THREAD_SANITIZER != 0;

} // namespace rhizome::exec

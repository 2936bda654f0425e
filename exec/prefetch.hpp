// SPDX-License-Identifier: Apache-2.0
// Brings memory to the cache ahead of its use.
#pragma once

#include <rhizome/exec/config.hpp>

namespace rhizome::exec {

/// Begins to load the cache line at `pointer`, which need not be a valid address. On the host a thread that
/// takes one random row after the other would otherwise wait for each. Does nothing on the GPU, where other
/// warps run meanwhile.
RZ_HD inline void prefetch([[maybe_unused]] void const* pointer) {
#if !defined(__CUDA_ARCH__)
    __builtin_prefetch(pointer);
#endif
}

} // namespace rhizome::exec

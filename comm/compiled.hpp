// SPDX-License-Identifier: Apache-2.0
// What the library rhizome::comm holds compiled: the reductions of the backend `threads` on host and cuda.
// threads.hpp includes this file.
#pragma once

#include <rhizome/comm/threads/accumulate.hpp>

// nvcc compiles kernels of users. Any compiler can compile calls on the GPU.
#if !defined(__CUDACC__)
#include <rhizome/exec/host.hpp>
#endif
#if defined(RHIZOME_HAS_CUDA)
#include <rhizome/exec/cuda.hpp>
#endif

/// Declares the reductions of one space (Prefix: extern), or compiles them (Prefix empty).
#define RZ_COMPILED_ACCUMULATE(Prefix, Space)                                                                \
    Prefix template void detail::accumulate<Space>(Space&, element, reduction, void*, void const*,           \
                                                   std::uint64_t);

namespace rhizome::comm {

#if !defined(__CUDACC__)
RZ_COMPILED_ACCUMULATE(extern, exec::host_space)
#endif
#if defined(RHIZOME_HAS_CUDA)
RZ_COMPILED_ACCUMULATE(extern, exec::cuda_space)
#endif

} // namespace rhizome::comm

// SPDX-License-Identifier: Apache-2.0
// The allocators for which the library rhizome::alloc contains compiled code. A program that uses them does
// not compile the kernels of their owners again, only the device code that its own kernels call. If that
// library is linked, the headers of the allocators include this file.
#pragma once

#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/alloc/page_queue/page_queue.hpp>
#include <rhizome/exec/compiled_spaces.hpp>

/// Declares one allocator (Prefix: extern), or compiles it (Prefix empty).
#define RZ_COMPILED_OUROBOROS(Prefix, Space, Granularity, Queue, Classes)                                    \
    Prefix template class combined_ouroboros<Space, instance<Granularity, Queue, Classes>>;
#define RZ_COMPILED_PAGE_QUEUE(Prefix, Space, PageBytes) Prefix template class page_queue<Space, PageBytes>;
// Those of components (RHIZOME_COMPONENTS), if the library was built with them.
#if defined(RHIZOME_COMPILED_OUROBOROS)
#define RZ_COMPILED_OTHER_OUROBOROS(Space)                                                                   \
    RZ_COMPILED_OUROBOROS(extern, Space, page_based, array_queue, fine_classes<>)                            \
    RZ_COMPILED_OUROBOROS(extern, Space, page_based, array_queue, power_of_two_classes<>)                    \
    RZ_COMPILED_OUROBOROS(extern, Space, page_based, virtual_linked_queue, fine_classes<>)                   \
    RZ_COMPILED_OUROBOROS(extern, Space, chunk_based, array_queue, fine_classes<>)                           \
    RZ_COMPILED_OUROBOROS(extern, Space, chunk_based, virtual_array_queue, fine_classes<>)                   \
    RZ_COMPILED_OUROBOROS(extern, Space, chunk_based, virtual_linked_queue, fine_classes<>)
#else
#define RZ_COMPILED_OTHER_OUROBOROS(Space)
#endif
#if defined(RHIZOME_COMPILED_PAGE_QUEUE)
#define RZ_COMPILED_FAIM_PAGE_QUEUE(Space) RZ_COMPILED_PAGE_QUEUE(extern, Space, 128)
#else
#define RZ_COMPILED_FAIM_PAGE_QUEUE(Space)
#endif
#define RZ_COMPILED_ALLOCATORS(Space)                                                                        \
    RZ_COMPILED_OUROBOROS(extern, Space, page_based, virtual_array_queue, fine_classes<>)                    \
    RZ_COMPILED_OTHER_OUROBOROS(Space)                                                                       \
    RZ_COMPILED_FAIM_PAGE_QUEUE(Space)

namespace rhizome::alloc {

#if !defined(__CUDACC__)
RZ_COMPILED_ALLOCATORS(exec::host_space)
#endif
#if defined(RHIZOME_HAS_CUDA)
RZ_COMPILED_ALLOCATORS(exec::cuda_space)
#endif
#if defined(RHIZOME_COMPILED_SIMT) && !defined(__CUDACC__)
RZ_COMPILED_ALLOCATORS(exec::simt_space)
#endif

} // namespace rhizome::alloc

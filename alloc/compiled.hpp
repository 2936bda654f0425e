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

// The list, in groups of which alloc/CMakeLists.txt makes a file each. It is not that of
// runtime/catalogue.cmake, because most allocators there are compiled by those that use them alone.
#define RZ_COMPILED_DEFAULT(Prefix, Space)                                                                   \
    RZ_COMPILED_OUROBOROS(Prefix, Space, page_based, virtual_array_queue, fine_classes<>)
#define RZ_COMPILED_ARRAY_QUEUES(Prefix, Space)                                                              \
    RZ_COMPILED_OUROBOROS(Prefix, Space, page_based, array_queue, fine_classes<>)                            \
    RZ_COMPILED_OUROBOROS(Prefix, Space, chunk_based, array_queue, fine_classes<>)
#define RZ_COMPILED_LINKED_QUEUES(Prefix, Space)                                                             \
    RZ_COMPILED_OUROBOROS(Prefix, Space, page_based, virtual_linked_queue, fine_classes<>)                   \
    RZ_COMPILED_OUROBOROS(Prefix, Space, chunk_based, virtual_linked_queue, fine_classes<>)
#define RZ_COMPILED_OTHER_OUROBOROS(Prefix, Space)                                                           \
    RZ_COMPILED_OUROBOROS(Prefix, Space, chunk_based, virtual_array_queue, fine_classes<>)                   \
    RZ_COMPILED_OUROBOROS(Prefix, Space, page_based, array_queue, power_of_two_classes<>)
#define RZ_COMPILED_PAGE_QUEUE(Prefix, Space) Prefix template class page_queue<Space, 128>;

// Those of components (RHIZOME_COMPONENTS), if the library was built with them.
#if defined(RHIZOME_COMPILED_OUROBOROS)
#define RZ_DECLARE_OUROBOROS(Space)                                                                          \
    RZ_COMPILED_ARRAY_QUEUES(extern, Space)                                                                  \
    RZ_COMPILED_LINKED_QUEUES(extern, Space)                                                                 \
    RZ_COMPILED_OTHER_OUROBOROS(extern, Space)
#else
#define RZ_DECLARE_OUROBOROS(Space)
#endif
#if defined(RHIZOME_COMPILED_PAGE_QUEUE)
#define RZ_DECLARE_PAGE_QUEUE(Space) RZ_COMPILED_PAGE_QUEUE(extern, Space)
#else
#define RZ_DECLARE_PAGE_QUEUE(Space)
#endif
#define RZ_DECLARE_ALLOCATORS(Space)                                                                         \
    RZ_COMPILED_DEFAULT(extern, Space)                                                                       \
    RZ_DECLARE_OUROBOROS(Space)                                                                              \
    RZ_DECLARE_PAGE_QUEUE(Space)

namespace rhizome::alloc {

#if !defined(__CUDACC__)
RZ_DECLARE_ALLOCATORS(exec::host_space)
#endif
#if defined(RHIZOME_HAS_CUDA)
RZ_DECLARE_ALLOCATORS(exec::cuda_space)
#endif
#if defined(RHIZOME_COMPILED_SIMT) && !defined(__CUDACC__)
RZ_DECLARE_ALLOCATORS(exec::simt_space)
#endif

} // namespace rhizome::alloc

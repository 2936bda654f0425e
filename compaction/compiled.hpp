// SPDX-License-Identifier: Apache-2.0
// What the library rhizome::compaction holds compiled: compactions of elements of 1, 2, 4, 8 and 16 bytes
// that lie at multiples of their size, or at multiples of 4 or 8 bytes if they are larger, and indices.
// Programs that link the library do not compile these again, and calls of them on cuda need no nvcc.
// select.hpp includes this file where that library is linked.
#pragma once

#include <rhizome/compaction/select.hpp>

// nvcc compiles kernels of users. Any compiler can compile calls on the GPU.
#if !defined(__CUDACC__)
#include <rhizome/exec/host.hpp>
#endif
#if defined(RHIZOME_HAS_CUDA)
#include <rhizome/exec/cuda.hpp>
#endif

/// Declares the compactions of one kind of element (Prefix: extern), or compiles them (Prefix empty).
#define RZ_COMPILED_SELECTION(Prefix, Space, Bytes, Alignment)                                               \
    Prefix template void detail::selection<Space>::select(                                                   \
        Space&, detail::selection_plan const&, detail::selection_scratch const&,                             \
        detail::array_source<detail::element<Bytes, Alignment>> const&, bit_mask const&,                     \
        detail::element<Bytes, Alignment>*, std::uint64_t*);                                                 \
    Prefix template void detail::selection<Space>::select_in_place(                                          \
        Space&, detail::selection_plan const&, detail::selection_scratch const&,                             \
        detail::element<Bytes, Alignment>*, bit_mask const&, std::uint64_t*);
#define RZ_COMPILED_INDICES(Prefix, Space, Index)                                                            \
    Prefix template void detail::selection<Space>::select(                                                   \
        Space&, detail::selection_plan const&, detail::selection_scratch const&,                             \
        detail::index_source<Index> const&, bit_mask const&, Index*, std::uint64_t*);
#define RZ_COMPILED_SELECTIONS(Prefix, Space)                                                                \
    RZ_COMPILED_SELECTION(Prefix, Space, 1, 1)                                                               \
    RZ_COMPILED_SELECTION(Prefix, Space, 2, 2)                                                               \
    RZ_COMPILED_SELECTION(Prefix, Space, 4, 4)                                                               \
    RZ_COMPILED_SELECTION(Prefix, Space, 8, 8)                                                               \
    RZ_COMPILED_SELECTION(Prefix, Space, 16, 16)                                                             \
    RZ_COMPILED_SELECTION(Prefix, Space, 8, 4)                                                               \
    RZ_COMPILED_SELECTION(Prefix, Space, 16, 8)                                                              \
    RZ_COMPILED_SELECTION(Prefix, Space, 16, 4)                                                              \
    RZ_COMPILED_INDICES(Prefix, Space, std::uint32_t)                                                        \
    RZ_COMPILED_INDICES(Prefix, Space, std::uint64_t)

namespace rhizome::compaction {

#if !defined(__CUDACC__)
RZ_COMPILED_SELECTIONS(extern, exec::host_space)
#endif
#if defined(RHIZOME_HAS_CUDA)
RZ_COMPILED_SELECTIONS(extern, exec::cuda_space)
#endif

} // namespace rhizome::compaction

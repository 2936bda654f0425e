// SPDX-License-Identifier: Apache-2.0
// What is compiled for cuda in files of its own: the backings, and each variant over the default one.
#pragma once

#include <rhizome/alloc/coalescing/backings.hpp>
#include <rhizome/bench/papers/coalesced_allocation/subject_on.hpp>
#include <rhizome/exec/cuda.hpp>

#include <memory>
#include <string>

/// Declares (Prefix: extern) or compiles (Prefix empty) what measures one allocator on cuda.
#define RZ_COALESCING_ON_CUDA(Prefix, ...)                                                                   \
    Prefix template std::unique_ptr<coalescing_subject> subject_of<__VA_ARGS__>(exec::cuda_space const&,     \
                                                                                coalescing_options const&);

namespace rhizome::bench {

using default_on_cuda =
    alloc::ouroboros<exec::cuda_space, alloc::page_based, alloc::virtual_array_queue, alloc::fine_classes<>>;
template <class Scope, class Bookkeeping>
using coalescing_on_cuda = alloc::coalescing<Scope, Bookkeeping, default_on_cuda>;

// nvcc takes a minute for each of them: over_default_cuda.in makes a file for each.
RZ_COALESCING_ON_CUDA(extern, default_on_cuda)
RZ_COALESCING_ON_CUDA(extern, coalescing_on_cuda<alloc::block_wide, alloc::by_header>)
RZ_COALESCING_ON_CUDA(extern, coalescing_on_cuda<alloc::block_wide, alloc::by_table>)
RZ_COALESCING_ON_CUDA(extern, coalescing_on_cuda<alloc::warp_wide, alloc::by_header>)
RZ_COALESCING_ON_CUDA(extern, coalescing_on_cuda<alloc::warp_wide, alloc::by_table>)
RZ_COALESCING_ON_CUDA(extern, coalescing_on_cuda<alloc::lane_wise, alloc::by_header>)

[[nodiscard]] std::unique_ptr<coalescing_subject> open_over_malloc_on_cuda(exec::cuda_space const& space,
                                                                           std::string const& variant,
                                                                           coalescing_options const& options);
[[nodiscard]] std::unique_ptr<coalescing_subject> open_over_walk_on_cuda(exec::cuda_space const& space,
                                                                         std::string const& variant,
                                                                         coalescing_options const& options);

} // namespace rhizome::bench

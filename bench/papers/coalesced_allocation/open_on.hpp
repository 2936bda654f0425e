// SPDX-License-Identifier: Apache-2.0
// From names of allocators to subjects. A function per backing, so that each can be compiled in a file of its
// own for cuda (on_cuda.in).
#pragma once

#include <rhizome/alloc/baselines/device_malloc.hpp>
#include <rhizome/alloc/coalescing/backings.hpp>
#include <rhizome/alloc/coalescing/coalescing.hpp>
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/alloc/random_walk/random_walk_malloc.hpp>
#include <rhizome/bench/papers/coalesced_allocation/subject_on.hpp>

#include <memory>
#include <stdexcept>
#include <string>

namespace rhizome::bench {

/// Builds that only check CUDA code define this for nvcc. It then reads the kernels over CUDA's malloc alone:
/// the others differ in the allocator, which the tests of alloc have read.
#if defined(RHIZOME_WITHOUT_DEVICE_CODE) && defined(__CUDACC__)
inline constexpr bool every_variant = false;
#else
inline constexpr bool every_variant = true;
#endif

/// The backing alone, or a variant of coalescing over it; nullptr if there is none of that name.
/// `variant`: "", "block-header", ...
template <class Backing, class Space>
[[nodiscard]] std::unique_ptr<coalescing_subject> open_over(Space const& space, std::string const& variant,
                                                            coalescing_options const& options) {
    using namespace alloc;
    if constexpr (every_variant || !Backing::ref_type::traits::bounded) {
        if (variant.empty()) return subject_of<Backing>(space, options);
        if (variant == "block-header")
            return subject_of<coalescing<block_wide, by_header, Backing>>(space, options);
        if (variant == "block-table")
            return subject_of<coalescing<block_wide, by_table, Backing>>(space, options);
        if (variant == "warp-header")
            return subject_of<coalescing<warp_wide, by_header, Backing>>(space, options);
        if (variant == "warp-table")
            return subject_of<coalescing<warp_wide, by_table, Backing>>(space, options);
        if (variant == "dynamic")
            return subject_of<coalescing<lane_wise, by_header, Backing>>(space, options);
    }
    if constexpr (!Backing::ref_type::traits::bounded) { // as in the paper; padding is no matter of the
                                                         // backing
        if (variant == "block-dense")
            return subject_of<coalescing<block_wide, by_dense_table, Backing>>(space, options);
        if (variant == "warp-dense")
            return subject_of<coalescing<warp_wide, by_dense_table, Backing>>(space, options);
    }
    return nullptr;
}

template <class Space>
[[nodiscard]] std::unique_ptr<coalescing_subject>
open_over_default(Space const& space, std::string const& variant, coalescing_options const& options) {
    using namespace alloc;
    return open_over<ouroboros<Space, page_based, virtual_array_queue, fine_classes<>>>(space, variant,
                                                                                        options);
}
template <class Space>
[[nodiscard]] std::unique_ptr<coalescing_subject>
open_over_malloc(Space const& space, std::string const& variant, coalescing_options const& options) {
    return open_over<alloc::device_malloc<Space>>(space, variant, options);
}
/// Two variants only: the others show nothing about random walks that they do not show about Ouroboros.
template <class Space>
[[nodiscard]] std::unique_ptr<coalescing_subject>
open_over_walk([[maybe_unused]] Space const& space, [[maybe_unused]] std::string const& variant,
               [[maybe_unused]] coalescing_options const& options) {
    using namespace alloc;
    using backing = random_walk_malloc<Space>;
    if constexpr (every_variant) {
        if (variant.empty()) return subject_of<backing>(space, options);
        if (variant == "block-table")
            return subject_of<coalescing<block_wide, by_table, backing>>(space, options);
        if (variant == "warp-table")
            return subject_of<coalescing<warp_wide, by_table, backing>>(space, options);
    }
    return nullptr;
}

template <class Space>
std::unique_ptr<coalescing_subject> open_on(chosen_space const& where, coalescing_options const& options) {
    auto const space = space_for<Space>(where, kernel_loading::lazy);
    split_name const name = split_allocator(options.allocator);
    auto opened = name.backing == "device-malloc"        ? open_over_malloc(space, name.variant, options)
                  : name.backing == "random-walk-malloc" ? open_over_walk(space, name.variant, options)
                                                         : open_over_default(space, name.variant, options);
    if (!opened) throw std::invalid_argument("no '" + options.allocator + "' for the coalescing benchmarks");
    return opened;
}

} // namespace rhizome::bench

#if defined(__CUDACC__)
#include <rhizome/exec/cuda.hpp>

// nvcc takes a minute for each allocator. So files made from on_cuda.in hold the default allocator and each
// variant over it, and all variants over each other backing.

/// Declares (Prefix: extern) or compiles (Prefix empty) what measures one allocator on cuda.
#define RZ_COALESCING_ON_CUDA(Prefix, ...)                                                                   \
    Prefix template std::unique_ptr<coalescing_subject> subject_of<__VA_ARGS__>(exec::cuda_space const&,     \
                                                                                coalescing_options const&);
/// The same of a function that opens all variants over a backing.
#define RZ_BACKING_ON_CUDA(Prefix, Open)                                                                     \
    Prefix template std::unique_ptr<coalescing_subject> Open(exec::cuda_space const&, std::string const&,    \
                                                             coalescing_options const&);

namespace rhizome::bench {

using default_on_cuda =
    alloc::ouroboros<exec::cuda_space, alloc::page_based, alloc::virtual_array_queue, alloc::fine_classes<>>;
template <class Scope, class Bookkeeping>
using coalescing_on_cuda = alloc::coalescing<Scope, Bookkeeping, default_on_cuda>;

RZ_COALESCING_ON_CUDA(extern, default_on_cuda)
RZ_COALESCING_ON_CUDA(extern, coalescing_on_cuda<alloc::block_wide, alloc::by_header>)
RZ_COALESCING_ON_CUDA(extern, coalescing_on_cuda<alloc::block_wide, alloc::by_table>)
RZ_COALESCING_ON_CUDA(extern, coalescing_on_cuda<alloc::warp_wide, alloc::by_header>)
RZ_COALESCING_ON_CUDA(extern, coalescing_on_cuda<alloc::warp_wide, alloc::by_table>)
RZ_COALESCING_ON_CUDA(extern, coalescing_on_cuda<alloc::lane_wise, alloc::by_header>)
RZ_BACKING_ON_CUDA(extern, open_over_malloc)
RZ_BACKING_ON_CUDA(extern, open_over_walk)

} // namespace rhizome::bench
#endif

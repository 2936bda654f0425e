// SPDX-License-Identifier: Apache-2.0
// From names of allocators to subjects. A function per backing, so that each can be compiled in a file of its
// own: nvcc takes long for each allocator.
#pragma once

#include <rhizome/alloc/baselines/device_malloc.hpp>
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
#if defined(RHIZOME_WITHOUT_DEVICE_CODE)
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

/// over_default(variant), over_malloc(variant), over_walk(variant): open it on the space.
template <class Default, class Malloc, class Walk>
[[nodiscard]] std::unique_ptr<coalescing_subject>
open_named(std::string const& allocator, Default&& over_default, Malloc&& over_malloc, Walk&& over_walk) {
    split_name const name = split_allocator(allocator);
    auto opened = name.backing == "device-malloc"        ? over_malloc(name.variant)
                  : name.backing == "random-walk-malloc" ? over_walk(name.variant)
                                                         : over_default(name.variant);
    if (!opened) throw std::invalid_argument("no '" + allocator + "' for the coalescing benchmarks");
    return opened;
}

template <class Space>
[[nodiscard]] std::unique_ptr<coalescing_subject> open_coalescing_on(Space const& space,
                                                                     coalescing_options const& options) {
    return open_named(
        options.allocator, [&](auto const& variant) { return open_over_default(space, variant, options); },
        [&](auto const& variant) { return open_over_malloc(space, variant, options); },
        [&](auto const& variant) { return open_over_walk(space, variant, options); });
}

} // namespace rhizome::bench

// SPDX-License-Identifier: Apache-2.0
// Coalescing over the backings that the tool offers by name.
#pragma once

#include <rhizome/alloc/baselines/device_malloc.hpp>
#include <rhizome/alloc/coalescing/coalescing.hpp>
#include <rhizome/alloc/ouroboros/ouroboros.hpp>

namespace rhizome::alloc {

/// Over the allocator that graphs have by default.
template <class Space, class Scope, class Bookkeeping>
using coalescing_ouroboros =
    coalescing<Scope, Bookkeeping, ouroboros<Space, page_based, virtual_array_queue, fine_classes<>>>;

/// Over CUDA's malloc, as in the paper.
template <class Space, class Scope, class Bookkeeping>
using coalescing_malloc = coalescing<Scope, Bookkeeping, device_malloc<Space>>;

} // namespace rhizome::alloc

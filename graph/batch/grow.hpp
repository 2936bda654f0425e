// SPDX-License-Identifier: Apache-2.0
// How a graph takes more memory for its heap and its vertex table: it never takes the last of it.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::graph {

/// Makes `owner` at least `size` large (an allocator: bytes; a typed_region: elements), and leaves the space
/// memory for the scratch of a small batch. Each batch needs scratch, also one that erases edges, and a heap
/// gives memory back only if it is compacted. Throws exec::out_of_memory; size and contents
/// are then as they were, but refs of an allocator are invalid. Does nothing if a region is large enough
/// already.
template <class Space, class Owner>
void grow_sparing_scratch(Space const& space, Owner& owner, std::uint64_t size) {
    if constexpr (requires { owner.capacity(); })
        if (owner.capacity() >= size) return;
    exec::buffer<Space, std::byte> const spared(space, tuning::least_scratch_bytes);
    owner.grow_to(size);
}

} // namespace rhizome::graph

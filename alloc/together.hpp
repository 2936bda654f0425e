// SPDX-License-Identifier: Apache-2.0
// One block for a group of lanes.
#pragma once

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// The leader makes the request and shares the result. Called by all lanes of `group`.
template <class Ref, class Thread, class Group>
[[nodiscard]] RZ_HD void* allocate_by_leader(Ref const& ref, Thread const& thread, Group const& group,
                                             std::uint64_t bytes) {
    std::uint64_t address = 0;
    if (group.is_leader()) address = reinterpret_cast<std::uint64_t>(ref.allocate(thread, bytes));
    return reinterpret_cast<void*>(group.broadcast(address, 0));
}

/// One block for all lanes of `group`, which call this together and may use the block on return. Uses
/// ref.allocate_together() where the ref has it; otherwise the leader makes the request.
template <class Ref, class Thread, class Group>
[[nodiscard]] RZ_HD void* allocate_together(Ref const& ref, Thread const& thread, Group const& group,
                                            std::uint64_t bytes) {
    void* block = nullptr;
    if constexpr (allocates_together<Ref, Thread, Group>)
        block = ref.allocate_together(thread, group, bytes);
    else
        block = allocate_by_leader(ref, thread, group, bytes);
    group.sync();
    return block;
}

} // namespace rhizome::alloc

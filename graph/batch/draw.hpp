// SPDX-License-Identifier: Apache-2.0
// Numbers for lanes that append to one list.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Draws `count` consecutive numbers and returns the first; lanes that draw together use one atomic
/// operation.
template <class Thread>
[[nodiscard]] RZ_HD std::uint32_t draw(Thread const& thread, std::uint32_t& counter, std::uint32_t count) {
    // Lanes that draw from different counters may arrive together.
    auto const group = thread.coalesced().match(reinterpret_cast<std::uint64_t>(&counter));
    std::uint32_t const before = group.exclusive_scan(count);
    std::uint32_t const total = group.sum(count);
    std::uint32_t first = 0;
    if (group.is_leader()) first = thread.device(counter).fetch_add(total, exec::order::relaxed);
    return group.broadcast(first, 0) + before;
}

} // namespace rhizome::graph::batch

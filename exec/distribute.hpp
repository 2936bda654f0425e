// SPDX-License-Identifier: Apache-2.0
// How the items of a loop are distributed over the threads, tiles or blocks of a grid.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>

#include <cstdint>

namespace rhizome::exec {

namespace detail {
// On the GPU neighbouring workers take neighbouring items (coalesced access). On the host each worker takes a
// run of items (cache lines of its own).
template <bool Runs, class Function>
RZ_HD void distribute(std::uint64_t worker, std::uint64_t workers, std::uint64_t items, Function&& function) {
    if constexpr (Runs) {
        std::uint64_t const run = (items + workers - 1) / workers;
        std::uint64_t const begin = worker * run;
        std::uint64_t const end = begin + run < items ? begin + run : items;
        for (std::uint64_t item = begin; item < end; ++item)
            function(item);
    } else {
        for (std::uint64_t item = worker; item < items; item += workers)
            function(item);
    }
}
} // namespace detail

/// Calls function(item) for this thread's share of the items 0 to `items` - 1.
template <class Thread, class Function>
RZ_HD void for_each_item(Thread const& thread, std::uint64_t items, Function&& function) {
    detail::distribute<Thread::prefers_runs>(thread.rank(), thread.size(), items, function);
}

/// Calls function(item) for the share of this tile or block: all its threads get the same items.
template <class Group, class Function>
RZ_HD void for_each_group_item(Group const& group, std::uint64_t items, Function&& function) {
    detail::distribute<Group::prefers_runs>(group.index(), group.count(), items, function);
}

/// Calls function(item) for the share of member number `member` of `members`, which are threads, tiles, warps
/// or blocks of this launch: for kernels that choose at run time which of them.
template <class Thread, class Function>
RZ_HD void for_each_item_of(Thread const&, std::uint64_t member, std::uint64_t members, std::uint64_t items,
                            Function&& function) {
    detail::distribute<Thread::prefers_runs>(member, members, items, function);
}

/// Adds every thread's `value` to one word, with one atomic per warp. Called by all threads of the warp.
template <class Thread>
RZ_HD void add_to_total(Thread const& thread, std::uint64_t& total, std::uint64_t value) {
    auto const warp = thread.warp();
    std::uint64_t const sum = warp.sum(value);
    if (warp.rank() == 0 && sum != 0) thread.device(total).fetch_add(sum, order::relaxed);
}

} // namespace rhizome::exec

// SPDX-License-Identifier: Apache-2.0
// Arcs that come to a part of a graph in the form in which its batch sorts them.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/batch/plan/sorting_arrays.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// In which form the arcs of a batch lie. **Packed**: as packed_keys::make(row, target), in the memory where
/// else the edges are, in the order of their lowest bits. A batch that sorts its arcs leaves them so; one
/// that does not unpacks them, and notes it here.
struct arc_form {
    bool packed = false;
    unsigned ordered_bits = 0; ///< the arcs lie in the order of so many lowest bits of their keys
};

/// Turns packed arcs into edges, in place.
template <class Id>
struct unpack_arcs {
    static constexpr bool overlaps_launch = true;
    using key_type = typename packed_keys<Id>::key;
    static_assert(sizeof(key_type) == sizeof(basic_edge<Id>));

    packed_keys<Id> keys;
    basic_edge<Id>* edges; ///< packed so far
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            key_type const key = reinterpret_cast<key_type const*>(edges)[i];
            edges[i] = {static_cast<Id>(keys.row_of(key)), keys.target_of(key)};
        });
    }
};

} // namespace rhizome::graph::batch

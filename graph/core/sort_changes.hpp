// SPDX-License-Identifier: Apache-2.0
// Sorts lists of edges by source, then by target, with what belongs to them.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/key_pairs.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/batch/plan/sorting_arrays.hpp>
#include <rhizome/graph/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace rhizome::graph::batch {

/// Edge i becomes the key of pair i, whose value is i.
template <class Id>
struct key_edges {
    packed_keys<Id> keys;
    basic_edge<Id> const* edges;
    std::uint64_t count;
    exec::basic_key_pairs<typename packed_keys<Id>::key> pairs;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            pairs.keys[i] = keys.make(edges[i].source, edges[i].target);
            pairs.values[i] = static_cast<std::uint32_t>(i);
        });
    }
};
/// The reverse, for edges.
template <class Id>
struct write_keyed_edges {
    packed_keys<Id> keys;
    typename packed_keys<Id>::key const* sorted;
    std::uint64_t count;
    basic_edge<Id>* edges;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            edges[i] = {static_cast<Id>(keys.row_of(sorted[i])), keys.target_of(sorted[i])};
        });
    }
};
/// to[i] = from[numbers[i]].
template <class Value>
struct gather_values {
    Value const* from;
    std::uint32_t const* numbers;
    std::uint64_t count;
    Value* to;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) { to[i] = from[numbers[i]]; });
    }
};

template <class Space, class Id>
class change_sorter {
public:
    change_sorter(Space& space, exec::workspace<Space>& primitives)
        : space_(space), primitives_(primitives) {}

    /// `values`: arrays with an element for each edge. Throws std::length_error for 2^32 edges or more, and
    /// out_of_memory before anything is changed. Cost: 24 bytes of memory an edge (40 with ids of 64 bits),
    /// and the size of a value.
    template <class... Values>
    void sort(basic_edge<Id>* edges, std::uint64_t count, Values*... values) {
        if (count < 2) return;
        if (count > 0xffff'ffffull) throw std::length_error("2^32 changes or more cannot be sorted");
        using key = typename packed_keys<Id>::key;
        constexpr unsigned id_bits = sizeof(Id) == 4 ? 32 : 40; // more than a graph has
        packed_keys<Id> const keys{id_bits, 0, false};
        exec::buffer<Space, key> key_memory(space_, 2 * count);
        exec::buffer<Space, std::uint32_t> numbers(space_, 2 * count);
        exec::basic_key_pairs<key> const pairs{key_memory.data(), numbers.data()};
        exec::basic_key_pairs<key> const other{key_memory.data() + count, numbers.data() + count};
        exec::buffer<Space, std::byte> old(space_, count * std::max({std::size_t{0}, sizeof(Values)...}));
        auto const each = cover_threads(space_, count);
        launch(space_, each, key_edges<Id>{keys, edges, count, pairs});
        auto const sorted = sort_pairs(space_, primitives_, pairs, other, count, 2 * id_bits);
        (permute(values, reinterpret_cast<Values*>(old.data()), sorted.values, count), ...);
        launch(space_, each, write_keyed_edges<Id>{keys, sorted.keys, count, edges});
    }

private:
    template <class Value>
    void permute(Value* values, Value* old, std::uint32_t const* numbers, std::uint64_t count) {
        space_.copy(old, values, count * sizeof(Value));
        launch(space_, cover_threads(space_, count), gather_values<Value>{old, numbers, count, values});
    }

    Space& space_;
    exec::workspace<Space>& primitives_;
};

} // namespace rhizome::graph::batch

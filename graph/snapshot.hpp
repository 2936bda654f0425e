// Copying any view into compressed sparse rows.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/batch/sort_arcs.hpp>
#include <rhizome/graph/copy_lists.hpp>
#include <rhizome/graph/csr.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace rhizome::graph {

namespace detail {

/// Whether a view has values beside its neighbours.
template <class View>
inline constexpr bool values_of_view = requires(View const view, typename View::id_type v) {
    view.values(v);
};

template <class View>
struct write_degrees {
    View view;
    std::uint64_t* degrees; ///< vertices + 1; the last is 0

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, view.vertex_count() + 1, [&](std::uint64_t v) {
            degrees[v] = v < view.vertex_count() ? view.degree(static_cast<typename View::id_type>(v)) : 0;
        });
    }
};

template <class View>
struct copy_dead {
    View view;
    std::uint32_t* bits;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, (view.vertex_count() + 31) / 32, [&](std::uint64_t word) {
            std::uint32_t dead = 0;
            for (std::uint64_t v = word * 32; v < word * 32 + 32 && v < view.vertex_count(); ++v)
                dead |= view.is_live(static_cast<typename View::id_type>(v)) ? 0u : 1u << (v % 32);
            bits[word] = dead;
        });
    }
};

template <class Id>
using row_keys = typename batch::sorting_arrays<Id>::key_pairs;

/// A key an arc, row above and target below; with values, which arc it is.
template <class View, bool WithValues>
struct key_rows {
    using id_type = typename View::id_type;

    View view;
    std::uint64_t const* offsets;
    batch::packed_keys<id_type> keys;
    row_keys<id_type> pairs;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, view.vertex_count(), [&](std::uint64_t v) {
            auto const row = view.neighbours(static_cast<id_type>(v));
            std::uint64_t const first = offsets[v];
            row.for_each(tile, 0, row.size(), [&](std::uint64_t k, id_type target) {
                pairs.keys[first + k] = keys.make(v, target);
                if constexpr (WithValues) pairs.values[first + k] = static_cast<std::uint32_t>(first + k);
            });
        });
    }
};

template <class Id, class Value>
struct unpack_keys {
    batch::packed_keys<Id> keys;
    row_keys<Id> pairs;
    std::uint64_t count;
    Id* targets;
    Value const* stored; ///< values in the order of the arcs; nullptr: none
    Value* values;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            targets[i] = keys.target_of(pairs.keys[i]);
            if (stored != nullptr) values[i] = stored[pairs.values[i]];
        });
    }
};

/// Makes the rows of a copy ascend. Throws out_of_memory. Cost: a sort of all arcs.
template <bool WithValues, class Space, class View, class Csr>
void sort_rows(Space& space, exec::workspace<Space>& scratch, View const& view, Csr& copy) {
    using id_type = typename View::id_type;
    using value_type = typename Csr::value_type;
    using packing_type = batch::packed_keys<id_type>;
    std::uint64_t const arcs = copy.targets.size();
    if (WithValues && arcs > 0xffff'ffffull)
        throw std::length_error("a copy of unsorted rows has at most 2^32 - 1 arcs with values");
    exec::buffer<Space, typename packing_type::key> keys(space, 2 * arcs);
    exec::buffer<Space, std::uint32_t> places(space, WithValues ? 2 * arcs : 0);
    row_keys<id_type> pairs{keys.data(), places.data()};
    row_keys<id_type> other{keys.data() + arcs, WithValues ? places.data() + arcs : nullptr};
    auto const packing = packing_type::of(view.vertex_count(), view.vertex_count());
    launch(space, exec::cover_tiles<tuning::row_tile>(space, view.vertex_count()),
           key_rows<View, WithValues>{view, copy.offsets.data(), packing, pairs});
    if constexpr (WithValues)
        pairs = sort_pairs(space, scratch, pairs, other, arcs, packing.bits());
    else
        pairs.keys = sort_keys(space, scratch, pairs.keys, other.keys, arcs, packing.bits());
    exec::buffer<Space, value_type> sorted(space, WithValues ? arcs : 0);
    launch(space, cover_threads(space, arcs),
           unpack_keys<id_type, value_type>{packing, pairs, arcs, copy.targets.data(),
                                            WithValues ? copy.values.data() : nullptr, sorted.data()});
    if constexpr (WithValues) copy.values = std::move(sorted);
}

} // namespace detail

/// A copy of the out-adjacency, rows ascending. Throws out_of_memory. Cost: one pass over the arcs and one
/// wait for their number; where the view is not sorted, a sort of the arcs, and 16 bytes of scratch for each
/// (24 with values; 16 more where ids have 64 bits).
template <class EdgeValue = void, class Space, class View>
[[nodiscard]] csr<Space, EdgeValue, typename View::id_type>
snapshot(Space& space, exec::workspace<Space>& scratch, View const& view) {
    using csr_type = csr<Space, EdgeValue, typename View::id_type>;
    using value_type = typename csr_type::value_type;
    constexpr bool with_values = !std::is_void_v<EdgeValue>;
    static_assert(!with_values || detail::values_of_view<View>, "this view has no values");
    std::uint64_t const vertices = view.vertex_count();
    csr_type copy{exec::buffer<Space, std::uint64_t>(space, vertices + 1),
                  exec::buffer<Space, typename View::id_type>(space),
                  exec::buffer<Space, value_type>(space),
                  exec::buffer<Space, std::uint32_t>(space),
                  vertices,
                  vertices - view.live_vertex_count(),
                  view.symmetric()};
    launch(space, cover_threads(space, vertices + 1), detail::write_degrees<View>{view, copy.offsets.data()});
    exclusive_scan(space, scratch, copy.offsets.data(), copy.offsets.data(), vertices + 1);
    std::uint64_t arcs = 0;
    space.copy_out(&arcs, copy.offsets.data() + vertices, sizeof(arcs));
    if (copy.dead_count != 0) {
        copy.dead_bits.discard_and_resize((vertices + 31) / 32);
        launch(space, cover_threads(space, copy.dead_bits.size()),
               detail::copy_dead<View>{view, copy.dead_bits.data()});
    }
    copy.targets.discard_and_resize(arcs);
    if constexpr (with_values) copy.values.discard_and_resize(arcs);
    EdgeValue* values = nullptr;
    if constexpr (with_values) values = copy.values.data();
    detail::copy_lists(space, view, detail::every_vertex<typename View::id_type>{}, vertices,
                       copy.offsets.data(), arcs, copy.targets.data(), values);
    if constexpr (!View::sorted) detail::sort_rows<with_values>(space, scratch, view, copy);
    return copy;
}

} // namespace rhizome::graph

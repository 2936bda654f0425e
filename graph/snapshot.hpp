// SPDX-License-Identifier: Apache-2.0
// Copies any view into compressed sparse rows.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/batch/plan/sort_arcs.hpp>
#include <rhizome/graph/csr.hpp>
#include <rhizome/graph/detail/copy_lists.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/view.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::graph {

namespace detail {

/// Whether a view has values beside its neighbours.
template <class View>
inline constexpr bool values_of_view = requires(View const view, typename View::id_type v) {
    view.values(v);
};

/// Writes the degree of every vertex. A scan then turns the degrees into offsets.
template <class View>
struct write_degrees {
    View view;
    std::uint64_t* degrees; ///< vertices + 1 of them; the last is 0

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, view.vertex_count() + 1, [&](std::uint64_t v) {
            degrees[v] = v < view.vertex_count() ? view.degree(static_cast<typename View::id_type>(v)) : 0;
        });
    }
};

/// Writes one bit per vertex: 1 if it is erased.
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

/// Sorting keys and, with values, for each key the number of its arc.
template <class Id>
using row_keys = typename batch::sorting_arrays<Id>::key_pairs;

/// Consecutive rows and their arcs.
struct row_piece_of_copy {
    std::uint64_t first_row;
    std::uint64_t rows;
    std::uint64_t first_arc;
    std::uint64_t arcs;
};

/// Divides the rows of a copy into pieces of at most `arcs_at_once` arcs; a row with more arcs is a piece of
/// its own. `offsets` lie in the memory of the space. The host waits a few dozen times per piece, because it
/// searches the offsets by bisection. It does not wait if all arcs fit into one piece.
template <class Space>
[[nodiscard]] std::vector<row_piece_of_copy> cut_rows(Space& space, std::uint64_t const* offsets,
                                                      std::uint64_t rows, std::uint64_t arcs,
                                                      std::uint64_t arcs_at_once) {
    auto const offset_of = [&](std::uint64_t row) {
        std::uint64_t offset = 0;
        space.copy_out(&offset, offsets + row, sizeof(offset));
        return offset;
    };
    std::vector<row_piece_of_copy> pieces;
    for (std::uint64_t row = 0, arc = 0; arc < arcs;) {
        std::uint64_t end = rows;
        std::uint64_t end_arc = arcs;
        if (arcs - arc > arcs_at_once) {
            end = row + 1;
            end_arc = offset_of(end);
            // The last row at which a piece may end.
            for (std::uint64_t low = end, high = rows; low < high;) {
                std::uint64_t const middle = low + (high - low + 1) / 2;
                std::uint64_t const found = offset_of(middle);
                if (found - arc > arcs_at_once) {
                    high = middle - 1;
                } else {
                    end = low = middle;
                    end_arc = found;
                }
            }
        }
        pieces.push_back({row, end - row, arc, end_arc - arc});
        row = end;
        arc = end_arc;
    }
    return pieces;
}

/// Writes one sorting key per arc: the row in the high bits, the target in the low bits. With values, also
/// writes the arc's number in the piece.
template <class View, bool WithValues>
struct key_rows {
    using id_type = typename View::id_type;

    View view;
    std::uint64_t const* offsets;
    row_piece_of_copy piece;
    batch::packed_keys<id_type> keys;
    row_keys<id_type> pairs;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, piece.rows, [&](std::uint64_t i) {
            std::uint64_t const v = piece.first_row + i;
            auto const row = view.neighbours(static_cast<id_type>(v));
            std::uint64_t const first = offsets[v] - piece.first_arc;
            row.for_each(tile, 0, row.size(), [&](std::uint64_t k, id_type target) {
                pairs.keys[first + k] = keys.make(v, target);
                if constexpr (WithValues) pairs.values[first + k] = static_cast<std::uint32_t>(first + k);
            });
        });
    }
};

/// Writes the targets of sorted keys, and the values that belong to them.
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

/// Sorts the rows of a copy, in pieces of `arcs_at_once` < 2^32 arcs. Throws out_of_memory. Throws
/// std::length_error if values are copied and a row has more than 2^32 - 1 neighbours; rows of a dynamic
/// graph never have so many. Cost: a sort of all arcs.
template <bool WithValues, class Space, class View, class Csr>
void sort_rows(Space& space, exec::workspace<Space>& scratch, View const& view, Csr& copy,
               std::uint64_t arcs_at_once = tuning::sorted_copy_arcs) {
    using id_type = typename View::id_type;
    using value_type = typename Csr::value_type;
    using packing_type = batch::packed_keys<id_type>;
    auto const pieces =
        cut_rows(space, copy.offsets.data(), view.vertex_count(), copy.targets.size(), arcs_at_once);
    std::uint64_t most = 0;
    for (row_piece_of_copy const& piece : pieces)
        most = std::max(most, piece.arcs);
    if (WithValues && most > 0xffff'ffffull)
        throw std::length_error("a copy of unsorted rows: one with values has at most 2^32 - 1 neighbours");
    exec::buffer<Space, typename packing_type::key> keys(space, 2 * most);
    exec::buffer<Space, std::uint32_t> places(space, WithValues ? 2 * most : 0);
    exec::buffer<Space, value_type> sorted(space, WithValues ? copy.targets.size() : 0);
    row_keys<id_type> const first{keys.data(), places.data()};
    row_keys<id_type> const second{keys.data() + most, WithValues ? places.data() + most : nullptr};
    auto const packing = packing_type::of(view.vertex_count(), view.vertex_count());
    for (row_piece_of_copy const& piece : pieces) {
        row_keys<id_type> pairs = first;
        launch(space, exec::cover_tiles<tuning::row_tile>(space, piece.rows),
               key_rows<View, WithValues>{view, copy.offsets.data(), piece, packing, pairs});
        if constexpr (WithValues)
            pairs = sort_pairs(space, scratch, pairs, second, piece.arcs, packing.bits());
        else
            pairs.keys = sort_keys(space, scratch, pairs.keys, second.keys, piece.arcs, packing.bits());
        value_type const* stored = nullptr;
        value_type* values = nullptr;
        if constexpr (WithValues) {
            stored = copy.values.data() + piece.first_arc;
            values = sorted.data() + piece.first_arc;
        }
        launch(space, cover_threads(space, piece.arcs),
               unpack_keys<id_type, value_type>{packing, pairs, piece.arcs,
                                                copy.targets.data() + piece.first_arc, stored, values});
    }
    if constexpr (WithValues) copy.values = std::move(sorted);
}

} // namespace detail

/// A copy of the out-adjacency with ascending rows; the number of arcs has no limit. EdgeValue is the type of
/// the view's values, or void to leave values out. `space` is the space of the view: kernels run in its
/// order, and the copy lies in its memory. `scratch` is the working memory of scan and sort, and grows if
/// needed.
///
/// Throws out_of_memory. Throws std::length_error for a view that is not sorted, has values, and has a row of
/// more than 2^32 - 1 neighbours.
///
/// Cost: one pass over the arcs, and one wait for their number. If the view is not sorted, the arcs are also
/// sorted, up to 2^28 arcs (or one longer row) at a time, and the host waits again. This takes 16 bytes of
/// memory per arc sorted at a time (24 with values; 16 more with 64-bit ids), and with values one more value
/// for each arc of the graph.
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

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common views compiled
#include <rhizome/graph/compiled_queries.hpp>
#endif

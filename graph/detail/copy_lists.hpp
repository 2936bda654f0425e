// SPDX-License-Identifier: Apache-2.0
// Copies the neighbours of many vertices, one list after the other; several warps share a long list.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::graph::detail {

/// The ids of all vertices, in order.
template <class Id>
struct every_vertex {
    [[nodiscard]] RZ_HD Id operator[](std::uint64_t i) const { return static_cast<Id>(i); }
};

/// What the kernels below fill: the neighbours of ids[i] go to targets[offsets[i]] and the places after it.
/// Ids: a pointer to vertex ids, or every_vertex.
template <class View, class Ids, class Value>
struct neighbour_lists_in_space {
    View view;
    Ids ids;
    std::uint64_t count;
    std::uint64_t const* offsets;
    id_of_view<View>* targets;
    Value* values; ///< void: no values are copied

    /// Copies neighbours first to last - 1 of ids[i], by the lanes of a group.
    template <class Group>
    RZ_HD void copy(Group const& group, std::uint64_t i, std::uint64_t first, std::uint64_t last) const {
        std::uint64_t const begin = offsets[i];
        view.neighbours(ids[i]).for_each(
            group, first, last, [&](std::uint64_t k, id_of_view<View> id) { targets[begin + k] = id; });
        if constexpr (!std::is_void_v<Value>) {
            auto const from = view.values(ids[i]);
            if constexpr (std::is_pointer_v<std::remove_cv_t<decltype(from)>>)
                for (std::uint64_t k = first + group.rank(); k < last; k += group.size())
                    values[begin + k] = from[k];
            else
                from.for_each(group, first, last,
                              [&](std::uint64_t k, Value const& value) { values[begin + k] = value; });
        }
    }
};

/// Copies lists of up to heavy_degree neighbours, one tile per list.
template <class Lists>
struct copy_light_lists {
    Lists lists;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, lists.count, [&](std::uint64_t i) {
            std::uint64_t const size = lists.offsets[i + 1] - lists.offsets[i];
            if (size != 0 && size <= tuning::heavy_degree) lists.copy(tile, i, 0, size);
        });
    }
};

/// Copies longer lists, one warp per heavy_degree places of the answer. A list that is longer than that and
/// has some of these places has the first or the last of them, so that each warp looks at two lists.
template <class Lists>
struct copy_heavy_lists {
    static constexpr std::uint64_t piece = tuning::heavy_degree;
    Lists lists;
    std::uint64_t total;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, (total + piece - 1) / piece, [&](std::uint64_t number) {
            std::uint64_t const begin = number * piece;
            std::uint64_t const end = begin + piece < total ? begin + piece : total;
            std::uint64_t const first = list_at(begin);
            std::uint64_t const last = list_at(end - 1);
            copy_part(warp, first, begin, end);
            if (last != first) copy_part(warp, last, begin, end);
        });
    }

private:
    /// The list that has a place: the last list that begins at or before it.
    [[nodiscard]] RZ_HD std::uint64_t list_at(std::uint64_t place) const {
        std::uint64_t low = 0;
        for (std::uint64_t high = lists.count; low < high;) {
            std::uint64_t const middle = low + (high - low) / 2;
            if (lists.offsets[middle + 1] <= place)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    template <class Group>
    RZ_HD void copy_part(Group const& group, std::uint64_t i, std::uint64_t begin, std::uint64_t end) const {
        std::uint64_t const list_begin = lists.offsets[i];
        std::uint64_t const list_end = lists.offsets[i + 1];
        if (list_end - list_begin <= piece) return;
        std::uint64_t const first = begin > list_begin ? begin : list_begin;
        std::uint64_t const last = end < list_end ? end : list_end;
        lists.copy(group, i, first - list_begin, last - list_begin);
    }
};

/// Launches the copies of `lists`, `total` places in all. Asynchronous.
template <class Space, class Lists>
void copy_all_lists(Space& space, Lists const& lists, std::uint64_t total) {
    if (total == 0) return;
    launch(space, exec::cover_tiles<tuning::row_tile>(space, lists.count), copy_light_lists<Lists>{lists});
    if (total <= tuning::heavy_degree) return;
    constexpr std::uint64_t piece = copy_heavy_lists<Lists>::piece;
    launch(space, exec::cover_tiles<32>(space, (total + piece - 1) / piece),
           copy_heavy_lists<Lists>{lists, total});
}

/// Copies the neighbours of ids[0] to ids[count - 1], `total` of them, each list in the order of the view;
/// also their values, unless Value is void. Asynchronous.
template <class Space, class View, class Ids, class Value>
void copy_lists(Space& space, View const& view, Ids ids, std::uint64_t count, std::uint64_t const* offsets,
                std::uint64_t total, id_of_view<View>* targets, Value* values) {
    using lists_type = neighbour_lists_in_space<View, Ids, Value>;
    copy_all_lists(space, lists_type{view, ids, count, offsets, targets, values}, total);
}

} // namespace rhizome::graph::detail

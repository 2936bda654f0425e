// SPDX-License-Identifier: Apache-2.0
// Triangles of a graph whose rows are sorted and short, counted on the rows as they are.
#pragma once

#include <rhizome/algorithms/detail/rows.hpp>
#include <rhizome/algorithms/detail/triangle_total.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/rows.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Some neighbours of a vertex in registers. An id that is looked up is compared with all of them.
template <std::uint32_t Windows>
class few_neighbours {
public:
    /// Loads from window `first_window` of the row on.
    template <bool Padded>
    RZ_HD void load(graph::vertex_id const* row, std::uint32_t size, std::uint32_t first_window) {
        for (std::uint32_t w = 0; w < Windows; ++w) {
            std::uint32_t const first = (first_window + w) * id_window::width;
            id_window window{};
            if (first < size) window = load_window<Padded>(row, first, size);
            for (std::uint32_t k = 0; k < id_window::width; ++k)
                ids_[w * id_window::width + k] = first + k < size ? window.ids[k] : no_vertex;
        }
    }

    [[nodiscard]] RZ_HD graph::vertex_id operator[](std::uint32_t k) const { return ids_[k]; }
    [[nodiscard]] RZ_HD bool contain(graph::vertex_id id) const {
        bool found = false;
        for (graph::vertex_id const own : ids_)
            found |= own == id;
        return found;
    }

    /// How many ids of a window, of its first `valid`, are greater than v and among these.
    [[nodiscard]] RZ_HD std::uint32_t count(id_window const& window, graph::vertex_id v,
                                            std::uint32_t valid) const {
        std::uint32_t found = 0;
        for (std::uint32_t k = 0; k < id_window::width; ++k)
            found += static_cast<std::uint32_t>(contain(window.ids[k])) &
                     static_cast<std::uint32_t>(window.ids[k] > v) & static_cast<std::uint32_t>(k < valid);
        return found;
    }

private:
    static constexpr graph::vertex_id no_vertex = graph::no_vertex; // greater than any id
    graph::vertex_id ids_[Windows * id_window::width];
};

/// Around each vertex v: triangles u < v < w, by w in the rows of v and of u. Once a thread meets a row that
/// is too long, all threads stop: the count is then of no use.
template <class View>
struct count_around_short_rows {
    static_assert(View::sorted && graph::range_of_rows<graph::out_rows<View>>::contiguous);
    static constexpr bool padded = graph::has_padded_rows<View>;
    static constexpr std::uint32_t blocks_side_by_side = 4; // 64 registers: 16 of them hold neighbours
    struct shared {
        exec::block_sum_storage<std::uint64_t> sums;
    };
    View view;
    triangle_total* total;
    std::uint64_t long_rows_before;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint64_t found = 0;
        std::uint64_t const vertices = view.vertex_count();
        exec::for_each_group_item(warp, (vertices + warp.size() - 1) / warp.size(), [&](std::uint64_t group) {
            std::uint64_t long_rows = 0; // loaded together with the rows
            if (warp.rank() == 0) long_rows = thread.device(total->long_rows).load(exec::order::relaxed);
            std::uint64_t const i = group * warp.size() + warp.rank();
            auto const v = static_cast<graph::vertex_id>(i);
            graph::neighbour_range const row =
                i < vertices ? view.neighbours(v) : graph::neighbour_range{nullptr, 0};
            constexpr std::uint32_t most = tuning::triangle_light_degree;
            auto const size = static_cast<std::uint32_t>(row.size() <= most ? row.size() : most + 1);
            std::uint32_t const longest = warp.max(size);
            bool const is_over = warp.broadcast(long_rows, 0) != long_rows_before;
            if (longest > most) {
                if (warp.rank() == 0) meet_long_row(thread);
            } else if (!is_over && longest > 1) {
                found += longest <= id_window::width ? count_around_tiny(thread, v, row.begin(), size)
                                                     : count_around(thread, v, row.begin(), size);
            }
        });
        total->add(thread, thread.block().storage().sums, found);
    }

private:
    template <class Thread>
    RZ_HD void meet_long_row(Thread const& thread) const {
        thread.device(total->long_rows).fetch_add(1, exec::order::relaxed);
    }

    /// Counts around the vertex of a lane.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t count_around(Thread const& thread, graph::vertex_id v,
                                                   graph::vertex_id const* row, std::uint32_t size) const {
        constexpr std::uint32_t windows = 4; // 16 neighbours greater than v: most short rows have no more
        std::uint32_t const smaller = count_below(v, row, size);
        if (smaller == 0) return 0;
        std::uint32_t found = 0;
        for (std::uint32_t window = smaller / id_window::width; window * id_window::width < size;
             window += windows) {
            few_neighbours<windows> some;
            some.template load<padded>(row, size, window);
            found += count_common(thread, some, v, row, smaller);
        }
        return found;
    }

    /// Counts around a vertex of at most one window of neighbours, by its lane alone. All that is needed of
    /// the smaller neighbours is loaded concurrently.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t count_around_tiny(Thread const& thread, graph::vertex_id v,
                                                        graph::vertex_id const* row,
                                                        std::uint32_t size) const {
        if (size < 2) return 0;
        constexpr std::uint32_t most = id_window::width - 1; // at least one neighbour is greater
        few_neighbours<1> own;
        own.template load<padded>(row, size, 0);
        graph::vertex_id const* others[most] = {};
        std::uint32_t left[most];
        for (std::uint32_t k = 0; k < most; ++k) {
            left[k] = 0;
            if (k + 1 >= size || own[k] >= v) continue;
            graph::neighbour_range const other = view.neighbours(own[k]);
            others[k] = other.begin();
            left[k] =
                static_cast<std::uint32_t>(other.size() <= tuning::triangle_light_degree ? other.size() : 0);
            if (left[k] == 0) meet_long_row(thread);
        }
        std::uint32_t found = 0;
        for (bool more = true; more;) {
            id_window windows[most] = {};
            more = false;
            for (std::uint32_t k = 0; k < most; ++k)
                if (left[k] != 0)
                    windows[k] = load_window<padded>(others[k], start_of_last_window(left[k]), left[k]);
            for (std::uint32_t k = 0; k < most; ++k) {
                if (left[k] == 0) continue;
                std::uint32_t const first = start_of_last_window(left[k]);
                found += own.count(windows[k], v, left[k] - first);
                left[k] = windows[k].ids[0] > v ? first : 0;
                more |= left[k] != 0;
            }
        }
        return found;
    }

    /// How many ids of a row are less than v.
    [[nodiscard]] static RZ_HD std::uint32_t count_below(graph::vertex_id v, graph::vertex_id const* row,
                                                         std::uint32_t size) {
        std::uint32_t below = 0;
        for (std::uint32_t first = 0; first < size; first += id_window::width) {
            id_window const window = load_window<padded>(row, first, size);
            for (std::uint32_t k = 0; k < id_window::width; ++k)
                below += first + k < size && window.ids[k] < v ? 1 : 0;
            if (window.ids[0] >= v) break;
        }
        return below;
    }

    /// How many neighbours `some` neighbours of v share with the smaller ones. Rows are read from their ends,
    /// one window per round, whichever row it is of, so that lanes with short rows do not wait for others.
    template <class Thread, class Some>
    [[nodiscard]] RZ_HD std::uint32_t count_common(Thread const& thread, Some const& some, graph::vertex_id v,
                                                   graph::vertex_id const* row, std::uint32_t smaller) const {
        std::uint32_t found = 0;
        std::uint32_t next = 0;
        graph::vertex_id const* other = nullptr;
        std::uint32_t left = 0; // ids of `other` that are not read yet
        while (true) {
            if (left == 0) {
                if (next >= smaller) break;
                graph::neighbour_range const range = view.neighbours(row[next]);
                ++next;
                if (range.size() > tuning::triangle_light_degree) {
                    meet_long_row(thread);
                    break;
                }
                other = range.begin();
                left = static_cast<std::uint32_t>(range.size());
            }
            std::uint32_t const first = start_of_last_window(left);
            id_window const window = load_window<padded>(other, first, left);
            found += some.count(window, v, left - first);
            left = window.ids[0] > v ? first : 0;
        }
        return found;
    }

    [[nodiscard]] static RZ_HD std::uint32_t start_of_last_window(std::uint32_t size) {
        return (size - 1) / id_window::width * id_window::width;
    }
};

} // namespace rhizome::algorithms::detail

// Triangles of a graph whose rows are sorted and short, counted on the rows as they are.
#pragma once

#include <rhizome/algorithms/detail/rows.hpp>
#include <rhizome/algorithms/detail/triangle_total.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Some neighbours of a vertex, in registers: what is looked for among them is compared with all.
template <std::uint32_t Windows>
class few_neighbours {
public:
    /// From window `first_window` of the row on.
    template <bool Padded>
    RZ_HD void load(graph::vertex_id const* row, std::uint32_t size, std::uint32_t first_window) {
        for (std::uint32_t w = 0; w < Windows; ++w) {
            std::uint32_t const first = (first_window + w) * id_window::width;
            id_window window{};
            if (first < size) window = load_window<Padded>(row, first, size);
            for (std::uint32_t k = 0; k < id_window::width; ++k)
                ids_[w * id_window::width + k] = first + k < size ? window.ids[k] : nobody;
        }
    }

    [[nodiscard]] RZ_HD bool contain(graph::vertex_id id) const {
        bool found = false;
        for (graph::vertex_id const own : ids_)
            found |= own == id;
        return found;
    }

    /// How many of them, greater than v, are in another row: there they are at the end.
    template <bool Padded>
    [[nodiscard]] RZ_HD std::uint32_t count_common(graph::vertex_id v, graph::vertex_id const* row,
                                                   std::uint32_t size) const {
        std::uint32_t found = 0;
        for (std::uint32_t end = (size + id_window::width - 1) / id_window::width * id_window::width;
             end != 0; end -= id_window::width) {
            std::uint32_t const first = end - id_window::width;
            id_window const window = load_window<Padded>(row, first, size);
            for (std::uint32_t k = 0; k < id_window::width; ++k)
                if (contain(window.ids[k]) && window.ids[k] > v && first + k < size) ++found;
            if (window.ids[0] <= v) break;
        }
        return found;
    }

private:
    static constexpr graph::vertex_id nobody = ~graph::vertex_id{0}; // more than there are ids
    graph::vertex_id ids_[Windows * id_window::width];
};

/// Around each vertex v: triangles u < v < w, by w in the rows of v and of u. As soon as somebody meets a row
/// that is too long, all stop: nothing counted then is of use.
template <class View>
struct count_around_short_rows {
    static_assert(View::sorted && range_of<out_rows<View>>::contiguous);
    static constexpr bool padded = graph::has_padded_rows<View>;
    static constexpr std::uint32_t tiny_size = id_window::width;
    static constexpr std::uint32_t blocks_side_by_side = 4;
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
            std::uint64_t const i = group * warp.size() + warp.rank();
            auto const v = static_cast<graph::vertex_id>(i);
            graph::neighbour_range const row =
                i < vertices ? view.neighbours(v) : graph::neighbour_range{nullptr, 0};
            std::uint64_t const longest = warp.max(row.size());
            if (longest > tuning::triangle_light_degree) {
                if (warp.rank() == 0) thread.device(total->long_rows).fetch_add(1, exec::order::relaxed);
                return;
            }
            if (longest < 2 || is_over(thread, warp)) return;
            if (longest <= tiny_size)
                found += count_alone(thread, v, row);
            else
                found += count_together(thread, thread.tile(exec::width<tuning::triangle_row_tile>), v, row);
        });
        total->add(thread, thread.block().storage().sums, found);
    }

private:
    template <class Thread, class Warp>
    [[nodiscard]] RZ_HD bool is_over(Thread const& thread, Warp const& warp) const {
        std::uint64_t long_rows = 0;
        if (warp.rank() == 0) long_rows = thread.device(total->long_rows).load(exec::order::relaxed);
        return warp.broadcast(long_rows, 0) != long_rows_before;
    }

    /// What `some` have in common with a smaller neighbour of v, counted; 0 where its row is too long.
    template <class Thread, class Some>
    [[nodiscard]] RZ_HD std::uint32_t count_common(Thread const& thread, Some const& some, graph::vertex_id v,
                                                   graph::vertex_id smaller) const {
        graph::neighbour_range const row = view.neighbours(smaller);
        if (row.size() > tuning::triangle_light_degree) {
            thread.device(total->long_rows).fetch_add(1, exec::order::relaxed);
            return 0;
        }
        return some.template count_common<padded>(v, row.begin(), static_cast<std::uint32_t>(row.size()));
    }

    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t count_alone(Thread const& thread, graph::vertex_id v,
                                                  graph::neighbour_range const& row) const {
        auto const size = static_cast<std::uint32_t>(row.size());
        if (size < 2) return 0;
        few_neighbours<1> own;
        own.template load<padded>(row.begin(), size, 0);
        if (row[size - 1] <= v) return 0;
        std::uint32_t found = 0;
        for (std::uint32_t k = 0; k + 1 < size && row[k] < v; ++k)
            found += count_common(thread, own, v, row[k]);
        return found;
    }

    /// The rows of the tile's lanes, in turn by all of them.
    template <class Thread, class Tile>
    [[nodiscard]] RZ_HD std::uint32_t count_together(Thread const& thread, Tile const& tile,
                                                     graph::vertex_id own_v,
                                                     graph::neighbour_range const& own_row) const {
        constexpr std::uint32_t windows = 4;
        std::uint32_t found = 0;
        for (std::uint32_t r = 0; r < tile.size(); ++r) {
            auto const v = static_cast<graph::vertex_id>(own_v - tile.rank() + r);
            graph::vertex_id const* const row = tile.shuffle(own_row.begin(), r);
            std::uint32_t const size = tile.shuffle(static_cast<std::uint32_t>(own_row.size()), r);
            std::uint32_t below = 0;
            for (std::uint32_t first = tile.rank() * id_window::width; first < size;
                 first += tile.size() * id_window::width) {
                id_window const window = load_window<padded>(row, first, size);
                for (std::uint32_t k = 0; k < id_window::width; ++k)
                    below += first + k < size && window.ids[k] < v ? 1 : 0;
            }
            std::uint32_t const smaller = tile.sum(below);
            if (smaller == 0 || smaller == size) continue;
            for (std::uint32_t window = smaller / id_window::width; window * id_window::width < size;
                 window += windows) {
                few_neighbours<windows> some;
                some.template load<padded>(row, size, window);
                for (std::uint32_t j = tile.rank(); j < smaller; j += tile.size())
                    found += count_common(thread, some, v, row[j]);
            }
        }
        return found;
    }
};

} // namespace rhizome::algorithms::detail

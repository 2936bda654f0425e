// The adjacencies of a view as rows, and how ids are loaded from them.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/read_only.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::algorithms::detail {

/// The out-adjacency of a view: rows(v).
template <class View>
struct out_rows {
    using view_type = View;
    View view;
    [[nodiscard]] RZ_HD auto operator()(graph::vertex_id v) const { return view.neighbours(v); }
};

/// The in-adjacency. Precondition: view.has_in_arcs().
template <class View>
struct in_rows {
    using view_type = View;
    View view;
    [[nodiscard]] RZ_HD auto operator()(graph::vertex_id v) const { return view.in_neighbours(v); }
};

template <class Rows>
using range_of = decltype(std::declval<Rows const&>()(graph::vertex_id{}));

/// A few neighbouring ids of a row, as one load brings them.
struct alignas(16) id_window {
    static constexpr std::uint32_t width = 4;
    graph::vertex_id ids[width];
};

/// How a window is loaded.
enum class rereads { soon, never };

/// ids[first] to ids[first + 3]; what lies past `size` is anything. Precondition: first < size, and it is a
/// multiple of the width.
template <bool Padded, rereads Again = rereads::soon>
[[nodiscard]] RZ_HD id_window load_window(graph::vertex_id const* ids, std::uint64_t first,
                                          std::uint64_t size) {
    static_assert(sizeof(graph::vertex_id) == 4);
    if constexpr (Padded) {
        auto const* const place = reinterpret_cast<id_window const*>(ids + first);
        return Again == rereads::soon ? exec::load_read_only(place) : exec::load_once(place);
    } else {
        id_window window{};
        for (std::uint32_t k = 0; k < id_window::width; ++k)
            if (first + k < size) window.ids[k] = exec::load_read_only(ids + first + k);
        return window;
    }
}

} // namespace rhizome::algorithms::detail

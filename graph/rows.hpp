// SPDX-License-Identifier: Apache-2.0
// The adjacencies of a view as rows.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/view.hpp>

#include <utility>

namespace rhizome::graph {

/// The out-adjacency of a view: rows(v) are the neighbours of v.
template <class View>
struct out_rows {
    using view_type = View;
    using id_type = typename View::id_type;
    View view;
    [[nodiscard]] RZ_HD auto operator()(id_type v) const { return view.neighbours(v); }
};

/// The in-adjacency. Precondition: view.has_in_arcs().
template <class View>
struct in_rows {
    using view_type = View;
    using id_type = typename View::id_type;
    View view;
    [[nodiscard]] RZ_HD auto operator()(id_type v) const { return view.in_neighbours(v); }
};

/// What rows(v) gives.
template <class Rows>
using range_of_rows = decltype(std::declval<Rows const&>()(typename Rows::id_type{}));

} // namespace rhizome::graph

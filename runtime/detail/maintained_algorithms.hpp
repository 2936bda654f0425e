// SPDX-License-Identifier: Apache-2.0
// Results that follow graphs of one layout and value type. As with runs of algorithms, a generated file
// compiles them once for all graphs.
#pragma once

#include <rhizome/algorithms/maintained/maintenance.hpp>
#include <rhizome/graph/changes.hpp>
#include <rhizome/runtime/algorithm.hpp>

#include <cstddef>
#include <memory>

namespace rhizome::runtime::detail {

/// One result.
template <class View, class Changes>
class result_of_graph {
public:
    virtual ~result_of_graph() = default;
    virtual algorithms::update_report update(View const& view, Changes const& changes) = 0;
    [[nodiscard]] virtual algorithm_result found() = 0;
};

template <class Space, class View, class Value>
struct maintained_algorithms {
    using result_type = result_of_graph<View, graph::graph_changes<Space, Value>>;

    /// A result of algorithm `number` of algorithms(), not computed yet; nullptr if the algorithm has none
    /// that follows a graph. `given` is complete. Throws std::invalid_argument if such graphs offer none.
    [[nodiscard]] static std::unique_ptr<result_type> make(Space const& space, std::size_t number,
                                                           algorithm_arguments const& given,
                                                           algorithms::maintenance way);
};

} // namespace rhizome::runtime::detail

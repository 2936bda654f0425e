// SPDX-License-Identifier: Apache-2.0
// Bodies of maintained_algorithms.hpp, for the files that instantiate them.
#pragma once

#include <rhizome/runtime/algorithms/list.hpp>
#include <rhizome/runtime/detail/maintained_algorithms.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace rhizome::runtime::detail {

template <class Entry, class Space, class View, class Value>
class result_of_entry final : public result_of_graph<View, graph::graph_changes<Space, Value>> {
public:
    result_of_entry(Space const& space, algorithm_arguments const& given, algorithms::maintenance way)
        : own_(space, given, way) {}
    algorithms::update_report update(View const& view,
                                     graph::graph_changes<Space, Value> const& changes) override {
        return own_.result.update(view, changes);
    }
    [[nodiscard]] algorithm_result found() override { return own_.found(); }

private:
    typename Entry::template maintained<Space, Value> own_;
};

/// The result of the entry if its algorithm has the number `number` and a result that follows.
template <class Entry, class Space, class View, class Value>
void make_if_meant(std::unique_ptr<result_of_graph<View, graph::graph_changes<Space, Value>>>& made,
                   bool is_meant, Space const& space, algorithm_arguments const& given,
                   algorithms::maintenance way) {
    if constexpr (requires { typename Entry::template maintained<Space, Value>; }) {
        if (is_meant) made = std::make_unique<result_of_entry<Entry, Space, View, Value>>(space, given, way);
    }
}

template <class Space, class View, class Value>
std::unique_ptr<typename maintained_algorithms<Space, View, Value>::result_type>
maintained_algorithms<Space, View, Value>::make(Space const& space, std::size_t number,
                                                algorithm_arguments const& given,
                                                algorithms::maintenance way) {
    std::unique_ptr<result_type> made;
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        (make_if_meant<std::tuple_element_t<Is, algorithm_list>, Space, View, Value>(made, Is == number,
                                                                                     space, given, way),
         ...);
    }
    (std::make_index_sequence<std::tuple_size_v<algorithm_list>>{});
    return made;
}

} // namespace rhizome::runtime::detail

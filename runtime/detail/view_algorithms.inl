// SPDX-License-Identifier: Apache-2.0
// Bodies of view_algorithms.hpp, for the files that instantiate them.
#pragma once

#include <rhizome/runtime/algorithms/list.hpp>
#include <rhizome/runtime/detail/view_algorithms.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace rhizome::runtime::detail {

template <class Space, class List>
struct kept_by;
template <class Space, class... Entries>
struct kept_by<Space, std::tuple<Entries...>> {
    using type = std::tuple<std::optional<typename Entries::template kept<Space>>...>;
};

template <class Space>
struct algorithm_scratch {
    Space space;
    typename kept_by<Space, algorithm_list>::type kept = {}; ///< by each algorithm that has run
};

template <class Space>
std::shared_ptr<algorithm_scratch<Space>> make_scratch<Space>::on(Space const& space) {
    return std::make_shared<algorithm_scratch<Space>>(algorithm_scratch<Space>{space});
}

template <class Space, class View>
algorithm_result view_algorithms<Space, View>::run(algorithm_scratch<Space>& scratch, View const& view,
                                                   std::size_t number, algorithm_arguments const& given) {
    algorithm_result result;
    auto const run_if_meant = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
        using entry = std::tuple_element_t<I, algorithm_list>;
        if (I != number) return false;
        if constexpr (requires(typename entry::template kept<Space> & own) {
                          entry::run(own, view, given);
                      }) {
            auto& own = std::get<I>(scratch.kept);
            if (!own) own.emplace(scratch.space);
            result = entry::run(*own, view, given);
        } else {
            throw std::logic_error(std::string(entry::info().name) + " does not take this view");
        }
        return true;
    };
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        static_cast<void>((run_if_meant(std::integral_constant<std::size_t, Is>{}) || ...));
    }
    (std::make_index_sequence<std::tuple_size_v<algorithm_list>>{});
    return result;
}

} // namespace rhizome::runtime::detail

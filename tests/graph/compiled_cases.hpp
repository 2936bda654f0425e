// SPDX-License-Identifier: Apache-2.0
// The graphs of cases.hpp, numbered. nvcc compiles each in a file of its own, and once for all suites, so
// that many cores share the work and no file takes minutes.
#pragma once

#include "cases.hpp"

namespace rhizome::tests {
namespace detail {

template <class Case>
using core_over = graph::graph_types_for<typename Case::id, typename Case::space, typename Case::layout,
                                         typename Case::owner, typename Case::value>;

/// Graphs that the library itself holds compiled (graph/compiled.hpp), with the component graph-types: their
/// values have 4 or 8 bytes.
template <class Case>
inline constexpr bool in_library = std::is_same_v<typename Case::layout, graph::contiguous>&&
    std::is_same_v<typename Case::owner, graph::default_allocator<typename Case::space>>;

/// List and those Cases whose graph neither the list nor the library has.
template <class List, class... Cases>
struct with_new {
    using type = List;
};
template <class... Listed, class Case, class... Cases>
struct with_new<type_list<Listed...>, Case, Cases...> {
    static constexpr bool known =
        in_library<Case> || (std::is_same_v<core_over<Listed>, core_over<Case>> || ...);
    using type =
        typename with_new<std::conditional_t<known, type_list<Listed...>, type_list<Listed..., Case>>,
                          Cases...>::type;
};
template <class List>
struct different;
template <class... Cases>
struct different<type_list<Cases...>> : with_new<type_list<>, Cases...> {};

template <class Types>
struct as_list;
template <class... Cases>
struct as_list<::testing::Types<Cases...>> {
    using type = type_list<Cases...>;
};
template <class... Types>
using different_of = typename different<typename join<typename as_list<Types>::type...>::type>::type;

template <std::size_t I, class... Cases>
auto case_of(type_list<Cases...>) -> std::tuple_element_t<I, std::tuple<Cases...>>;

} // namespace detail

using compiled_cases = detail::different_of<
    covering_cases<graph::contiguous>, covering_cases<small_pages>, covering_cases<small_buckets>,
    planned_cases<graph::contiguous>, planned_cases<small_pages>, planned_cases<small_buckets>,
    value_cases<graph::contiguous>, value_cases<small_pages>, value_cases<small_buckets>>;
template <std::size_t I>
using compiled_case = decltype(detail::case_of<I>(compiled_cases{}));

} // namespace rhizome::tests

/// Declares graph number I (Prefix: extern), or compiles it (Prefix empty).
#define RZ_COMPILED_CASE(Prefix, I)                                                                          \
    Prefix template std::unique_ptr<                                                                         \
        rhizome::graph::interface_of<rhizome::tests::detail::core_over<rhizome::tests::compiled_case<I>>>>   \
    rhizome::graph::make_core<rhizome::tests::detail::core_over<rhizome::tests::compiled_case<I>>>(          \
        rhizome::tests::compiled_case<I>::space, rhizome::graph::graph_options const&);

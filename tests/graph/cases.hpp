// SPDX-License-Identifier: Apache-2.0
// The graphs that suites run over: layout, allocator, value of an edge, space.
#pragma once

#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/layout/buckets.hpp>
#include <rhizome/graph/layout/linked_pages.hpp>

#include <allocators.hpp>
#include <spaces.hpp>
#include <type_names.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace rhizome::tests {

template <class Layout, class Allocator, class Value, class Space, class Id = graph::vertex_id>
struct graph_case {
    using id = Id;
    using space = Space;
    using layout = Layout;
    using value = Value;
    using owner = typename Allocator::template owner<Space>;
    using traits = typename owner::ref_type::traits;
    using graph_type = graph::basic_dynamic_graph<Id, Space, Layout, owner, Value>;
    static std::string name() {
        return layout_name<Layout>() + "_" + Allocator::name_of() + "_" + value_name<Value>() + "_on_" +
               std::string(Space::name);
    }
};
template <class Case>
using graph_over = typename Case::graph_type;

using small_pages = graph::linked_pages<128>;
using pages_of_64 = graph::linked_pages<64>;
using small_buckets = graph::buckets<>;

// Sanitized, where each row takes a minute to compile: each layout on each space, with values and without.
using graph_values = std::conditional_t<sanitized, type_list<void, double>,
                                        type_list<void, float, double, std::int32_t, std::int64_t>>;
// Not all that the catalogue has: a covering set of few graphs, each of which takes long to compile.
using graph_allocators =
    std::conditional_t<sanitized,
                       type_list<catalogued::ouroboros_page_virtual_linked, catalogued::ouroboros_chunk_array,
                                 catalogued::page_queue>,
                       type_list<catalogued::ouroboros_page_array_pow2, ouroboros_default,
                                 catalogued::ouroboros_page_virtual_linked, catalogued::ouroboros_chunk_array,
                                 catalogued::page_queue, catalogued::bump, catalogued::device_malloc>>;

/// The whole product has these as well: they differ from others in types that are tested by themselves, or in
/// the suites of graph_plans.
using product_allocators = detail::join<
    graph_allocators,
    type_list<catalogued::ouroboros_chunk_virtual_array, catalogued::ouroboros_chunk_virtual_linked,
              ouroboros_combined, catalogued::random_walk_claim_128, catalogued::random_walk_malloc>>::type;

namespace detail {
template <std::size_t I, class List>
struct pick;
template <std::size_t I, class... Types>
struct pick<I, type_list<Types...>> {
    using type = std::tuple_element_t<I % sizeof...(Types), std::tuple<Types...>>;
};
template <class List>
inline constexpr std::size_t length = 0;
template <class... Types>
inline constexpr std::size_t length<type_list<Types...>> = sizeof...(Types);

template <class Value>
inline constexpr std::size_t size_number = sizeof(Value) / 4;
template <>
inline constexpr std::size_t size_number<void> = 0;

/// Row `I` of a covering set: every pair of an allocator and a value is a row. Layouts and spaces turn with
/// the allocator and the bytes of a value, so that each of them meets each of the others. Values of the same
/// size share a core (graph/core/graph_core.hpp), which is then compiled once.
template <std::size_t I>
struct covering_row {
    static constexpr std::size_t allocator_number = I / length<graph_values>;
    using allocator = typename pick<allocator_number, graph_allocators>::type;
    using value = typename pick<I % length<graph_values>, graph_values>::type;
    static constexpr std::size_t turn = allocator_number + size_number<value>;
    using space = typename pick<turn, space_list>::type;
    using layout = std::conditional_t<
        graph::layout_fits<graph::contiguous, typename allocator::template owner<space>>,
        typename pick<turn, type_list<graph::contiguous, small_pages, small_buckets>>::type, small_pages>;
    using type = graph_case<layout, allocator, value, space>;
};
template <class Layout, class Row>
using row_if = std::conditional_t<std::is_same_v<typename Row::layout, Layout>, type_list<typename Row::type>,
                                  type_list<>>;
template <class Layout, std::size_t... Is>
auto covering_rows(std::index_sequence<Is...>) ->
    typename join<type_list<>, row_if<Layout, covering_row<Is>>...>::type;

/// On a GPU, where there is one space and the compiler is slow, every second row: still each layout with each
/// value and with most allocators.
inline constexpr std::size_t row_step = is_gpu<pick<0, space_list>::type> ? 2 : 1;
template <class Layout, std::size_t... Is>
auto stepped_rows(std::index_sequence<Is...>) ->
    typename join<type_list<>, row_if<Layout, covering_row<Is * row_step>>...>::type;

template <class Layout, class Value>
struct product_with {
    template <class Allocator, class Space>
    using row = graph_case<Layout, Allocator, Value, Space>;
    template <class Row>
    struct keeps : std::bool_constant<graph::layout_fits<Layout, typename Row::owner>> {};
};
} // namespace detail

/// The rows of a pairwise covering set that have this layout.
template <class Layout>
using covering_cases = typename detail::as_types<decltype(detail::stepped_rows<Layout>(
    std::make_index_sequence<detail::length<graph_allocators> * detail::length<graph_values> /
                             detail::row_step>()))>::type;

/// Every allocator and space with this layout and value.
template <class Layout, class Value>
using product_cases =
    cross_types_if<detail::product_with<Layout, Value>::template keeps,
                   detail::product_with<Layout, Value>::template row, product_allocators, space_list>;

// For suites of which each test looks at one promise. A file includes them all with one `tested_layout`, so
// that the compiler meets each kind of graph once.
template <class Layout, class Allocator, class Value = void>
struct plan {
    using layout = Layout;
    using allocator = Allocator;
    using value = Value;
};
namespace detail {
template <class Plan, class Space>
struct planned_on : graph_case<typename Plan::layout, typename Plan::allocator, typename Plan::value, Space> {
};
/// The suites of linked pages of 128 bytes have those of 64 bytes, too.
template <class Layout>
using suite_of = std::conditional_t<std::is_same_v<Layout, pages_of_64>, small_pages, Layout>;
template <class Layout, bool Bounded>
struct with_layout {
    template <class Case>
    struct keeps : std::bool_constant<std::is_same_v<suite_of<typename Case::layout>, Layout> &&
                                      (!Bounded || Case::traits::bounded)> {};
};
template <class Layout, class Plans, bool Bounded = false, class Spaces = space_list>
using cases_of = cross_types_if<with_layout<Layout, Bounded>::template keeps, planned_on, Plans, Spaces>;
template <class Layout>
struct recycling_with_layout {
    template <class Case>
    struct keeps : std::bool_constant<std::is_same_v<suite_of<typename Case::layout>, Layout> &&
                                      Case::traits::reuses> {};
};
} // namespace detail

/// Each layout, an allocator of each kind.
using graph_plans = std::conditional_t<
    sanitized,
    type_list<plan<graph::contiguous, ouroboros_default>, plan<small_pages, catalogued::page_queue>,
              plan<small_buckets, catalogued::ouroboros_page_virtual_linked>>,
    type_list<plan<graph::contiguous, ouroboros_default>, plan<graph::contiguous, ouroboros_combined>,
              plan<graph::contiguous, catalogued::bump>, plan<small_pages, catalogued::page_queue>,
              plan<pages_of_64, catalogued::device_malloc>,
              plan<small_buckets, catalogued::ouroboros_page_virtual_linked>>>;
/// The stream tests run on the emulator in any case.
using planned_space_list = std::conditional_t<emulates_suites, space_list, fast_space_list>;
template <class Layout>
using planned_cases = detail::cases_of<Layout, graph_plans, false, planned_space_list>;
/// Those of them that need not run on the emulator.
template <class Layout>
using fast_planned_cases = detail::cases_of<Layout, graph_plans, false, fast_space_list>;
/// Those of them whose memory is their space's.
template <class Layout>
using bounded_planned_cases = detail::cases_of<Layout, graph_plans, true, planned_space_list>;
/// Those of them that hand out again what comes back.
template <class Layout>
using recycling_planned_cases = cross_types_if<detail::recycling_with_layout<Layout>::template keeps,
                                               detail::planned_on, graph_plans, planned_space_list>;

/// One of those of each layout.
using query_plans =
    type_list<plan<graph::contiguous, ouroboros_default>, plan<small_pages, catalogued::page_queue>,
              plan<small_buckets, catalogued::ouroboros_page_virtual_linked>>;
template <class Layout>
using query_cases = detail::cases_of<Layout, query_plans, false, planned_space_list>;

using value_plans = type_list<plan<graph::contiguous, ouroboros_default, double>,
                              plan<small_pages, ouroboros_default, std::int64_t>,
                              plan<small_buckets, ouroboros_default, float>>;
template <class Layout>
using value_cases = detail::cases_of<Layout, value_plans>;

} // namespace rhizome::tests

#if defined(RHIZOME_COMPILED_CASES) // files of their own hold these graphs compiled
#include <graph_cases.hpp>
#endif

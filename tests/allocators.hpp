// The allocators that conformance and graph tests run over. A new allocator is one more line here.
#pragma once

#include <rhizome/alloc/baselines/bump.hpp>
#include <rhizome/alloc/baselines/device_malloc.hpp>
#include <rhizome/alloc/decorators/counting.hpp>
#include <rhizome/alloc/decorators/failing.hpp>
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/alloc/page_queue/page_queue.hpp>

#include <spaces.hpp>

#include <string>
#include <type_traits>

namespace rhizome::tests {

struct ouroboros_powers {
    static constexpr char const* name = "ouroboros_power_of_two";
    template <class Space>
    using owner = alloc::ouroboros<Space, alloc::page, alloc::power_of_two_classes<>>;
};
struct ouroboros_fine {
    static constexpr char const* name = "ouroboros_fine";
    template <class Space>
    using owner = alloc::ouroboros<Space, alloc::page, alloc::fine_classes<>>;
};
struct ouroboros_chunks {
    static constexpr char const* name = "ouroboros_chunk_array";
    template <class Space>
    using owner = alloc::ouroboros<Space, alloc::chunk, alloc::fine_classes<>>;
};
struct bump_baseline {
    static constexpr char const* name = "bump";
    template <class Space>
    using owner = alloc::bump<Space>;
};
struct malloc_baseline {
    static constexpr char const* name = "device_malloc";
    template <class Space>
    using owner = alloc::device_malloc<Space>;
};

using allocator_list =
    type_list<ouroboros_powers, ouroboros_fine, ouroboros_chunks, bump_baseline, malloc_baseline>;

struct page_queue_128 {
    static constexpr char const* name = "page_queue_128";
    template <class Space>
    using owner = alloc::page_queue<Space, 128>;
};

/// Decorators that change nothing unless told to.
struct counting_failing_ouroboros {
    static constexpr char const* name = "counting_failing_ouroboros_fine";
    template <class Space>
    using owner = alloc::counting<alloc::failing<ouroboros_fine::owner<Space>>>;
};

/// All of them, also those that serve no graph, since they have no large blocks: for the suites of allocators
/// themselves.
using conformance_list =
    detail::join<allocator_list, type_list<page_queue_128, counting_failing_ouroboros>>::type;

/// One allocator on one space.
template <class Allocator, class Space>
struct allocator_on {
    using space = Space;
    using owner = typename Allocator::template owner<Space>;
    using traits = typename owner::ref_type::traits;
    static std::string name() { return std::string(Allocator::name) + "_on_" + std::string(Space::name); }
};

/// Allocators whose heap is their own.
template <class Case>
struct is_bounded : std::bool_constant<Case::traits::bounded> {};
/// Those that hand out again what comes back to it.
template <class Case>
struct recycles : std::bool_constant<Case::traits::bounded && Case::traits::reuses> {};

using allocator_cases = cross_types<allocator_on, allocator_list, space_list>;
using bounded_cases = cross_types_if<is_bounded, allocator_on, allocator_list, space_list>;
using recycling_cases = cross_types_if<recycles, allocator_on, allocator_list, space_list>;

using conformance_cases = cross_types<allocator_on, conformance_list, space_list>;
using bounded_conformance_cases = cross_types_if<is_bounded, allocator_on, conformance_list, space_list>;
using recycling_conformance_cases = cross_types_if<recycles, allocator_on, conformance_list, space_list>;

} // namespace rhizome::tests

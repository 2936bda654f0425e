// SPDX-License-Identifier: Apache-2.0
// The allocators that tests run over: those of runtime/catalogue.cmake, to which a new one is added, and
// others that have no name there.
#pragma once

#include <rhizome/alloc/decorators/counting.hpp>
#include <rhizome/alloc/decorators/failing.hpp>

#include <catalogued_allocators.hpp>
#include <scale.hpp>
#include <spaces.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace rhizome::tests {

/// What a graph has that names none.
using ouroboros_default = catalogued::ouroboros_page_virtual_array;
/// It in the paper's size classes.
struct ouroboros_page_virtual_array_pow2 {
    static std::string name_of() { return "ouroboros_page_virtual_array_pow2"; }
    template <class Space>
    using owner =
        alloc::ouroboros<Space, alloc::page_based, alloc::virtual_array_queue, alloc::power_of_two_classes<>>;
};

/// Instances of different granularity, queue, classes and chunk size in one manager.
struct ouroboros_combined {
    static std::string name_of() { return "ouroboros_combined"; }
    template <class Space>
    using owner = alloc::combined_ouroboros<Space,
                                            alloc::instance<alloc::page_based, alloc::virtual_array_queue,
                                                            alloc::power_of_two_classes<16, 256>, 8192>,
                                            alloc::instance<alloc::chunk_based, alloc::virtual_linked_queue,
                                                            alloc::power_of_two_classes<512, 4096>, 16384>,
                                            alloc::instance<alloc::page_based, alloc::array_queue,
                                                            alloc::power_of_two_classes<8192, 65536>, 65536>>;
};

/// Of a search of random_walk: with the pages of a word where it has a variant.
template <class Search>
[[nodiscard]] std::string search_name() {
    return std::string(Search::name) + (Search::marks::pages_per_word == 64 ? "_64" : "");
}

/// A random walk for each search, with pages of several sizes.
template <class Search, std::uint32_t PageBytes>
struct random_walk_variant {
    using search = Search;
    static std::string name_of() {
        return "random_walk_" + search_name<Search>() + "_" + std::to_string(PageBytes);
    }
    template <class Space>
    using owner = alloc::random_walk<Space, Search, PageBytes>;
};
using random_walk_flag = random_walk_variant<alloc::flag_search, 4096>;
using random_walk_bitmap = random_walk_variant<alloc::bitmap_search, 2048>;
using random_walk_claim = random_walk_variant<alloc::claim_search, 512>;
using random_walk_collaborative = random_walk_variant<alloc::collaborative_search, 1024>;
using random_walk_bitmap_64 = random_walk_variant<alloc::wide_words<alloc::bitmap_search>, 128>;
using random_walk_clustered = random_walk_variant<alloc::clustered_search<>, 256>;
/// The smallest pages.
using random_walk_claim_32 = random_walk_variant<alloc::claim_search, 32>;
using random_walk_list =
    std::conditional_t<sanitized, type_list<random_walk_claim>,
                       type_list<random_walk_flag, random_walk_bitmap, random_walk_claim,
                                 random_walk_collaborative, random_walk_clustered, random_walk_bitmap_64>>;

/// Neighbouring pages.
template <std::uint32_t PageBytes, class Search = alloc::joined_run>
struct random_walk_malloc_variant {
    static std::string name_of() {
        std::string const search =
            std::is_same_v<Search, alloc::joined_run> ? "" : std::string(Search::name) + "_";
        return "random_walk_malloc_" + search + std::to_string(PageBytes);
    }
    template <class Space>
    using owner = alloc::random_walk_malloc<Space, PageBytes, Search>;
};
/// Pages so large that the emulator ends when all are used: each refusal looks at all words.
using random_walk_malloc_256 = random_walk_malloc_variant<256>;
using random_walk_segments_256 = random_walk_malloc_variant<256, alloc::own_segments>;

/// Coalescing over another allocator.
template <class Scope, class Bookkeeping, class Backing>
struct coalescing_variant {
    static std::string name_of() {
        return std::string("coalescing_") + Scope::name + "_" + Bookkeeping::name + "_over_" +
               Backing::name_of();
    }
    template <class Space>
    using owner = alloc::coalescing<Scope, Bookkeeping, typename Backing::template owner<Space>>;
};

/// Whether blocks share blocks of another allocator, or pages. Then the audit counts those, with what else is
/// in them, and part of the blocks given back need not be what can be had again. Tests of exact numbers leave
/// these out; coalescing_test.cpp and page_sharing_test.cpp have their own.
template <class Owner>
inline constexpr bool shares_superblocks = false;
template <class Scope, class Bookkeeping, class Backing>
inline constexpr bool shares_superblocks<alloc::coalescing<Scope, Bookkeeping, Backing>> = true;
template <class Owner>
inline constexpr bool shares_superblocks<alloc::page_sharing<Owner>> = true;
/// What a block of it takes of the heap beside its usable bytes, if nothing else lies in its superblock.
template <class Owner>
inline constexpr std::uint64_t head_bytes_of = 0;
template <class Scope, class Bookkeeping, class Backing>
inline constexpr std::uint64_t head_bytes_of<alloc::coalescing<Scope, Bookkeeping, Backing>> = 16;

/// Decorators that change nothing unless told to.
struct counting_failing_ouroboros {
    static std::string name_of() { return "counting_failing_ouroboros_fine"; }
    template <class Space>
    using owner = alloc::counting<alloc::failing<catalogued::ouroboros_page_array::owner<Space>>>;
};

/// What the suites over all allocators run over. Under sanitizers, which take several times as long to
/// compile and to run, without those whose parts are tested by themselves or in others. The Ouroboros come
/// first: each share of the list (below) has one.
using conformance_list = std::conditional_t<
    sanitized,
    detail::join<type_list<ouroboros_combined, random_walk_malloc_256>,
                 catalogued::conformance_with_sanitizers>::type,
    detail::join<type_list<ouroboros_combined, ouroboros_page_virtual_array_pow2>, catalogued::conformance,
                 type_list<random_walk_malloc_256, counting_failing_ouroboros>>::type>;

/// One allocator on one space.
template <class Allocator, class Space>
struct allocator_on {
    using allocator = Allocator;
    using space = Space;
    using owner = typename Allocator::template owner<Space>;
    using traits = typename owner::ref_type::traits;
    static std::string name() { return Allocator::name_of() + "_on_" + std::string(Space::name); }
};

template <class Owner>
inline constexpr bool is_ouroboros_owner = false;
template <class Space, class... Instances>
inline constexpr bool is_ouroboros_owner<alloc::combined_ouroboros<Space, Instances...>> = true;

template <class Case>
struct is_listed : std::bool_constant<emulates_suites || !is_emulated<typename Case::space>> {};
/// Allocators whose heap is their own, and that account for each block.
template <class Case>
struct is_bounded : std::bool_constant<is_listed<Case>::value && Case::traits::bounded &&
                                       !shares_superblocks<typename Case::owner>> {};
/// The variants of Ouroboros.
template <class Case>
struct is_ouroboros : std::bool_constant<is_listed<Case>::value && is_ouroboros_owner<typename Case::owner>> {
};
/// Those that hand out again what comes back to it.
template <class Case>
struct recycles : std::bool_constant<is_bounded<Case>::value && Case::traits::reuses> {};

namespace detail {
/// Every `Step`-th type of a list, from number `First` on.
template <std::size_t First, std::size_t Step, class Numbers, class... Types>
struct stepped;
template <std::size_t First, std::size_t Step, std::size_t... Numbers, class... Types>
struct stepped<First, Step, std::index_sequence<Numbers...>, Types...>
    : join<type_list<>, std::conditional_t<Numbers % Step == First, type_list<Types>, type_list<>>...> {};
template <std::size_t First, std::size_t Step, class List>
struct every;
template <std::size_t First, std::size_t Step, class... Types>
struct every<First, Step, type_list<Types...>>
    : stepped<First, Step, std::index_sequence_for<Types...>, Types...> {};

#if defined(RHIZOME_CASES_FIRST)
/// nvcc compiles the suites over all allocators in several files, each for a share of the allocators, so that
/// the device code of an allocator is compiled once. Each share has an ouroboros.
static_assert(RHIZOME_CASES_STEP <= 8);
template <class List>
using share_of = typename every<RHIZOME_CASES_FIRST, RHIZOME_CASES_STEP, List>::type;
#else
template <class List>
using share_of = List;
#endif
} // namespace detail

using shared_conformance_list = detail::share_of<conformance_list>;
using conformance_cases = cross_types_if<is_listed, allocator_on, shared_conformance_list, space_list>;
using ouroboros_cases = cross_types_if<is_ouroboros, allocator_on, shared_conformance_list, space_list>;
using bounded_conformance_cases =
    cross_types_if<is_bounded, allocator_on, shared_conformance_list, space_list>;
using recycling_conformance_cases =
    cross_types_if<recycles, allocator_on, shared_conformance_list, space_list>;

} // namespace rhizome::tests

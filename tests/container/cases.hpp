// SPDX-License-Identifier: Apache-2.0
// The arrays that the conformance suite runs over: each policy with a contiguous
// structure and with gg_array, on each space.
#pragma once

#include <rhizome/container/gg_array.hpp>
#include <rhizome/container/insertion.hpp>
#include <rhizome/container/region_array.hpp>
#include <rhizome/container/static_array.hpp>

#include <allocators.hpp>
#include <spaces.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rhizome::tests {

/// An array of T beside what it needs to live. `capacity`: the elements that fit without growing in a kernel.
template <class Space, class T>
struct static_case {
    static constexpr bool grows_on_the_host = false;
    static std::string name_of() { return "static"; }

    container::static_array<Space, T> array;
    static_case(Space space, std::uint64_t capacity) : array(space, capacity) {}
};
template <class Space, class T>
struct region_case {
    static constexpr bool grows_on_the_host = true;
    static std::string name_of() { return "region"; }

    container::region_array<Space, T> array;
    region_case(Space space, std::uint64_t capacity)
        : array(space, {.capacity = capacity, .most = 64u << 20}) {}
};
template <class Space, class T>
struct gg_case {
    static constexpr bool grows_on_the_host = true;
    static std::string name_of() { return "gg"; }

    using heap = ouroboros_default::owner<Space>;
    heap memory;
    container::gg_array<Space, T, heap> array;
    /// Five vectors: a number that divides neither blocks nor elements. Room for all elements in one of them.
    gg_case(Space space, std::uint64_t capacity)
        : memory(space, {.heap_bytes = (4u << 20) + 4 * capacity * sizeof(T)}),
          array(space, memory, {.vectors = 5, .first_bucket = 4}) {}
};

/// A structure and a policy on a space.
template <template <class, class> class Structure, class Insertion>
struct array_kind {
    static std::string name_of() {
        std::string policy = Insertion::name;
        std::replace(policy.begin(), policy.end(), '-', '_');
        return Structure<exec_space, std::uint64_t>::name_of() + "_" + policy;
    }
    using insertion = Insertion;
    template <class Space, class T>
    using structure = Structure<Space, T>;

private:
#if defined(__CUDACC__)
    using exec_space = exec::cuda_space;
#else
    using exec_space = exec::host_space;
#endif
};
template <class Kind, class Space>
struct array_on {
    using space = Space;
    using insertion = typename Kind::insertion;
    template <class T>
    using structure = typename Kind::template structure<Space, T>;
    static std::string name() { return Kind::name_of() + "_on_" + std::string(Space::name); }
};

using contiguous_array_kinds =
    type_list<array_kind<static_case, container::atomic>, array_kind<static_case, container::warp_scan>,
              array_kind<static_case, container::tensor_scan>, array_kind<region_case, container::warp_scan>>;
using gg_array_kinds =
    type_list<array_kind<gg_case, container::atomic>, array_kind<gg_case, container::warp_scan>,
              array_kind<gg_case, container::tensor_scan>>;
using array_kinds = detail::join<contiguous_array_kinds, gg_array_kinds>::type;
using contiguous_array_cases = cross_types<array_on, contiguous_array_kinds, space_list>;
using array_cases = cross_types<array_on, array_kinds, space_list>;

/// A grid of whole warps; of blocks with one thread on the host.
template <class Space>
[[nodiscard]] exec::launch_shape grid_of(Space const& space, std::uint32_t blocks, std::uint32_t threads) {
    std::uint32_t const fit = std::min(threads, space.max_block_threads());
    return {blocks * (threads / fit), fit};
}

} // namespace rhizome::tests

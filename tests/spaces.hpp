// SPDX-License-Identifier: Apache-2.0
// The spaces that a test runs in: host and emulator in ordinary builds, the GPU where nvcc compiles.
#pragma once

#include <rhizome/exec/host/sanitizers.hpp>

#include <requirements.hpp>
#include <scale.hpp>

#if defined(__CUDACC__)
#include <rhizome/exec/cuda.hpp>

#include <cuda_runtime_api.h>
#else
#include <rhizome/exec/host.hpp>
#include <rhizome/exec/simt.hpp>
#endif

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rhizome::tests {

template <class... Types>
struct type_list {};

#if defined(__CUDACC__)
using space_list = type_list<exec::cuda_space>;
using fast_space_list = space_list;
#elif RZ_THREAD_SANITIZER
/// The emulator has one OS thread, in which there are no races to find.
using space_list = type_list<exec::host_space>;
using fast_space_list = space_list;
#else
using space_list = type_list<exec::host_space, exec::simt_space>;
/// For tests that would take the emulator minutes, or that need several OS threads.
using fast_space_list = type_list<exec::host_space>;
#endif

/// What a test may ask of a space; a space takes what it knows.
struct space_wishes {
    unsigned threads = 4; ///< host: more than the machine has cores, so that they are preempted
    std::uint64_t memory_limit_bytes = 0; ///< 0: no limit
    std::uint64_t seed = 1;               ///< simt
    bool whole_grids = false;             ///< simt: all blocks of a launch run at once
    std::uint32_t blocks_at_a_time = 0;   ///< simt: 0: as the seed says
    int device = 0;                       ///< cuda
};

template <class Space>
[[nodiscard]] Space make_space(space_wishes const& wishes = {}) {
#if defined(__CUDACC__)
    static_assert(std::is_same_v<Space, exec::cuda_space>);
    return exec::cuda_space({.device = wishes.device, .memory_limit_bytes = wishes.memory_limit_bytes});
#else
    if constexpr (std::is_same_v<Space, exec::simt_space>) {
        exec::simt_options options{.seed = wishes.seed, .memory_limit_bytes = wishes.memory_limit_bytes};
        if (wishes.whole_grids) { // and each lane comes to run soon
            options.tuning.policy = exec::simt_policy::any_lane;
            options.tuning.resident_blocks = ~0u;
        }
        if (wishes.blocks_at_a_time != 0) options.tuning.resident_blocks = wishes.blocks_at_a_time;
        return exec::simt_space(options);
    } else {
        return exec::host_space({.threads = wishes.threads, .memory_limit_bytes = wishes.memory_limit_bytes});
    }
#endif
}

/// The number of devices among which ranks can be divided: 1 on host and emulator, and without a GPU.
[[nodiscard]] inline int device_count() {
#if defined(__CUDACC__)
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess) static_cast<void>(cudaGetLastError());
    return std::max(devices, 1);
#else
    return 1;
#endif
}
/// Where rank `rank` lies: on a device of its own, if there are as many.
[[nodiscard]] inline int device_of_rank(int rank) { return rank % device_count(); }
/// Spaces of ranks, on different devices where there are several. On the emulator their kernels run in
/// different orders.
template <class Space>
[[nodiscard]] std::vector<Space> spaces_of_ranks(int ranks, space_wishes wishes) {
    std::vector<Space> spaces;
    for (int rank = 0; rank < ranks; ++rank) {
        wishes.seed = static_cast<std::uint64_t>(rank) + 1;
        wishes.device = device_of_rank(rank);
        spaces.push_back(make_space<Space>(wishes));
    }
    return spaces;
}
/// These numbers of ranks, and the number of devices of this machine, if it is from 2 to 8.
template <class Count>
[[nodiscard]] std::vector<Count> also_all_devices(std::vector<Count> counts) {
    auto const devices = static_cast<Count>(device_count());
    bool const fits = devices >= 2 && devices <= 8;
    if (fits && std::find(counts.begin(), counts.end(), devices) == counts.end()) counts.push_back(devices);
    return counts;
}

template <class Space>
inline constexpr bool is_emulated = Space::name == std::string_view("simt");
/// Whether the emulator runs the suites that go over many kinds of allocators and graphs. With
/// AddressSanitizer it does not: the host runs them, and the emulator runs streams, explorations, algorithms
/// and its own tests.
inline constexpr bool emulates_suites = !sanitized;
template <class Space>
inline constexpr bool is_gpu = Space::name == std::string_view("cuda");

/// `amount` of work for a test of this space: the emulator takes the share that its speed allows.
template <class Space>
[[nodiscard]] std::uint64_t work(std::uint64_t amount, std::uint64_t emulated_amount) {
    return scaled(is_emulated<Space> ? emulated_amount : amount);
}

/// Fixture of every test that may run on a GPU: requirements.hpp says what happens where there is none.
class space_test : public ::testing::Test {
protected:
    void SetUp() override {
#if defined(__CUDACC__)
        std::string const reason = exec::cuda_space::unusable_because();
        if (!reason.empty()) end_without(gpus_are_required(), "no GPU can be used: " + reason);
#endif
    }
};

/// Names of typed tests that run on each space.
struct space_names {
    template <class Space>
    static std::string GetName(int) {
        return std::string(Space::name);
    }
};

// Products of lists, for typed tests.
namespace detail {
template <class... Lists>
struct join;
template <class... As>
struct join<type_list<As...>> {
    using type = type_list<As...>;
};
template <class... As, class... Bs, class... More>
struct join<type_list<As...>, type_list<Bs...>, More...> : join<type_list<As..., Bs...>, More...> {};

template <template <class, class> class Pair, class A, class Bs>
struct pair_with;
template <template <class, class> class Pair, class A, class... Bs>
struct pair_with<Pair, A, type_list<Bs...>> {
    using type = type_list<Pair<A, Bs>...>;
};
template <template <class, class> class Pair, class As, class Bs>
struct cross;
template <template <class, class> class Pair, class... As, class Bs>
struct cross<Pair, type_list<As...>, Bs> : join<typename pair_with<Pair, As, Bs>::type...> {};

template <template <class> class Keep, class List>
struct filter;
template <template <class> class Keep, class... Types>
struct filter<Keep, type_list<Types...>>
    : join<type_list<>, std::conditional_t<Keep<Types>::value, type_list<Types>, type_list<>>...> {};

template <class List>
struct as_types;
template <class... Types>
struct as_types<type_list<Types...>> {
    using type = ::testing::Types<Types...>;
};
} // namespace detail

/// For typed tests that run on each space.
using all_spaces = detail::as_types<space_list>::type;

/// ::testing::Types of Pair<A, B> for each A of As and each B of Bs.
template <template <class, class> class Pair, class As, class Bs>
using cross_types = typename detail::as_types<typename detail::cross<Pair, As, Bs>::type>::type;

/// The same, of those pairs only for which Keep<pair>::value is true.
template <template <class> class Keep, template <class, class> class Pair, class As, class Bs>
using cross_types_if = typename detail::as_types<
    typename detail::filter<Keep, typename detail::cross<Pair, As, Bs>::type>::type>::type;

/// Names the instances of a typed test by their `name()`.
struct named_types {
    template <class Type>
    static std::string GetName(int) {
        return Type::name();
    }
};

} // namespace rhizome::tests

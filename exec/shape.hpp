// SPDX-License-Identifier: Apache-2.0
// Launch shapes: how many threads a launch has. Also the shared storage of a kernel; what else a kernel may
// declare: README.md.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace rhizome::exec {

/// A one-dimensional grid.
struct launch_shape {
    std::uint32_t blocks;        ///< at least 1
    std::uint32_t block_threads; ///< per block, 1 to 1024; always 1 on the host space
};

/// The width of a tile: thread.tile(width<8>).
template <std::uint32_t W>
struct width_t {
    static_assert(W >= 1 && W <= 32 && (W & (W - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 lanes");
};
/// The value to pass for a width_t.
template <std::uint32_t W>
inline constexpr width_t<W> width{};

/// The shared storage of a kernel that declares none.
struct no_shared {};

namespace detail {
template <class Kernel>
struct find_shared {
    using type = no_shared;
};
template <class Kernel>
requires requires { typename Kernel::shared; }
struct find_shared<Kernel> {
    using type = typename Kernel::shared;
    static_assert(std::is_trivially_default_constructible_v<type>,
                  "shared storage starts uninitialised: its members must have no initialisers");
};
} // namespace detail

/// The type of the kernel's shared storage: Kernel::shared, or no_shared.
template <class Kernel>
using shared_of = typename detail::find_shared<Kernel>::type;

namespace detail {
/// Minimum number of items per kernel thread: Space::least_run_items, or 1.
template <class Space>
inline constexpr std::uint64_t least_run_items = 1;
template <class Space>
requires requires { Space::least_run_items; }
inline constexpr std::uint64_t least_run_items<Space> = Space::least_run_items;

} // namespace detail

/// Whether the space has few kernel threads, each of which processes a run of neighbouring items.
template <class Space>
inline constexpr bool threads_take_runs = requires {
    Space::least_run_items;
};

namespace detail {
template <class Space>
launch_shape cover(Space const& space, std::uint64_t items, std::uint32_t block_threads,
                   std::uint64_t run_items) {
    block_threads = std::min(block_threads, space.max_block_threads());
    std::uint64_t const items_per_block = block_threads * run_items;
    std::uint64_t const useful_blocks = std::max<std::uint64_t>(1, space.concurrency() / block_threads);
    std::uint64_t const wanted = std::max<std::uint64_t>(1, (items + items_per_block - 1) / items_per_block);
    return {static_cast<std::uint32_t>(std::min(useful_blocks, wanted)), block_threads};
}
} // namespace detail

/// A launch of one thread per item (on the host space, per 64 items), rounded up to whole blocks, and of at
/// most space.concurrency() threads. There may be fewer threads than items, so kernels loop with
/// for_each_item(). `block_threads`: threads per block, reduced to space.max_block_threads(); more than 256
/// needs Kernel::block_threads.
template <class Space>
launch_shape cover_threads(Space const& space, std::uint64_t items, std::uint32_t block_threads = 256) {
    return detail::cover(space, items, block_threads, detail::least_run_items<Space>);
}

/// A launch of one thread per item, rounded up to whole blocks, also beyond space.concurrency(): for
/// measurements.
template <class Space>
launch_shape one_thread_each(Space const& space, std::uint64_t items, std::uint32_t block_threads = 256) {
    block_threads = std::min(block_threads, space.max_block_threads());
    std::uint64_t const blocks = std::max<std::uint64_t>(1, (items + block_threads - 1) / block_threads);
    return {static_cast<std::uint32_t>(blocks), block_threads};
}

/// A launch of one warp.
template <class Space>
launch_shape one_warp(Space const& space) {
    return {1, space.tile_lanes(32)};
}

/// A launch of one tile of W lanes per item, and of at most space.concurrency() threads. `tiles`: the items.
template <std::uint32_t W, class Space>
launch_shape cover_tiles(Space const& space, std::uint64_t tiles, std::uint32_t block_threads = 256) {
    return cover_threads(space, tiles * space.tile_lanes(W), block_threads);
}

/// A launch of one block per item, and of at most space.concurrency() threads. `blocks`: the items.
template <class Space>
launch_shape cover_blocks(Space const& space, std::uint64_t blocks, std::uint32_t block_threads = 256) {
    block_threads = std::min(block_threads, space.max_block_threads());
    return detail::cover(space, blocks * block_threads, block_threads, 1); // one item may be a long row
}

} // namespace rhizome::exec

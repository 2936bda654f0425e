// SPDX-License-Identifier: Apache-2.0
// How threads that insert at the same time get different places: the insertion policies (GGArray,
// section 3.2).
//
// A policy asks the array for places with claim(n), which returns a range of at most n places, and shares the
// range among threads. Policies do not differ in what they insert, only in which element comes to which
// place.
#pragma once

#include <rhizome/container/concept.hpp>
#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/matrix_scan.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::container {

/// Places that an array granted: `count` of them from `place` on. `count` may be less than was claimed. The
/// first `run` of them lie side by side in memory, from `data` on, so that threads need not look for each.
struct granted_places {
    std::uint64_t place;
    void* data;
    std::uint32_t count;
    std::uint32_t run;
};

/// What a thread gets of them: `count` places, after `before` places of other threads.
struct granted_share {
    granted_places all;
    std::uint32_t before;
    std::uint32_t count;
    bool refused; ///< fewer places were granted than the threads that claimed together wanted
};

/// What a policy has:
/// - name: shown in help and results.
/// - most_per_thread: the most elements that a thread inserts with one call; at most 2^32 / 1024 - 1, so that
///   the sum over a block has 32 bits.
/// - whole_block: whether all threads of the block call insert() together, with count 0 where a thread has
///   nothing to insert. The block then consists of whole warps. Otherwise each thread may call it by itself.
/// - storage: what the policy shares among the threads of a block; trivially default constructible.
/// - place(thread, storage, count, claim) -> granted_share: the places of the calling thread. Precondition:
///   count <= most_per_thread. The arrays keep it, with insertion_count(). Where the policy is for whole
///   blocks, granted_share::refused is the same for all threads of the block.
template <class Policy>
concept insertion_policy = requires {
    { Policy::name } -> std::convertible_to<char const*>;
    { Policy::most_per_thread } -> std::convertible_to<std::uint32_t>;
    { Policy::whole_block } -> std::convertible_to<bool>;
    typename Policy::storage;
}
&&std::is_trivially_default_constructible_v<typename Policy::storage> &&
    (Policy::most_per_thread <= 0xffff'ffffu / 1024);

/// How many of the `offered` elements a thread inserts with one call: at most Policy::most_per_thread.
template <insertion_policy Policy>
[[nodiscard]] RZ_HD constexpr std::uint32_t insertion_count(std::uint32_t offered) {
    return offered < Policy::most_per_thread ? offered : Policy::most_per_thread;
}

namespace detail {
/// The part of a thread in what one thread claimed for several. `before`: what the threads before it wanted;
/// `total`: what all of them wanted.
[[nodiscard]] RZ_HD inline granted_share share_of(granted_places const& granted, std::uint32_t before,
                                                  std::uint32_t count, std::uint32_t total) {
    std::uint32_t const left = granted.count > before ? granted.count - before : 0;
    return {granted, before, count < left ? count : left, granted.count < total};
}

/// One thread claims what the block needs; the threads take their parts in the order of their ranks. `sum`:
/// the prefix sum of the counts, whose storage is free after the next barrier.
template <class Thread, class Claim>
[[nodiscard]] RZ_HD granted_share place_block(Thread const& thread, granted_places& shared,
                                              exec::block_sum<std::uint32_t> sum, std::uint32_t count,
                                              Claim&& claim) {
    auto const block = thread.block();
    // Every thread has read what the last call left here: it has passed a barrier of this call's prefix sum.
    if (block.rank() == 0 && sum.total != 0) shared = claim(sum.total);
    block.sync();
    if (sum.total == 0) return {};
    return share_of(shared, sum.before, count, sum.total);
}

/// A thread claims for itself alone.
template <class Policy>
struct claim_alone {
    using storage = typename Policy::storage;

    template <class Thread, class Claim>
    [[nodiscard]] static RZ_HD granted_share place(Thread const&, storage&, std::uint32_t count,
                                                   Claim&& claim) {
        if (count == 0) return {};
        return share_of(claim(count), 0, count, count);
    }
};
} // namespace detail

/// Threads insert when they like. One of the lanes that happen to insert together claims the places of these
/// lanes. Cost: one atomic on the counter of the vector per group of such lanes.
struct atomic {
    static constexpr char const* name = "atomic";
    static constexpr std::uint32_t most_per_thread = 1u << 20;
    static constexpr bool whole_block = false;
    struct storage {};

    template <class Thread, class Claim>
    [[nodiscard]] static RZ_HD granted_share place(Thread const& thread, storage&, std::uint32_t count,
                                                   Claim&& claim) {
        if (count == 0) return {};
        auto const lanes = thread.coalesced();
        std::uint32_t const before = lanes.exclusive_scan(count);
        std::uint32_t const total = lanes.broadcast(before + count, lanes.size() - 1);
        granted_places granted{};
        if (lanes.is_leader()) granted = claim(total);
        granted = {lanes.broadcast(granted.place, 0), lanes.broadcast(granted.data, 0),
                   lanes.broadcast(granted.count, 0), lanes.broadcast(granted.run, 0)};
        return detail::share_of(granted, before, count, total);
    }
};

/// A prefix sum over the block with warp shuffles; one thread claims the places of the block. Cost: two
/// barriers and one atomic per block.
struct warp_scan {
    static constexpr char const* name = "warp-scan";
    static constexpr std::uint32_t most_per_thread = 1u << 20;
    static constexpr bool whole_block = true;
    struct storage {
        exec::block_sum_storage<std::uint32_t> sums;
        granted_places granted;
    };

    template <class Thread, class Claim>
    [[nodiscard]] static RZ_HD granted_share place(Thread const& thread, storage& shared, std::uint32_t count,
                                                   Claim&& claim) {
        return detail::place_block(thread, shared.granted,
                                   exec::block_exclusive_sum_before_barrier(thread, shared.sums, count),
                                   count, claim);
    }
};

/// A prefix sum over the block on matrix units (exec/matrix_scan.hpp); otherwise as warp_scan. Cost: three
/// barriers and one atomic per block.
struct tensor_scan {
    static constexpr char const* name = "tensor-scan";
    static constexpr std::uint32_t most_per_thread = exec::largest_matrix_count; // larger sums are inexact
    static constexpr bool whole_block = true;
    struct storage {
        exec::matrix_sum_storage sums;
        granted_places granted;
    };

    template <class Thread, class Claim>
    [[nodiscard]] static RZ_HD granted_share place(Thread const& thread, storage& shared, std::uint32_t count,
                                                   Claim&& claim) {
        return detail::place_block(thread, shared.granted,
                                   exec::block_matrix_sum_before_barrier(thread, shared.sums, count), count,
                                   claim);
    }
};

static_assert(insertion_policy<atomic>);
static_assert(insertion_policy<warp_scan>);
static_assert(insertion_policy<tensor_scan>);

} // namespace rhizome::container

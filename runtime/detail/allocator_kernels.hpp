// SPDX-License-Identifier: Apache-2.0
// The kernels that any_allocator launches: two are measured, the others look at what the allocator gave.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/random.hpp>
#include <rhizome/runtime/allocator_requests.hpp>

#include <cstdint>

namespace rhizome::runtime::detail {

/// Which request is this thread's; `wanted.count` or more: none.
template <class Thread>
[[nodiscard]] RZ_HD std::uint64_t own_request(Thread const& thread, requests const& wanted) {
    if (!wanted.one_a_warp) return thread.rank();
    auto const warp = thread.warp();
    return warp.rank() == 0 ? warp.index() : wanted.count;
}

/// Measured: one request a thread, or one a warp.
template <class Ref>
struct allocate_blocks {
    static constexpr std::uint32_t blocks_side_by_side = 4; // as a kernel that cares would

    Ref ref;
    requests wanted;
    void** blocks;
    std::uint64_t first_slot;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const own = own_request(thread, wanted);
        if (own >= wanted.count) return;
        std::uint64_t const slot = first_slot + wanted.slot_of(own);
        blocks[slot] = ref.allocate(thread, wanted.bytes_at(slot));
    }
};

/// Measured: slots in a row are given back by threads, or by warps, in a row.
template <class Ref>
struct deallocate_blocks {
    static constexpr std::uint32_t blocks_side_by_side = 4; // as above

    Ref ref;
    requests wanted;
    void* const* blocks;
    std::uint64_t first_slot;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const own = own_request(thread, wanted);
        if (own >= wanted.count) return;
        ref.deallocate(thread, blocks[first_slot + own]);
    }
};

/// Where number i of 0 to `count` - 1 goes in a random order of them: a permutation of the next power of
/// four, by a Feistel network of four rounds, which is repeated until the result is below `count`.
[[nodiscard]] RZ_HD inline std::uint64_t shuffled(std::uint64_t i, std::uint64_t count, std::uint64_t seed) {
    std::uint32_t const half = (exec::bit_width(count - 1) + 1) / 2;
    std::uint64_t const mask = (std::uint64_t{1} << half) - 1;
    do {
        std::uint64_t left = i >> half;
        std::uint64_t right = i & mask;
        for (std::uint64_t round = 0; round < 4; ++round) {
            std::uint64_t const mixed =
                left ^ (exec::scramble(right + (seed * 4 + round) * 0x9e37'79b9'7f4a'7c15ull) & mask);
            left = right;
            right = mixed;
        }
        i = left << half | right;
    } while (i >= count);
    return i;
}

struct shuffle_blocks {
    void* const* before;
    void** after;
    std::uint64_t count;
    std::uint64_t seed;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count,
                            [&](std::uint64_t i) { after[shuffled(i, count, seed)] = before[i]; });
    }
};

// A block is stamped at every multiple of the least alignment: blocks that overlap share one of these places.
inline constexpr std::uint64_t stamp_step_bytes = 16;

[[nodiscard]] RZ_HD constexpr std::uint32_t stamp_of(std::uint64_t slot, std::uint64_t place) {
    return static_cast<std::uint32_t>(slot) * 0x9e37'79b1u ^ static_cast<std::uint32_t>(place) * 0x85eb'ca77u;
}

struct stamp_blocks {
    requests wanted;
    void* const* blocks;
    std::uint64_t first_slot;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, wanted.count, [&](std::uint64_t i) {
            std::uint64_t const slot = first_slot + i;
            auto* const words = static_cast<std::uint32_t*>(blocks[slot]);
            if (words == nullptr) return;
            for (std::uint64_t at = 0; at + sizeof *words <= wanted.bytes_at(slot); at += stamp_step_bytes)
                words[at / sizeof *words] = stamp_of(slot, at);
        });
    }
};

/// Counts what is wrong. Looks into the blocks only where they were stamped.
struct check_blocks {
    requests wanted;
    void* const* blocks;
    std::uint64_t first_slot;
    std::uint64_t alignment_bytes;
    bool stamped;
    findings* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        findings own{};
        exec::for_each_item(thread, wanted.count, [&](std::uint64_t i) {
            std::uint64_t const slot = first_slot + i;
            auto const* const words = static_cast<std::uint32_t const*>(blocks[slot]);
            if (words == nullptr) {
                ++own.refused;
                return;
            }
            if (reinterpret_cast<std::uintptr_t>(words) % alignment_bytes != 0) ++own.misaligned;
            if (!stamped) return;
            bool sound = true;
            for (std::uint64_t at = 0; at + sizeof *words <= wanted.bytes_at(slot); at += stamp_step_bytes)
                sound = sound && words[at / sizeof *words] == stamp_of(slot, at);
            if (!sound) ++own.damaged;
        });
        exec::add_to_total(thread, found->refused, own.refused);
        exec::add_to_total(thread, found->misaligned, own.misaligned);
        exec::add_to_total(thread, found->damaged, own.damaged);
    }
};

struct span_blocks {
    requests wanted;
    void* const* blocks;
    std::uint64_t first_slot;
    address_span* span;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t asked_bytes = 0;
        exec::for_each_item(thread, wanted.count, [&](std::uint64_t i) {
            std::uint64_t const slot = first_slot + i;
            auto const address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(blocks[slot]));
            if (address == 0) return;
            std::uint64_t const bytes = wanted.bytes_at(slot);
            asked_bytes += bytes;
            thread.device(span->lowest_address).fetch_min(address, exec::order::relaxed);
            thread.device(span->highest_end).fetch_max(address + bytes, exec::order::relaxed);
        });
        exec::add_to_total(thread, span->asked_bytes, asked_bytes);
    }
};

} // namespace rhizome::runtime::detail

// SPDX-License-Identifier: Apache-2.0
// Kernels that move chunks of a heap (chunk_move_plan.hpp) and take chunks out of it, while nothing else
// runs and all free pages are marked.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/alloc/ouroboros/chunk_move_plan.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::alloc::maintenance {

/// Copies the headers of all chunks, so that the host can plan.
template <class Ref>
struct list_headers {
    Ref ref;
    std::uint64_t chunks;
    std::uint32_t* headers;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, chunks,
                            [&](std::uint64_t chunk) { headers[chunk] = ref.record_of(chunk).header; });
    }
};

/// Copies the memory of chunks and moves their records: the old chunks are free afterwards. Notes where each
/// chunk is now. A warp for each.
template <class Ref>
struct move_chunks {
    Ref ref;
    std::byte* heap;
    chunk_move const* moves;
    std::uint64_t count;
    std::uint32_t* moved_to;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        constexpr std::uint64_t units = Ref::base_bytes / sizeof(unit);
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, count, [&](std::uint64_t i) {
            chunk_move const move = moves[i];
            auto const* const from =
                reinterpret_cast<unit const*>(heap + std::uint64_t{move.from} * Ref::base_bytes);
            auto* const to = reinterpret_cast<unit*>(heap + std::uint64_t{move.to} * Ref::base_bytes);
            for (std::uint64_t u = warp.rank(); u < units; u += warp.size())
                to[u] = from[u];
            if (warp.is_leader()) move_record(thread, move);
        });
    }

private:
    struct alignas(16) unit {
        std::uint64_t words[2];
    };

    template <class Thread>
    RZ_HD void move_record(Thread const& thread, chunk_move const& move) const {
        ref.record_of(move.to) = ref.record_of(move.from);
        ref.record_of(move.from) = {};
        moved_to[move.from] = move.to;
        // relaxed: chunks of one word belong to several threads; the end of the kernel orders the rest
        (void)thread.device(ref.store().mask()[move.to / 64])
            .fetch_and(~(std::uint64_t{1} << move.to % 64), exec::order::relaxed);
        ref.store().runs().put(thread, move.from / 64, std::uint64_t{1} << move.from % 64);
    }
};

/// Takes the free chunks from `first_chunk` on out of the store. The tree over the mask may still have bits
/// for their words: such bits only say that a run may be there, and no search goes beyond the heap.
template <class Ref>
struct remove_chunks {
    Ref ref;
    std::uint64_t first_chunk;
    std::uint64_t chunks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const first_word = first_chunk / 64;
        exec::for_each_item(thread, (first_chunk + chunks + 63) / 64 - first_word, [&](std::uint64_t i) {
            auto const kept = static_cast<std::uint32_t>(i == 0 ? first_chunk % 64 : 0);
            std::uint64_t& word = ref.store().mask()[first_word + i];
            word &= exec::bit_range(0, kept);
        });
        if (thread.rank() == 0) {
            auto const state = ref.store().state();
            (void)thread.device(state->count).fetch_sub(chunks, exec::order::relaxed);
            (void)thread.device(state->taken).fetch_add(chunks, exec::order::relaxed);
        }
    }
};

} // namespace rhizome::alloc::maintenance

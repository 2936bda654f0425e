// SPDX-License-Identifier: Apache-2.0
// bump: an allocator that only advances a counter and never reuses memory. A lower bound for the time of
// allocation.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/heap_memory.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace rhizome::alloc {

/// Invariants: blocks fill [0, min(claimed, lost)) without gaps; claimed <= heap while nothing is lost.
struct bump_state {
    std::uint64_t claimed_bytes; ///< handed out, plus claims that did not fit and could not be undone
    std::uint64_t lost_bytes;    ///< where the first of those claims begins; ~0: there is none
};

/// The ref of bump.
class bump_ref {
public:
    struct traits {
        static constexpr std::uint64_t alignment_bytes = 16;
        static constexpr std::uint64_t smallest_bytes = 16;
        static constexpr std::uint64_t largest_bytes = std::uint64_t{1} << 48;
        static constexpr bool reuses = false;
        static constexpr bool bounded = true;
    };

    bump_ref(std::byte* heap, bump_state* state, std::uint64_t heap_bytes)
        : heap_(heap), state_(state), heap_bytes_(heap_bytes) {}

    /// Cost: one atomic for the lanes that arrive together. When the heap is nearly used up, concurrent
    /// requests may be refused though they would have fitted, and the rest of the heap may be lost.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        if (bytes > heap_bytes_) return nullptr; // so that sums of claims cannot overflow
        std::uint64_t const rounded = usable_bytes(bytes);
        auto const group = thread.coalesced();
        std::uint64_t const before = group.exclusive_scan(rounded);
        std::uint64_t const total = group.broadcast(before + rounded, group.size() - 1);
        std::uint64_t start = refused;
        if (group.is_leader()) start = take(thread, total);
        start = group.broadcast(start, 0);
        if (start != refused) return heap_ + start + before;
        // The warp's sum does not fit: each lane tries for itself.
        std::uint64_t const own = take(thread, rounded);
        return own == refused ? nullptr : heap_ + own;
    }
    /// Does nothing.
    template <class Thread>
    RZ_HD void deallocate(Thread const&, void*) const {}

    /// `bytes`, rounded up to a multiple of 16.
    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t bytes) const {
        return bytes == 0 ? 16 : (bytes + 15) / 16 * 16;
    }

private:
    static constexpr std::uint64_t refused = ~std::uint64_t{0};

    /// Claims `bytes`; returns where they begin. A claim that does not fit is undone only while it is the
    /// last one; otherwise the blocks that others claimed behind it would be handed out twice. relaxed: no
    /// thread reads here what another wrote.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t take(Thread const& thread, std::uint64_t bytes) const {
        auto const claimed = thread.device(state_->claimed_bytes);
        // A claim that fails can waste at most its own size. So only large claims read the counter first,
        // which costs one more access to a contended word.
        if (bytes > heap_bytes_ / 1024 && claimed.load(exec::order::relaxed) + bytes > heap_bytes_)
            return refused;
        std::uint64_t const start = claimed.fetch_add(bytes, exec::order::relaxed);
        if (start + bytes <= heap_bytes_) return start;
        std::uint64_t last = start + bytes;
        if (!claimed.compare_exchange(last, start, exec::order::relaxed))
            thread.device(state_->lost_bytes).fetch_min(start, exec::order::relaxed);
        return refused;
    }

    std::byte* heap_;
    bump_state* state_;
    std::uint64_t heap_bytes_;
};

/// Owner of a heap and one counter.
template <class Space>
class bump {
public:
    using space_type = Space;
    using ref_type = bump_ref;

    /// Makes the allocator with a heap of options.heap_bytes; options.queue_share and options.shards are
    /// ignored. Throws out_of_memory.
    explicit bump(Space space, heap_options const& options = {})
        : space_(std::move(space)), heap_(space_, options), state_(space_, 1) {
        bump_state const start{0, ~std::uint64_t{0}};
        space_.copy_in(state_.data(), &start, sizeof start);
        heap_.grow_to(options.heap_bytes);
    }

    /// A ref for kernels. Valid until the next grow_to().
    [[nodiscard]] bump_ref ref() const {
        return {heap_.data(), const_cast<bump_state*>(state_.data()), heap_.heap_bytes()};
    }
    /// Makes the heap at least `bytes` large. Bytes that were lost at the end of the old heap become usable
    /// again. Throws out_of_memory; the heap is then unchanged. Waits.
    void grow_to(std::uint64_t bytes) {
        heap_.grow_to(bytes);
        bump_state state = state_.to_host()[0];
        state = {std::min(state.claimed_bytes, state.lost_bytes), ~std::uint64_t{0}};
        space_.copy_in(state_.data(), &state, sizeof state);
    }
    /// Does nothing: memory is never reused.
    void trim() {}
    [[nodiscard]] std::uint64_t heap_bytes() const { return heap_.heap_bytes(); }
    [[nodiscard]] std::uint64_t table_bytes() const { return state_.size_bytes(); }
    /// Checks that the blocks fit into the heap. Waits.
    [[nodiscard]] audit_result audit() {
        bump_state const state = state_.to_host()[0];
        std::uint64_t const used = std::min(state.claimed_bytes, state.lost_bytes);
        audit_result result;
        if (used > heap_bytes())
            result.violations.push_back("bump: used <= heap: " + std::to_string(used) + " > " +
                                        std::to_string(heap_bytes()));
        result.live_bytes = used;
        result.free_bytes = heap_bytes() - std::min(used, heap_bytes());
        return result;
    }

private:
    Space space_;
    heap_memory<Space> heap_;
    exec::buffer<Space, bump_state> state_;
};

} // namespace rhizome::alloc

// SPDX-License-Identifier: Apache-2.0
// An allocator with the names of static calls, for tests of rhizome-coalesce: a static call checks that the
// threads that must reach it reach it together with one size, and counts itself.
#pragma once
#include <rhizome/alloc/baselines/bump.hpp>

namespace rhizome::alloc {

struct by_header {};
struct by_table {};

/// What static calls have found.
struct static_calls {
    std::uint64_t block, warp, mixed_sizes;
};

class stand_in_ref : public bump_ref {
public:
    stand_in_ref(bump_ref heap, static_calls* calls) : bump_ref(heap), calls_(calls) {}

    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        return bump_ref::allocate(thread, bytes);
    }

    template <class Thread, class Bookkeeping = by_header>
    [[nodiscard]] RZ_HD void* allocate_in_warp(Thread const& thread, std::uint64_t bytes,
                                               Bookkeeping = {}) const {
        auto const warp = thread.warp();
        bool const is_one_size = warp.all(warp.broadcast(bytes, 0) == bytes);
        // relaxed: read after the launch
        thread.device(calls_->mixed_sizes).fetch_add(is_one_size ? 0u : 1u, exec::order::relaxed);
        thread.device(calls_->warp).fetch_add(1, exec::order::relaxed); // relaxed: the same
        return bump_ref::allocate(thread, bytes);
    }

    /// The emulator reports a barrier that some threads of the block do not reach.
    template <class Thread, class Bookkeeping = by_header>
    [[nodiscard]] RZ_HD void* allocate_in_block(Thread const& thread, std::uint64_t bytes,
                                                Bookkeeping = {}) const {
        thread.block().sync();
        void* const block = allocate_in_warp(thread, bytes, Bookkeeping{});
        thread.block().sync();
        thread.device(calls_->block).fetch_add(1, exec::order::relaxed); // relaxed: read after the launch
        return block;
    }

private:
    static_calls* calls_;
};

} // namespace rhizome::alloc

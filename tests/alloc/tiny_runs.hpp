// SPDX-License-Identifier: Apache-2.0
// Tiny stores of runs under many interleavings: what each search of runs must keep.
#pragma once

#include "blocks.hpp"

#include <rhizome/exec/random.hpp>
#include <rhizome/exec/simt/explore.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rhizome::tests {

/// Runs a kernel for many seeds on a store of so many pages, which must be sound and whole after each round.
template <class Kernel>
void explore_runs(std::uint64_t pages, exec::launch_shape shape, std::uint64_t many) {
    exec::exploration const found = exec::explore(1, scaled(many), [&](exec::simt_space& space) {
        std::uint64_t const heap_bytes = pages * Kernel::page_bytes;
        typename Kernel::owner_type owner(space, {.heap_bytes = heap_bytes, .reserve_bytes = heap_bytes},
                                          space.seed());
        exec::buffer<exec::simt_space, std::uint64_t> wrong(space, 1);
        wrong.fill_bytes(0);
        for (int round = 0; round < 2; ++round) { // the second finds hints as the first left them
            launch(space, shape, Kernel{owner.ref(), wrong.data()});
            alloc::audit_result const audit = owner.audit();
            for (std::string const& violation : audit.violations)
                throw std::runtime_error(violation);
            if (audit.live_bytes != 0) throw std::runtime_error("pages are live that no thread holds");
            if (audit.free_bytes != heap_bytes) throw std::runtime_error("pages of the heap are lost");
        }
        return wrong.to_host()[0] == 0;
    });
    EXPECT_TRUE(found) << found.report();
}

RZ_HD inline void stamp(void* block, std::uint64_t bytes, std::uint64_t owner) {
    for (std::uint64_t word = 0; word < bytes / 8; ++word)
        static_cast<std::uint64_t*>(block)[word] = owner_pattern(owner, word);
}
[[nodiscard]] RZ_HD inline bool stamped(void const* block, std::uint64_t bytes, std::uint64_t owner) {
    for (std::uint64_t word = 0; word < bytes / 8; ++word)
        if (static_cast<std::uint64_t const*>(block)[word] != owner_pattern(owner, word)) return false;
    return true;
}

/// Each thread holds a block of at most Pages pages at a time. `threads - 1` such blocks and the gaps beside
/// them, each too short for another, take fewer pages than there are: at every moment a run is free that is
/// long enough. So a refusal contradicts the guarantee.
template <class Owner, std::uint64_t Pages>
struct always_enough {
    using owner_type = Owner;
    static constexpr std::uint64_t page_bytes = Owner::ref_type::traits::smallest_bytes;
    typename Owner::ref_type ref;
    std::uint64_t* wrong;

    [[nodiscard]] static constexpr std::uint64_t pages_for(std::uint64_t threads) {
        std::uint64_t const pages = (threads - 1) * Pages + threads * (Pages - 1) + 1;
        return (pages + 31) / 32 * 32;
    }

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        exec::random_source dice = exec::random_of(thread, 3);
        for (int turn = 0; turn < 4; ++turn) {
            std::uint64_t const pages = Pages - dice.below(4) % 2;
            void* const block = ref.allocate(thread, pages * page_bytes);
            errors += block == nullptr ? 1 : 0;
            if (block == nullptr) continue;
            stamp(block, pages * page_bytes, thread.rank());
            thread.pause();
            errors += stamped(block, pages * page_bytes, thread.rank()) ? 0 : 1;
            ref.deallocate(thread, block);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

/// More is wanted than there is: refusals come to an end and harm no thread.
template <class Owner>
struct more_than_there_is {
    using owner_type = Owner;
    static constexpr std::uint64_t page_bytes = Owner::ref_type::traits::smallest_bytes;
    typename Owner::ref_type ref;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        void* held[3] = {};
        std::uint64_t pages[3] = {};
        exec::random_source dice = exec::random_of(thread, 5);
        for (std::uint32_t turn = 0; turn < 12; ++turn) {
            bool const ending = turn >= 9; // each is given back
            std::uint32_t const i = ending ? turn - 9 : dice.below(3);
            std::uint64_t const owner = thread.rank() * 3 + i;
            if (held[i] != nullptr) {
                errors += stamped(held[i], pages[i] * page_bytes, owner) ? 0 : 1;
                ref.deallocate(thread, held[i]);
                held[i] = nullptr;
            } else if (!ending) {
                pages[i] = 1 + dice.below(dice.below(4) == 0 ? 120 : 12);
                held[i] = ref.allocate(thread, pages[i] * page_bytes);
                if (held[i] != nullptr) stamp(held[i], pages[i] * page_bytes, owner);
            }
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

/// All threads take single pages until they are refused, before any gives back: exactly the pages of the
/// store are handed out.
template <class Owner>
struct all_at_once {
    using owner_type = Owner;
    static constexpr std::uint64_t page_bytes = Owner::ref_type::traits::smallest_bytes;
    typename Owner::ref_type ref;
    std::uint64_t* wrong; ///< counts the pages that were not handed out

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        void* held[4];
        std::uint64_t served = 0;
        for (void*& page : held) {
            page = ref.allocate(thread, 1);
            served += page == nullptr ? 0 : 1;
        }
        thread.block().sync(); // one block
        thread.device(*wrong).fetch_sub(served, exec::order::relaxed);
        if (thread.rank() == 0)
            thread.device(*wrong).fetch_add(ref.store().words() * 32, exec::order::relaxed);
        for (void* const page : held)
            ref.deallocate(thread, page);
    }
};

} // namespace rhizome::tests

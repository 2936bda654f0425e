// SPDX-License-Identifier: Apache-2.0
// Endurance: mixed sizes with random lifetimes over many launches, every byte of every block checked, and the
// audit's books against the blocks' after each launch. RHIZOME_CHURN_OPERATIONS says how many requests and
// returns.
#pragma once

#include "blocks.hpp"
#include "expectations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace rhizome::tests {

/// What one worker holds from launch to launch.
struct endurance_worker {
    static constexpr std::uint32_t slots = 8;
    std::uint64_t dice;
    void* held[slots];
    std::uint64_t bytes[slots];
    std::uint64_t stamps[slots]; ///< what the block is filled with: no two blocks ever have the same
};

struct endurance_counts {
    std::uint64_t operations; ///< requests, refused or not, and returns
    std::uint64_t refused;
    std::uint64_t wrong; ///< words that somebody else wrote
    std::uint64_t misaligned;
    std::uint64_t live_bytes; ///< usable bytes of what the workers hold, added up after the launch

    /// Called by every thread of the launch.
    template <class Thread>
    RZ_HD void add_to(Thread const& thread, endurance_counts& total) const {
        exec::add_to_total(thread, total.operations, operations);
        exec::add_to_total(thread, total.refused, refused);
        exec::add_to_total(thread, total.wrong, wrong);
        exec::add_to_total(thread, total.misaligned, misaligned);
        exec::add_to_total(thread, total.live_bytes, live_bytes);
    }
};

/// Counts a request, whose block or refusal lies in the slot, and fills the block.
template <class Ref>
RZ_HD void fill_slot(Ref const& ref, endurance_worker const& worker, std::uint32_t slot,
                     endurance_counts& mine) {
    ++mine.operations;
    void* const block = worker.held[slot];
    if (block == nullptr) {
        ++mine.refused;
        return;
    }
    mine.misaligned += reinterpret_cast<std::uintptr_t>(block) % 16 != 0 ? 1 : 0;
    auto* const words = static_cast<std::uint64_t*>(block);
    std::uint64_t const end = ref.usable_bytes(worker.bytes[slot]) / 8;
    for (std::uint64_t word = 0; word < end; ++word)
        words[word] = owner_pattern(worker.stamps[slot], word);
}

/// Checks the block in the slot, and gives it back to `allocator`.
template <class Thread, class Ref, class Allocator>
RZ_HD void empty_slot(Thread const& thread, Ref const& ref, Allocator const& allocator,
                      endurance_worker& worker, std::uint32_t slot, endurance_counts& mine) {
    auto const* const words = static_cast<std::uint64_t const*>(worker.held[slot]);
    std::uint64_t const end = ref.usable_bytes(worker.bytes[slot]) / 8;
    for (std::uint64_t word = 0; word < end; ++word)
        mine.wrong += words[word] != owner_pattern(worker.stamps[slot], word) ? 1 : 0;
    allocator.deallocate(thread, worker.held[slot]);
    worker.held[slot] = nullptr;
    ++mine.operations;
}

/// Each worker does `turns` operations: its dice choose a slot; an empty one is filled, a full one emptied.
template <class Ref>
struct endure {
    Ref ref;
    endurance_worker* workers;
    std::uint64_t count;
    std::uint64_t turns;
    std::uint64_t largest_bytes;
    bool return_all; ///< afterwards
    endurance_counts* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        endurance_counts mine{};
        exec::for_each_item(thread, count, [&](std::uint64_t item) {
            endurance_worker worker = workers[item];
            // One call of each function of the allocator, which is inlined: the compiler's time.
            for (std::uint64_t turn = 0; turn < turns + (return_all ? worker.slots : 0); ++turn)
                step(thread, item, turn, worker, mine);
            for (std::uint32_t slot = 0; slot < worker.slots; ++slot)
                if (worker.held[slot] != nullptr) mine.live_bytes += ref.usable_bytes(worker.bytes[slot]);
            workers[item] = worker;
        });
        mine.add_to(thread, *counts);
    }

private:
    /// Most are small, an eighth up to 4 KiB, one in a thousand needs an extent.
    [[nodiscard]] static RZ_HD constexpr std::uint64_t size_of(std::uint64_t dice) {
        std::uint64_t const kind = dice % 1024;
        std::uint64_t const extra = dice >> 10;
        if (kind == 0) return 8193 + extra % 100'000;
        return kind < 128 ? 257 + extra % 3840 : 1 + extra % 256;
    }

    template <class Thread>
    RZ_HD void step(Thread const& thread, std::uint64_t item, std::uint64_t turn, endurance_worker& worker,
                    endurance_counts& mine) const {
        bool const ending = turn >= turns; // each slot is emptied
        worker.dice = worker.dice * 6364136223846793005ull + 1442695040888963407ull;
        auto const slot = static_cast<std::uint32_t>(ending ? turn - turns : worker.dice >> 61);
        static_assert(endurance_worker::slots == 8);
        if (worker.held[slot] != nullptr) {
            empty_slot(thread, ref, ref, worker, slot, mine);
            return;
        }
        if (ending) return;
        std::uint64_t const wished = size_of(worker.dice >> 24);
        worker.bytes[slot] = wished < largest_bytes ? wished : 1 + wished % largest_bytes;
        worker.stamps[slot] = worker.dice ^ item; // the dice come round after 2^64 throws
        worker.held[slot] = ref.allocate(thread, worker.bytes[slot]);
        fill_slot(ref, worker, slot, mine);
    }
};

template <class Space>
[[nodiscard]] std::uint64_t operations_wanted() {
    std::uint64_t const asked = number_from_environment("RHIZOME_CHURN_OPERATIONS");
    if (asked == 0) return work<Space>(is_gpu<Space> ? 20'000'000 : 200'000, 20'000);
    return is_emulated<Space> ? 1 + asked / 100 : asked; // it is some hundred times slower
}

/// The whole test, for an allocator whose blocks are used again.
template <class Case>
void endure_many_launches() {
    using space_type = typename Case::space;
    constexpr std::uint64_t launches = 16;
    std::uint64_t const operations = operations_wanted<space_type>();
    std::uint64_t const workers = is_gpu<space_type> ? 131'072 : 512;
    std::uint64_t const turns = std::max<std::uint64_t>(1, operations / (workers * launches));
    // Some half of all slots are filled, with 512 bytes each: two or three times as much. With large pages,
    // half as much again.
    std::uint64_t const of_pages = workers * endurance_worker::slots * Case::traits::smallest_bytes / 4 * 3;
    heap<Case> tested(std::max<std::uint64_t>(is_gpu<space_type> ? 768u << 20 : 4u << 20, of_pages));
    std::uint64_t const heap_bytes = tested.owner().heap_bytes();
    std::uint64_t const held_bytes = tested.space().budget().held_bytes();

    std::vector<endurance_worker> start(workers, endurance_worker{});
    for (std::uint64_t i = 0; i < workers; ++i)
        start[i].dice = (i + 1) * 0x9e37'79b9'7f4a'7c15ull;
    exec::buffer<space_type, endurance_worker> held(tested.space(), start);
    exec::buffer<space_type, endurance_counts> counts(tested.space(), 1);
    endurance_counts all{};
    std::uint64_t peak_bytes = 0;
    auto const begin = std::chrono::steady_clock::now();
    for (std::uint64_t number = 1; number <= launches; ++number) {
        SCOPED_TRACE("launch " + std::to_string(number));
        counts.fill_bytes(0);
        launch(tested.space(), cover_threads(tested.space(), workers, 128),
               endure<typename Case::owner::ref_type>{tested.owner().ref(), held.data(), workers, turns,
                                                      Case::traits::largest_bytes, number == launches,
                                                      counts.data()});
        endurance_counts const found = counts.to_host()[0];
        ASSERT_EQ(found.wrong, 0u);
        ASSERT_EQ(found.misaligned, 0u);
        alloc::audit_result const audit = tested.owner().audit();
        ASSERT_EQ(audit.violations.size(), 0u) << audit.violations[0];
        ASSERT_EQ(audit.live_bytes, found.live_bytes) << "what the workers hold";
        ASSERT_LE(audit.live_bytes + audit.free_bytes, heap_bytes);
        all.operations += found.operations;
        all.refused += found.refused;
        peak_bytes = std::max(peak_bytes, found.live_bytes);
        if (number % 4 == 0) tested.owner().trim(); // amid live blocks
    }
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf(
        "endurance %s: %llu operations, %llu refused, at most %.1f of %.1f MiB live after a launch, %.2f s\n",
        Case::name().c_str(), static_cast<unsigned long long>(all.operations),
        static_cast<unsigned long long>(all.refused), static_cast<double>(peak_bytes) / 1048576.0,
        static_cast<double>(heap_bytes) / 1048576.0, seconds);

    EXPECT_GE(all.operations, turns * workers * launches);
    EXPECT_LT(all.refused * 20, all.operations) << "a heap that is hardly ever full";
    EXPECT_GT(peak_bytes, 0u);
    EXPECT_EQ(tested.owner().heap_bytes(), heap_bytes) << "never grown";
    EXPECT_EQ(tested.space().budget().held_bytes(), held_bytes + held.size_bytes() + counts.size_bytes());
    expect_whole(tested);
    tested.owner().trim();
    std::uint64_t const bytes = served_size<Case>(8192);
    std::uint64_t const fit = heap_bytes / bytes;
    EXPECT_GE(tested.take(fit, bytes).served() + lost_to_gaps<Case>(fit), fit) << "in chunks";
}

} // namespace rhizome::tests

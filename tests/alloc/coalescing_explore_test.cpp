// SPDX-License-Identifier: Apache-2.0
// Inside coalescing: superblocks that many threads share, under many interleavings and weak memory.
#include "blocks.hpp"

#include <rhizome/alloc/block_storage.hpp>
#include <rhizome/alloc/coalescing/coalescing.hpp>
#include <rhizome/exec/random.hpp>
#include <rhizome/exec/simt/explore.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace rhizome::tests::of_coalescing {
namespace {

using exec::simt_space;

constexpr std::uint64_t seeds = 60; ///< RHIZOME_SIMT_SEEDS asks for another number

/// A backing that counts: a superblock that is given back twice, or not at all, shows in its counts, and a
/// block that is given back while another thread still uses it, in the pattern.
using backing = alloc::counting<alloc::failing<alloc::random_walk_malloc<simt_space, 16>>>;
/// A ref of this type may use every scope and both kinds of bookkeeping.
using owner_type = alloc::coalescing<alloc::block_wide, alloc::by_table, backing>;
using ref_type = owner_type::ref_type;

/// Which call a thread makes; all threads of a block agree.
enum class call : std::uint32_t {
    in_block_header,
    in_block_table,
    in_warp_header,
    in_warp_table,
    by_lane,
    calls
};

RZ_HD std::uint32_t alignment_of(std::uint64_t rank) { return 1u << rank % 5; }

/// A block and its size.
struct taken_block {
    std::byte* at;
    std::uint64_t bytes;
    std::uint64_t owner;

    template <class Thread, class Ref>
    static RZ_HD taken_block take(Thread const& thread, Ref const& ref, call which, std::uint64_t uniform,
                                  std::uint64_t own, std::uint32_t alignment, std::uint64_t owner) {
        void* at = nullptr;
        std::uint64_t bytes = uniform;
        switch (which) {
        case call::in_block_header:
            at = ref.allocate_in_block(thread, uniform, alloc::by_header{});
            break;
        case call::in_block_table:
            at = ref.allocate_in_block(thread, uniform, alloc::by_table{});
            break;
        case call::in_warp_header:
            at = ref.allocate_in_warp(thread, uniform, alloc::by_header{});
            break;
        case call::in_warp_table:
            at = ref.allocate_in_warp(thread, uniform, alloc::by_table{});
            break;
        default:
            bytes = own;
            at = ref.allocate(thread, own, alignment);
        }
        taken_block const block{static_cast<std::byte*>(at), bytes, owner};
        if (at != nullptr)
            for (std::uint64_t i = 0; i < bytes; ++i)
                block.at[i] = block.pattern(i);
        return block;
    }
    [[nodiscard]] RZ_HD bool is_intact() const {
        for (std::uint64_t i = 0; i < bytes; ++i)
            if (at[i] != pattern(i)) return false;
        return true;
    }

private:
    [[nodiscard]] RZ_HD std::byte pattern(std::uint64_t i) const {
        return static_cast<std::byte>(owner_pattern(owner, i / 8) >> i % 8 * 8);
    }
};

/// A place in which a thread leaves a block for another thread.
struct hand_over {
    std::uint64_t at;
    std::uint64_t bytes;
    std::uint64_t owner;
};

/// Threads take blocks and leave each at a random place of a table; the block that was there before is
/// checked and given back. So the segments of a superblock are freed in any order, by threads of any warp and
/// block.
struct swap_blocks {
    ref_type ref;
    std::uint64_t*
        places;       ///< address of the block, 0: none; its first bytes are behind the address in `notes`
    hand_over* notes; ///< one for each block that is ever taken
    std::uint32_t place_count;
    std::uint32_t turns;
    std::uint32_t only; ///< the call of all turns; call::calls: mixed
    std::uint64_t* wrong;

    using shared = alloc::block_storage_of<ref_type>;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const allocator = alloc::in_block(ref, thread, thread.block().storage());
        exec::random_source dice = exec::random_of(thread, 11);
        std::uint64_t errors = 0;
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            std::uint32_t const drawn =
                (thread.block().index() * 7 + turn * 3) % static_cast<std::uint32_t>(call::calls);
            auto const which =
                static_cast<call>(only == static_cast<std::uint32_t>(call::calls) ? drawn : only);
            std::uint64_t const number = thread.rank() * turns + turn;
            std::uint32_t const alignment = alignment_of(dice.below(5));
            taken_block const mine =
                taken_block::take(thread, allocator, which, 8 + 24 * ((turn + thread.block().index()) % 3),
                                  1 + dice.below(60), alignment, number);
            if (mine.at == nullptr) {
                ++errors; // there is memory for all
                continue;
            }
            std::uint32_t const promised = which == call::by_lane ? alignment : 16;
            errors += reinterpret_cast<std::uintptr_t>(mine.at) % promised != 0 ? 1 : 0;
            notes[number] = {reinterpret_cast<std::uintptr_t>(mine.at), mine.bytes, mine.owner};
            // acq_rel: hands over the block with its note, and takes another
            std::uint64_t const other =
                thread.device(places[dice.below(place_count)]).exchange(number + 1, exec::order::acq_rel);
            if (other != 0) errors += give_back(thread, allocator, other - 1);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }

    template <class Thread, class Ref>
    RZ_HD std::uint64_t give_back(Thread const& thread, Ref const& allocator, std::uint64_t number) const {
        hand_over const note = notes[number];
        taken_block const block{reinterpret_cast<std::byte*>(note.at), note.bytes, note.owner};
        std::uint64_t const errors = block.is_intact() ? 0 : 1;
        allocator.deallocate(thread, block.at);
        return errors;
    }
};

/// Gives back what is left in the places, in another kernel.
struct empty_places {
    swap_blocks swap;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        exec::for_each_item(thread, swap.place_count, [&](std::uint64_t i) {
            if (swap.places[i] != 0) errors += swap.give_back(thread, swap.ref, swap.places[i] - 1);
            swap.places[i] = 0;
        });
        if (errors != 0) thread.device(*swap.wrong).fetch_add(errors, exec::order::relaxed);
    }
};

void throw_violations(owner_type& owner) {
    for (std::string const& violation : owner.audit().violations)
        throw std::runtime_error(violation);
}

/// All memory is back: no superblock was lost, none was given back twice.
void expect_all_back(owner_type& owner) {
    throw_violations(owner);
    alloc::audit_result const audit = owner.audit();
    if (audit.live_bytes != 0) throw std::runtime_error("superblocks are live that no thread holds");
    alloc::allocation_counts const counts = owner.base().counts();
    if (counts.served != counts.returned)
        throw std::runtime_error("superblocks were freed twice, or not at all");
}

void explore_swaps(call only, exec::launch_shape shape, std::uint32_t turns, std::uint64_t many = seeds) {
    exec::exploration const found = exec::explore(1, scaled(many), [&](simt_space& space) {
        owner_type owner(space, {.heap_bytes = 256u << 10, .reserve_bytes = 256u << 10});
        std::uint32_t const threads = shape.blocks * shape.block_threads;
        std::uint32_t const place_count = threads / 2;
        exec::buffer<simt_space, std::uint64_t> places(space, place_count);
        exec::buffer<simt_space, hand_over> notes(space, std::uint64_t{threads} * turns);
        exec::buffer<simt_space, std::uint64_t> wrong(space, 1);
        places.fill_bytes(0);
        wrong.fill_bytes(0);
        swap_blocks const swap{owner.ref(), places.data(), notes.data(),
                               place_count, turns,         static_cast<std::uint32_t>(only),
                               wrong.data()};
        launch(space, shape, swap);
        throw_violations(owner);
        launch(space, {2, 32}, empty_places{swap});
        expect_all_back(owner);
        return wrong.to_host()[0] == 0;
    });
    EXPECT_TRUE(found) << found.report();
}

TEST(tiny_coalescing, block_wide_superblocks_with_headers_are_freed_once) {
    explore_swaps(call::in_block_header, {3, 48}, 3);
}
TEST(tiny_coalescing, block_wide_superblocks_in_the_table_are_freed_once) {
    explore_swaps(call::in_block_table, {3, 48}, 3);
}
TEST(tiny_coalescing, warp_wide_superblocks_with_headers_are_freed_once) {
    explore_swaps(call::in_warp_header, {2, 64}, 3);
}
TEST(tiny_coalescing, warp_wide_superblocks_in_the_table_are_freed_once) {
    explore_swaps(call::in_warp_table, {2, 64}, 3);
}
TEST(tiny_coalescing, superblocks_of_lanes_are_freed_once) { explore_swaps(call::by_lane, {3, 40}, 4); }
TEST(tiny_coalescing, variants_may_be_mixed) { explore_swaps(call::calls, {3, 64}, 5); }

/// Lanes of one warp take blocks of one superblock; all threads of several warps and blocks free them at
/// once, each a different one.
struct release_at_once {
    ref_type ref;
    std::uint64_t* blocks;
    std::uint32_t which;
    std::uint64_t* wrong;

    using shared = alloc::block_storage_of<ref_type>;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const allocator = alloc::in_block(ref, thread, thread.block().storage());
        std::uint64_t const rank = thread.block().rank();
        std::uint64_t errors = 0;
        if (thread.block().index() == 0) {
            taken_block const mine = taken_block::take(thread, allocator, static_cast<call>(which), 8,
                                                       1 + rank % 9, alignment_of(rank), rank);
            errors += mine.at == nullptr ? 1 : 0;
            thread.device(blocks[rank]).store(reinterpret_cast<std::uint64_t>(mine.at), exec::order::release);
        }
        // A thread of one of the blocks frees the segment of its rank: which block, the rank says.
        if (thread.block().index() == rank * 5 % thread.block().count()) {
            std::uint64_t at = 0;
            while ((at = thread.device(blocks[rank]).load(exec::order::acquire)) == 0)
                thread.relax();
            auto const call_made = static_cast<call>(which);
            taken_block const block{reinterpret_cast<std::byte*>(at),
                                    call_made == call::by_lane ? 1 + rank % 9 : 8, rank};
            errors += block.is_intact() ? 0 : 1;
            allocator.deallocate(thread, block.at);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

void explore_release(call which, std::uint64_t many = 4 * seeds) {
    exec::simt_options options;
    options.tuning.resident_blocks = 3; // the others wait for threads of the first
    exec::exploration const found = exec::explore(
        1, scaled(many),
        [&](simt_space& space) {
            owner_type owner(space, {.heap_bytes = 64u << 10, .reserve_bytes = 64u << 10});
            exec::buffer<simt_space, std::uint64_t> blocks(space, 64);
            exec::buffer<simt_space, std::uint64_t> wrong(space, 1);
            blocks.fill_bytes(0);
            wrong.fill_bytes(0);
            launch(
                space, {3, 64},
                release_at_once{owner.ref(), blocks.data(), static_cast<std::uint32_t>(which), wrong.data()});
            expect_all_back(owner);
            return wrong.to_host()[0] == 0;
        },
        options);
    EXPECT_TRUE(found) << found.report();
}

TEST(tiny_coalescing, threads_of_several_blocks_release_a_block_wide_superblock_with_headers) {
    explore_release(call::in_block_header);
}
TEST(tiny_coalescing, threads_of_several_blocks_release_a_block_wide_superblock_in_the_table) {
    explore_release(call::in_block_table);
}
TEST(tiny_coalescing, threads_of_several_blocks_release_warp_wide_superblocks_with_headers) {
    explore_release(call::in_warp_header);
}
TEST(tiny_coalescing, threads_of_several_blocks_release_warp_wide_superblocks_in_the_table) {
    explore_release(call::in_warp_table);
}
TEST(tiny_coalescing, threads_of_several_blocks_release_superblocks_of_lanes) {
    explore_release(call::by_lane);
}

/// Each thread takes a block by each call, some of which the backing refuses, and gives all back.
struct take_with_refusals {
    ref_type ref;
    std::uint64_t* served;
    std::uint64_t* wrong;

    using shared = alloc::block_storage_of<ref_type>;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const allocator = alloc::in_block(ref, thread, thread.block().storage());
        constexpr auto calls = static_cast<std::uint32_t>(call::calls);
        taken_block held[calls];
        std::uint64_t got = 0;
        for (std::uint32_t i = 0; i < calls; ++i) {
            held[i] = taken_block::take(thread, allocator, static_cast<call>(i), 40, 20 + thread.rank() % 7,
                                        alignment_of(thread.rank()), thread.rank() * calls + i);
            got += held[i].at != nullptr ? 1 : 0;
        }
        std::uint64_t errors = 0;
        for (taken_block const& block : held) {
            if (block.at != nullptr) errors += block.is_intact() ? 0 : 1;
            allocator.deallocate(thread, block.at);
        }
        thread.device(*served).fetch_add(got, exec::order::relaxed);
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

/// The backing refuses its n-th request, for every n; or that and all later ones. With one refusal every
/// thread is served another way, unless it asks for one block alone.
TEST(tiny_coalescing, a_request_that_the_backing_refuses_loses_nothing) {
    exec::exploration const found = exec::explore(1, scaled(seeds / 10), [&](simt_space& space) {
        owner_type owner(space, {.heap_bytes = 128u << 10, .reserve_bytes = 128u << 10});
        exec::launch_shape const shape{2, 40};
        std::uint64_t const wanted = 80 * static_cast<std::uint64_t>(call::calls);
        exec::buffer<simt_space, std::uint64_t> served(space, 1);
        exec::buffer<simt_space, std::uint64_t> wrong(space, 1);
        wrong.fill_bytes(0);
        for (bool const later_ones : {false, true})
            for (std::uint64_t n = 1;; ++n) {
                auto& failing = owner.base().base();
                later_ones ? failing.fail_from(n) : failing.fail_at(n);
                served.fill_bytes(0);
                launch(space, shape, take_with_refusals{owner.ref(), served.data(), wrong.data()});
                std::uint64_t const got = served.to_host()[0];
                expect_all_back(owner);
                if (failing.requests_seen() < n) {
                    if (got != wanted) throw std::runtime_error("a thread went without memory for no reason");
                    break;
                }
                if (!later_ones && got + 1 < wanted)
                    throw std::runtime_error("one refusal left several threads without memory");
                if (later_ones && n == 1 && got != 0) throw std::runtime_error("memory from nowhere");
            }
        return wrong.to_host()[0] == 0;
    });
    EXPECT_TRUE(found) << found.report();
}

/// Every thread of a block makes several requests with the others, in some of which the last thread asks for
/// more than the first. The superblock of these goes back, while threads may already make the next request.
struct take_too_much {
    ref_type ref;
    std::uint32_t which;
    std::uint64_t* wrong;

    using shared = alloc::block_storage_of<ref_type>;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const allocator = alloc::in_block(ref, thread, thread.block().storage());
        constexpr std::uint32_t turns = 4;
        taken_block held[turns];
        std::uint64_t errors = 0;
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            bool const is_last = thread.block().rank() + 1 == thread.block().size();
            std::uint64_t const bytes = is_last && turn % 2 == 0 ? 72 : 8 + 16 * turn;
            held[turn] = taken_block::take(thread, allocator, static_cast<call>(which), bytes, bytes, 16,
                                           thread.rank() * turns + turn);
            errors += held[turn].at == nullptr ? 1 : 0;
        }
        for (taken_block const& block : held) {
            if (block.at != nullptr) errors += block.is_intact() ? 0 : 1;
            allocator.deallocate(thread, block.at);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

TEST(tiny_coalescing, a_thread_that_asks_for_more_than_the_first_harms_nobody) {
    for (call const which :
         {call::in_block_header, call::in_block_table, call::in_warp_header, call::in_warp_table}) {
        exec::exploration const found = exec::explore(1, scaled(seeds), [&](simt_space& space) {
            owner_type owner(space, {.heap_bytes = 256u << 10, .reserve_bytes = 256u << 10});
            exec::buffer<simt_space, std::uint64_t> wrong(space, 1);
            wrong.fill_bytes(0);
            launch(space, {2, 64},
                   take_too_much{owner.ref(), static_cast<std::uint32_t>(which), wrong.data()});
            expect_all_back(owner);
            return wrong.to_host()[0] == 0;
        });
        EXPECT_TRUE(found) << static_cast<std::uint32_t>(which) << ": " << found.report();
    }
}

/// Threads that do not make a block-wide or warp-wide call which the others make.
struct call_without_some {
    enum class others : std::uint32_t { end, synchronise, make_another_call, leave_their_warp };

    ref_type ref;
    others what;

    using shared = alloc::block_storage_of<ref_type>;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const allocator = alloc::in_block(ref, thread, thread.block().storage());
        if (what == others::leave_their_warp) {
            if (thread.block().rank() % 2 == 0) (void)allocator.allocate_in_warp(thread, 64);
        } else if (thread.block().rank() < 32) {
            (void)allocator.allocate_in_block(thread, 64);
        } else if (what == others::synchronise) {
            for (int barrier = 0; barrier < 3; ++barrier)
                thread.block().sync();
        } else if (what == others::make_another_call) {
            (void)allocator.allocate(thread, 64);
        }
    }
};
TEST(tiny_coalescing, a_call_that_not_all_threads_of_its_scope_reach_is_misuse) {
    using others = call_without_some::others;
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
        for (others const what :
             {others::end, others::synchronise, others::make_another_call, others::leave_their_warp}) {
            simt_space space(exec::simt_options{.seed = seed});
            owner_type owner(space, {.heap_bytes = 64u << 10, .reserve_bytes = 64u << 10});
            EXPECT_THROW(launch(space, {1, 64}, call_without_some{owner.ref(), what}), exec::deadlock);
        }
}

} // namespace
} // namespace rhizome::tests::of_coalescing

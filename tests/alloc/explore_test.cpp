// SPDX-License-Identifier: Apache-2.0
// Tiny heaps under many interleavings and weak memory: every seed is another schedule.
#include "tiny_heaps.hpp"

#include <rhizome/alloc/together.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests::of_ouroboros {
namespace {

/// As many threads as there are pages, each of which takes one, gives it back and takes again: there is
/// always a page for whoever asks, so that a refusal is a page that was lost sight of.
template <class Ref, std::uint64_t Bytes, std::uint64_t TotalPages>
struct always_enough {
    Ref ref;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        std::uint64_t const held_at_once = TotalPages / thread.size();
        void* blocks[4];
        for (int turn = 0; turn < 3; ++turn) {
            for (std::uint64_t i = 0; i < held_at_once; ++i) {
                blocks[i] = ref.allocate(thread, Bytes);
                if (blocks[i] == nullptr) {
                    ++errors;
                } else {
                    fill(blocks[i], Bytes, thread.rank() * 4 + i);
                }
            }
            for (std::uint64_t i = 0; i < held_at_once; ++i) {
                if (blocks[i] == nullptr) continue;
                errors += holds(blocks[i], Bytes, thread.rank() * 4 + i) ? 0 : 1;
                ref.deallocate(thread, blocks[i]);
            }
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

TYPED_TEST(tiny_heap, whole_chunks_are_enough_for_all_who_may_hold_one) {
    explore_heap<typename TestFixture::tiny, always_enough<typename TestFixture::tiny_ref, 1024, 64>>(
        (64u << 10) + TestFixture::for_queues, {2, 32}, 4 * seeds);
}
TYPED_TEST(tiny_heap, pages_are_enough_for_all_who_may_hold_one) {
    explore_heap<typename TestFixture::tiny, always_enough<typename TestFixture::tiny_ref, 256, 128>>(
        (32u << 10) + TestFixture::for_queues, {2, 64}, 4 * seeds);
}
TYPED_TEST(tiny_heap, spilled_pages_are_enough_for_all_who_may_hold_two) {
    // 512 pages in one unit, half of which no ring has room for.
    explore_heap<typename TestFixture::tiny, always_enough<typename TestFixture::tiny_ref, 16, 512>>(
        (8u << 10) + TestFixture::for_queues, {4, 64});
}
TYPED_TEST(tiny_heap, spilled_pages_are_enough_for_blocks_of_odd_size) {
    explore_heap<typename TestFixture::tiny, always_enough<typename TestFixture::tiny_ref, 16, 512>>(
        (8u << 10) + TestFixture::for_queues, {3, 50});
}

TYPED_TEST(tiny_heap, spilled_pages_are_enough_while_others_are_spilling) {
    // As many threads as pages: half of them spill, and then need what the other half spilled.
    explore_heap<typename TestFixture::tiny, always_enough<typename TestFixture::tiny_ref, 16, 512>>(
        (8u << 10) + TestFixture::for_queues, {16, 32});
}

/// More wishes than the heap holds, of one class; all are made before any is given back.
template <class Ref>
struct more_than_there_is {
    Ref ref;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        std::uint64_t served = 0;
        void* blocks[4];
        for (std::uint64_t i = 0; i < 4; ++i) {
            blocks[i] = ref.allocate(thread, 128);
            served += blocks[i] != nullptr ? 1 : 0;
            if (blocks[i] != nullptr) fill(blocks[i], 128, thread.rank() * 4 + i);
        }
        for (std::uint64_t i = 0; i < 4; ++i) {
            if (blocks[i] == nullptr) continue;
            errors += holds(blocks[i], 128, thread.rank() * 4 + i) ? 0 : 1;
            ref.deallocate(thread, blocks[i]);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
        thread.device(wrong[1]).fetch_add(served, exec::order::relaxed);
    }
};
TYPED_TEST(tiny_heap, refusals_come_to_an_end_and_harm_nobody) {
    explore_heap<typename TestFixture::tiny, more_than_there_is<typename TestFixture::tiny_ref>>(
        (16u << 10) + TestFixture::for_queues, {2, 64}, seeds, 128); // 512 wishes, 128 pages
}

/// Everything at once: pages of all classes, extents, refusals, refills and spills.
template <class Ref>
struct mixed {
    Ref ref;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        std::uint64_t served = 0;
        void* held[2] = {};
        std::uint64_t bytes[2] = {};
        std::uint64_t dice = thread.rank() * 0x9e37'79b9'7f4a'7c15ull + 1;
        for (int turn = 0; turn < 8; ++turn) {
            dice = dice * 6364136223846793005ull + 1442695040888963407ull;
            std::uint64_t const slot = dice >> 63;
            if (held[slot] != nullptr) {
                errors += holds(held[slot], bytes[slot], thread.rank() * 2 + slot) ? 0 : 1;
                ref.deallocate(thread, held[slot]);
                held[slot] = nullptr;
            } else {
                std::uint64_t const kind = (dice >> 40) % 8;
                bytes[slot] = kind == 7 ? 12'000 : std::uint64_t{16} << kind;
                held[slot] = ref.allocate(thread, bytes[slot]);
                served += held[slot] != nullptr ? 1 : 0;
                if (held[slot] != nullptr) fill(held[slot], bytes[slot], thread.rank() * 2 + slot);
            }
        }
        for (std::uint64_t slot = 0; slot < 2; ++slot) {
            if (held[slot] == nullptr) continue;
            errors += holds(held[slot], bytes[slot], thread.rank() * 2 + slot) ? 0 : 1;
            ref.deallocate(thread, held[slot]);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
        thread.device(wrong[1]).fetch_add(served, exec::order::relaxed);
    }
};
TYPED_TEST(tiny_heap, all_requests_at_once) {
    explore_heap<typename TestFixture::tiny, mixed<typename TestFixture::tiny_ref>>(64u << 10, {2, 64}, seeds,
                                                                                    8);
}

/// Warps that look for extents together, beside lanes that want pages and extents for themselves.
template <class Ref>
struct together {
    Ref ref;
    std::uint64_t* wrong; ///< and how many of them found one

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint64_t errors = 0;
        for (std::uint64_t turn = 0; turn < 4; ++turn) {
            std::uint64_t const bytes = (9 + (warp.index() * 3 + turn) % 12) * 1024;
            void* const block = alloc::allocate_together(ref, thread, warp, bytes);
            auto const address = reinterpret_cast<std::uint64_t>(block);
            errors += warp.broadcast(address, 0) == address ? 0 : 1;
            std::uint64_t const own_bytes = thread.rank() % 7 == 0 ? 9000 : std::uint64_t{16} << turn;
            void* const own = ref.allocate(thread, own_bytes);
            if (block != nullptr && warp.rank() == 0) fill(block, bytes, warp.index());
            if (own != nullptr) fill(own, own_bytes, 1000 + thread.rank());
            if (own != nullptr) errors += holds(own, own_bytes, 1000 + thread.rank()) ? 0 : 1;
            ref.deallocate(thread, own);
            if (warp.rank() != 0 || block == nullptr) continue;
            errors += holds(block, bytes, warp.index()) ? 0 : 1;
            ref.deallocate(thread, block);
            thread.device(wrong[1]).fetch_add(1, exec::order::relaxed);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};
TYPED_TEST(tiny_heap, warps_look_for_extents_together) {
    auto const found = explore_heap<typename TestFixture::tiny, together<typename TestFixture::tiny_ref>>(
        64u << 10, {2, 64});
    EXPECT_GT(found, 0u) << "nobody has found an extent";
}

/// A heap's whole life, of which every turn needs what the turn before gave back: pages that fill and empty
/// several segments of a queue, chunks for other classes beside them, and more wishes than there is room for.
template <class Ref>
struct whole_life {
    Ref ref;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        std::uint64_t served = 0;
        constexpr std::uint64_t most = 6;
        void* held[most] = {};
        for (std::uint64_t turn = 0; turn < 4; ++turn) {
            std::uint64_t const kind = (thread.rank() / 5 + turn) % 8;
            std::uint64_t const bytes = kind == 6 ? 1024 : kind == 7 ? 256 : 16;
            for (std::uint64_t i = 0; i < most; ++i) {
                held[i] = ref.allocate(thread, bytes);
                served += held[i] != nullptr ? 1 : 0;
                if (held[i] != nullptr) fill(held[i], bytes, thread.rank() * most + i);
            }
            for (std::uint64_t i = 0; i < most; ++i) {
                void* const block = held[(i + turn) % most];
                if (block == nullptr) continue;
                errors += holds(block, bytes, thread.rank() * most + (i + turn) % most) ? 0 : 1;
                ref.deallocate(thread, block);
            }
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
        thread.device(wrong[1]).fetch_add(served, exec::order::relaxed);
    }
};
TYPED_TEST(tiny_heap, survives_its_whole_life) {
    // Chunks of 1 KiB: 18 to 24 are wished for at once, besides 3 to 4 of 256-byte pages and up to 5 of
    // 16-byte ones.
    explore_heap<typename TestFixture::tiny, whole_life<typename TestFixture::tiny_ref>>(24u << 10, {2, 32},
                                                                                         seeds, 12);
}
TYPED_TEST(tiny_heap, removes_segments_in_its_life) {
    using owner_type = typename TestFixture::tiny;
    std::uint64_t removed = 0;
    exec::exploration const found = exec::explore_exactly(1, 5, [&](simt_space& space) {
        owner_type owner(space, {.heap_bytes = 24u << 10, .reserve_bytes = 24u << 10});
        exec::buffer<simt_space, std::uint64_t> wrong(space, 2);
        wrong.fill_bytes(0);
        for (int round = 0; round < 8; ++round)
            launch(space, {2, 32}, whole_life<typename TestFixture::tiny_ref>{owner.ref(), wrong.data()});
        space.synchronize();
        owner.ref().for_each_instance([&](auto const& instance) {
            for (std::uint32_t ring = 0; ring < instance.rings(); ++ring)
                removed += instance.shard(ring / instance.shards(), ring % instance.shards()).queue.retired;
        });
        return wrong.to_host()[0] == 0;
    });
    EXPECT_TRUE(found) << found.report();
    if (TypeParam::is_virtual) {
        EXPECT_GT(removed, 0u) << "the scenario reaches no reuse of queue chunks";
    } else {
        EXPECT_EQ(removed, 0u);
    }
}

/// The second warp restocks what the others use, while there is plenty, and when there is not.
template <class Ref>
struct use_beside_restocking {
    Ref ref;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint64_t errors = 0;
        void* held[3] = {};
        for (std::uint64_t turn = 0; turn < 3; ++turn) {
            if (warp.index() == 1) {
                for (std::uint32_t number = 0; number < ref.restock_groups(); ++number)
                    ref.restock(thread, warp, number, 2000);
                continue;
            }
            held[turn] = ref.allocate(thread, 16);
            errors += held[turn] == nullptr ? 1 : 0;
            if (held[turn] != nullptr) fill(held[turn], 16, thread.rank() * 3 + turn);
            if (turn != 1) continue;
            errors += holds(held[0], 16, thread.rank() * 3) ? 0 : 1;
            ref.deallocate(thread, held[0]);
        }
        for (std::uint64_t turn = 1; turn < 3 && warp.index() != 1; ++turn) {
            errors += holds(held[turn], 16, thread.rank() * 3 + turn) ? 0 : 1;
            ref.deallocate(thread, held[turn]);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};
TYPED_TEST(tiny_heap, restocks_beside_requests) {
    // 264 chunks: hardly plenty, so that it comes to an end on the way.
    explore_heap<typename TestFixture::tiny, use_beside_restocking<typename TestFixture::tiny_ref>>(
        264u << 10, {3, 32}, seeds / 4);
}

/// Every fourth thread looks for a run of units that is not there, though there are chunks enough for it; the
/// others, who all fit, must not notice.
template <class Ref>
struct beside_the_hopeless {
    Ref ref;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t errors = 0;
        for (int turn = 0; turn < 3; ++turn) {
            if (thread.rank() % 4 == 0) {
                errors += ref.allocate(thread, 7 * 8192) == nullptr ? 0 : 1;
                continue;
            }
            void* const block = ref.allocate(thread, 1024);
            errors += block == nullptr ? 1 : 0;
            thread.pause();
            ref.deallocate(thread, block);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

TYPED_TEST(tiny_heap, who_fits_does_not_notice_who_cannot) {
    exec::exploration const found = exec::explore(1, scaled(seeds), [](simt_space& space) {
        // 10 units: a chunk of the first, and two of the last three; 63 chunks are free, no 7 units in a row.
        typename TestFixture::tiny owner(space, {.heap_bytes = 80u << 10, .reserve_bytes = 80u << 10});
        std::vector<std::uint64_t> const sizes = {1024, 8192, 8192, 8192};
        exec::buffer<simt_space, void*> held(space, sizes.size());
        for (std::size_t i = 0; i < sizes.size(); ++i)
            launch(space, {1, 1},
                   take_blocks<typename TestFixture::tiny_ref>{owner.ref(), &sizes[i], held.data() + i, 1});
        launch(space, {1, 1}, return_blocks<typename TestFixture::tiny_ref>{owner.ref(), held.data() + 2, 1});
        exec::buffer<simt_space, std::uint64_t> wrong(space, 1);
        wrong.fill_bytes(0);
        launch(space, {1, 64},
               beside_the_hopeless<typename TestFixture::tiny_ref>{owner.ref(), wrong.data()});
        return wrong.to_host()[0] == 0 && owner.audit().violations.empty();
    });
    EXPECT_TRUE(found) << found.report();
}

} // namespace
} // namespace rhizome::tests::of_ouroboros

// SPDX-License-Identifier: Apache-2.0
// The parts that allocators are made of, each by itself, in every space.
#include <rhizome/alloc/bulk_semaphore.hpp>
#include <rhizome/alloc/ouroboros/array_queue.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

using alloc::array_queue_ref;
using alloc::bulk_semaphore_ref;
using alloc::bulk_semaphore_state;
using alloc::queue_counters;
using alloc::queue_state;
using alloc::ring_words;

template <class Space>
class allocator_parts : public space_test {};
TYPED_TEST_SUITE(allocator_parts, all_spaces, space_names);

/// Every thread takes up to 3 permits, again and again, and gives them back at the end, or never.
struct use_semaphore {
    bulk_semaphore_state* state;
    std::uint64_t* taken;
    bool gives;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        bulk_semaphore_ref const semaphore(*state);
        std::uint64_t mine = 0;
        for (std::uint32_t turn = 0; turn < 8; ++turn)
            mine += semaphore.take(thread, 1 + (turn + static_cast<std::uint32_t>(thread.rank())) % 3);
        if (gives && mine != 0) semaphore.give(thread, mine);
        thread.device(*taken).fetch_add(mine, exec::order::relaxed);
    }
};

TYPED_TEST(allocator_parts, a_semaphore_grants_what_it_was_given_and_no_more) {
    TypeParam space = make_space<TypeParam>();
    exec::buffer<TypeParam, bulk_semaphore_state> state(space, 1);
    exec::buffer<TypeParam, std::uint64_t> taken(space, 1);
    for (std::int64_t const permits : {0, 1, 7, 500, 100'000}) {
        bulk_semaphore_state const start{permits, 0, 0};
        space.copy_in(state.data(), &start, sizeof(start));
        taken.fill_bytes(0);
        launch(space, cover_threads(space, 256, 64), use_semaphore{state.data(), taken.data(), true});
        EXPECT_EQ(state.to_host()[0].count, permits) << "taken and given back";
        taken.fill_bytes(0);
        launch(space, cover_threads(space, 256, 64), use_semaphore{state.data(), taken.data(), false});
        EXPECT_EQ(static_cast<std::int64_t>(taken.to_host()[0]), permits - state.to_host()[0].count);
        EXPECT_GE(state.to_host()[0].count, 0);
        if (permits <= 7) {
            EXPECT_EQ(state.to_host()[0].count, 0) << "refused though there was one";
        }
    }
}

/// Everybody stands for election again and again; whoever is elected adds to a plain word.
struct stand_for_election {
    bulk_semaphore_state* state;
    std::uint64_t* plain;
    std::uint64_t* elected;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        bulk_semaphore_ref const semaphore(*state);
        for (std::uint32_t turn = 0; turn < 8; ++turn) {
            if (!semaphore.elect(thread)) continue;
            *plain += 1;
            thread.device(*elected).fetch_add(1, exec::order::relaxed);
            semaphore.dismiss(thread);
        }
    }
};

TYPED_TEST(allocator_parts, one_refiller_is_elected_at_a_time) {
    TypeParam space = make_space<TypeParam>();
    exec::buffer<TypeParam, bulk_semaphore_state> state(space, 1);
    exec::buffer<TypeParam, std::uint64_t> counts(space, 2);
    state.fill_bytes(0);
    counts.fill_bytes(0);
    launch(space, cover_threads(space, 256, 64),
           stand_for_election{state.data(), counts.data(), counts.data() + 1});
    auto const found = counts.to_host();
    EXPECT_GT(found[1], 0u);
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(state.to_host()[0].elected, 0u);
}

/// Threads put entries into a ring, then take as many as they get, in one launch.
struct use_queue {
    queue_state* state;
    std::uint64_t* slots;
    std::uint64_t capacity;
    std::uint32_t ring;
    std::uint32_t* seen; ///< how often each entry was taken
    std::uint64_t* refused;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        array_queue_ref const queue(*state, ring_words(slots + ring * capacity, capacity));
        for (std::uint64_t turn = 0; turn < 4; ++turn) {
            std::uint64_t const first = (thread.rank() * 4 + turn) * 2;
            std::int64_t left = 0;
            std::uint32_t const room = queue.take_room(thread, 2, left);
            std::uint64_t const to = room == 0 ? 0 : queue.give_places(thread, room);
            for (std::uint32_t i = 0; i < room; ++i)
                queue.give(thread, {}, to + i, first + i);
            if (room != 0) queue.semaphore().give(thread, room);
            thread.device(*refused).fetch_add(2 - room, exec::order::relaxed);

            std::uint32_t const permits = queue.semaphore().take(thread, turn == 3 ? 3 : 1);
            std::uint64_t const from = permits == 0 ? 0 : queue.take_places(thread, permits);
            for (std::uint32_t i = 0; i < permits; ++i)
                thread.device(seen[queue.take(thread, {}, from + i)]).fetch_add(1u, exec::order::relaxed);
            thread.device(state->room).fetch_add(permits, exec::order::relaxed);
        }
    }
};

TYPED_TEST(allocator_parts, a_ring_hands_out_each_entry_once_and_refuses_past_its_capacity) {
    TypeParam space = make_space<TypeParam>();
    for (std::uint64_t const capacity : {32u, 64u, 1024u}) {
        exec::launch_shape const shape = cover_threads(space, 256, 64);
        std::uint64_t const entries = std::uint64_t{shape.blocks} * shape.block_threads * 8;
        exec::buffer<TypeParam, queue_state> state(space, 1);
        exec::buffer<TypeParam, std::uint64_t> slots(space, capacity * 3);
        exec::buffer<TypeParam, std::uint32_t> seen(space, entries);
        exec::buffer<TypeParam, std::uint64_t> refused(space, 1);
        queue_state start{};
        start.room = static_cast<std::int64_t>(capacity);
        space.copy_in(state.data(), &start, sizeof(start));
        slots.fill_bytes(0xff);
        seen.fill_bytes(0);
        refused.fill_bytes(0);
        launch(space, shape, use_queue{state.data(), slots.data(), capacity, 1, seen.data(), refused.data()});

        queue_state const end = state.to_host()[0];
        auto const held = slots.to_host();
        std::uint64_t left = 0;
        std::vector<std::uint32_t> times = seen.to_host();
        for (std::uint64_t slot = 0; slot < held.size(); ++slot) {
            if (held[slot] == queue_counters::empty) continue;
            EXPECT_EQ(slot / capacity, 1u) << "another ring's slot";
            ASSERT_LT(held[slot], entries);
            ++times[held[slot]];
            ++left;
        }
        EXPECT_EQ(end.back - end.front, left);
        EXPECT_EQ(end.semaphore.count, static_cast<std::int64_t>(left));
        EXPECT_EQ(end.room, static_cast<std::int64_t>(capacity - left));
        EXPECT_EQ(std::count(times.begin(), times.end(), 1u),
                  static_cast<std::int64_t>(entries - refused.to_host()[0]));
        EXPECT_EQ(std::count_if(times.begin(), times.end(), [](std::uint32_t n) { return n > 1; }), 0);
    }
}

} // namespace
} // namespace rhizome::tests

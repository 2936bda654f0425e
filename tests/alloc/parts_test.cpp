// The parts that allocators are made of, each by itself, in every space.
#include <rhizome/alloc/bits.hpp>
#include <rhizome/alloc/bulk_semaphore.hpp>
#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/ouroboros/array_queue.hpp>
#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

using alloc::array_queue_ref;
using alloc::bulk_semaphore_ref;
using alloc::bulk_semaphore_state;
using alloc::chunk_store_ref;
using alloc::chunk_store_state;
using alloc::queue_counters;
using alloc::queue_state;
using alloc::ring_words;

TEST(bits, are_counted_and_chosen) {
    for (std::uint64_t const bits :
         {0ull, 1ull, 0b1011'0100ull, 1ull << 63, ~0ull, 0x8000'0000'8000'0001ull}) {
        EXPECT_EQ(alloc::detail::count_bits(bits), static_cast<std::uint32_t>(std::popcount(bits)));
        std::uint64_t left = bits;
        for (std::uint32_t rank = 0; left != 0; ++rank, left &= left - 1) {
            EXPECT_EQ(alloc::detail::nth_bit(bits, rank), static_cast<std::uint32_t>(std::countr_zero(left)));
            EXPECT_EQ(alloc::detail::lowest_bits(bits, rank), bits & ~left);
        }
        EXPECT_EQ(alloc::detail::lowest_bits(bits, 64), bits);
    }
    EXPECT_EQ(alloc::detail::bit_range(0, 64), ~0ull);
    EXPECT_EQ(alloc::detail::bit_range(64, 64), 0u);
    EXPECT_EQ(alloc::detail::bit_range(3, 5), 0b1'1000u);
    for (std::uint32_t begin = 0; begin < 64; ++begin) {
        EXPECT_EQ(alloc::detail::bit_range(begin, begin), 0u);
        EXPECT_EQ(alloc::detail::bit_range(begin, begin + 1), 1ull << begin);
    }
}

template <class Space>
class allocator_parts : public space_test {};
TYPED_TEST_SUITE(allocator_parts, detail::as_types<space_list>::type, space_names);

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

struct take_chunks {
    chunk_store_ref store;
    std::uint32_t* owners; ///< how many took each chunk
    std::uint32_t wanted;
    std::uint64_t* taken;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for (;;) {
            alloc::chunk_claim const claim = store.template take<1>(thread, wanted);
            if (claim.bits == 0) {
                if (store.template looks_empty<1>(thread)) return;
                continue; // somebody is about to undo his counting
            }
            for (std::uint64_t bits = claim.bits; bits != 0; bits &= bits - 1)
                thread.device(owners[claim.first_chunk + alloc::detail::nth_bit(bits, 0)])
                    .fetch_add(1u, exec::order::relaxed);
            thread.device(*taken).fetch_add(alloc::detail::count_bits(claim.bits), exec::order::relaxed);
        }
    }
};

struct put_chunks {
    chunk_store_ref store;
    std::uint64_t chunks;
    std::uint64_t every;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, chunks, [&](std::uint64_t chunk) {
            if (chunk % every == 0) store.template put<1>(thread, chunk);
        });
    }
};

/// Until there are no more: each thread for itself, or the lanes of a warp together.
template <bool Together>
struct take_extents {
    chunk_store_ref store;
    std::uint32_t* owners;
    std::uint64_t chunks;
    std::uint64_t* taken;  ///< extents
    std::uint64_t* firsts; ///< their first chunks

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if constexpr (Together)
            take_all(thread, thread.warp());
        else
            take_all(thread, exec::alone(thread).coalesced());
    }

private:
    template <class Thread, class Group>
    RZ_HD void take_all(Thread const& thread, Group const& group) const {
        for (;;) {
            std::uint64_t const first = store.take_extent(thread, group, chunks);
            if (first == chunk_store_ref::none) return;
            for (std::uint64_t chunk = first + group.rank(); chunk < first + chunks; chunk += group.size())
                thread.device(owners[chunk]).fetch_add(1u, exec::order::relaxed);
            if (group.rank() == 0) firsts[thread.device(*taken).fetch_add(1, exec::order::relaxed)] = first;
        }
    }
};

struct put_extents {
    chunk_store_ref store;
    std::uint64_t const* firsts;
    std::uint64_t chunks;
    std::uint64_t extents;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, extents,
                            [&](std::uint64_t i) { store.put_extent(thread, firsts[i], chunks); });
    }
};

/// A store of `chunks` free chunks, and a count of who took each.
template <class Space>
struct stored_chunks {
    Space space = make_space<Space>();
    std::uint64_t chunks;
    exec::buffer<Space, chunk_store_state> state{space, 1};
    exec::buffer<Space, std::uint64_t> mask;
    exec::buffer<Space, std::uint32_t> owners;
    exec::buffer<Space, std::uint64_t> taken{space, 1};

    explicit stored_chunks(std::uint64_t count)
        : chunks(count), mask(space, (count + 63) / 64), owners(space, count) {
        std::vector<std::uint64_t> bits(mask.size(), 0);
        for (std::uint64_t chunk = 0; chunk < chunks; ++chunk)
            bits[chunk / 64] |= std::uint64_t{1} << (chunk % 64);
        space.copy_in(mask.data(), bits.data(), mask.size_bytes());
        chunk_store_state const start{chunks, 0, 0, 0, 0, 0};
        space.copy_in(state.data(), &start, sizeof(start));
        forget();
    }
    chunk_store_ref ref() { return {state.data(), mask.data(), mask.size()}; }
    void forget() {
        owners.fill_bytes(0);
        taken.fill_bytes(0);
    }
    template <class Kernel>
    void run(Kernel const& kernel) {
        launch(space, cover_threads(space, 256, 64), kernel);
    }
    std::uint64_t longest_free_run() {
        auto const words = mask.to_host();
        std::uint64_t longest = 0;
        std::uint64_t run = 0;
        for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
            run = (words[chunk / 64] >> (chunk % 64) & 1) != 0 ? run + 1 : 0;
            longest = std::max(longest, run);
        }
        return longest;
    }
    std::uint64_t free_bits() {
        std::uint64_t bits = 0;
        for (std::uint64_t const word : mask.to_host())
            bits += static_cast<std::uint64_t>(std::popcount(word));
        return bits;
    }
    std::uint64_t count() { return state.to_host()[0].count; }
    std::uint64_t owners_with(std::uint32_t count) {
        auto const found = owners.to_host();
        return static_cast<std::uint64_t>(std::count(found.begin(), found.end(), count));
    }
};

TYPED_TEST(allocator_parts, a_chunk_store_gives_each_chunk_once) {
    for (std::uint32_t const wanted : {1u, 5u, 64u}) {
        stored_chunks<TypeParam> store(1000);
        for (std::uint64_t const every : {1u, 3u, 200u}) { // what came back is what can be had again
            store.run(take_chunks{store.ref(), store.owners.data(), wanted, store.taken.data()});
            std::uint64_t const expected = every == 1 ? 1000 : every == 3 ? 1000 : 334;
            ASSERT_EQ(store.taken.to_host()[0], expected);
            EXPECT_EQ(store.owners_with(1), expected);
            EXPECT_EQ(store.owners_with(0), 1000 - expected);
            EXPECT_EQ(store.free_bits(), 0u);
            EXPECT_EQ(store.count(), 0u);
            store.forget();
            store.run(put_chunks{store.ref(), 1000, every});
            EXPECT_EQ(store.free_bits(), store.count());
        }
    }
}

template <bool Together, class Space>
void expect_disjoint_extents() {
    for (std::uint64_t const chunks : {1u, 2u, 7u, 63u, 64u, 65u, 129u, 1000u}) {
        SCOPED_TRACE(chunks);
        stored_chunks<Space> store(1000);
        exec::buffer<Space, std::uint64_t> firsts(store.space, 1000);
        for (int round = 0; round < 2; ++round) {
            store.run(take_extents<Together>{store.ref(), store.owners.data(), chunks, store.taken.data(),
                                             firsts.data()});
            std::uint64_t const taken = store.taken.to_host()[0];
            EXPECT_EQ(store.owners_with(1), taken * chunks);
            EXPECT_LT(store.longest_free_run(), chunks) << "a run that nobody took";
            EXPECT_EQ(store.count(), 1000 - taken * chunks) << "what a failed search counted is counted back";
            EXPECT_EQ(store.free_bits(), store.count());
            store.forget();
            store.run(put_extents{store.ref(), firsts.data(), chunks, taken});
            EXPECT_EQ(store.count(), 1000u);
            EXPECT_EQ(store.free_bits(), 1000u);
        }
    }
}

TYPED_TEST(allocator_parts, extents_are_disjoint_and_fill_the_store) {
    expect_disjoint_extents<false, TypeParam>();
    expect_disjoint_extents<true, TypeParam>();
}

template <bool Together, class Space>
void expect_no_gaps(std::uint32_t threads) {
    for (std::uint64_t const chunks : {1u, 2u, 7u, 63u, 64u, 65u, 129u, 480u, 5000u, 14000u}) {
        SCOPED_TRACE(chunks);
        std::uint64_t const all = chunks < 1000 ? 1000 : 28001;
        stored_chunks<Space> store(all);
        exec::buffer<Space, std::uint64_t> firsts(store.space, all);
        launch(store.space, {1, threads},
               take_extents<Together>{store.ref(), store.owners.data(), chunks, store.taken.data(),
                                      firsts.data()});
        EXPECT_EQ(store.taken.to_host()[0], all / chunks);
    }
}

TYPED_TEST(allocator_parts, extents_taken_one_by_one_leave_no_gaps) {
    expect_no_gaps<false, TypeParam>(1);
    TypeParam const space = make_space<TypeParam>();
    expect_no_gaps<true, TypeParam>(space.max_block_threads() < 32 ? 1 : 32); // one warp
}

template <bool Together, class Space>
void expect_neighbours_needed() {
    stored_chunks<Space> store(1000);
    exec::buffer<Space, std::uint64_t> firsts(store.space, 1000);
    store.run(take_chunks{store.ref(), store.owners.data(), 64, store.taken.data()});
    store.forget();
    store.run(put_chunks{store.ref(), 1000, 2}); // 500 chunks, no two side by side
    store.run(take_extents<Together>{store.ref(), store.owners.data(), 2, store.taken.data(), firsts.data()});
    EXPECT_EQ(store.taken.to_host()[0], 0u);
    EXPECT_EQ(store.count(), 500u);
    EXPECT_EQ(store.free_bits(), 500u);
}

TYPED_TEST(allocator_parts, an_extent_needs_neighbours) {
    expect_neighbours_needed<false, TypeParam>();
    expect_neighbours_needed<true, TypeParam>();
}

/// Free chunks in runs of many lengths: whatever fits is found, by those who meet at it too.
template <bool Together, class Space>
void expect_all_runs_found() {
    constexpr std::uint64_t count = 4000;
    std::mt19937_64 random(3);
    for (std::uint64_t const chunks : {3u, 17u, 64u, 90u}) {
        SCOPED_TRACE(chunks);
        stored_chunks<Space> store(count);
        std::vector<std::uint64_t> words(store.mask.size(), 0);
        std::uint64_t fitting = 0;
        std::uint64_t free = 0;
        for (std::uint64_t chunk = random() % 9; chunk < count; chunk += 1 + random() % 9) {
            std::uint64_t const length = std::min(1 + random() % (2 * chunks), count - chunk);
            for (std::uint64_t i = 0; i < length; ++i, ++chunk)
                words[chunk / 64] |= std::uint64_t{1} << chunk % 64;
            fitting += length / chunks;
            free += length;
        }
        store.space.copy_in(store.mask.data(), words.data(), store.mask.size_bytes());
        chunk_store_state const start{free, 0, 0, 0, 0, 0};
        store.space.copy_in(store.state.data(), &start, sizeof(start));
        exec::buffer<Space, std::uint64_t> firsts(store.space, count);
        store.run(take_extents<Together>{store.ref(), store.owners.data(), chunks, store.taken.data(),
                                         firsts.data()});
        EXPECT_GT(store.taken.to_host()[0], 0u);
        EXPECT_LE(store.taken.to_host()[0], fitting);
        EXPECT_LT(store.longest_free_run(), chunks) << "a run that nobody took";
        EXPECT_EQ(store.free_bits(), free - store.taken.to_host()[0] * chunks);
        EXPECT_EQ(store.count(), store.free_bits());
    }
}

TYPED_TEST(allocator_parts, extents_are_found_between_others) {
    expect_all_runs_found<false, TypeParam>();
    expect_all_runs_found<true, TypeParam>();
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

// SPDX-License-Identifier: Apache-2.0
// Chunks and extents of a heap, handed out to many threads at once, in every space.
#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <vector>

namespace rhizome::tests {
namespace {

using alloc::chunk_store_ref;
using alloc::chunk_store_state;

template <class Space>
class chunk_store_parts : public space_test {};
TYPED_TEST_SUITE(chunk_store_parts, all_spaces, space_names);

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
                thread.device(owners[claim.first_chunk + exec::countr_zero(bits)])
                    .fetch_add(1u, exec::order::relaxed);
            thread.device(*taken).fetch_add(exec::popcount(claim.bits), exec::order::relaxed);
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

struct add_words {
    chunk_store_ref store;
    std::uint64_t const* bits;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, store.words(), [&](std::uint64_t word) {
            if (bits[word] != 0) store.add(thread, word, bits[word]);
        });
    }
};
struct known_words {
    alloc::free_runs_ref runs;
    std::uint64_t* known;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, runs.words(),
                            [&](std::uint64_t word) { known[word] = runs.known_at_rest(word); });
    }
};

/// A store of `chunks` free chunks, and a count of who took each.
template <class Space>
struct stored_chunks {
    Space space = make_space<Space>();
    std::uint64_t chunks;
    exec::buffer<Space, chunk_store_state> state{space, 1};
    exec::buffer<Space, std::uint64_t> tree;
    exec::buffer<Space, std::uint64_t> mask;
    exec::buffer<Space, std::uint32_t> owners;
    exec::buffer<Space, std::uint64_t> taken{space, 1};

    explicit stored_chunks(std::uint64_t count)
        : chunks(count), tree(space, alloc::free_runs_ref::tree_words((count + 63) / 64)),
          mask(space, (count + 63) / 64), owners(space, count) {
        std::vector<std::uint64_t> bits(mask.size(), 0);
        for (std::uint64_t chunk = 0; chunk < chunks; ++chunk)
            bits[chunk / 64] |= std::uint64_t{1} << (chunk % 64);
        free(bits, chunks);
        forget();
    }
    chunk_store_ref ref() { return {state.data(), tree.data(), mask.data(), mask.size()}; }
    /// These chunks are free, and no others; so many they are.
    void free(std::vector<std::uint64_t> const& bits, std::uint64_t many) {
        exec::buffer<Space, std::uint64_t> const words(space, bits);
        tree.fill_bytes(0);
        mask.fill_bytes(0);
        auto const start = chunk_store_state::of(many);
        space.copy_in(state.data(), &start, sizeof(start));
        launch(space, cover_threads(space, bits.size()), add_words{ref(), words.data()});
    }
    /// Runs that the tree does not know.
    std::uint64_t lost_runs() {
        auto const words = mask.to_host();
        exec::buffer<Space, std::uint64_t> known(space, words.size());
        launch(space, cover_threads(space, words.size()), known_words{ref().runs(), known.data()});
        auto const classes = known.to_host();
        std::uint64_t lost = 0;
        for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
            std::uint64_t const first = chunk;
            std::uint64_t found = 0;
            for (; chunk < chunks && (words[chunk / 64] >> (chunk % 64) & 1) != 0; ++chunk)
                found |= classes[chunk / 64];
            if (chunk != first) lost += (found & alloc::free_runs_ref::class_bit(chunk - first)) == 0;
        }
        return lost;
    }
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

TYPED_TEST(chunk_store_parts, a_chunk_store_gives_each_chunk_once) {
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
            EXPECT_EQ(store.lost_runs(), 0u);
            store.forget();
            store.run(put_extents{store.ref(), firsts.data(), chunks, taken});
            EXPECT_EQ(store.count(), 1000u);
            EXPECT_EQ(store.free_bits(), 1000u);
            EXPECT_EQ(store.lost_runs(), 0u);
        }
    }
}

TYPED_TEST(chunk_store_parts, extents_are_disjoint_and_fill_the_store) {
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

TYPED_TEST(chunk_store_parts, extents_taken_one_by_one_leave_no_gaps) {
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

TYPED_TEST(chunk_store_parts, an_extent_needs_neighbours) {
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
        store.free(words, free);
        exec::buffer<Space, std::uint64_t> firsts(store.space, count);
        store.run(take_extents<Together>{store.ref(), store.owners.data(), chunks, store.taken.data(),
                                         firsts.data()});
        EXPECT_GT(store.taken.to_host()[0], 0u);
        EXPECT_LE(store.taken.to_host()[0], fitting);
        EXPECT_LT(store.longest_free_run(), chunks) << "a run that nobody took";
        EXPECT_EQ(store.free_bits(), free - store.taken.to_host()[0] * chunks);
        EXPECT_EQ(store.count(), store.free_bits());
        EXPECT_EQ(store.lost_runs(), 0u);
    }
}

TYPED_TEST(chunk_store_parts, extents_are_found_between_others) {
    expect_all_runs_found<false, TypeParam>();
    expect_all_runs_found<true, TypeParam>();
}

/// One run in a heap of three blocks of the tree: a lone lane comes to it, and to the end, in a few steps.
TYPED_TEST(chunk_store_parts, a_lone_lane_does_not_walk_a_large_heap) {
    constexpr std::uint64_t count = 600'000; // 9,375 words
    constexpr std::uint64_t wanted = 8;
    for (std::uint64_t const first : {0ull, 262'141ull, 300'000ull, 524'288ull, 599'992ull}) {
        SCOPED_TRACE(first);
        stored_chunks<TypeParam> store(count);
        std::vector<std::uint64_t> words(store.mask.size(), 0);
        for (std::uint64_t chunk = first; chunk < first + wanted; ++chunk)
            words[chunk / 64] |= std::uint64_t{1} << chunk % 64;
        store.free(words, wanted);
        exec::buffer<TypeParam, std::uint64_t> firsts(store.space, 2);
        launch(
            store.space, {1, 1},
            take_extents<false>{store.ref(), store.owners.data(), wanted, store.taken.data(), firsts.data()});
        EXPECT_EQ(store.taken.to_host()[0], 1u);
        EXPECT_EQ(firsts.to_host()[0], first);
        if constexpr (is_emulated<TypeParam>) {
            EXPECT_LT(store.space.last_launch().steps, 1000u);
        }
        EXPECT_EQ(store.free_bits(), 0u);
    }
}

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// Litmus tests: weak outcomes that CUDA allows are seen, those that it forbids never are.
#include <rhizome/exec/simt.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>

namespace rhizome::exec {
namespace {

constexpr std::uint64_t seeds = 2000;

struct words {
    std::uint32_t* x;
    std::uint32_t* y;
    std::uint32_t* out; ///< four results
};

/// Runs the kernel over all seeds; gives every outcome that was seen.
template <class Kernel>
std::set<std::array<std::uint32_t, 4>> outcomes(launch_shape shape) {
    std::set<std::array<std::uint32_t, 4>> seen;
    exploration const ran = explore_exactly(1, seeds, [&](simt_space& space) {
        buffer<simt_space, std::uint32_t> memory(space, 6);
        memory.fill_bytes(0);
        std::uint32_t* const first = memory.data();
        launch(space, shape, Kernel{{first, first + 1, first + 2}});
        auto const got = memory.to_host();
        seen.insert({got[2], got[3], got[4], got[5]});
        return true;
    });
    EXPECT_TRUE(ran) << ran.report();
    return seen;
}

/// Store buffering: each writes one word and reads the other.
struct store_buffering {
    words w;
    template <class Thread>
    void operator()(Thread const& thread) const {
        std::uint32_t& mine = thread.rank() == 0 ? *w.x : *w.y;
        std::uint32_t& other = thread.rank() == 0 ? *w.y : *w.x;
        thread.device(mine).store(1, order::release);
        w.out[thread.rank()] = thread.device(other).load(order::acquire);
    }
};

TEST(litmus, store_buffering_shows_every_outcome) {
    auto const seen = outcomes<store_buffering>({2, 1});
    EXPECT_TRUE(seen.contains({0, 0, 0, 0})); // neither sees the other: no interleaving gives this
    EXPECT_TRUE(seen.contains({0, 1, 0, 0}));
    EXPECT_TRUE(seen.contains({1, 0, 0, 0}));
    EXPECT_TRUE(seen.contains({1, 1, 0, 0}));
}

/// Message passing without waiting: what was read of flag and payload.
template <class StoreOrder, class LoadOrder>
struct message_passing {
    words w;
    template <class Thread>
    void operator()(Thread const& thread) const {
        if (thread.rank() == 0) {
            thread.device(*w.x).store(1, order::relaxed);
            thread.device(*w.y).store(1, StoreOrder{});
        } else {
            w.out[0] = thread.device(*w.y).load(LoadOrder{});
            w.out[1] = thread.device(*w.x).load(order::relaxed);
        }
    }
};

TEST(litmus, message_passing_holds_with_release_and_acquire_only) {
    using std::array;
    array<std::uint32_t, 4> const lost{1, 0, 0, 0};
    EXPECT_FALSE((outcomes<message_passing<order::release_t, order::acquire_t>>({2, 1}).contains(lost)));
    EXPECT_TRUE((outcomes<message_passing<order::relaxed_t, order::acquire_t>>({2, 1}).contains(lost)));
    EXPECT_TRUE((outcomes<message_passing<order::release_t, order::relaxed_t>>({2, 1}).contains(lost)));
    EXPECT_TRUE((outcomes<message_passing<order::relaxed_t, order::relaxed_t>>({2, 1}).contains(lost)));
}

/// Coherence: one writes 1 and 2, the others read twice, relaxed: never backwards. Out: 1 where it went
/// backwards.
struct coherent_reads {
    words w;
    template <class Thread>
    void operator()(Thread const& thread) const {
        auto const x = thread.device(*w.x);
        if (thread.rank() == 0) {
            x.store(1, order::relaxed);
            x.store(2, order::relaxed);
            if (x.load(order::relaxed) != 2) w.out[3] = 1; // no other thread writes: it must see 2
        } else {
            std::uint32_t const first = x.load(order::relaxed);
            std::uint32_t const second = x.load(order::relaxed);
            if (second < first) w.out[thread.rank() - 1] = 1;
        }
    }
};

TEST(litmus, reads_of_one_word_never_go_backwards) {
    for (auto const& seen : outcomes<coherent_reads>({2, 2})) {
        EXPECT_EQ(seen, (std::array<std::uint32_t, 4>{}));
    }
}

/// Release sequence: a relaxed read-modify-write of another thread hands the release on; a relaxed store does
/// not.
template <bool ByUpdate>
struct release_sequence {
    words w;
    template <class Thread>
    void operator()(Thread const& thread) const {
        auto const flag = thread.device(*w.y);
        if (thread.rank() == 0) {
            thread.device(*w.x).store(1, order::relaxed);
            flag.store(1, order::release);
        } else if (thread.rank() == 1) {
            if (flag.load(order::relaxed) != 1) return;
            if constexpr (ByUpdate) {
                flag.fetch_add(1, order::relaxed);
            } else {
                flag.store(2, order::relaxed);
            }
        } else if (flag.load(order::acquire) == 2) {
            w.out[0] = 1 + thread.device(*w.x).load(order::relaxed);
        }
    }
};

TEST(litmus, read_modify_writes_continue_a_release_sequence) {
    auto const by_update = outcomes<release_sequence<true>>({3, 1});
    EXPECT_TRUE(by_update.contains({2, 0, 0, 0}));
    EXPECT_FALSE(by_update.contains({1, 0, 0, 0}));
    EXPECT_TRUE(outcomes<release_sequence<false>>({3, 1}).contains({1, 0, 0, 0}));
}

/// Write to read causality: what the second has acquired, it hands on.
struct causality {
    words w;
    template <class Thread>
    void operator()(Thread const& thread) const {
        if (thread.rank() == 0) {
            thread.device(*w.x).store(1, order::release);
        } else if (thread.rank() == 1) {
            if (thread.device(*w.x).load(order::acquire) == 1) thread.device(*w.y).store(1, order::release);
        } else if (thread.device(*w.y).load(order::acquire) == 1) {
            w.out[0] = 1 + thread.device(*w.x).load(order::relaxed);
        }
    }
};

TEST(litmus, release_and_acquire_hand_on_what_was_acquired) {
    auto const seen = outcomes<causality>({3, 1});
    EXPECT_TRUE(seen.contains({2, 0, 0, 0}));
    EXPECT_FALSE(seen.contains({1, 0, 0, 0}));
}

/// Independent reads of independent writes: two readers may see two writes in opposite orders.
struct independent_writes {
    words w;
    template <class Thread>
    void operator()(Thread const& thread) const {
        std::uint32_t& one = thread.rank() % 2 == 0 ? *w.x : *w.y;
        std::uint32_t& other = thread.rank() % 2 == 0 ? *w.y : *w.x;
        if (thread.rank() < 2) {
            thread.device(one).store(1, order::release);
        } else {
            std::uint64_t const first_out = (thread.rank() - 2) * 2;
            w.out[first_out] = thread.device(one).load(order::acquire);
            w.out[first_out + 1] = thread.device(other).load(order::acquire);
        }
    }
};

TEST(litmus, readers_may_disagree_about_independent_writes) {
    EXPECT_TRUE(outcomes<independent_writes>({4, 1}).contains({1, 0, 1, 0}));
}

/// A release at block scope does not reach another block, and does reach its own.
struct block_scoped_message {
    words w;
    template <class Thread>
    void operator()(Thread const& thread) const {
        if (thread.rank() == 0) {
            thread.device(*w.x).store(1, order::relaxed);
            thread.block_scoped(*w.y).store(1, order::release);
        } else if (thread.device(*w.y).load(order::acquire) == 1) {
            w.out[0] = 1 + thread.device(*w.x).load(order::relaxed);
        }
    }
};

TEST(litmus, block_scope_synchronises_within_its_block_only) {
    std::array<std::uint32_t, 4> const lost{1, 0, 0, 0};
    EXPECT_TRUE(outcomes<block_scoped_message>({2, 1}).contains(lost));
    EXPECT_FALSE(outcomes<block_scoped_message>({1, 2}).contains(lost));
}

/// The storage of a block begins without writes of another block, also where a plain write repeats what the
/// other block has left.
struct fresh_storage {
    struct shared {
        std::uint32_t word;
    };
    words w;
    template <class Thread>
    void operator()(Thread const& thread) const {
        std::uint32_t& word = thread.block().storage().word;
        word = 3;
        std::uint32_t held = 3;
        if (!thread.shared(word).compare_exchange(held, 1u, order::relaxed)) w.out[0] = held;
        thread.shared(word).fetch_or(2, order::relaxed);
    }
};

TEST(litmus, block_storage_has_no_history_of_other_blocks) {
    auto const seen = outcomes<fresh_storage>({8, 1});
    EXPECT_EQ(seen, (std::set<std::array<std::uint32_t, 4>>{{0, 0, 0, 0}}));
}

/// Barriers order memory among their lanes; ballots do not.
template <int Kind>
struct across_collective {
    words w;
    template <class Thread>
    void operator()(Thread const& thread) const {
        if (thread.rank() == 0) thread.device(*w.x).store(1, order::relaxed);
        if constexpr (Kind == 0) {
            thread.block().sync();
        } else if constexpr (Kind == 1) {
            thread.tile(width<2>).sync();
        } else {
            static_cast<void>(thread.tile(width<2>).ballot(true));
        }
        if (thread.rank() == 1) w.out[0] = 1 + thread.device(*w.x).load(order::relaxed);
    }
};

TEST(litmus, barriers_order_memory_and_ballots_do_not) {
    std::array<std::uint32_t, 4> const lost{1, 0, 0, 0};
    EXPECT_FALSE(outcomes<across_collective<0>>({1, 2}).contains(lost));
    EXPECT_FALSE(outcomes<across_collective<1>>({1, 2}).contains(lost));
    EXPECT_TRUE(outcomes<across_collective<2>>({1, 2}).contains(lost));
}

/// A plain write of an earlier launch, and memory handed over by a launch's end, are seen by all.
struct read_back {
    words w;
    template <class Thread>
    void operator()(Thread const& thread) const {
        w.out[thread.rank()] = thread.device(*w.x).load(order::relaxed);
    }
};

TEST(litmus, the_end_of_a_launch_orders_everything) {
    exploration const ran = explore(1, 500, [](simt_space& space) {
        buffer<simt_space, std::uint32_t> memory(space, 6);
        memory.fill_bytes(0);
        std::uint32_t* const first = memory.data();
        words const w{first, first + 1, first + 2};
        launch(space, {2, 1}, store_buffering{w});
        launch(space, {4, 1}, read_back{w});
        auto const got = memory.to_host();
        return got[2] == 1 && got[3] == 1 && got[4] == 1 && got[5] == 1;
    });
    EXPECT_TRUE(ran) << ran.report();
}

} // namespace
} // namespace rhizome::exec

// Every collective against an answer worked out from the ranks alone, at every tile width, over many seeds.
#include <rhizome/exec/simt.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

namespace rhizome::exec {
namespace {

constexpr std::uint64_t seeds = 40;

/// The value that a thread brings: not monotonic, some equal, some negative.
constexpr std::int64_t value_of(std::uint64_t thread) {
    return static_cast<std::int64_t>(thread * 7 % 11) - 4;
}

/// Checks on the device what a lane can work out about its neighbours; counts what is wrong.
template <std::uint32_t W>
struct check_tile {
    std::uint32_t* wrong;

    template <class Thread>
    void operator()(Thread const& thread) const {
        auto const tile = thread.tile(width<W>);
        std::uint64_t const first = thread.rank() / W * W;
        std::int64_t below = 0, total = 0, least = 1000, most = -1000;
        std::uint32_t odd = 0, same = 0;
        for (std::uint32_t i = 0; i < W; ++i) {
            std::int64_t const value = value_of(first + i);
            if (i < tile.rank()) below += value;
            total += value;
            least = std::min(least, value);
            most = std::max(most, value);
            if (value % 2 != 0) odd |= 1u << i;
            if (value == value_of(thread.rank())) same |= 1u << i;
        }
        std::int64_t const mine = value_of(thread.rank());
        auto const expect = [&](bool right) {
            if (!right) thread.device(*wrong).fetch_add(1, order::relaxed);
        };
        expect(tile.size() == W && tile.rank() == thread.rank() % W);
        expect(tile.index() == thread.rank() / W && tile.count() == thread.size() / W);
        expect(tile.ballot(mine % 2 != 0) == odd);
        expect(tile.any(mine == most) && tile.any(mine > most) == false);
        expect(tile.all(mine <= most) && tile.all(mine % 2 != 0) == (std::popcount(odd) == W));
        expect(tile.broadcast(mine, W - 1) == value_of(first + W - 1));
        expect(tile.shuffle(mine, (tile.rank() + 3) % W) == value_of(first + (tile.rank() + 3) % W));
        expect(tile.exclusive_scan(mine) == below);
        expect(tile.inclusive_scan(static_cast<std::int32_t>(mine)) == below + mine);
        expect(tile.sum(mine) == total && tile.min(mine) == least && tile.max(mine) == most);
        expect(tile.sum(0.5) == 0.5 * W);
        auto const group = tile.match(mine);
        expect(group.size() == static_cast<std::uint32_t>(std::popcount(same)));
        expect(group.rank() == static_cast<std::uint32_t>(std::popcount(same & ((1u << tile.rank()) - 1))));
        expect(group.is_leader() == (group.rank() == 0));
        expect(group.sum(1u) == group.size() && group.exclusive_scan(1u) == group.rank());
        expect(group.broadcast(thread.rank(), 0) ==
               first + static_cast<std::uint32_t>(std::countr_zero(same)));
        expect(group.ballot(true) == (group.size() == 32 ? ~0u : (1u << group.size()) - 1));
        auto const halves = group.match(group.rank() % 2);
        expect(halves.size() == (group.size() + 1 - group.rank() % 2) / 2);
        tile.sync();
    }
};

template <std::uint32_t W>
void check_width() {
    auto const found = explore(1, seeds, [](simt& space) {
        buffer<simt, std::uint32_t> wrong(space, 1);
        wrong.fill_bytes(0);
        launch(space, {3, 64}, check_tile<W>{wrong.data()});
        return wrong.to_host()[0] == 0;
    });
    EXPECT_TRUE(found) << "width " << W << ": " << found.report();
}

TEST(collectives, agree_with_the_ranks_at_every_width) {
    check_width<1>();
    check_width<2>();
    check_width<4>();
    check_width<8>();
    check_width<16>();
    check_width<32>();
}

/// Tiles of 8 of which only every other one takes the branch: the rest of the warp does something else.
struct diverge {
    std::uint32_t* sums;

    template <class Thread>
    void operator()(Thread const& thread) const {
        auto const tile = thread.tile(width<8>);
        std::uint32_t const mine = static_cast<std::uint32_t>(thread.rank());
        std::uint32_t const answer =
            tile.index() % 2 == 0 ? tile.sum(mine) : tile.max(mine) + tile.broadcast(mine, 2);
        sums[thread.rank()] = answer;
    }
};

TEST(collectives, tiles_of_one_warp_may_diverge) {
    auto const found = explore(1, seeds, [](simt& space) {
        buffer<simt, std::uint32_t> sums(space, 64);
        launch(space, {1, 64}, diverge{sums.data()});
        std::vector<std::uint32_t> const got = sums.to_host();
        for (std::uint32_t i = 0; i < 64; ++i) {
            std::uint32_t const first = i / 8 * 8;
            if (got[i] != (i / 8 % 2 == 0 ? 8 * first + 28 : first + 7 + first + 2)) return false;
        }
        return true;
    });
    EXPECT_TRUE(found) << found.report();
}

/// Each lane names the leader of the group that it arrived with; the leader adds for all.
struct gather_up {
    std::uint32_t* total;
    std::uint32_t* tickets; ///< what each lane was given
    std::uint32_t* groups;  ///< how many groups there were

    template <class Thread>
    void operator()(Thread const& thread) const {
        if (thread.rank() % 3 == 0) return;
        auto const group = thread.coalesced();
        std::uint32_t base = 0;
        if (group.is_leader()) {
            base = thread.device(*total).fetch_add(group.size(), order::relaxed);
            thread.device(*groups).fetch_add(1, order::relaxed);
        }
        tickets[thread.rank()] = group.broadcast(base, 0) + group.rank();
    }
};

TEST(collectives, coalesced_groups_partition_the_arrived_lanes) {
    std::vector<std::uint32_t> group_counts;
    auto const found = explore_exactly(1, 200, [&](simt& space) {
        constexpr std::uint32_t threads = 96;
        buffer<simt, std::uint32_t> words(space, 2);
        buffer<simt, std::uint32_t> tickets(space, threads);
        words.fill_bytes(0);
        tickets.fill_bytes(0xff);
        launch(space, {1, threads}, gather_up{words.data(), tickets.data(), words.data() + 1});
        std::vector<bool> given(threads, false);
        std::vector<std::uint32_t> const got = tickets.to_host();
        for (std::uint32_t i = 0; i < threads; ++i) {
            if (i % 3 == 0) continue;
            if (got[i] >= threads - threads / 3 || given[got[i]]) return false;
            given[got[i]] = true;
        }
        group_counts.push_back(words.to_host()[1]);
        return words.to_host()[0] == threads - threads / 3;
    });
    EXPECT_TRUE(found) << found.report();
    // Any subset is legal, so the seeds must show more than one answer: all lanes of a warp together, and
    // fewer.
    EXPECT_EQ(*std::min_element(group_counts.begin(), group_counts.end()), 3u);
    EXPECT_GT(*std::max_element(group_counts.begin(), group_counts.end()), 6u);
}

/// A block scan over shared storage: barriers between the steps.
struct block_scan {
    struct shared {
        std::uint32_t values[128];
    };
    std::uint32_t* out;

    template <class Thread>
    void operator()(Thread const& thread) const {
        auto const block = thread.block();
        std::uint32_t* const values = block.storage().values;
        values[block.rank()] = block.rank() + block.index();
        block.sync();
        for (std::uint32_t step = 1; step < block.size(); step *= 2) {
            std::uint32_t const lower = block.rank() >= step ? values[block.rank() - step] : 0;
            block.sync();
            values[block.rank()] += lower;
            block.sync();
        }
        out[thread.rank()] = values[block.rank()];
    }
};

TEST(collectives, barriers_order_shared_storage) {
    auto const found = explore(1, seeds, [](simt& space) {
        buffer<simt, std::uint32_t> out(space, 4 * 128);
        launch(space, {4, 128}, block_scan{out.data()});
        std::vector<std::uint32_t> const got = out.to_host();
        for (std::uint32_t i = 0; i < got.size(); ++i) {
            std::uint32_t const rank = i % 128;
            if (got[i] != rank * (rank + 1) / 2 + (rank + 1) * (i / 128)) return false;
        }
        return true;
    });
    EXPECT_TRUE(found) << found.report();
}

} // namespace
} // namespace rhizome::exec

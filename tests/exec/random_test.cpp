// SPDX-License-Identifier: Apache-2.0
// Random numbers inside kernels: the same in every space, and independent from lane to lane.
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/random.hpp>
#include <rhizome/exec/shape.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <type_traits>
#include <vector>

namespace rhizome::tests {
namespace {

constexpr std::uint64_t streams = 4096;
constexpr std::uint32_t draws = 32;

static_assert(std::is_trivially_copyable_v<exec::random_source> && sizeof(exec::random_source) == 8);

struct draw_numbers {
    std::uint64_t seed;
    std::uint32_t* numbers; ///< [stream][draw]
    std::uint32_t* chosen;  ///< [stream]: below() of its bound

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, streams, [&](std::uint64_t stream) {
            exec::random_source random(seed, stream);
            for (std::uint32_t i = 0; i < draws; ++i)
                numbers[stream * draws + i] = random.next_u32();
            chosen[stream] = random.below(static_cast<std::uint32_t>(stream) + 1);
        });
    }
};

/// What each thread draws first.
struct draw_by_thread {
    std::uint64_t seed;
    std::uint32_t* numbers; ///< by rank

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::random_source random = exec::random_of(thread, seed);
        numbers[thread.rank()] = random.next_u32();
    }
};

template <class Space>
class random_numbers : public space_test {};
TYPED_TEST_SUITE(random_numbers, all_spaces, space_names);

TYPED_TEST(random_numbers, are_the_same_in_every_space) {
    TypeParam space = make_space<TypeParam>();
    exec::buffer<TypeParam, std::uint32_t> numbers(space, streams * draws);
    exec::buffer<TypeParam, std::uint32_t> chosen(space, streams);
    for (std::uint64_t const seed : {0ull, 1ull, ~0ull}) {
        launch(space, cover_threads(space, streams), draw_numbers{seed, numbers.data(), chosen.data()});
        auto const drawn = numbers.to_host();
        auto const below = chosen.to_host();
        for (std::uint64_t stream = 0; stream < streams; ++stream) {
            exec::random_source expected(seed, stream);
            for (std::uint32_t i = 0; i < draws; ++i)
                ASSERT_EQ(drawn[stream * draws + i], expected.next_u32()) << stream << ", draw " << i;
            ASSERT_EQ(below[stream], expected.below(static_cast<std::uint32_t>(stream) + 1)) << stream;
            ASSERT_LE(below[stream], stream);
        }
    }
}

TYPED_TEST(random_numbers, of_threads_are_those_of_streams_by_rank) {
    TypeParam space = make_space<TypeParam>();
    exec::launch_shape const shape = cover_threads(space, 128, 64);
    exec::buffer<TypeParam, std::uint32_t> numbers(space, std::uint64_t{shape.blocks} * shape.block_threads);
    launch(space, shape, draw_by_thread{5, numbers.data()});
    auto const drawn = numbers.to_host();
    for (std::uint64_t rank = 0; rank < drawn.size(); ++rank)
        EXPECT_EQ(drawn[rank], exec::random_source(5, rank).next_u32()) << rank;
}

/// Number `draw` of stream `stream`.
using numbers_of = std::function<std::uint32_t(std::uint64_t stream, std::uint32_t draw)>;

[[nodiscard]] numbers_of real_streams(std::uint64_t seed) {
    std::vector<std::uint32_t> drawn;
    for (std::uint64_t stream = 0; stream < streams; ++stream) {
        exec::random_source random(seed, stream);
        for (std::uint32_t i = 0; i < draws; ++i)
            drawn.push_back(random.next_u32());
    }
    return [drawn](std::uint64_t stream, std::uint32_t draw) { return drawn[stream * draws + draw]; };
}

/// Of each of 32 bits, how far the number of those set is from half of `count`, in standard deviations; the
/// largest.
[[nodiscard]] double imbalance(std::uint64_t count, std::function<std::uint32_t(std::uint64_t)> const& word) {
    std::vector<std::uint64_t> set(32);
    for (std::uint64_t i = 0; i < count; ++i)
        for (std::uint32_t bit = 0; bit < 32; ++bit)
            set[bit] += word(i) >> bit & 1;
    double largest = 0;
    for (std::uint64_t const ones : set) {
        double const off = static_cast<double>(ones) - static_cast<double>(count) / 2;
        largest = std::max(largest, off * off / (static_cast<double>(count) / 4));
    }
    return std::sqrt(largest);
}
/// Of the exclusive or of neighbouring streams, `lag` draws apart: balanced where the streams are
/// independent.
[[nodiscard]] double neighbours_imbalance(numbers_of const& numbers, std::uint32_t lag) {
    return imbalance((streams - 1) * (draws - lag), [&](std::uint64_t i) {
        std::uint64_t const stream = i / (draws - lag);
        auto const draw = static_cast<std::uint32_t>(i % (draws - lag));
        return numbers(stream, draw + lag) ^ numbers(stream + 1, draw);
    });
}
/// Chi-square of how often each pair of choices of 16 is made by streams side by side, at one draw.
[[nodiscard]] double pairs_chi_square(numbers_of const& numbers, std::uint32_t draw) {
    std::vector<double> often(256);
    for (std::uint64_t stream = 0; stream + 1 < streams; ++stream)
        ++often[(numbers(stream, draw) >> 28) * 16 + (numbers(stream + 1, draw) >> 28)];
    double const expected = static_cast<double>(streams - 1) / 256;
    double sum = 0;
    for (double const times : often)
        sum += (times - expected) * (times - expected) / expected;
    return sum;
}
constexpr double most_imbalance = 4.5;  // of 32 bits and a dozen cases: once in 300 seeds
constexpr double most_chi_square = 370; // 255 degrees of freedom: once in a million seeds

TEST(random_streams, of_neighbours_have_nothing_in_common) {
    for (std::uint64_t const seed : {0u, 1u, 2u, 3u}) {
        SCOPED_TRACE(seed);
        numbers_of const numbers = real_streams(seed);
        EXPECT_LT(imbalance(streams * draws,
                            [&](std::uint64_t i) {
                                return numbers(i / draws, static_cast<std::uint32_t>(i % draws));
                            }),
                  most_imbalance);
        for (std::uint32_t const draw : {0u, 1u, draws - 1}) {
            EXPECT_LT(imbalance(streams, [&](std::uint64_t stream) { return numbers(stream, draw); }),
                      most_imbalance)
                << "draw " << draw;
            EXPECT_LT(pairs_chi_square(numbers, draw), most_chi_square) << "draw " << draw;
        }
        for (std::uint32_t const lag : {0u, 1u, 2u})
            EXPECT_LT(neighbours_imbalance(numbers, lag), most_imbalance) << "lag " << lag;
    }
}

/// The measures find sources that are shared, shifted, constant or ascending.
TEST(random_streams, would_be_found_out_if_they_were_one) {
    numbers_of const real = real_streams(1);
    numbers_of const shared = [&](std::uint64_t, std::uint32_t draw) { return real(0, draw); };
    EXPECT_GT(neighbours_imbalance(shared, 0), most_imbalance);
    EXPECT_GT(pairs_chi_square(shared, 0), most_chi_square);
    // The next stream is one draw ahead.
    numbers_of const shifted = [&](std::uint64_t stream, std::uint32_t draw) {
        std::uint64_t const place = stream + draw;
        return real(place / draws, static_cast<std::uint32_t>(place % draws));
    };
    EXPECT_GT(neighbours_imbalance(shifted, 1), most_imbalance);
    numbers_of const constant = [](std::uint64_t, std::uint32_t) { return 0x5555'5555u; };
    EXPECT_GT(imbalance(streams, [&](std::uint64_t stream) { return constant(stream, 0); }), most_imbalance);
    numbers_of const ascending = [](std::uint64_t stream, std::uint32_t draw) {
        return static_cast<std::uint32_t>(stream + draw) << 20;
    };
    EXPECT_GT(pairs_chi_square(ascending, 0), most_chi_square);
}

TEST(random_streams, of_different_seeds_differ) {
    std::set<std::uint64_t> first;
    for (std::uint64_t seed = 0; seed < 100; ++seed)
        for (std::uint64_t stream = 0; stream < 100; ++stream) {
            exec::random_source random(seed, stream);
            std::uint64_t const high = random.next_u32();
            first.insert(high << 32 | random.next_u32());
        }
    EXPECT_EQ(first.size(), 10'000u);
}

TEST(random_streams, choose_below_a_bound_evenly) {
    for (std::uint32_t const bound : {1u, 2u, 3u, 7u, 10u, 1000u}) {
        exec::random_source random(7, bound);
        std::vector<double> often(bound);
        double const expected = 1000;
        for (std::uint64_t i = 0; i < 1000 * std::uint64_t{bound}; ++i) {
            std::uint32_t const chosen = random.below(bound);
            ASSERT_LT(chosen, bound);
            ++often[chosen];
        }
        double sum = 0;
        for (double const times : often)
            sum += (times - expected) * (times - expected) / expected;
        // Mean and standard deviation of chi-square are bound - 1 and the root of twice that.
        EXPECT_LT(sum, bound - 1 + 5 * std::sqrt(2.0 * (bound - 1)) + 1e-9) << bound;
    }
    exec::random_source random(7, 0);
    std::uint32_t const most = ~std::uint32_t{0};
    bool high = false;
    for (int i = 0; i < 100; ++i)
        high = high || random.below(most) > most / 2;
    EXPECT_TRUE(high);
}

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// Elements of all sizes in runs that begin and end anywhere: accesses of 16 bytes touch each element once.
#include "cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace rhizome::tests {
namespace {

struct three_words {
    std::uint32_t words[3];
};
struct alignas(16) two_longs {
    std::uint64_t words[2];
};
struct five_words {
    std::uint32_t words[5];
};
struct three_longs {
    std::uint64_t words[3];
};
struct four_longs {
    std::uint64_t words[4];
};

template <class T>
RZ_HD T element_of(std::uint64_t number) {
    T element{};
    auto* const bytes = reinterpret_cast<unsigned char*>(&element);
    for (std::uint32_t i = 0; i < sizeof(T); ++i)
        bytes[i] = static_cast<unsigned char>((number * 0x9e37'79b9'7f4a'7c15ull) >> (8 * (i % 7)));
    return element;
}
template <class T>
RZ_HD bool is_element(T const& element, std::uint64_t number) {
    T const expected = element_of<T>(number);
    auto const* const a = reinterpret_cast<unsigned char const*>(&element);
    auto const* const b = reinterpret_cast<unsigned char const*>(&expected);
    for (std::uint32_t i = 0; i < sizeof(T); ++i)
        if (a[i] != b[i]) return false;
    return true;
}

/// Writes each element of a run anew, from its index; counts the calls.
template <class T>
struct write_run {
    container::array_run<T> run;
    std::uint64_t* calls;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.block().index() != 0) return;
        container::detail::for_each_in_run<true>(thread.block(), run, [&](T& element, std::uint64_t index) {
            element = element_of<T>(index);
            thread.device(*calls).fetch_add(1, exec::order::relaxed);
        });
    }
};
template <class T>
struct copy_of_run {
    container::array_run<T> run;
    T* out;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.block().index() == 0) container::detail::copy_run(thread.block(), run, out);
    }
};

/// One thread stores the elements side by side.
template <class T>
struct store_run {
    T* to;
    std::uint64_t first; ///< number of the first element
    std::uint32_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0)
            container::detail::store_elements(to, count,
                                              [&](std::uint32_t i) { return element_of<T>(first + i); });
    }
};

template <class Space>
class runs : public space_test {
protected:
    Space space_ = make_space<Space>();

    template <class T>
    void write_and_copy() {
        std::uint64_t const room = 300;
        for (std::uint64_t begin = 0; begin<18; begin += sizeof(T)> 4 ? 1 : 3)
            for (std::uint64_t const count : {1u, 2u, 15u, 16u, 17u, 33u, 200u, 270u}) {
                exec::buffer<Space, T> elements(space_, room);
                exec::buffer<Space, std::uint64_t> calls(space_, 1);
                elements.fill_bytes(0);
                calls.fill_bytes(0);
                container::array_run<T> const run{elements.data() + begin, 1000 + begin, count};
                launch(space_, grid_of(space_, 1, 32), write_run<T>{run, calls.data()});
                EXPECT_EQ(calls.to_host()[0], count);
                std::vector<T> const written = elements.to_host();
                for (std::uint64_t i = 0; i < room; ++i) {
                    bool const inside = i >= begin && i < begin + count;
                    EXPECT_TRUE(is_element(written[i], inside ? 1000 + i : 0)) << begin << ' ' << count;
                }
                exec::buffer<Space, T> stored(space_, room);
                stored.fill_bytes(0);
                launch(space_, grid_of(space_, 1, 32),
                       store_run<T>{stored.data() + begin, 1000 + begin, static_cast<std::uint32_t>(count)});
                EXPECT_TRUE(
                    std::equal(written.begin(), written.end(), stored.to_host().begin(),
                               [](T const& a, T const& b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }))
                    << begin << ' ' << count;
                for (std::uint64_t const offset : {begin, begin + 1}) { // aligned as the run, and not
                    exec::buffer<Space, T> copied(space_, room);
                    copied.fill_bytes(0);
                    launch(space_, grid_of(space_, 1, 32), copy_of_run<T>{run, copied.data() + offset});
                    std::vector<T> const found = copied.to_host();
                    for (std::uint64_t i = 0; i < room; ++i) {
                        bool const inside = i >= offset && i < offset + count;
                        EXPECT_TRUE(is_element(found[i], inside ? 1000 + begin + i - offset : 0));
                    }
                }
            }
    }
};
TYPED_TEST_SUITE(runs, all_spaces, space_names);

TYPED_TEST(runs, of_bytes) { this->template write_and_copy<std::uint8_t>(); }
TYPED_TEST(runs, of_words) { this->template write_and_copy<std::uint32_t>(); }
TYPED_TEST(runs, of_three_words) { this->template write_and_copy<three_words>(); }
TYPED_TEST(runs, of_16_bytes) { this->template write_and_copy<two_longs>(); }
TYPED_TEST(runs, of_20_bytes) { this->template write_and_copy<five_words>(); }
TYPED_TEST(runs, of_24_bytes) { this->template write_and_copy<three_longs>(); }
TYPED_TEST(runs, of_32_bytes) { this->template write_and_copy<four_longs>(); }

/// Compares the prefix sums of all threads of a block with sums one by one.
struct compare_sums {
    [[maybe_unused]] static constexpr std::uint32_t block_threads = 1024;
    struct shared {
        exec::matrix_sum_storage matrix;
        exec::block_sum_storage<std::uint32_t> shuffles;
    };
    std::uint32_t most;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const block = thread.block();
        for (std::uint32_t round = 0; round < 4; ++round) {
            auto const count = [&](std::uint64_t rank) {
                std::uint64_t const hash =
                    (block.index() * 4096 + round * 1024 + rank) * 0x9e37'79b9'7f4a'7c15ull;
                return round == 3 ? most : static_cast<std::uint32_t>((hash >> 40) % (most + 1));
            };
            std::uint32_t const own = count(block.rank());
            auto const matrix = exec::block_matrix_sum_before_barrier(thread, block.storage().matrix, own);
            auto const shuffles = exec::block_exclusive_sum(thread, block.storage().shuffles, own);
            std::uint32_t before = 0;
            std::uint32_t total = 0;
            for (std::uint32_t i = 0; i < block.size(); ++i) {
                if (i == block.rank()) before = total;
                total += count(i);
            }
            bool const right = matrix.before == before && matrix.total == total &&
                               shuffles.before == before && shuffles.total == total;
            if (!right) thread.device(*wrong).fetch_add(1, exec::order::relaxed);
        }
    }
};

TYPED_TEST(runs, of_counts_have_the_same_sums_on_matrix_units_and_elsewhere) {
    exec::buffer<TypeParam, std::uint64_t> wrong(this->space_, 1);
    for (std::uint32_t const threads : {32u, 64u, 224u, 256u, 512u, 544u, 1024u})
        for (std::uint32_t const most : {1u, 10u, exec::largest_matrix_count}) {
            wrong.fill_bytes(0);
            exec::launch_shape const shape = this->space_.max_block_threads() == 1
                                                 ? exec::launch_shape{2, 1}
                                                 : exec::launch_shape{2, threads};
            launch(this->space_, shape, compare_sums{most, wrong.data()});
            EXPECT_EQ(wrong.to_host()[0], 0u) << threads << " threads, counts up to " << most;
        }
}

} // namespace
} // namespace rhizome::tests

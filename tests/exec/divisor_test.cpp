// SPDX-License-Identifier: Apache-2.0
// Quotients and remainders by a multiplication, compared with division, in every space.
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/divisor.hpp>
#include <rhizome/exec/shape.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace rhizome::tests {
namespace {

struct divided {
    std::uint64_t quotient;
    std::uint64_t remainder;
    bool operator==(divided const&) const = default;
};

struct divide_all {
    exec::divisor by;
    std::uint64_t const* dividends;
    std::uint64_t count;
    divided* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            found[i] = {by.quotient(dividends[i]), by.remainder(dividends[i])};
        });
    }
};

template <class Space>
class divisors : public space_test {};
TYPED_TEST_SUITE(divisors, all_spaces, space_names);

TYPED_TEST(divisors, divide_exactly) {
    std::mt19937_64 random(5);
    std::vector<std::uint32_t> numbers{1,           2,           3,           4,          5,      7,
                                       31,          32,          33,          641,        65'535, 65'536,
                                       0x7fff'ffff, 0x8000'0000, 0xffff'fffe, 0xffff'ffff};
    for (int i = 0; i < 20; ++i)
        numbers.push_back(static_cast<std::uint32_t>(random() >> (random() % 32 + 32)) | 1u);
    auto space = make_space<TypeParam>();
    for (std::uint32_t const by : numbers) {
        std::vector<std::uint64_t> dividends{0, 1, 0xffff'ffff, 0x1'0000'0000, ~std::uint64_t{0}};
        for (int i = 0; i < 40; ++i) {
            std::uint64_t const multiple =
                random() % (0xffff'ffffull / by + 1) * by; // where errors would show
            for (std::uint64_t const near : {multiple - 1, multiple, multiple + 1, random() >> random() % 64})
                dividends.push_back(near);
        }
        std::vector<divided> expected;
        for (std::uint64_t const each : dividends)
            expected.push_back({each / by, each % by});
        exec::buffer<TypeParam, std::uint64_t> const given(space, std::span<std::uint64_t const>(dividends));
        exec::buffer<TypeParam, divided> found(space, dividends.size());
        launch(space, cover_threads(space, dividends.size()),
               divide_all{exec::divisor(by), given.data(), dividends.size(), found.data()});
        EXPECT_EQ(exec::divisor(by).value(), by);
        EXPECT_EQ(found.to_host(), expected) << "by " << by;
    }
}

} // namespace
} // namespace rhizome::tests

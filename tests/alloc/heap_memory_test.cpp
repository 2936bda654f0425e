// SPDX-License-Identifier: Apache-2.0
// The memory of allocators: growth in steps, refused growth, fresh elements that are zero.
#include <rhizome/alloc/heap_memory.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

#if !defined(__CUDACC__)
/// A host whose fresh memory is not zero, as a device's may be.
struct dirty_host : exec::host_space {
    using exec::host_space::host_space;
    dirty_host(exec::host_space const& space) : exec::host_space(space) {}

    struct region_storage : exec::host_space::region_storage {
        using exec::host_space::region_storage::region_storage;
        static constexpr bool starts_as_zeros = false;
        void commit_to(std::uint64_t bytes) {
            std::uint64_t const held = committed_bytes();
            exec::host_space::region_storage::commit_to(bytes);
            std::fill(data() + held, data() + bytes, std::byte{0xa5});
        }
    };
};
/// A host that takes no memory back, as a driver that refuses to unmap it.
struct stuck_host : exec::host_space {
    using exec::host_space::host_space;
    stuck_host(exec::host_space const& space) : exec::host_space(space) {}

    struct region_storage : exec::host_space::region_storage {
        using exec::host_space::region_storage::region_storage;
        void decommit_to(std::uint64_t) noexcept {}
    };
};
using memory_spaces = ::testing::Types<exec::host_space, exec::simt_space, dirty_host>;
#else
using memory_spaces = ::testing::Types<exec::cuda_space>;
#endif

struct memory_space_names {
    template <class Space>
    static std::string GetName(int number) {
        return number == 2 ? "dirty_host" : std::string(Space::name);
    }
};

constexpr std::uint64_t unit = 4u << 20; ///< a multiple of what every space commits at once

template <class Space>
class heap_memory : public space_test {
protected:
    [[nodiscard]] static Space limited_to(std::uint64_t bytes) {
#if !defined(__CUDACC__)
        if constexpr (std::is_same_v<Space, dirty_host>)
            return make_space<exec::host_space>({.memory_limit_bytes = bytes});
        else
#endif
            return make_space<Space>({.memory_limit_bytes = bytes});
    }
    template <class T>
    [[nodiscard]] static std::vector<T> read(Space& space, T const* from, std::uint64_t count) {
        std::vector<T> values(count);
        space.copy_out(values.data(), from, count * sizeof(T));
        return values;
    }
    /// Different in every word.
    [[nodiscard]] static std::vector<std::uint64_t> pattern(std::uint64_t words) {
        std::vector<std::uint64_t> values(words);
        for (std::uint64_t i = 0; i < words; ++i)
            values[i] = (i + 1) * 0x9e37'79b9'7f4a'7c15ull;
        return values;
    }
    [[nodiscard]] static bool all_zero(std::vector<std::uint64_t> const& values, std::uint64_t from) {
        return std::all_of(values.begin() + static_cast<std::ptrdiff_t>(from), values.end(),
                           [](std::uint64_t value) { return value == 0; });
    }
};
TYPED_TEST_SUITE(heap_memory, memory_spaces, memory_space_names);

using table_fresh = alloc::fresh_elements;

TYPED_TEST(heap_memory, grows_in_place_in_whole_steps_with_its_tables_first) {
    TypeParam space = this->limited_to(0);
    alloc::heap_memory<TypeParam> heap(space, {.heap_bytes = 0, .reserve_bytes = 8 * unit}, 3u << 10);
    alloc::heap_table<TypeParam, std::uint64_t> table(space, 8 * unit / 8, "test table", table_fresh::zero);
    EXPECT_EQ(heap.heap_bytes(), 0u);
    EXPECT_GE(heap.reserved_bytes(), 8 * unit);
    std::byte* const heap_begin = heap.data();
    std::uint64_t* const table_begin = table.data();

    std::vector<std::uint64_t> kept;
    for (std::uint64_t const bytes : {std::uint64_t{1}, unit, unit + (3u << 10), 3 * unit, 7 * unit}) {
        std::uint64_t const rounded = (bytes + (3u << 10) - 1) / (3u << 10) * (3u << 10);
        std::uint64_t const before = heap.heap_bytes();
        std::uint64_t asked = 0;
        EXPECT_TRUE(heap.grow_to(bytes, [&](std::uint64_t heap_bytes) {
            asked = heap_bytes;
            EXPECT_EQ(heap.heap_bytes(), before) << "the tables grow first";
            table.grow_to(heap_bytes / 8);
        }));
        EXPECT_EQ(asked, rounded);
        EXPECT_EQ(heap.heap_bytes(), rounded);
        EXPECT_EQ(heap.data(), heap_begin);
        EXPECT_TRUE(table.data() == table_begin || bytes == 1) << "only a short table lies elsewhere";
        EXPECT_GE(table.committed_bytes(), rounded);

        auto const held = this->read(space, table.data(), rounded / 8);
        EXPECT_TRUE(std::equal(kept.begin(), kept.end(), held.begin())) << "old elements stay";
        EXPECT_TRUE(this->all_zero(held, kept.size())) << "new ones are zero";
        EXPECT_EQ(this->read(space, reinterpret_cast<std::uint64_t*>(heap.data()), kept.size()), kept);
        kept = this->pattern(rounded / 8);
        space.copy_in(table.data(), kept.data(), rounded);
        space.copy_in(heap.data(), kept.data(), rounded);
    }
    bool called = false;
    EXPECT_FALSE(heap.grow_to(7 * unit, [&](std::uint64_t) { called = true; }));
    EXPECT_FALSE(called) << "it is that large already";
}

/// Tables of small heaps take less than the space commits at once.
TYPED_TEST(heap_memory, short_tables_take_little_and_keep_their_elements_when_they_become_long) {
    TypeParam space = this->limited_to(0);
    using table_type = alloc::heap_table<TypeParam, std::uint64_t>;
    std::uint64_t const step = exec::region<TypeParam>(space, unit, "a region").step_bytes();
    table_type table(space, 4 * unit / 8, "test table", table_fresh::zero); // a step may be half a unit
    auto const expect_kept = [&](std::vector<std::uint64_t> const& kept) {
        auto const held = this->read(space, table.data(), table.committed_bytes() / 8);
        EXPECT_TRUE(std::equal(kept.begin(), kept.end(), held.begin())) << "old elements stay";
        EXPECT_TRUE(this->all_zero(held, kept.size())) << "new ones are zero";
        EXPECT_EQ(space.budget().held_bytes(), table.committed_bytes());
    };
    std::vector<std::uint64_t> kept;
    for (std::uint64_t const bytes : {step / 64, step / 16, step / 8 + 8, step / 2, step / 2 + 8, 3 * step}) {
        SCOPED_TRACE(bytes);
        table.grow_to(bytes / 8);
        EXPECT_GE(table.committed_bytes(), bytes);
        EXPECT_LT(table.committed_bytes(), bytes + (bytes <= step / 2 ? step / 16 : step));
        expect_kept(kept);
        kept = this->pattern(bytes / 8);
        space.copy_in(table.data(), kept.data(), kept.size() * 8);
    }
    // What is given up has been set to zero.
    kept.resize(step / 4 / 8);
    space.fill(table.data() + kept.size(), 0, 3 * step - step / 4);
    table.shrink_to(kept.size());
    EXPECT_EQ(table.committed_bytes(), step / 4);
    expect_kept(kept);
    table.grow_to(step / 8);
    EXPECT_EQ(table.committed_bytes(), step);
    expect_kept(kept);
}

/// The region serves as well, and nothing is lost.
TYPED_TEST(heap_memory, a_table_for_which_there_is_no_block_stays_in_its_region) {
    TypeParam space = this->limited_to(2 * unit);
    std::uint64_t const step = exec::region<TypeParam>(space, unit, "a region").step_bytes();
    alloc::heap_table<TypeParam, std::uint64_t> table(space, unit / 8, "test table", table_fresh::undefined);
    table.grow_to(step / 8);
    auto const kept = this->pattern(step / 4 / 8);
    space.copy_in(table.data(), kept.data(), kept.size() * 8);
    {
        exec::buffer<TypeParam, std::byte> const rest(space, space.budget().available_bytes());
        table.shrink_to(kept.size());
        EXPECT_EQ(table.committed_bytes(), step);
        EXPECT_EQ(this->read(space, table.data(), kept.size()), kept);
    }
    table.shrink_to(kept.size());
    EXPECT_EQ(table.committed_bytes(), step / 4);
    EXPECT_EQ(this->read(space, table.data(), kept.size()), kept);
}

TYPED_TEST(heap_memory, without_a_step_of_its_own_has_all_that_the_space_commits) {
    TypeParam space = this->limited_to(0);
    alloc::heap_memory<TypeParam> heap(space, {.heap_bytes = 0, .reserve_bytes = 2 * unit});
    EXPECT_TRUE(heap.grow_to(1));
    EXPECT_GT(heap.heap_bytes(), 1u);
    EXPECT_EQ(heap.spare_bytes(), 0u);
    EXPECT_EQ(space.budget().held_bytes(), heap.heap_bytes());
}

TYPED_TEST(heap_memory, refused_growth_leaves_size_and_contents_alone) {
    TypeParam space = this->limited_to(8 * unit);
    alloc::heap_memory<TypeParam> heap(space, {.heap_bytes = 0, .reserve_bytes = 32 * unit}, 1u << 10);
    alloc::heap_table<TypeParam, std::uint64_t> table(space, 32 * unit / 8, "test table", table_fresh::zero);
    auto const grow_table = [&](std::uint64_t heap_bytes) { table.grow_to(heap_bytes / 8); };
    EXPECT_TRUE(heap.grow_to(unit, grow_table));
    auto const kept = this->pattern(unit / 8);
    space.copy_in(heap.data(), kept.data(), unit);
    space.copy_in(table.data(), kept.data(), unit);

    auto const expect_as_before = [&] {
        EXPECT_EQ(heap.heap_bytes(), unit);
        EXPECT_EQ(this->read(space, reinterpret_cast<std::uint64_t*>(heap.data()), unit / 8), kept);
        EXPECT_EQ(this->read(space, table.data(), unit / 8), kept);
    };
    EXPECT_THROW(heap.grow_to(12 * unit, grow_table), exec::out_of_memory) << "the table has no room";
    expect_as_before();
    EXPECT_THROW(heap.grow_to(5 * unit, grow_table), exec::out_of_memory) << "the heap has none beside it";
    expect_as_before();
    EXPECT_THROW(heap.grow_to(64 * unit), exec::out_of_memory) << "beyond the reservation";
    expect_as_before();

    EXPECT_TRUE(heap.grow_to(2 * unit, grow_table)) << "what there is room for";
    auto const held = this->read(space, table.data(), 2 * unit / 8);
    EXPECT_TRUE(std::equal(kept.begin(), kept.end(), held.begin()));
    EXPECT_TRUE(this->all_zero(held, kept.size())) << "also what a refused growth committed";
}

TYPED_TEST(heap_memory, sizes_that_wrap_when_they_are_rounded_up_are_refused) {
    constexpr std::uint64_t most = ~std::uint64_t{0};
    TypeParam space = this->limited_to(0);
    for (std::uint64_t const step : {std::uint64_t{0}, std::uint64_t{3u << 10}, unit}) {
        SCOPED_TRACE(step);
        using heap_type = alloc::heap_memory<TypeParam>;
        EXPECT_THROW(heap_type(space, {.heap_bytes = most}, step), exec::out_of_memory);
        EXPECT_THROW(heap_type(space, {.reserve_bytes = most}, step), exec::out_of_memory);
        heap_type heap(space, {.heap_bytes = 0, .reserve_bytes = 2 * unit}, step);
        EXPECT_TRUE(heap.grow_to(unit));
        std::uint64_t const held = heap.heap_bytes();
        bool called = false;
        for (std::uint64_t const bytes : {most, most - 1024, most - unit + 1, most / 2 + 2})
            try {
                heap.grow_to(bytes, [&](std::uint64_t) { called = true; });
                ADD_FAILURE() << "grew to " << bytes << " bytes";
            } catch (exec::out_of_memory const& error) {
                EXPECT_GE(error.needed_bytes(), bytes - held);
                EXPECT_EQ(error.available_bytes(), heap.reserved_bytes() - held);
            }
        EXPECT_FALSE(called) << "tables do not grow for a heap that cannot be had";
        EXPECT_EQ(heap.heap_bytes(), held);
    }
    using table_type = alloc::heap_table<TypeParam, std::uint64_t>;
    constexpr std::uint64_t wrapping_elements = (std::uint64_t{1} << 61) + 1; // 8 bytes, modulo 2^64
    EXPECT_THROW(table_type(space, wrapping_elements, "test table", table_fresh::zero), exec::out_of_memory);
    table_type table(space, 1000, "test table", table_fresh::zero);
    EXPECT_THROW(table.grow_to(wrapping_elements), exec::out_of_memory);
    EXPECT_EQ(table.committed_bytes(), 0u);
}

#if !defined(__CUDACC__)
TEST(stuck_memory, that_the_system_does_not_take_back_stays_charged_and_serves_again) {
    stuck_host space(make_space<exec::host_space>());
    alloc::heap_memory<stuck_host> heap(space, {.heap_bytes = 0, .reserve_bytes = 8 * unit}, 1u << 10);
    alloc::heap_table<stuck_host, std::uint64_t> table(space, unit, "test table", table_fresh::zero);
    EXPECT_TRUE(heap.grow_to(4 * unit));
    table.grow_to(unit / 8);
    std::fill_n(heap.data(), unit, std::byte{7});
    table.data()[9] = 9;
    std::uint64_t const held = space.budget().held_bytes();

    heap.shrink_to(heap.shrunk_bytes(unit));
    table.shrink_to(10);
    EXPECT_EQ(heap.heap_bytes(), unit);
    EXPECT_EQ(heap.spare_bytes(), 3 * unit);
    EXPECT_EQ(table.committed_bytes(), unit);
    EXPECT_EQ(space.budget().held_bytes(), held);
    EXPECT_EQ(heap.data()[unit - 1], std::byte{7});
    EXPECT_EQ(table.data()[9], 9u);

    EXPECT_TRUE(heap.grow_to(4 * unit));
    table.grow_to(unit / 8);
    EXPECT_EQ(space.budget().held_bytes(), held);
    EXPECT_EQ(heap.data()[unit - 1], std::byte{7});
    EXPECT_EQ(table.data()[9], 9u);
}
TEST(heap_table, leaves_undefined_elements_as_they_are) {
    dirty_host space(make_space<exec::host_space>());
    alloc::heap_table<dirty_host, std::uint8_t> table(space, unit, "test table", table_fresh::undefined);
    table.grow_to(unit);
    EXPECT_EQ(table.data()[unit - 1], 0xa5) << "no time is spent on what will be written anyway";
}
#endif

} // namespace
} // namespace rhizome::tests

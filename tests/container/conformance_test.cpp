// SPDX-License-Identifier: Apache-2.0
// What all growable arrays do, in every space and with every insertion policy.
#include "cases.hpp"
#include "numbered.hpp"

#include <rhizome/exec/errors.hpp>

#include <gtest/gtest.h>
#include <scale.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Case>
class growable_array : public space_test {
protected:
    using space = typename Case::space;
    using insertion = typename Case::insertion;
    using structure = typename Case::template structure<std::uint64_t>;
    using array = decltype(structure::array);
    static_assert(container::growable_array<array>);

    space space_ = make_space<space>();
    /// Wishes of `blocks` blocks of 96 threads with up to `most` elements.
    numbered_wishes<space, insertion> wishes(std::uint32_t blocks, std::uint32_t most, std::uint32_t rounds) {
        return {space_, grid_of(space_, blocks, 96), most, rounds};
    }
};
TYPED_TEST_SUITE(growable_array, array_cases, named_types);

TYPED_TEST(growable_array, starts_empty_and_stays_so_without_elements) {
    typename TestFixture::structure tested(this->space_, 100);
    EXPECT_EQ(tested.array.size(), 0u);
    EXPECT_TRUE(tested.array.to_host().empty());
    auto none = this->wishes(3, 0, 1);
    none.insert_into(tested.array);
    EXPECT_EQ(tested.array.size(), 0u);
    EXPECT_TRUE(tested.array.to_host().empty());
}

TYPED_TEST(growable_array, holds_each_inserted_element_once) {
    for (std::uint32_t const most : {1u, 3u, 10u}) {
        SCOPED_TRACE(most);
        auto wishes = this->wishes(7, most, 5);
        typename TestFixture::structure tested(this->space_, wishes.wanted());
        wishes.insert_into(tested.array);
        EXPECT_EQ(wishes.inserted(), wishes.wanted());
        EXPECT_EQ(tested.array.size(), wishes.wanted());
        EXPECT_GE(tested.array.capacity(), wishes.wanted());
        EXPECT_EQ(wishes.difference(tested.array), "");
        EXPECT_EQ(wishes.misplaced(tested.array), 0u);
    }
}

TYPED_TEST(growable_array, takes_blocks_of_up_to_1024_threads_and_unequal_wishes) {
    for (std::uint32_t const threads : {32u, 256u, 288u, 1024u}) {
        SCOPED_TRACE(threads);
        bool const one_thread = this->space_.max_block_threads() == 1;
        exec::launch_shape const shape =
            one_thread ? exec::launch_shape{2 * threads, 1} : exec::launch_shape{2, threads};
        numbered_wishes<typename TestFixture::space, typename TestFixture::insertion> wishes(this->space_,
                                                                                             shape, 63, 1);
        typename TestFixture::structure tested(this->space_, wishes.wanted());
        wishes.insert_into(tested.array);
        EXPECT_EQ(wishes.inserted(), wishes.wanted());
        EXPECT_EQ(wishes.difference(tested.array), "");
    }
}

/// Arrays that do not grow in kernels. How gg_array refuses: growth_test.cpp.
template <class Case>
class contiguous_growable_array : public growable_array<Case> {
protected:
    static_assert(container::contiguous_growable_array<typename growable_array<Case>::array>);
};
TYPED_TEST_SUITE(contiguous_growable_array, contiguous_array_cases, named_types);

TYPED_TEST(contiguous_growable_array, refuses_what_does_not_fit_and_takes_it_once_it_has_grown) {
    using tested_type = typename TestFixture::structure;
    {
        // More than a step of a region beyond the capacity.
        auto wishes = this->wishes(is_gpu<typename TestFixture::space> ? 60 : 5, 63, 4);
        tested_type tested(this->space_, wishes.wanted() / 2);
        std::uint64_t const capacity = tested.array.capacity();
        ASSERT_LT(capacity, wishes.wanted());
        wishes.insert_into(tested.array);
        EXPECT_EQ(wishes.inserted(), capacity) << "all of the memory is used";
        EXPECT_EQ(tested.array.size(), wishes.inserted());
        EXPECT_EQ(wishes.difference(tested.array), "");
        if constexpr (tested_type::grows_on_the_host) {
            auto* const data = tested.array.data();
            wishes.insert_into(tested.array);
            tested.array.reserve(wishes.wanted() + 100);
            EXPECT_EQ(tested.array.data(), data);
            wishes.insert_into(tested.array);
            EXPECT_EQ(wishes.inserted(), wishes.wanted());
            EXPECT_EQ(wishes.difference(tested.array), "");
        } else {
            EXPECT_THROW(tested.array.reserve(capacity + 1), exec::out_of_memory);
            tested.array.shrink_to(0);
            EXPECT_EQ(tested.array.size(), 0u);
            EXPECT_EQ(tested.array.capacity(), capacity);
        }
    }
}

TYPED_TEST(contiguous_growable_array, takes_elements_that_were_written_beside_it) {
    typename TestFixture::structure tested(this->space_, 300);
    std::vector<std::uint64_t> elements(200);
    for (std::uint64_t i = 0; i < elements.size(); ++i)
        elements[i] = i * i;
    this->space_.copy_in(tested.array.data(), elements.data(), elements.size() * sizeof(std::uint64_t));
    tested.array.set_size(200);
    EXPECT_EQ(tested.array.to_host(), elements);
    EXPECT_EQ(tested.array.span().size(), 200u);
    EXPECT_EQ(tested.array.span().data(), tested.array.data());
    EXPECT_THROW(tested.array.set_size(tested.array.capacity() + 1), std::invalid_argument);
    EXPECT_EQ(tested.array.size(), 200u);
}

TYPED_TEST(growable_array, reserves_room_that_insertion_uses) {
    using tested_type = typename TestFixture::structure;
    auto wishes = this->wishes(4, 5, 4);
    tested_type tested(this->space_, tested_type::grows_on_the_host ? 0 : wishes.wanted());
    tested.array.reserve(wishes.wanted());
    EXPECT_GE(tested.array.capacity(), wishes.wanted());
    wishes.insert_into(tested.array);
    EXPECT_EQ(wishes.difference(tested.array), "");
    EXPECT_EQ(tested.array.size(), wishes.wanted());
}

/// Marks each index that it is called for, checks the element behind it, and changes the element.
template <class Ref>
struct visit_all {
    Ref ref;
    std::uint64_t const* expected;
    std::uint64_t* seen; ///< per index
    std::uint64_t* wrong;
    bool change;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const look = [&](std::uint64_t element, std::uint64_t index) {
            thread.device(seen[index]).fetch_add(1, exec::order::relaxed);
            if (element != expected[index] || ref[index] != element)
                thread.device(*wrong).fetch_add(1, exec::order::relaxed);
        };
        if (change)
            ref.for_each(thread, [&](std::uint64_t& element, std::uint64_t index) {
                look(element, index);
                element = index;
            });
        else
            ref.read_each(thread, look);
    }
};

TYPED_TEST(growable_array, visits_each_element_once_by_its_index) {
    using tested_array = typename TestFixture::array;
    auto wishes = this->wishes(6, 7, 3);
    typename TestFixture::structure tested(this->space_, wishes.wanted());
    wishes.insert_into(tested.array);
    std::uint64_t const size = tested.array.size();
    std::vector<std::uint64_t> const elements = tested.array.to_host();
    ASSERT_EQ(elements.size(), size);
    exec::buffer<typename TestFixture::space, std::uint64_t> const expected(this->space_, elements);
    for (bool const change : {false, true}) {
        exec::buffer<typename TestFixture::space, std::uint64_t> seen(this->space_, size);
        exec::buffer<typename TestFixture::space, std::uint64_t> wrong(this->space_, 1);
        seen.fill_bytes(0);
        wrong.fill_bytes(0);
        launch(this->space_, container::full_grid(this->space_),
               visit_all<typename tested_array::ref_type>{tested.array.ref(), expected.data(), seen.data(),
                                                          wrong.data(), change});
        EXPECT_EQ(seen.to_host(), std::vector<std::uint64_t>(size, 1));
        EXPECT_EQ(wrong.to_host()[0], 0u);
    }
    std::vector<std::uint64_t> const changed = tested.array.to_host();
    ASSERT_EQ(changed.size(), size);
    for (std::uint64_t i = 0; i < size; ++i)
        ASSERT_EQ(changed[i], i);
}

TYPED_TEST(growable_array, shrinks_to_its_first_elements_and_grows_again) {
    auto wishes = this->wishes(5, 6, 4);
    typename TestFixture::structure tested(this->space_, wishes.wanted());
    wishes.insert_into(tested.array);
    std::vector<std::uint64_t> elements = tested.array.to_host();
    for (std::uint64_t const keep : {elements.size(), elements.size() / 2, std::size_t{3}}) {
        tested.array.shrink_to(keep);
        EXPECT_EQ(tested.array.size(), keep);
        elements.resize(keep);
        EXPECT_EQ(tested.array.to_host(), elements);
    }
    tested.array.shrink_to(1000); // more than there are: nothing happens
    EXPECT_EQ(tested.array.to_host(), elements);
    tested.array.shrink_to(0);
    EXPECT_EQ(tested.array.size(), 0u);
    auto again = this->wishes(4, 6, 4);
    again.insert_into(tested.array);
    EXPECT_EQ(again.inserted(), again.wanted());
    EXPECT_EQ(again.difference(tested.array), "");
}

TYPED_TEST(growable_array, flattens_into_memory_that_is_not_aligned_as_its_own) {
    auto wishes = this->wishes(5, 6, 2);
    typename TestFixture::structure tested(this->space_, wishes.wanted());
    wishes.insert_into(tested.array);
    std::vector<std::uint64_t> const elements = tested.array.to_host();
    for (std::uint64_t const offset : {0u, 1u}) {
        exec::buffer<typename TestFixture::space, std::uint64_t> out(this->space_, elements.size() + 2);
        out.fill_bytes(0xff);
        tested.array.flatten(out.data() + offset);
        std::vector<std::uint64_t> const copied = out.to_host();
        EXPECT_EQ(std::vector<std::uint64_t>(copied.begin() + static_cast<std::ptrdiff_t>(offset),
                                             copied.end() - 2 + static_cast<std::ptrdiff_t>(offset)),
                  elements);
        EXPECT_EQ(copied.back(), ~std::uint64_t{0});
    }
}

// A program can insert, settle, copy and shrink in one stream, without the host between.
TYPED_TEST(growable_array, makes_the_host_wait_for_numbers_alone) {
    auto wishes = this->wishes(7, 3, 5);
    typename TestFixture::structure tested(this->space_, wishes.wanted());
    wishes.insert_into(tested.array);
    std::uint64_t const size = tested.array.size();
    exec::buffer<typename TestFixture::space, std::uint64_t> copy(this->space_, tested.array.capacity());
    std::uint64_t const waits = this->space_.waits();
    if constexpr (requires { tested.array.request_capacity(size); })
        tested.array.request_capacity(2 * size);
    else if constexpr (TestFixture::structure::grows_on_the_host)
        tested.array.reserve(2 * size);
    tested.array.settle();
    tested.array.flatten(copy.data());
    tested.array.shrink_to(size / 2);
    EXPECT_EQ(this->space_.waits(), waits);
    EXPECT_EQ(tested.array.size(), size / 2);
    EXPECT_GT(this->space_.waits(), waits);
}

TYPED_TEST(growable_array, moves_with_its_elements) {
    auto wishes = this->wishes(3, 3, 2);
    typename TestFixture::structure tested(this->space_, wishes.wanted());
    wishes.insert_into(tested.array);
    typename TestFixture::array moved(std::move(tested.array));
    EXPECT_EQ(wishes.difference(moved), "");
}

/// Element `number` of thread `rank`.
RZ_HD constexpr std::uint64_t offered_element(std::uint64_t rank, std::uint32_t number) {
    return rank << 32 | number;
}

/// The first `threads` threads offer `offered` elements each, once.
template <class Ref, class Insertion>
struct offer_elements {
    struct shared {
        typename Insertion::storage insertion;
    };
    static constexpr std::uint32_t block_threads = 1024;

    Ref ref;
    std::uint64_t threads;
    std::uint32_t offered;
    container::placement* placed; ///< per thread of the grid

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const rank = thread.rank();
        placed[rank] = ref.template insert<Insertion>(
            thread, thread.block().storage().insertion, rank < threads ? offered : 0,
            [&](std::uint32_t i) { return offered_element(rank, i); });
    }
};

/// Counts inserted elements that are not where insert() said.
template <class Ref>
struct check_offered {
    [[maybe_unused]] static constexpr std::uint32_t block_threads = 1024;

    Ref ref;
    container::placement const* placed;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const rank = thread.rank();
        for (std::uint32_t i = 0; i < placed[rank].count; ++i)
            if (ref.at(placed[rank].vector, placed[rank].place + i) != offered_element(rank, i))
                thread.device(*wrong).fetch_add(1, exec::order::relaxed);
    }
};

/// Launches offer_elements, checks that the array holds what the placements say and nothing else, and returns
/// the placements.
template <class Insertion, class Space, class Array>
std::vector<container::placement> offer_and_check(Space space, exec::launch_shape shape, Array& array,
                                                  std::uint64_t threads, std::uint32_t offered) {
    using ref = typename Array::ref_type;
    exec::buffer<Space, container::placement> placed(space,
                                                     std::uint64_t{shape.blocks} * shape.block_threads);
    launch(space, shape, offer_elements<ref, Insertion>{array.ref(), threads, offered, placed.data()});
    array.settle();
    exec::buffer<Space, std::uint64_t> wrong(space, 1);
    wrong.fill_bytes(0);
    launch(space, shape, check_offered<ref>{array.ref(), placed.data(), wrong.data()});
    EXPECT_EQ(wrong.to_host()[0], 0u) << "elements are not where insert() said";
    std::vector<container::placement> const found = placed.to_host();
    std::vector<std::uint64_t> expected;
    for (std::size_t rank = 0; rank < found.size(); ++rank)
        for (std::uint32_t i = 0; i < found[rank].count; ++i)
            expected.push_back(offered_element(rank, i));
    std::vector<std::uint64_t> elements = array.to_host();
    std::sort(elements.begin(), elements.end());
    EXPECT_TRUE(elements == expected) << elements.size() << " elements, inserted " << expected.size();
    return found;
}

TYPED_TEST(growable_array, inserts_as_many_as_the_policy_allows_and_refuses_none_of_them) {
    using policy = typename TestFixture::insertion;
    constexpr std::uint32_t most = policy::most_per_thread;
    for (std::uint32_t const offered : {300u, most, most + 1, (8u << 20) + 1, ~0u}) {
        if (sanitized && offered > 300 && offered != (8u << 20) + 1)
            continue; // checked code takes seconds for each
        SCOPED_TRACE(offered);
        std::uint32_t const taken = std::min(offered, most);
        typename TestFixture::structure tested(this->space_, taken + 100);
        exec::launch_shape const shape = grid_of(this->space_, 1, 32);
        container::placement const own =
            offer_and_check<policy>(this->space_, shape, tested.array, 1, offered)[0];
        EXPECT_EQ(own.count, taken);
        EXPECT_EQ(own.refused, 0u) << "there is memory";
        EXPECT_EQ(tested.array.size(), taken);
    }
}

TYPED_TEST(growable_array, tells_what_memory_refuses_from_what_the_policy_leaves) {
    using policy = typename TestFixture::insertion;
    exec::launch_shape const shape = grid_of(this->space_, 1, 1024);
    // With the last three, sums over a block, or over a warp, have more than 32 bits.
    for (std::uint32_t const offered : {100u, 4u << 20, (8u << 20) + 1, ~0u}) {
        SCOPED_TRACE(offered);
        std::uint32_t const taken = std::min(offered, policy::most_per_thread);
        typename TestFixture::structure tested(this->space_, 5000);
        std::uint64_t inserted = 0;
        std::uint64_t refused = 0;
        for (container::placement const& own :
             offer_and_check<policy>(this->space_, shape, tested.array, 1024, offered)) {
            ASSERT_EQ(std::uint64_t{own.count} + own.refused, taken);
            inserted += own.count;
            refused += own.refused;
        }
        EXPECT_EQ(tested.array.size(), inserted);
        std::uint64_t const all = std::uint64_t{1024} * taken;
        EXPECT_EQ(inserted + refused, all);
        if constexpr (container::contiguous_growable_array<typename TestFixture::array>) {
            EXPECT_EQ(inserted, std::min(tested.array.capacity(), all)) << "all of the memory is used";
        } else {
            EXPECT_GT(inserted, 0u);
        }
    }
}

template <class Space>
class region_of_elements : public space_test {};
TYPED_TEST_SUITE(region_of_elements, all_spaces, space_names);

TYPED_TEST(region_of_elements, refuses_more_than_it_reserved_in_bytes_and_by_its_name) {
    container::region_array<TypeParam, std::uint64_t> array(make_space<TypeParam>(),
                                                            {.most = 1u << 20, .name = "degrees"});
    for (std::uint64_t const elements : {std::uint64_t{1} << 30, ~std::uint64_t{0}})
        try {
            array.reserve(elements);
            FAIL() << elements;
        } catch (exec::out_of_memory const& error) {
            EXPECT_EQ(error.needed_bytes(), elements == ~std::uint64_t{0} ? elements : elements * 8);
            EXPECT_NE(std::string(error.what()).find("degrees"), std::string::npos) << error.what();
        }
    EXPECT_THROW((container::static_array<TypeParam, std::uint64_t>(make_space<TypeParam>(),
                                                                    (std::uint64_t{1} << 61) + 1)),
                 exec::out_of_memory);
}

TYPED_TEST(region_of_elements, cannot_reserve_more_bytes_than_there_are_addresses) {
    using tested_type = container::region_array<TypeParam, std::uint64_t>;
    auto space = make_space<TypeParam>();
    EXPECT_THROW(tested_type(space, {.most = ~std::uint64_t{0}}), exec::out_of_memory);
    EXPECT_THROW(tested_type(space, {.capacity = ~std::uint64_t{0}}), exec::out_of_memory);
    EXPECT_EQ(space.budget().held_bytes(), 0u);
}

TYPED_TEST(region_of_elements, is_given_to_libraries_by_plain_addresses) {
    container::region_array<TypeParam, std::uint32_t> array(make_space<TypeParam>(), {.capacity = 100});
    EXPECT_EQ(array.begin(), array.data());
    EXPECT_EQ(array.end(), array.data());
    array.set_size(70);
    EXPECT_EQ(array.end(), array.data() + 70);
    EXPECT_EQ(array.span().size(), 70u);
}

} // namespace
} // namespace rhizome::tests

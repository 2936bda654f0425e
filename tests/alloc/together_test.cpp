// SPDX-License-Identifier: Apache-2.0
// One block for the lanes of a group: decorators hand the request on to the base's own path, and count, check
// and fail it there.
#include "blocks.hpp"
#include "expectations.hpp"

#include <rhizome/alloc/decorators/checked.hpp>
#include <rhizome/alloc/decorators/counting.hpp>
#include <rhizome/alloc/decorators/decorator.hpp>
#include <rhizome/alloc/decorators/failing.hpp>
#include <rhizome/alloc/together.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

/// Counts which of the two ways requests take.
struct ways_taken {
    std::uint64_t alone;
    std::uint64_t together; ///< calls by groups
};

template <class Ref>
class traced_ref : public alloc::ref_decorator<Ref> {
public:
    traced_ref(Ref base, ways_taken* ways) : alloc::ref_decorator<Ref>(base), ways_(ways) {}

    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        thread.device(ways_->alone).fetch_add(1, exec::order::relaxed);
        return this->base_.allocate(thread, bytes);
    }
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD void* allocate_together(Thread const& thread, Group const& group,
                                                std::uint64_t bytes) const {
        if (group.rank() == 0) thread.device(ways_->together).fetch_add(1, exec::order::relaxed);
        return this->base_.allocate_together(thread, group, bytes);
    }

private:
    ways_taken* ways_;
};
template <class Owner>
class traced : public alloc::decorator<Owner> {
public:
    using typename alloc::decorator<Owner>::space_type;
    using ref_type = traced_ref<typename Owner::ref_type>;

    explicit traced(space_type space, alloc::heap_options const& options = {})
        : alloc::decorator<Owner>(space, options), ways_(this->space_, 1) {
        ways_.fill_bytes(0);
    }
    [[nodiscard]] ref_type ref() const { return {this->base_.ref(), const_cast<ways_taken*>(ways_.data())}; }
    [[nodiscard]] ways_taken ways() const { return ways_.to_host()[0]; }

private:
    exec::buffer<space_type, ways_taken> ways_;
};

template <template <class> class Decorator>
struct over_traced {
    template <class Space>
    using owner = Decorator<traced<ouroboros_default::owner<Space>>>;
};
struct counting_traced : over_traced<alloc::counting> {
    static std::string name_of() { return "counting"; }
};
struct checked_traced : over_traced<alloc::checked> {
    static std::string name_of() { return "checked"; }
};
struct failing_traced : over_traced<alloc::failing> {
    static std::string name_of() { return "failing"; }
};

/// Each warp asks once; every lane notes what it got.
template <class Ref>
struct ask_together {
    Ref ref;
    std::uint64_t bytes;
    void** blocks; ///< one per thread

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        blocks[thread.rank()] = alloc::allocate_together(ref, thread, warp, bytes);
    }
};

template <class Case>
class together_requests : public space_test {
protected:
    static constexpr std::uint64_t bytes = 40'000;
    static constexpr std::uint32_t groups = 6;

    /// What the groups got, one block per group; all lanes of a group must agree.
    [[nodiscard]] static block_set ask(heap<Case>& tested) {
        auto const lanes = tested.space().tile_lanes(32);
        exec::buffer<typename Case::space, void*> blocks(tested.space(), std::uint64_t{groups} * lanes);
        using ref_type = typename Case::owner::ref_type;
        if (lanes == 1)
            launch(tested.space(), {groups, 1},
                   ask_together<ref_type>{tested.owner().ref(), bytes, blocks.data()});
        else
            launch(tested.space(), {groups / 2, 64},
                   ask_together<ref_type>{tested.owner().ref(), bytes, blocks.data()});
        auto const found = blocks.to_host();
        block_set set{std::vector<std::uint64_t>(groups, bytes), {}, {}};
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (i % lanes == 0) {
                set.at.push_back(found[i]);
                set.owners.push_back(i);
            }
            EXPECT_EQ(found[i], set.at.back()) << "lanes of one group disagree";
        }
        return set;
    }
    static void expect_ways(ways_taken const& found, std::uint64_t together) {
        EXPECT_EQ(found.together, together) << "the base's own path was not taken";
        EXPECT_EQ(found.alone, 0u);
    }
};

template <class Case>
class counted_together : public together_requests<Case> {};
using counted_cases = cross_types<allocator_on, type_list<counting_traced>, space_list>;
TYPED_TEST_SUITE(counted_together, counted_cases, named_types);
TYPED_TEST(counted_together, count_once_per_group) {
    heap<TypeParam> tested(1u << 20);
    block_set const set = this->ask(tested);
    EXPECT_EQ(set.served(), this->groups);
    this->expect_ways(tested.owner().base().ways(), this->groups);
    alloc::allocation_counts counts = tested.owner().counts();
    EXPECT_EQ(counts.served, this->groups);
    EXPECT_EQ(counts.live_bytes, tested.usable_bytes(set));
    EXPECT_EQ(counts.refused, 0u);
    block_set const rest = tested.take(1, 700'000); // after it, not all groups can be served
    ASSERT_EQ(rest.served(), 1u);
    block_set const more = this->ask(tested);
    EXPECT_EQ(tested.owner().counts().refused, this->groups - more.served());
    EXPECT_GT(tested.owner().counts().refused, 0u);
    tested.give_back(set);
    tested.give_back(rest);
    tested.give_back(more);
    EXPECT_EQ(tested.owner().counts().live_requests(), 0u);
    EXPECT_EQ(tested.owner().counts().live_bytes, 0u);
    expect_sound(tested);
}

template <class Case>
class checked_together : public together_requests<Case> {};
using checked_together_cases = cross_types<allocator_on, type_list<checked_traced>, space_list>;
TYPED_TEST_SUITE(checked_together, checked_together_cases, named_types);

struct write_behind {
    void* block;
    std::uint64_t usable;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0) static_cast<unsigned char*>(block)[usable] ^= 0x55;
    }
};

TYPED_TEST(checked_together, are_watched) {
    heap<TypeParam> tested(1u << 20);
    block_set const set = this->ask(tested);
    EXPECT_EQ(set.served(), this->groups);
    this->expect_ways(tested.owner().base().ways(), this->groups);
    tested.fill(set); // all usable bytes
    EXPECT_TRUE(tested.owner().audit().violations.empty());
    EXPECT_EQ(tested.wrong_words(set), 0u);
    launch(tested.space(), {1, 1}, write_behind{set.at[2], tested.owner().ref().usable_bytes(this->bytes)});
    EXPECT_EQ(tested.owner().audit().violations.size(), 1u) << "a byte past the end was written";
    tested.give_back(set);
    tested.give_back({{this->bytes}, {set.at[1]}, {}});
    EXPECT_EQ(tested.owner().audit().violations.size(), 2u) << "a block was freed twice";
    expect_live_bytes(tested, 0);
}

template <class Case>
class failing_together : public together_requests<Case> {};
using failing_together_cases = cross_types<allocator_on, type_list<failing_traced>, space_list>;
TYPED_TEST_SUITE(failing_together, failing_together_cases, named_types);
TYPED_TEST(failing_together, fail_by_plan_as_one_request) {
    heap<TypeParam> tested(1u << 20);
    std::uint64_t together = 0;
    for (std::uint64_t n = 1; n <= this->groups; ++n) {
        tested.owner().fail_at(n);
        block_set const set = this->ask(tested);
        EXPECT_EQ(set.served(), this->groups - 1);
        EXPECT_EQ(tested.owner().requests_seen(), this->groups);
        together += this->groups - 1; // what fails by plan does not reach the base
        this->expect_ways(tested.owner().base().ways(), together);
        tested.give_back(set);
    }
    tested.owner().fail_from(3);
    block_set const set = this->ask(tested);
    EXPECT_EQ(set.served(), 2u);
    tested.give_back(set);
    expect_sound(tested);
    expect_live_bytes(tested, 0);
}

} // namespace
} // namespace rhizome::tests

// SPDX-License-Identifier: Apache-2.0
// The radix hash join gives what a sequential join gives, and loses nothing where pages run out.
#include <rhizome/alloc/random_walk/random_walk.hpp>
#include <rhizome/alloc/random_walk/random_walk_malloc.hpp>
#include <rhizome/bench/papers/random_walk/hash_join/counter_pages.hpp>
#include <rhizome/bench/papers/random_walk/hash_join/hash_join.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

using namespace rhizome;
using namespace rhizome::bench;

namespace {

using match_list = std::vector<join_match>;

match_list sorted(match_list matches) {
    std::sort(matches.begin(), matches.end(), [](join_match const& a, join_match const& b) {
        return std::tie(a.left, a.right) < std::tie(b.left, b.right);
    });
    return matches;
}

match_list sequential_join(std::vector<join_tuple> const& left, std::vector<join_tuple> const& right) {
    std::unordered_multimap<std::uint32_t, std::uint32_t> table;
    for (join_tuple const& each : left)
        table.emplace(each.key, each.payload);
    match_list found;
    for (join_tuple const& each : right) {
        auto const [begin, end] = table.equal_range(each.key);
        for (auto at = begin; at != end; ++at)
            found.push_back({at->second, each.payload});
    }
    return sorted(std::move(found));
}

/// Keys of which some are in one table only, and a few are in many tuples.
std::vector<join_tuple> draw_table(std::uint64_t tuples, std::uint32_t keys, std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    std::vector<join_tuple> drawn;
    for (std::uint64_t i = 0; i < tuples; ++i) {
        auto const wide = static_cast<std::uint32_t>(bits() % keys);
        drawn.push_back({bits() % 16 == 0 ? wide % 3 : wide * 7919, static_cast<std::uint32_t>(i)});
    }
    return drawn;
}

template <class Space>
class hash_join_test : public tests::space_test {
protected:
    Space space_ = tests::make_space<Space>();

    [[nodiscard]] static alloc::heap_options heap(std::uint64_t bytes) {
        return {.heap_bytes = bytes, .reserve_bytes = bytes};
    }
    [[nodiscard]] hash_join<Space> built(std::vector<join_tuple> const& left,
                                         std::vector<join_tuple> const& right,
                                         std::uint64_t tuples_per_thread = 1) {
        hash_join<Space> join(space_, tuples_per_thread);
        join.set_tables(left, right);
        join.partition();
        join.build();
        return join;
    }
};
TYPED_TEST_SUITE(hash_join_test, tests::all_spaces, tests::space_names);

/// A counter of pages that also counts the requests.
class counted_pages_ref {
public:
    counted_pages_ref(counter_pages_ref pages, std::uint64_t* requests)
        : pages_(pages), requests_(requests) {}

    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        thread.device(*requests_).fetch_add(1, exec::order::relaxed);
        return pages_.allocate(thread, bytes);
    }
    template <class Thread>
    RZ_HD void deallocate(Thread const&, void*) const {}

private:
    counter_pages_ref pages_;
    std::uint64_t* requests_;
};

} // namespace

TYPED_TEST(hash_join_test, gives_what_a_sequential_join_gives) {
    using owner_type = alloc::random_walk_malloc<TypeParam>;
    struct sizes {
        std::uint64_t left, right;
        std::uint32_t keys;
    };
    std::uint64_t const many = tests::work<TypeParam>(6000, 1500);
    for (sizes const& size :
         {sizes{0, 0, 1}, sizes{0, 5, 1}, sizes{5, 0, 1}, sizes{1, 1, 1}, sizes{2, 100, 2},
          sizes{100, 100, 1000}, sizes{1500, 700, 400}, sizes{many, many, 4000}}) {
        auto const left = draw_table(size.left, size.keys, 1);
        auto const right = draw_table(size.right, size.keys, 2);
        match_list const expected = sequential_join(left, right);
        for (std::uint64_t const tuples_per_thread : {1u, 3u})
            for (std::uint32_t const page_bytes : {16u, 32u, 256u}) {
                owner_type owner(this->space_, this->heap(64u << 20));
                auto join = this->built(left, right, tuples_per_thread);
                join.probe(owner.ref(), page_bytes);
                join_progress const found = join.progress();
                EXPECT_TRUE(found.complete);
                EXPECT_EQ(found.probed, right.size());
                EXPECT_EQ(found.matches, expected.size());
                EXPECT_GE(found.pages * matches_per_page(page_bytes), expected.size());
                EXPECT_EQ(sorted(join.matches()), expected)
                    << size.left << " by " << size.right << ", pages of " << page_bytes;
                join.release(owner.ref());
                EXPECT_EQ(join.progress().matches, 0u);
                auto const audit = owner.audit();
                EXPECT_TRUE(audit.violations.empty());
                EXPECT_EQ(audit.live_bytes, 0u);
            }
    }
}
TYPED_TEST(hash_join_test, stops_without_losing_a_match_and_goes_on) {
    // Room for a fraction of the matches: each round is read, and its pages given back.
    bool const emulated = tests::is_emulated<TypeParam>;
    std::uint64_t const tuples = emulated ? 300 : 1000;
    std::uint64_t const pages = emulated ? 128 : 512;
    auto const left = draw_table(tuples, 60, 3);
    auto const right = draw_table(tuples, 60, 4);
    match_list const expected = sequential_join(left, right);
    ASSERT_GT(expected.size(), pages * 3 * 3);
    alloc::random_walk<TypeParam, alloc::flag_search, 32> owner(this->space_, this->heap(pages * 32));
    for (std::uint64_t const tuples_per_thread : {1u, 7u}) {
        auto join = this->built(left, right, tuples_per_thread);
        match_list found;
        std::uint64_t probed = 0;
        std::uint64_t rounds = 0;
        for (bool complete = false; !complete; ++rounds) {
            ASSERT_LT(rounds, 1000u);
            join.probe(owner.ref(), 32);
            join_progress const progress = join.progress();
            complete = progress.complete;
            if (!complete) {
                EXPECT_EQ(progress.pages, pages); // stopped because all are used
            }
            EXPECT_GE(progress.probed, probed);
            probed = progress.probed;
            match_list const more = join.matches();
            EXPECT_EQ(more.size(), progress.matches);
            std::uint64_t marks = 0;
            for (join_match const& each : more)
                marks += mark_of(each);
            EXPECT_EQ(progress.marks, marks);
            found.insert(found.end(), more.begin(), more.end());
            join.release(owner.ref());
        }
        EXPECT_GT(rounds, expected.size() / (pages * 3));
        EXPECT_EQ(probed, right.size());
        EXPECT_EQ(sorted(found), expected);
    }
    EXPECT_EQ(owner.audit().live_bytes, 0u);
}
TYPED_TEST(hash_join_test, goes_on_in_the_pages_that_it_has) {
    // Without giving anything back: a second probe gets nothing more, one of a larger pool the rest.
    auto const left = draw_table(300, 100, 5);
    auto const right = draw_table(300, 100, 6);
    match_list const expected = sequential_join(left, right);
    alloc::random_walk<TypeParam, alloc::flag_search, 32> owner(
        this->space_, {.heap_bytes = 64 * 32, .reserve_bytes = 4096 * 32});
    auto join = this->built(left, right);
    join.probe(owner.ref(), 32);
    join_progress const stopped = join.progress();
    EXPECT_FALSE(stopped.complete);
    EXPECT_EQ(stopped.pages, 64u);
    join.probe(owner.ref(), 32);
    join_progress const again = join.progress();
    EXPECT_FALSE(again.complete);
    EXPECT_EQ(again.probed, stopped.probed);
    EXPECT_EQ(again.matches, stopped.matches);
    EXPECT_EQ(again.marks, stopped.marks);
    owner.grow_to(4096 * 32);
    join.probe(owner.ref(), 32);
    EXPECT_TRUE(join.progress().complete);
    EXPECT_EQ(sorted(join.matches()), expected);
}
TYPED_TEST(hash_join_test, stops_where_a_counter_has_no_more_pages) {
    join_tables const drawn = draw_join_tables(1000, 4, 1);
    EXPECT_EQ(drawn.matches, 4000u);
    auto join = this->built(drawn.left, drawn.right);
    {
        counter_pages<TypeParam> pages(this->space_, 2000, 32); // two for each thread
        join.probe(pages.ref(), 32);
        join_progress const found = join.progress();
        EXPECT_TRUE(found.complete);
        EXPECT_EQ(found.pages, 2000u);
        EXPECT_EQ(found.matches, drawn.matches);
        EXPECT_EQ(found.marks, drawn.marks);
    }
    join.build(); // from the start
    counter_pages<TypeParam> pages(this->space_, 1999, 32);
    join.probe(pages.ref(), 32);
    join_progress const found = join.progress();
    EXPECT_FALSE(found.complete);
    EXPECT_EQ(found.probed, 999u);
    EXPECT_EQ(found.matches, 999u * 4 + 3);
}
TYPED_TEST(hash_join_test, requests_no_page_after_one_was_refused) {
    join_tables const drawn = draw_join_tables(1000, 4, 1); // two pages for each of 1000 threads
    TypeParam const alone = tests::make_space<TypeParam>({.threads = 1});
    exec::buffer<TypeParam, std::uint64_t> requests(alone, 1);
    hash_join<TypeParam> join(alone);
    join.set_tables(drawn.left, drawn.right);
    join.partition();
    for (std::uint64_t const pages : {1u, 100u}) {
        counter_pages<TypeParam> counter(alone, pages, 32);
        requests.fill_bytes(0);
        join.build();
        join.probe(counted_pages_ref(counter.ref(), requests.data()), 32);
        join_progress const found = join.progress();
        EXPECT_FALSE(found.complete);
        EXPECT_EQ(found.pages, pages);
        std::uint64_t const asked = requests.to_host().front();
        EXPECT_GT(asked, pages);
        // Threads that run side by side are refused before they see the flag. On the host one thread runs
        // after the other.
        if constexpr (TypeParam::name == std::string_view("host")) {
            EXPECT_EQ(asked, pages + 1);
        }
    }
}
TYPED_TEST(hash_join_test, takes_its_stages_in_their_order_alone) {
    auto const left = draw_table(300, 100, 5);
    auto const right = draw_table(300, 100, 6);
    match_list const expected = sequential_join(left, right);
    counter_pages<TypeParam> few(this->space_, 20, 32);
    counter_pages<TypeParam> many(this->space_, 4096, 64);
    hash_join<TypeParam> join(this->space_);
    EXPECT_THROW(join.build(), std::logic_error);
    join.set_tables(left, right);
    EXPECT_THROW(join.build(), std::logic_error);
    join.partition();
    EXPECT_THROW(join.probe(few.ref(), 32), std::logic_error);
    EXPECT_THROW((void)join.progress(), std::logic_error);
    EXPECT_THROW((void)join.matches(), std::logic_error);
    EXPECT_THROW(join.release(few.ref()), std::logic_error);
    join.build();
    EXPECT_EQ(join.progress().matches, 0u);
    EXPECT_THROW(join.probe(few.ref(), 12), std::invalid_argument);
    join.probe(few.ref(), 32);
    EXPECT_FALSE(join.progress().complete);
    // Pages of 32 bytes hold matches: those of 64 would be read as if they were as small.
    EXPECT_THROW(join.probe(many.ref(), 64), std::logic_error);
    match_list found = join.matches();
    join.release(few.ref());
    join.probe(many.ref(), 64);
    EXPECT_TRUE(join.progress().complete);
    match_list const rest = join.matches();
    found.insert(found.end(), rest.begin(), rest.end());
    EXPECT_EQ(sorted(found), expected);
    // Another partition may order the tuples differently: a probe that has begun cannot go on.
    join.partition();
    EXPECT_THROW(join.probe(many.ref(), 64), std::logic_error);
}
TEST(join_tables, are_those_of_a_sequential_join) {
    for (auto const& [tuples, copies] : {std::pair{1000u, 4u}, std::pair{1001u, 4u}, std::pair{10u, 30u}}) {
        join_tables const drawn = draw_join_tables(tuples, copies, 7);
        match_list const expected = sequential_join(drawn.left, drawn.right);
        EXPECT_EQ(drawn.matches, expected.size());
        std::uint64_t marks = 0;
        for (join_match const& each : expected)
            marks += mark_of(each);
        EXPECT_EQ(drawn.marks, marks);
    }
}

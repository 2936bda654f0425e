// SPDX-License-Identifier: Apache-2.0
// Streams that lie in arrays.
#include <rhizome/stream/array_updates.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

using namespace rhizome;
using namespace rhizome::stream;
using graph::operation;

namespace {

using column = std::vector<std::uint32_t>;

/// The batches of the source, one after the other.
std::vector<io::update_batch> batches_of(update_source& source) {
    std::vector<io::update_batch> batches;
    for (parsed_batch parsed; source.next(parsed);)
        batches.push_back(parsed.batch);
    return batches;
}

std::vector<graph::vertex_id> sources_of(io::update_batch const& batch) {
    std::vector<graph::vertex_id> sources;
    for (io::update const& each : batch.updates)
        sources.push_back(each.edge.source);
    return sources;
}

} // namespace

TEST(array_updates, come_in_batches_with_their_columns) {
    column const sources{1, 2, 3}, targets{4, 5, 6};
    std::vector<operation> const operations{operation::insert, operation::erase, operation::insert};
    std::vector<double> const weights{0.5, 1.5, 2.5};
    array_updates updates(
        {.edges = graph::edge_columns{sources, targets}, .operations = operations, .weights = weights},
        {.batch_updates = 2});
    EXPECT_FALSE(updates.has_times());
    EXPECT_EQ(updates.estimated_updates(), 3u);
    EXPECT_EQ(updates.fraction_read(), 0);
    auto const batches = batches_of(updates);
    ASSERT_EQ(batches.size(), 2u);
    EXPECT_EQ(batches[0].updates,
              (std::vector<io::update>{{operation::insert, {1, 4}}, {operation::erase, {2, 5}}}));
    EXPECT_EQ(batches[0].weights, (std::vector<double>{0.5, 1.5}));
    EXPECT_EQ(batches[0].first_weight_line, 1u);
    EXPECT_EQ(batches[1].updates, (std::vector<io::update>{{operation::insert, {3, 6}}}));
    EXPECT_EQ(updates.fraction_read(), 1);
}

TEST(array_updates, are_sorted_by_time_and_cut_into_steps) {
    column const sources{1, 2, 3, 4, 5}, targets{0, 0, 0, 0, 0};
    std::vector<std::int64_t> const times{30, -5, 4, 4, 5};
    array_updates updates({.edges = graph::edge_columns{sources, targets}, .times = times},
                          {.time_step = 10});
    EXPECT_TRUE(updates.has_times());
    auto const batches = batches_of(updates);
    ASSERT_EQ(batches.size(), 3u);
    EXPECT_EQ(sources_of(batches[0]), (column{2, 3, 4})) << "from -5 to 4; equal times keep their order";
    EXPECT_EQ(batches[0].times, (std::vector<std::int64_t>{-5, 4, 4}));
    EXPECT_EQ(sources_of(batches[1]), (column{5}));
    EXPECT_EQ(sources_of(batches[2]), (column{1})) << "steps without updates are no batches";
    array_updates pieces({.edges = graph::edge_columns{sources, targets}, .times = times},
                         {.batch_updates = 2, .time_step = 10});
    EXPECT_EQ(batches_of(pieces).size(), 4u) << "a step of three updates in two";
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> const extreme{least, most, least + 1, most, 0};
    array_updates ends({.edges = graph::edge_columns{sources, targets}, .times = extreme},
                       {.time_step = most});
    EXPECT_EQ(batches_of(ends).size(), 3u);
}

TEST(array_updates, are_copied_unless_something_owns_them) {
    column sources{1, 2}, targets{3, 4};
    array_updates copied({.edges = graph::edge_columns{sources, targets}}, {});
    auto const owner = std::make_shared<int>();
    auto viewed = std::make_unique<array_updates>(
        update_arrays{.edges = graph::edge_columns{sources, targets}, .owner = owner}, batch_rule{});
    EXPECT_EQ(owner.use_count(), 2);
    sources[0] = 7;
    EXPECT_EQ(sources_of(batches_of(copied).at(0)), (column{1, 2}));
    EXPECT_EQ(sources_of(batches_of(*viewed).at(0)), (column{7, 2}));
    viewed.reset();
    EXPECT_EQ(owner.use_count(), 1);
}

TEST(array_updates, name_vertices_by_any_numbers) {
    std::vector<std::uint64_t> const sources{std::uint64_t{1} << 40, 5}, targets{9, std::uint64_t{1} << 40};
    array_updates updates({.edges = graph::edge_columns{sources, targets}}, {.batch_updates = 1});
    updates.map_names(io::vertex_names::ascending({9}));
    EXPECT_EQ(updates.follow_names(), io::vertex_names::ascending({9}));
    parsed_batch parsed;
    ASSERT_TRUE(updates.next(parsed));
    EXPECT_EQ(parsed.batch.updates[0].edge, (graph::edge{1, 0}));
    EXPECT_EQ(parsed.new_names, (std::vector<std::string>{"1099511627776"}));
    ASSERT_TRUE(updates.next(parsed));
    EXPECT_EQ(parsed.batch.updates[0].edge, (graph::edge{2, 1}));
    EXPECT_EQ(parsed.new_names, (std::vector<std::string>{"5"}));
    EXPECT_EQ(updates.names().size(), 3u);
    EXPECT_FALSE(updates.next(parsed));
}

TEST(array_updates, refuse_what_is_no_update) {
    column const one{1}, two{1, 2}, no_id{0xffff'fffe};
    std::vector<std::int64_t> const times{1};
    std::vector<double> const not_a_number{std::numeric_limits<double>::quiet_NaN()};
    std::vector<operation> const neither{static_cast<operation>(2)};
    auto const made = [](update_arrays arrays, batch_rule const& rule) {
        (void)array_updates(std::move(arrays), rule);
    };
    auto const read = [](update_arrays arrays) {
        array_updates updates(std::move(arrays), {});
        (void)batches_of(updates);
    };
    EXPECT_THROW(made({.edges = graph::edge_columns{one, two}}, {}), std::invalid_argument);
    EXPECT_THROW(made({.edges = graph::edge_columns{two, two}, .times = times}, {}), std::invalid_argument);
    EXPECT_THROW(made({.edges = graph::edge_columns{two, two}, .weights = not_a_number}, {}),
                 std::invalid_argument);
    EXPECT_THROW(made({.edges = graph::edge_columns{two, two}, .operations = neither}, {}),
                 std::invalid_argument);
    EXPECT_THROW(made({.edges = graph::edge_columns{one, one}}, {.time_step = 1}), std::invalid_argument);
    EXPECT_THROW(made({.edges = graph::edge_columns{one, one}, .times = times}, {.time_step = -1}),
                 std::invalid_argument);
    EXPECT_THROW(made({.edges = graph::edge_columns{one, one}}, {.batch_updates = 0}), std::invalid_argument);
    EXPECT_THROW(read({.edges = graph::edge_columns{one, no_id}}), std::invalid_argument);
    EXPECT_THROW(read({.edges = graph::edge_columns{one, one}, .operations = neither}),
                 std::invalid_argument);
    EXPECT_THROW(read({.edges = graph::edge_columns{one, one}, .weights = not_a_number}),
                 std::invalid_argument);
    EXPECT_NO_THROW(read({.edges = graph::edge_columns{column(), column()}}));
}

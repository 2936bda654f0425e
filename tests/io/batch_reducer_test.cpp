// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/batch_reducer.hpp>
#include <rhizome/io/generate/random.hpp>

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <span>

using namespace rhizome;
using io::operation;

namespace {

using edge_set = std::set<graph::edge>;

graph::edge canonical(graph::edge e, bool directed) {
    return directed || e.source <= e.target ? e : graph::edge{e.target, e.source};
}

void apply(edge_set& present, io::update const& each, bool directed) {
    if (each.operation == operation::insert) {
        present.insert(canonical(each.edge, directed));
    } else {
        present.erase(canonical(each.edge, directed));
    }
}

} // namespace

TEST(batch_reducer, agrees_with_one_by_one) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        bool const directed = seed % 2 == 0;
        io::random_source random(seed);
        std::uint64_t const vertices = 2 + random.below(seed % 5 == 0 ? 1000 : 12); // few: many collisions
        edge_set one_by_one;
        edge_set by_batch;
        io::batch_reducer reducer;
        for (int round = 0; round < 50; ++round) {
            std::vector<io::update> updates(random.below(300));
            for (auto& each : updates) {
                each.operation = random.chance(0.5) ? operation::insert : operation::erase;
                each.edge = {static_cast<graph::vertex_id>(random.below(vertices)),
                             static_cast<graph::vertex_id>(random.below(vertices))};
            }
            for (auto const& each : updates)
                apply(one_by_one, each, directed);
            io::net_batch const& net = reducer.reduce(updates, directed);
            EXPECT_EQ(net.deletions.size() + net.insertions.size() + net.superseded, updates.size());
            edge_set named;
            for (auto const& list : {net.deletions, net.insertions})
                for (auto const e : list)
                    EXPECT_TRUE(named.insert(canonical(e, directed)).second);
            for (auto const e : net.deletions)
                by_batch.erase(canonical(e, directed));
            for (auto const e : net.insertions)
                by_batch.insert(canonical(e, directed));
            ASSERT_EQ(by_batch, one_by_one) << "seed " << seed << " round " << round;
        }
    }
}

TEST(batch_reducer, keeps_the_order_of_the_stream_and_the_last_operation) {
    io::batch_reducer reducer;
    std::vector<io::update> const updates{{operation::insert, {1, 2}}, {operation::insert, {5, 4}},
                                          {operation::erase, {2, 1}},  {operation::insert, {3, 3}},
                                          {operation::erase, {9, 8}},  {operation::insert, {8, 9}}};
    io::net_batch const undirected = reducer.reduce(updates, false);
    EXPECT_EQ(undirected.insertions, (std::vector<graph::edge>{{5, 4}, {3, 3}, {8, 9}}));
    EXPECT_EQ(undirected.deletions, (std::vector<graph::edge>{{2, 1}}));
    EXPECT_EQ(undirected.superseded, 2u);
    io::net_batch const& directed = reducer.reduce(updates, true);
    EXPECT_EQ(directed.superseded, 0u);
    EXPECT_EQ(directed.insertions.size(), 4u);
}

TEST(batch_reducer, is_the_same_for_every_number_of_threads) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        bool const directed = seed % 2 == 0;
        io::random_source random(seed);
        std::uint64_t const vertices = seed % 3 == 0 ? 5 : seed % 3 == 1 ? 300 : 1'000'000;
        std::vector<io::update> updates(20'000 + random.below(100'000)); // reduced together
        std::vector<double> weights;
        for (auto& each : updates) {
            each.operation = random.chance(0.6) ? operation::insert : operation::erase;
            each.edge = {static_cast<graph::vertex_id>(random.below(vertices)),
                         static_cast<graph::vertex_id>(random.below(vertices))};
            if (random.chance(1e-4)) each.edge = {graph::no_vertex, graph::no_vertex};
            weights.push_back(static_cast<double>(random.below(1000)));
        }
        std::map<graph::edge, std::size_t> last; // the definition: the last update of each edge counts
        for (std::size_t i = 0; i < updates.size(); ++i)
            last[canonical(updates[i].edge, directed)] = i;
        io::net_batch expected;
        for (std::size_t i = 0; i < updates.size(); ++i) {
            if (last[canonical(updates[i].edge, directed)] != i) {
                ++expected.superseded;
            } else if (updates[i].operation == operation::erase) {
                expected.deletions.push_back(updates[i].edge);
            } else {
                expected.insertions.push_back(updates[i].edge);
                expected.weights.push_back(weights[i]);
            }
        }
        for (unsigned threads = 1; threads <= 8; ++threads) {
            io::batch_reducer reducer(threads);
            for (int round = 0; round < 2; ++round) { // the second one finds the scratch of the first
                io::net_batch const& net = reducer.reduce(updates, directed, weights);
                ASSERT_EQ(net.insertions, expected.insertions) << threads << " threads, seed " << seed;
                ASSERT_EQ(net.deletions, expected.deletions) << threads << " threads, seed " << seed;
                ASSERT_EQ(net.weights, expected.weights) << threads << " threads, seed " << seed;
                ASSERT_EQ(net.superseded, expected.superseded);
                ASSERT_TRUE(reducer.reduce(std::span(updates).first(17'000), directed).weights.empty());
            }
        }
    }
}

TEST(batch_reducer, takes_names_of_no_vertex) {
    io::batch_reducer reducer;
    graph::edge const none{graph::no_vertex, graph::no_vertex};
    std::vector<io::update> const updates{{operation::insert, none}, {operation::erase, none}};
    io::net_batch const& net = reducer.reduce(updates, false);
    EXPECT_EQ(net.deletions, (std::vector<graph::edge>{none}));
    EXPECT_EQ(net.superseded, 1u);
}

TEST(edge_key_set, agrees_with_a_set) {
    io::random_source random(3);
    io::edge_key_set keys;
    keys.reset(500);
    std::set<std::uint64_t> expected;
    auto const draw = [&] { return random.below(900) - 1; }; // the key of all ones is among them
    for (int i = 0; i < 100'000; ++i) {
        std::uint64_t const key = draw();
        if (random.chance(0.45) && expected.size() < 500) {
            EXPECT_EQ(keys.insert(key), expected.insert(key).second);
        } else {
            EXPECT_EQ(keys.erase(key), expected.erase(key) > 0);
        }
        std::uint64_t const other = draw();
        ASSERT_EQ(keys.contains(other), expected.count(other) > 0);
        ASSERT_EQ(keys.size(), expected.size());
    }
}

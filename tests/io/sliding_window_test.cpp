// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/edge_key_map.hpp>
#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/sliding_window.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace rhizome;
using io::operation;
using window_kind = io::sliding_window::kind;

namespace {

graph::edge in_one_order(graph::edge e, bool directed) {
    return directed || e.source <= e.target ? e : graph::edge{e.target, e.source};
}

/// Whether a graph of so many vertices takes the edge.
bool is_taken(graph::edge const& e, io::sliding_window::taken_edges const& taken) {
    return std::max(e.source, e.target) < taken.vertices && (taken.self_loops || e.source != e.target);
}

/// The rule as it stands: looks at all updates so far.
std::set<graph::edge> present_after(std::vector<io::update> const& updates,
                                    std::vector<std::int64_t> const& times, std::size_t count,
                                    window_kind measure, std::uint64_t length, bool directed,
                                    io::sliding_window::taken_edges const& taken) {
    struct last_update {
        bool inserts;
        std::int64_t time;
        std::uint64_t number;
    };
    std::map<graph::edge, last_update> last;
    std::uint64_t insertions = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_taken(updates[i].edge, taken)) continue;
        bool const inserts = updates[i].operation == operation::insert;
        insertions += inserts ? 1 : 0;
        last[in_one_order(updates[i].edge, directed)] = {inserts, times[i], insertions};
    }
    std::set<graph::edge> present;
    for (auto const& [edge, update] : last) {
        bool const in_window = measure == window_kind::edges
                                   ? update.number + length > insertions
                                   : update.time + static_cast<std::int64_t>(length) > times[count - 1];
        if (update.inserts && in_window) present.insert(edge);
    }
    return present;
}

} // namespace

TEST(sliding_window, leaves_what_its_rule_says) {
    std::uint64_t expired = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        io::random_source random(seed);
        window_kind const measure = seed % 2 == 0 ? window_kind::time : window_kind::edges;
        bool const directed = seed % 3 == 0;
        std::uint64_t const vertices = 2 + random.below(12); // few: repeats and self-loops
        std::uint64_t const length = 1 + random.below(60);
        double const insert_share = seed % 5 == 0 ? 1.0 : 0.7;
        std::vector<io::update> updates;
        std::vector<std::int64_t> times;
        std::int64_t time = -40;
        for (int i = 0; i < 600; ++i) {
            time += static_cast<std::int64_t>(random.below(4)); // also equal times
            times.push_back(time);
            updates.push_back({random.chance(insert_share) ? operation::insert : operation::erase,
                               {static_cast<graph::vertex_id>(random.below(vertices)),
                                static_cast<graph::vertex_id>(random.below(vertices))}});
        }
        io::sliding_window::taken_edges taken;
        if (seed % 4 == 1) taken.vertices = vertices - 1;
        taken.self_loops = seed % 8 < 4;
        io::sliding_window window(measure, length, directed, taken);
        std::set<graph::edge> present;
        for (std::size_t at = 0; at < updates.size();) {
            std::size_t const count = std::min<std::size_t>(1 + random.below(40), updates.size() - at);
            io::update_batch batch;
            batch.updates.assign(updates.begin() + static_cast<long>(at),
                                 updates.begin() + static_cast<long>(at + count));
            batch.times.assign(times.begin() + static_cast<long>(at),
                               times.begin() + static_cast<long>(at + count));
            batch.weights.assign(seed % 7 == 0 ? count : 0, 2.0);
            window.slide(batch);
            ASSERT_EQ(batch.size(), count + batch.expired);
            ASSERT_EQ(batch.times.size(), batch.size());
            if (!batch.weights.empty()) {
                ASSERT_EQ(batch.weights.size(), batch.size());
            }
            for (std::size_t i = 0; i < batch.size(); ++i) {
                if (!is_taken(batch.updates[i].edge, taken)) {
                    ASSERT_LT(i, count) << "an edge that the graph never had left the window";
                    continue;
                }
                graph::edge const edge = in_one_order(batch.updates[i].edge, directed);
                if (batch.updates[i].operation == operation::insert) {
                    present.insert(edge);
                } else {
                    bool const erased = present.erase(edge) > 0;
                    if (i >= count) {
                        ASSERT_TRUE(erased) << "an edge that was not there left the window";
                    }
                }
            }
            at += count;
            expired += batch.expired;
            ASSERT_EQ(present, present_after(updates, times, at, measure, length, directed, taken))
                << "seed " << seed << " after " << at;
        }
    }
    EXPECT_GT(expired, 1000u);
}

TEST(edge_key_map, agrees_with_a_map) {
    io::random_source random(3);
    io::edge_key_map keys;
    std::map<std::uint64_t, std::uint64_t> expected;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        std::uint64_t const key = random.below(3000);
        if (random.chance(0.5)) {
            keys.set(key, i % 7);
            expected[key] = i % 7;
        } else {
            keys.erase(key);
            expected.erase(key);
        }
        std::uint64_t const other = random.below(3000);
        auto const found = expected.find(other);
        for (std::uint64_t number = 0; number < 7; ++number)
            ASSERT_EQ(keys.holds(other, number), found != expected.end() && found->second == number);
        ASSERT_EQ(keys.size(), expected.size());
    }
}

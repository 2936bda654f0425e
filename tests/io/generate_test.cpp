// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/generate/rgg.hpp>
#include <rhizome/io/generate/updates.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

using namespace rhizome;

TEST(random_source, gives_the_published_numbers) {
    // splitmix64 from 0 begins e220a8397b1dcdaf 6e789e6aa1b965f4 06c45d188009454f f88bb8a8724c81ec;
    // the first of xoshiro256** is rotl(s1 * 5, 7) * 9.
    io::random_source random(0);
    EXPECT_EQ(random.bits(), std::rotl(std::uint64_t{0x6e789e6aa1b965f4} * 5, 7) * 9);
}

TEST(random_source, is_uniform) {
    io::random_source random(5);
    std::map<std::uint64_t, int> counts;
    for (int i = 0; i < 60'000; ++i)
        ++counts[random.below(6)];
    ASSERT_EQ(counts.size(), 6u);
    for (auto const& [value, count] : counts)
        EXPECT_NEAR(count, 10'000, 500) << value; // 5 sigma
    int heads = 0;
    for (int i = 0; i < 60'000; ++i)
        heads += random.chance(0.25) ? 1 : 0;
    EXPECT_NEAR(heads, 15'000, 550);
    EXPECT_EQ(random.below(1), 0u);
    for (int i = 0; i < 1000; ++i)
        EXPECT_LT(random.below(std::uint64_t{1} << 32), std::uint64_t{1} << 32);
}

TEST(rgg, is_what_its_definition_says) {
    for (unsigned scale = 1; scale <= 11; ++scale) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            auto const points = io::rgg_points(scale, seed);
            auto const file = io::generate_rgg(scale, seed);
            ASSERT_EQ(points.size(), std::size_t{1} << scale);
            ASSERT_EQ(file.vertex_count, points.size());
            double const n = std::ldexp(1.0, static_cast<int>(scale));
            double const radius = 0.55 * std::sqrt(std::log(n) / n);
            std::vector<graph::edge> expected;
            for (graph::vertex_id u = 0; u < points.size(); ++u)
                for (graph::vertex_id v = u + 1; v < points.size(); ++v)
                    if (std::hypot(points[u].x * 0x1p-31 - points[v].x * 0x1p-31,
                                   points[u].y * 0x1p-31 - points[v].y * 0x1p-31) < radius)
                        expected.push_back({u, v});
            EXPECT_EQ(file.edges, expected) << "scale " << scale << " seed " << seed;
        }
    }
}

TEST(rgg, fills_the_square_and_depends_on_the_seed_alone) {
    auto const file = io::generate_rgg(15, 1);
    EXPECT_EQ(io::generate_rgg(15, 1).edges, file.edges);
    EXPECT_NE(io::generate_rgg(15, 2).edges, file.edges);
    // rgg_n_2_15_s0 of DIMACS10 has 160240 edges: another seed of the same family lies near.
    EXPECT_NEAR(static_cast<double>(file.edges.size()), 160'240, 3'000);
    double x = 0;
    double y = 0;
    for (auto const point : io::rgg_points(15, 1)) {
        x += point.x * 0x1p-31 / 32768;
        y += point.y * 0x1p-31 / 32768;
    }
    EXPECT_NEAR(x, 0.5, 0.01);
    EXPECT_NEAR(y, 0.5, 0.01);
}

TEST(rgg, stays_the_same_from_version_to_version) {
    std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (auto const edge : io::generate_rgg(10, 7).edges)
        for (std::uint64_t const word : {edge.source, edge.target})
            hash = (hash ^ word) * 0x100000001b3u;
    EXPECT_EQ(hash, 8597693648158724582u);
}

TEST(rgg, refuses_other_scales) {
    EXPECT_THROW((void)io::generate_rgg(0, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_rgg(31, 1), std::invalid_argument);
}

namespace {

graph::edge key(graph::edge e, bool directed) {
    return directed || e.source <= e.target ? e : graph::edge{e.target, e.source};
}

} // namespace

TEST(update_generator, keeps_to_its_mix_and_knows_its_graph) {
    for (bool const directed : {false, true}) {
        auto const file = io::generate_rgg(10, 1);
        io::update_mix const mix{.insert_share = 0.6};
        io::update_generator generator(file.vertex_count, file.edges, directed, mix, 11);
        io::update_generator twin(file.vertex_count, file.edges, directed, mix, 11);
        std::set<graph::edge> present(file.edges.begin(), file.edges.end());
        constexpr int count = 50'000;
        std::map<std::string, int> seen;
        for (int i = 0; i < count; ++i) {
            io::update const each = generator.next();
            ASSERT_EQ(each, twin.next());
            ASSERT_LT(std::max(each.edge.source, each.edge.target), file.vertex_count);
            bool const inserts = each.operation == io::operation::insert;
            auto const edge = key(each.edge, directed);
            bool const changes = inserts ? present.insert(edge).second : present.erase(edge) > 0;
            ++seen[inserts ? "insert" : "erase"];
            ++seen[changes ? "change" : inserts ? "present" : "absent"];
            if (edge.source == edge.target) ++seen["loop"];
        }
        EXPECT_NEAR(seen["insert"], 0.6 * count, 0.02 * count);
        EXPECT_GT(seen["change"], 0.9 * count);
        EXPECT_GT(seen["present"], 0.01 * count);
        EXPECT_GT(seen["absent"], 0.005 * count);
        EXPECT_GT(seen["loop"], 10);
        std::set<graph::edge> told;
        for (auto const e : generator.present())
            told.insert(key(e, directed));
        EXPECT_EQ(told, present);
        EXPECT_EQ(generator.present().size(), present.size());
    }
}

TEST(update_generator, stays_the_same_from_version_to_version) {
    auto const file = io::generate_rgg(10, 1);
    io::update_generator generator(file.vertex_count, file.edges, false, {}, 11);
    std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (int i = 0; i < 10'000; ++i) {
        io::update const each = generator.next();
        for (std::uint64_t const word : {std::uint64_t{each.operation == io::operation::insert},
                                         std::uint64_t{each.edge.source}, std::uint64_t{each.edge.target}})
            hash = (hash ^ word) * 0x100000001b3u;
    }
    EXPECT_EQ(hash, 16862414268016961883u);
}

TEST(update_generator, limits_sources) {
    auto const file = io::generate_rgg(10, 1);
    io::update_mix const mix{.insert_share = 0.8, .source_count = 7, .burst_share = 0.3, .burst_length = 20};
    std::set<graph::vertex_id> of_other_seed;
    for (std::uint64_t const seed : {1u, 2u}) {
        io::update_generator generator(file.vertex_count, {}, false, mix, seed);
        std::map<graph::vertex_id, int> sources;
        for (int i = 0; i < 7000; ++i) {
            io::update const each = generator.next();
            if (each.operation == io::operation::insert) ++sources[each.edge.source];
        }
        ASSERT_EQ(sources.size(), 7u);
        std::set<graph::vertex_id> ids;
        for (auto const& [source, count] : sources) {
            EXPECT_GT(count, 300) << source;
            ids.insert(source);
        }
        EXPECT_NE(ids, of_other_seed);
        of_other_seed = ids;
    }
    // As many sources as vertices: each vertex is one.
    io::update_generator all(5, {}, true, {.insert_share = 0.5, .source_count = 5}, 1);
    std::set<graph::vertex_id> seen;
    for (int i = 0; i < 1000; ++i)
        seen.insert(all.next().edge.source);
    EXPECT_EQ(seen.size(), 5u);
    EXPECT_THROW(io::update_generator(5, {}, false, {.source_count = 6}, 1), std::invalid_argument);
}

TEST(update_generator, has_bursts_at_one_vertex) {
    constexpr std::uint64_t vertices = 100'000;
    constexpr int length = 50;
    io::update_mix const mix{.insert_share = 1,
                             .repeat_share = 0,
                             .no_effect_share = 0,
                             .self_loop_share = 0,
                             .burst_share = 0.25,
                             .burst_length = length};
    io::update_generator generator(vertices, {}, false, mix, 5);
    constexpr int count = 200'000;
    int in_bursts = 0;
    int bursts = 0;
    int run = 0;
    graph::vertex_id last = graph::no_vertex;
    for (int i = 0; i <= count; ++i) {
        graph::vertex_id const source = i < count ? generator.next().edge.source : graph::no_vertex;
        if (source == last) {
            ++run;
            continue;
        }
        // Two edges outside of bursts hardly ever leave one vertex.
        if (run >= 3) {
            if (i < count) {
                EXPECT_NEAR(run, length, 1) << i;
            }
            in_bursts += run;
            ++bursts;
        }
        run = 1;
        last = source;
    }
    EXPECT_NEAR(in_bursts, 0.25 * count, 5 * length * 32); // about 1000 bursts
    EXPECT_GT(bursts, 800);
    EXPECT_THROW(io::update_generator(5, {}, false, {.burst_share = -1}, 1), std::invalid_argument);
    EXPECT_THROW(io::update_generator(5, {}, false, {.burst_length = 0}, 1), std::invalid_argument);
    // All updates in bursts.
    io::update_generator always(1000, {}, false, {.insert_share = 1, .burst_share = 1, .burst_length = 10},
                                1);
    std::map<graph::vertex_id, int> sources;
    for (int i = 0; i < 1000; ++i)
        ++sources[always.next().edge.source];
    EXPECT_GT(sources.size(), 80u);
    EXPECT_LE(sources.size(), 100u);
}

TEST(update_generator, erases_the_oldest_edges_first) {
    auto const file = io::generate_rgg(8, 1);
    io::update_mix const mix{.insert_share = 0.45, .oldest_first = true};
    io::update_generator generator(file.vertex_count, file.edges, false, mix, 3);
    std::vector<graph::edge> queue(file.edges.begin(), file.edges.end());
    std::size_t first = 0;
    std::set<graph::edge> present(file.edges.begin(), file.edges.end());
    int erased = 0;
    for (int i = 0; i < 30'000; ++i) {
        io::update const each = generator.next();
        auto const edge = key(each.edge, false);
        if (each.operation == io::operation::insert) {
            if (present.insert(edge).second) queue.push_back(edge);
        } else if (present.erase(edge) > 0) {
            ASSERT_EQ(edge, queue[first]) << i;
            ++first;
            ++erased;
        }
    }
    EXPECT_GT(erased, 10'000);
    std::set<graph::edge> told;
    for (auto const e : generator.present())
        told.insert(key(e, false));
    EXPECT_EQ(told, present);
    EXPECT_EQ(generator.present().size(), present.size());
}

TEST(update_generator, takes_small_and_full_graphs) {
    io::update_mix const all_inserts{.insert_share = 1};
    io::update_generator one(1, {}, false, {}, 1);
    io::update_generator full(5, {}, false, all_inserts, 1);
    io::update_generator erasing(5, {}, false, {.insert_share = 0}, 1);
    io::update_generator window(5, {}, false, {.insert_share = 0.2, .oldest_first = true}, 1);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(one.next().edge, (graph::edge{0, 0}));
        EXPECT_EQ(full.next().operation, io::operation::insert);
        (void)erasing.next();
        (void)window.next();
    }
    EXPECT_GE(full.present().size(), 10u);
    EXPECT_THROW(io::update_generator(0, {}, false, {}, 1), std::invalid_argument);
    std::vector<graph::edge> const outside{{0, 9}};
    EXPECT_THROW(io::update_generator(5, outside, false, {}, 1), std::invalid_argument);
    EXPECT_THROW(io::update_generator(5, {}, false, {.insert_share = 1.5}, 1), std::invalid_argument);
}

// SPDX-License-Identifier: Apache-2.0
// What <rhizome/rhizome.hpp> includes.
#include <rhizome/graph/core/graph_core.hpp> // graphs with values of 4 bytes, where the library has none
#include <rhizome/rhizome.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

class front : public ::testing::Test {
protected:
    std::filesystem::path folder_;

    void SetUp() override {
        std::string folder = std::filesystem::temp_directory_path() / "rhizome-front-XXXXXX";
        ASSERT_NE(::mkdtemp(folder.data()), nullptr);
        folder_ = folder;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string file(std::string const& name, std::string const& text) {
        std::string const path = folder_ / name;
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
};

using plain = dynamic_graph<host_space>;

TEST_F(front, loads_files_of_several_formats) {
    // A square with a diagonal.
    std::vector<std::string> const files = {
        file("square.graph", "4 5\n2 4 3\n1 3\n2 4 1\n3 1\n"),
        file("square.txt", "0 1\n1 2\n2 3\n3 0\n0 2\n"),
        file("square.mtx",
             "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 5\n2 1\n3 2\n4 3\n4 1\n3 1\n"),
    };
    for (std::string const& path : files) {
        SCOPED_TRACE(path);
        auto loaded = load_graph(host_space(), path);
        EXPECT_EQ(loaded.vertex_count(), 4u);
        EXPECT_EQ(loaded.edge_count(), 5u);
        EXPECT_FALSE(loaded.directed());
        EXPECT_EQ(count_triangles(loaded), 2u);
        auto const arcs = load_graph(host_space(), path, {.directed = true, .in_arcs = true});
        EXPECT_TRUE(arcs.directed());
        // An edge list does not say that it is undirected.
        EXPECT_EQ(arcs.edge_count(), path.ends_with(".txt") ? 5u : 10u);
    }
    auto const columns =
        load_graph(host_space(), file("columns.txt", "3 3\n2 3\n1 3\n1 2\n"), {.columns = "u,v"});
    EXPECT_EQ(columns.edge_count(), 4u) << "a list that looks like METIS, but whose columns are named";
}

TEST_F(front, loads_weights_as_values_of_the_type_that_the_graph_has) {
    std::string const path = file("roads.gr", "p sp 3 4\na 1 2 9\na 1 2 3\na 2 3 5\na 3 1 7\n");
    auto roads = load_graph<weighted_graph<host_space>>(host_space(), path);
    EXPECT_TRUE(roads.directed());
    EXPECT_EQ(roads.edge_count(), 3u);
    EXPECT_EQ(roads.edge_values(std::vector<edge>{{0, 1}}).values[0], 3.0) << "the least of parallel arcs";
    EXPECT_EQ(shortest_paths(roads, 0).distances.to_host(), (std::vector<double>{0, 3, 8}));
    auto const whole = load_graph<weighted_graph<host_space, std::int32_t>>(
        host_space(), path, {.parallel = io::parallel_rule::sum});
    auto found = load_graph<weighted_graph<host_space, std::int32_t>>(host_space(), path,
                                                                      {.parallel = io::parallel_rule::sum})
                     .edge_values(std::vector<edge>{{0, 1}, {2, 0}});
    EXPECT_EQ(found.values, (std::vector<std::int32_t>{12, 7}));
    auto unweighted =
        load_graph<weighted_graph<host_space, float>>(host_space(), file("plain.txt", "0 1\n1 2\n"));
    EXPECT_EQ(unweighted.edge_values(std::vector<edge>{{1, 0}}).values[0], 1.0f);
    for (std::string const text : {"0 1 0.5\n1 2 3\n", "0 1 -3\n1 2 3\n", "0 1 4294967296\n1 2 1\n"}) {
        std::string const halves = file("halves.txt", text);
        EXPECT_THROW((void)(load_graph<weighted_graph<host_space, std::uint32_t>>(host_space(), halves,
                                                                                  {.columns = "u,v,w"})),
                     io::file_error)
            << text;
    }
}

TEST_F(front, gives_names_back_and_stored_graphs_as_they_were) {
    std::string const names = file("names.txt", "alice bob\nbob carol\n");
    auto const loaded = load_graph_with_names<plain>(host_space(), names);
    ASSERT_EQ(loaded.names.size(), 3u);
    EXPECT_EQ(loaded.names.name(2), "carol");
    auto const numbered = load_graph_with_names<plain>(host_space(), file("p.graph", "2 1\n2\n1\n"));
    EXPECT_TRUE(numbered.counts_from_one);
    std::string const large = file("large.txt", "0 1 1e39\n1 2 1\n");
    EXPECT_THROW(
        (void)(load_graph<weighted_graph<host_space, float>>(host_space(), large, {.columns = "u,v,w"})),
        io::file_error);

    weighted_graph<host_space, float> written(host_space(),
                                              {.vertices = 5, .directed = true, .in_arcs = true});
    written.insert_edges(std::vector<edge>{{0, 1}, {4, 2}}, std::vector<float>{1.5f, -2.0f});
    std::string const path = folder_ / "written.rhz";
    save_graph(written, path);
    double share = 0;
    auto read = load_graph<weighted_graph<host_space, float>>(
        host_space(), path, {.progress = [&](double done) { share = done; }});
    EXPECT_EQ(share, 1.0);
    EXPECT_TRUE(read.directed());
    EXPECT_TRUE(read.options().in_arcs);
    EXPECT_EQ(read.edge_values(std::vector<edge>{{4, 2}}).values[0], -2.0f);
    EXPECT_THROW((void)load_graph<weighted_graph<host_space>>(host_space(), path), io::store_error)
        << "values of another type";
}

TEST_F(front, says_what_is_wrong_with_a_file) {
    EXPECT_THROW((void)load_graph(host_space(), folder_ / "missing.graph"), io::file_error);
    EXPECT_THROW((void)load_graph(host_space(), file("empty.graph", "")), std::runtime_error);
    EXPECT_THROW((void)load_graph(host_space(), file("damaged.graph", "3 2\n2\n1 9\n\n")), io::parse_error);
    EXPECT_THROW((void)load_graph(host_space(), file("undirected.graph", "2 1\n2\n1\n"), {.in_arcs = true}),
                 std::invalid_argument);
}

TEST_F(front, functions_find_what_the_objects_beneath_find) {
    std::mt19937 random(3);
    plain tested(host_space(), {.vertices = 300});
    std::vector<edge> edges;
    for (int i = 0; i < 900; ++i)
        edges.push_back({static_cast<vertex_id>(random() % 280), static_cast<vertex_id>(random() % 280)});
    tested.insert_edges(edges);
    auto& space = tested.space();

    auto const ranks = pagerank(tested, {.tolerance = 1e-10});
    algorithms::pagerank<double, host_space> rank_engine(space);
    std::vector<double> const expected = rank_engine.run(tested.view(), {.tolerance = 1e-10}).ranks_on_host();
    EXPECT_TRUE(ranks.converged);
    EXPECT_EQ(ranks.ranks.to_host().size(), 300u);
    for (std::size_t v = 0; v < 300; ++v)
        EXPECT_NEAR(ranks.ranks.to_host()[v], expected[v], 1e-12);
    EXPECT_EQ((pagerank<float>(tested).ranks.size()), 300u);
    vertex_id const source = edges[0].source;
    auto const own = pagerank(tested, {}, {.sources = std::span(&source, 1)});
    std::vector<double> const of_one = own.ranks.to_host();
    EXPECT_GT(of_one[source], ranks.ranks.to_host()[source]) << "ranks teleport to the source";

    EXPECT_EQ(count_triangles(tested), algorithms::triangle_counter<host_space>(space).count(tested.view()));

    // Components and levels against a search by hand.
    std::map<vertex_id, std::set<vertex_id>> rows;
    for (edge const& each : edges) {
        rows[each.source].insert(each.target);
        rows[each.target].insert(each.source);
    }
    std::vector<std::uint32_t> levels(300, algorithms::unreached);
    std::vector<vertex_id> frontier{source};
    levels[source] = 0;
    for (std::uint32_t level = 1; !frontier.empty(); ++level) {
        std::vector<vertex_id> next;
        for (vertex_id const u : frontier)
            for (vertex_id const v : rows[u])
                if (levels[v] == algorithms::unreached) {
                    levels[v] = level;
                    next.push_back(v);
                }
        frontier.swap(next);
    }
    auto const tree = breadth_first_search(tested, source);
    EXPECT_EQ(tree.levels.to_host(), levels);
    std::vector<vertex_id> const parents = tree.parents.to_host();
    for (vertex_id v = 0; v < 300; ++v) {
        if (levels[v] == algorithms::unreached) {
            EXPECT_EQ(parents[v], graph::no_vertex);
        } else if (v != source) {
            EXPECT_EQ(levels[parents[v]] + 1, levels[v]);
        }
    }
    auto const parts = connected_components(tested);
    std::vector<vertex_id> const components = parts.components.to_host();
    EXPECT_EQ(parts.count, std::set<vertex_id>(components.begin(), components.end()).size());
    for (vertex_id v = 0; v < 300; ++v)
        EXPECT_EQ(components[v] == components[source], levels[v] != algorithms::unreached);
    auto const cores = core_numbers(tested);
    std::vector<std::uint32_t> const numbers = cores.cores.to_host();
    EXPECT_EQ(cores.largest, *std::max_element(numbers.begin(), numbers.end()));
    EXPECT_GT(cores.largest, 1u);
}

TEST_F(front, lambdas_visit_vertices_and_arcs_once) {
    weighted_graph<host_space, float> tested(host_space(), {.vertices = 100});
    std::vector<edge> edges;
    std::vector<float> values;
    for (vertex_id v = 0; v < 99; ++v) {
        edges.push_back({v, v + 1});
        values.push_back(static_cast<float>(v));
    }
    edges.push_back({7, 7});
    values.push_back(-1.0f);
    tested.insert_edges(edges, values);
    tested.erase_vertices(std::vector<vertex_id>{50});
    std::vector<std::atomic<int>> visits(100);
    for_each_vertex(tested, [&visits](vertex_id v) { ++visits[v]; });
    std::vector<std::atomic<int>> arcs(100);
    std::atomic<std::uint64_t> wrong = 0;
    for_each_arc(tested, [&](vertex_id u, vertex_id v, float value) {
        ++arcs[u];
        bool const fits =
            u == v ? value == -1.0f
                   : value == static_cast<float>(std::min(u, v)) && std::max(u, v) - std::min(u, v) == 1;
        if (!fits) ++wrong;
    });
    tested.space().synchronize();
    for (vertex_id v = 0; v < 100; ++v) {
        EXPECT_EQ(visits[v], v == 50 ? 0 : 1) << v;
        EXPECT_EQ(static_cast<std::uint32_t>(arcs[v]),
                  v == 50 ? 0u : tested.degrees(std::vector<vertex_id>{v})[0])
            << v;
    }
    EXPECT_EQ(wrong, 0u);
    plain without(host_space(), {.vertices = 3});
    without.insert_edges(std::vector<edge>{{0, 1}});
    std::atomic<int> count = 0;
    for_each_arc(without, [&](vertex_id, vertex_id) { ++count; });
    without.space().synchronize();
    EXPECT_EQ(count, 2);

    // With a thread, which gives atomic access.
    std::vector<std::uint32_t> degrees(100);
    for_each_arc(tested, [&](auto const& thread, vertex_id, vertex_id v, float) {
        thread.device(degrees[v]).fetch_add(1u, exec::order::relaxed);
    });
    std::uint32_t live = 0;
    for_each_vertex(tested, [&](auto const& thread, vertex_id) {
        thread.device(live).fetch_add(1u, exec::order::relaxed);
    });
    tested.space().synchronize();
    EXPECT_TRUE(std::equal(degrees.begin(), degrees.end(), arcs.begin())) << "every arc has its reverse";
    EXPECT_EQ(live, 99u);
}

TEST_F(front, searches_by_lambdas_follow_arcs) {
    weighted_graph<host_space, float> roads(host_space(), {.vertices = 6, .directed = true});
    roads.insert_edges(std::vector<edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}},
                       std::vector<float>{1, 9, 1, 1, 1});
    frontier<host_space> current(roads.space(), std::vector<vertex_id>{0});
    frontier<host_space> next(roads.space());
    std::vector<std::vector<vertex_id>> levels;
    while (!current.empty()) {
        levels.push_back(current.to_host());
        advance(roads, current, next, [](vertex_id, vertex_id, float length) { return length < 5; });
        swap(current, next);
    }
    EXPECT_EQ(levels, (std::vector<std::vector<vertex_id>>{{0}, {1}, {3}, {4}}));
    filter_vertices(roads, current, [](vertex_id v) { return v > 2; });
    filter(current, next, [](vertex_id v) { return v != 4; });
    auto kept = next.to_host();
    std::sort(kept.begin(), kept.end());
    EXPECT_EQ(kept, (std::vector<vertex_id>{3, 5}));
}

TEST_F(front, streams_have_the_effect_of_their_updates_one_by_one) {
    std::mt19937 random(11);
    std::string text;
    std::map<std::pair<vertex_id, vertex_id>, double> expected;
    for (int i = 0; i < 3000; ++i) {
        auto const u = static_cast<vertex_id>(random() % 60);
        auto const v = static_cast<vertex_id>(random() % 60);
        auto const key = std::minmax(u, v);
        if (random() % 3 != 0) {
            double const weight = static_cast<double>(random() % 1000) / 8;
            text += "+ " + std::to_string(u) + " " + std::to_string(v) + " " + std::to_string(weight) + "\n";
            expected[{key.first, key.second}] = weight;
        } else {
            text += "- " + std::to_string(u) + " " + std::to_string(v) + "\n";
            expected.erase({key.first, key.second});
        }
    }
    std::string const path = file("updates.txt", text);
    weighted_graph<host_space> tested(host_space(), {.vertices = 1});
    std::uint64_t batches = 0;
    std::uint64_t seen = 0;
    std::uint64_t const updates =
        stream_updates(tested, path, {.batch_updates = 700}, [&](streamed_batch const& batch) {
            EXPECT_EQ(batch.number, ++batches);
            seen += batch.updates;
            EXPECT_GT(batch.inserted.applied, 0u);
        });
    EXPECT_EQ(updates, 3000u);
    EXPECT_EQ(seen, 3000u);
    EXPECT_EQ(batches, 5u);
    ASSERT_EQ(tested.edge_count(), expected.size());
    for (auto const& [ends, weight] : expected) {
        auto const found = tested.edge_values(std::vector<edge>{{ends.first, ends.second}});
        EXPECT_EQ(found.present[0], 1);
        EXPECT_EQ(found.values[0], weight);
    }
    plain unweighted(host_space(), {.vertices = 60});
    stream_updates(unweighted, path, {}, [](streamed_batch const&) {});
    EXPECT_EQ(unweighted.edge_count(), expected.size());
    EXPECT_THROW(stream_updates(unweighted, file("damaged.txt", "+ 0 1\n+ 0 x\n"), {.batch_updates = 1},
                                [](streamed_batch const&) {}),
                 io::parse_error);
    EXPECT_EQ(unweighted.edge_count(), expected.size() + (expected.contains({0, 1}) ? 0 : 1))
        << "what came before the damage";
}

} // namespace
} // namespace rhizome::tests

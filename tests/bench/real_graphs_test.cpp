// SPDX-License-Identifier: Apache-2.0
// The benchmarks of graphs in the tool, small, on the spaces that every machine has.
#include "../cli/process.hpp"
#include "../io/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace rhizome::cli::testing;
using namespace rhizome::testing;
using nlohmann::json;

namespace {

std::vector<std::string> const graph_benchmarks{"updates",  "memory",    "build",        "snapshot",
                                                "pagerank", "triangles", "bfs",          "components",
                                                "kcore",    "sssp",      "row-placement"};

/// Runs benchmarks of graphs; every cell must be ok.
json cells_of(std::vector<std::string> words) {
    scratch_folder const folder;
    words.insert(words.begin(), {"bench", "run"});
    words.insert(words.end(), {"--output", folder.path("results.json"), "--quiet"});
    auto const result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    json cells = json::array();
    if (result.exit_code != 0) return cells;
    json const document = json::parse(text_of(folder.path("results.json")));
    for (json const& entry : document["benchmarks"]) {
        if (!entry.contains("axes")) continue; // one repetition of a cell
        EXPECT_EQ(entry["status"], "ok") << entry.dump();
        cells.push_back(entry);
    }
    return cells;
}

std::vector<std::string> graph_benchmarks_with(std::vector<std::string> const& more) {
    std::vector<std::string> words = graph_benchmarks;
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

/// The measures of each benchmark and graph, however often.
std::map<std::string, double> measures_of(json const& cells, std::vector<std::string> const& counters) {
    std::map<std::string, double> found;
    for (json const& each : cells) {
        std::string const name =
            each["benchmark"].get<std::string>() + " " + each["axes"]["graph"].get<std::string>() + " ";
        if (each.contains("aggregate_name") && each["aggregate_name"] == "median")
            found[name + each["measure"].get<std::string>()] = each["real_time"];
        for (std::string const& counter : counters)
            if (each.contains(counter)) found[name + counter] = each[counter];
    }
    return found;
}

} // namespace

TEST(bench_graphs, are_measured_on_the_host) {
    auto const cells = cells_of(graph_benchmarks_with(
        {"--space", "host", "--scale", "7", "--edges", "300", "--repetitions", "2", "--warm-up", "1"}));
    auto const found =
        measures_of(cells, {"loaded", "churned", "loaded_lasting", "triangles", "live_over_csr", "live_rate",
                            "lane_wise_lines", "packed_lines", "reached", "levels", "components", "largest"});
    for (std::string const graph : {"rgg", "mesh", "road", "rmat"}) {
        for (std::string const& measure : {"updates " + graph + " insert",
                                           "updates " + graph + " erase",
                                           "memory " + graph + " loaded",
                                           "memory " + graph + " churned",
                                           "build " + graph + " build",
                                           "snapshot " + graph + " snapshot",
                                           "pagerank " + graph + " live",
                                           "pagerank " + graph + " csr",
                                           "pagerank " + graph + " live_over_csr",
                                           "triangles " + graph + " live",
                                           "bfs " + graph + " live",
                                           "bfs " + graph + " csr",
                                           "bfs " + graph + " live_rate",
                                           "bfs " + graph + " levels",
                                           "components " + graph + " live",
                                           "components " + graph + " components",
                                           "components " + graph + " live_rate",
                                           "kcore " + graph + " live",
                                           "kcore " + graph + " largest",
                                           "row-placement " + graph + " bulk_build",
                                           "row-placement " + graph + " lane_wise_lines",
                                           "row-placement " + graph + " packed_lines",
                                           "row-placement " + graph + " bulk_pagerank",
                                           "sssp " + graph + " live",
                                           "sssp " + graph + " csr",
                                           "sssp " + graph + " live_rate"}) {
            EXPECT_TRUE(found.contains(measure)) << measure;
            EXPECT_TRUE(found.contains(measure) && found.at(measure) > 0) << measure;
        }
        EXPECT_GE(found.at("memory " + graph + " loaded"), found.at("memory " + graph + " loaded_lasting"));
    }
    EXPECT_EQ(found.at("triangles road triangles"), 0);
    EXPECT_EQ(found.at("bfs mesh reached"), 5 * 5 * 5);
    EXPECT_EQ(found.at("bfs mesh levels"), 5); // from a corner to the one opposite, also by diagonals
    EXPECT_EQ(found.at("components mesh components"), 1);
    EXPECT_EQ(found.at("sssp mesh reached"), 5 * 5 * 5);
    // No vertex has fewer than 7 neighbours; 13 of the 26 come later in the order of the ids.
    EXPECT_GE(found.at("kcore mesh largest"), 7);
    EXPECT_LE(found.at("kcore mesh largest"), 13);
    // 5 * 5 * 5 vertices; a cube of 2 * 2 * 2 has 56 triples, all of them triangles.
    EXPECT_GT(found.at("triangles mesh triangles"), 64 * 8);
}

TEST(bench_graphs, are_measured_on_the_emulator) {
    auto const cells = cells_of(graph_benchmarks_with(
        {"--space", "simt", "--scale", "5", "--edges", "100", "--graph", "rmat,road", "--repetitions", "1"}));
    std::set<std::string> measured;
    for (json const& each : cells)
        measured.insert(each["benchmark"].get<std::string>() + " " +
                        each["axes"]["graph"].get<std::string>());
    EXPECT_EQ(measured.size(), 2 * graph_benchmarks.size());
}

TEST(bench_graphs, give_the_same_graphs_and_triangles_in_every_space) {
    auto const cells = cells_of(
        {"triangles", "--space", "host,simt", "--scale", "6", "--repetitions", "1", "--warm-up", "0"});
    std::map<std::string, json> triangles;
    std::map<std::string, std::set<std::string>> spaces_of;
    for (json const& each : cells) {
        std::string const graph = each["axes"]["graph"];
        if (triangles.contains(graph)) {
            EXPECT_EQ(triangles[graph], each["triangles"]) << graph;
        }
        triangles[graph] = each["triangles"];
        spaces_of[graph].insert(each["axes"]["space"]);
    }
    EXPECT_EQ(triangles.size(), 4u);
    for (auto const& [graph, spaces] : spaces_of)
        EXPECT_EQ(spaces, (std::set<std::string>{"host", "simt"})) << graph;
}

TEST(bench_graphs, take_undirected_graphs_other_allocators_and_counts_with_units) {
    auto const cells =
        cells_of({"updates", "--space", "host", "--scale", "8", "--graph", "rgg", "--edges", "1k",
                  "--direction", "undirected,directed", "--allocator", "ouroboros-page-array,device-malloc",
                  "--pattern", "hub", "--repetitions", "1"});
    EXPECT_EQ(measures_of(cells, {}).size(), 2u);
    std::map<std::string, int> seen;
    for (json const& each : cells) {
        EXPECT_EQ(each["axes"]["edges"], "1000");
        ++seen[each["axes"]["allocator"]];
        ++seen[each["axes"]["direction"]];
    }
    EXPECT_EQ(seen.size(), 4u);
}

TEST(bench_graphs, compare_with_boost_on_the_host) {
    auto const cells = cells_of({"pagerank", "triangles", "--space", "host", "--scale", "7", "--baseline",
                                 "boost", "--repetitions", "1", "--graph", "rgg"});
    auto const found = measures_of(cells, {"over_boost"});
    EXPECT_GT(found.at("pagerank rgg boost"), 0);
    EXPECT_GT(found.at("pagerank rgg over_boost"), 0);
    EXPECT_GT(found.at("triangles rgg over_boost"), 0);
}

TEST(bench_graphs, say_what_cannot_be_measured) {
    auto const other = run({"bench", "run", "updates", "--space", "host", "--scale", "5", "--graph", "road",
                            "--pattern", "hub", "--layout", "buckets", "--allocator", "bump"});
    EXPECT_EQ(other.exit_code, 0) << other.err;
    EXPECT_NE(other.out.find("not served: this build has contiguous with"), std::string::npos) << other.out;
    auto const weighted = run({"bench", "run", "sssp", "--space", "host", "--scale", "5", "--graph", "road",
                               "--layout", "buckets"});
    EXPECT_EQ(weighted.exit_code, 0) << weighted.err;
    EXPECT_NE(weighted.out.find("for weighted graphs"), std::string::npos) << weighted.out;
    // 2 * 2 * 2 vertices, each adjacent to all others.
    auto const full = run({"bench", "run", "updates", "--space", "host", "--scale", "4", "--graph", "mesh",
                           "--pattern", "random", "--edges", "1000", "--repetitions", "1"});
    EXPECT_EQ(full.exit_code, 0) << full.err;
    EXPECT_NE(full.out.find("failed: 1000 of 1000 "), std::string::npos) << full.out;
    EXPECT_NE(full.out.find("new edges were not found"), std::string::npos) << full.out;
}

TEST(bench_graph_values, are_checked) {
    for (std::vector<std::string> const& wrong :
         std::vector<std::vector<std::string>>{{"--graph", "moon"},
                                               {"--graph", "rgg,"},
                                               {"--scale", "3"},
                                               {"--scale", "27"},
                                               {"--edges", "0"},
                                               {"--edges", "1T"},
                                               {"--edges", "k"},
                                               {"--edges", "2000M"},
                                               {"--edges", "-1"},
                                               {"--pattern", "zigzag"},
                                               {"--direction", "up"},
                                               {"--layout", "moon"},
                                               {"--allocator", "moon"},
                                               {"--iterations", "5"}}) { // of no benchmark of this run
        auto const result = run({"bench", "run", "updates", wrong[0], wrong[1]});
        EXPECT_EQ(result.exit_code, 2) << wrong[0] << " " << wrong[1];
        EXPECT_EQ(result.err_lines(), 1) << result.err;
        EXPECT_NE(result.err.find(wrong[0]), std::string::npos) << result.err;
    }
    EXPECT_EQ(run({"bench", "run", "pagerank", "--iterations", "0"}).exit_code, 2);
    EXPECT_EQ(run({"bench", "run", "pagerank", "--baseline", "networkx"}).exit_code, 2);
    EXPECT_EQ(run({"bench", "run", "memory", "--rounds", "x"}).exit_code, 2);
}

TEST(bench_graphs, are_drawn) {
    scratch_folder const folder;
    if (std::system("/usr/bin/env python3 -c 'import matplotlib' >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "no matplotlib for python3 on PATH";
    std::vector<std::string> words =
        graph_benchmarks_with({"--space", "host", "--scale", "6", "--edges", "100,200", "--repetitions", "1",
                               "--plot", folder.path("a.svg"), "--quiet"});
    words.insert(words.begin(), {"bench", "run"});
    auto const result = run(words);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(text_of(folder.path("a.svg")).find("</svg>"), std::string::npos);
}

TEST(bench_ouroboros_fig4, measures_all_variants_in_every_space) {
    for (char const* space : {"host", "simt"}) {
        auto const cells = cells_of({"ouroboros-fig4", "--space", space, "--graph", "ldoor,hugetric-00000",
                                     "--most-arcs", "1k", "--edges", "50", "--source", "stand-in",
                                     "--repetitions", "1", "--warm-up", "0", "--iterations", "2"});
        std::map<std::string, int> times_of;
        std::set<double> triangles;
        for (json const& each : cells) {
            if (each.value("aggregate_name", "") != "median") continue;
            ++times_of[each["axes"]["graph"].get<std::string>() + " " +
                       each["axes"]["variant"].get<std::string>()];
            if (each["axes"]["graph"] == "ldoor") triangles.insert(each["triangles"].get<double>());
            EXPECT_GT(each["memory"].get<double>(), 0);
        }
        EXPECT_EQ(times_of.size(), 18u) << space;
        for (auto const& [name, times] : times_of)
            EXPECT_EQ(times, 7) << name << " " << space;
        EXPECT_EQ(triangles.size(), 1u) << space;
    }
}

TEST(bench_ouroboros_fig4, has_the_size_of_the_paper_where_memory_allows) {
    auto const cells = cells_of({"ouroboros-fig4", "--space", "host", "--graph", "luxembourg_osm",
                                 "--most-arcs", "all", "--variant", "page-array", "--edges", "50", "--source",
                                 "stand-in", "--repetitions", "1", "--warm-up", "0", "--iterations", "1"});
    ASSERT_FALSE(cells.empty());
    for (json const& each : cells)
        if (each.contains("vertices")) {
            EXPECT_EQ(each["vertices"], 1 << 17); // more than 114,599: the nearest 2^K
        }
}

TEST(bench_maintained, follow_a_file_with_times) {
    scratch_folder const folder;
    std::string text;
    for (int i = 0; i < 400; ++i)
        text +=
            std::to_string(i * 7 % 50) + " " + std::to_string(i * 11 % 53) + " " + std::to_string(i) + "\n";
    folder.write("messages.txt", text);
    auto const result = run({"bench", "run", "maintained-components", "--space", "host", "--graph",
                             folder.path("messages.txt"), "--pattern", "window", "--edges", "2,8,32",
                             "--repetitions", "100", "--scale", "5", "--output", folder.path("a.json")});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE((result.out + result.err).find("--scale is for generated graphs"), std::string::npos);
    EXPECT_NE(result.out.find("window, insert: repairing takes "), std::string::npos) << result.out;
    json const document = json::parse(text_of(folder.path("a.json")));
    json const& break_evens = document["context"]["break_evens"];
    ASSERT_EQ(break_evens.size(), 2u);
    EXPECT_EQ(break_evens[1]["change"], "erase");
    EXPECT_EQ(break_evens[1]["axes"]["pattern"], "window");
    EXPECT_FALSE(break_evens[1]["axes"].contains("edges"));
    std::set<std::string> measures;
    for (json const& each : document["benchmarks"]) {
        if (!each.contains("axes")) continue;
        EXPECT_EQ(each["status"], "ok") << each.dump();
        measures.insert(each["axes"]["edges"].get<std::string>() + " " + each["measure"].get<std::string>());
    }
    EXPECT_TRUE(measures.contains("32 insert_update_p99"));
    EXPECT_EQ(run({"bench", "run", "maintained-components", "--graph", "moon"}).exit_code, 2);
}

TEST(bench_maintained, follow_together) {
    scratch_folder const folder;
    auto const result =
        run({"bench", "run", "maintained-together", "--space", "host", "--graph", "rmat", "--scale", "6",
             "--edges", "5", "--repetitions", "4", "--output", folder.path("a.json")});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    std::set<std::string> measures;
    json const document = json::parse(text_of(folder.path("a.json")));
    for (json const& each : document["benchmarks"]) {
        if (!each.contains("axes")) continue;
        EXPECT_EQ(each["status"], "ok") << each.dump();
        measures.insert(each["measure"].get<std::string>());
    }
    // 5 sums and 6 results, for each kind of batch.
    EXPECT_EQ(measures.size(), 23u);
    EXPECT_TRUE(measures.contains("anew"));
    EXPECT_TRUE(measures.contains("insert_and_updates"));
    EXPECT_TRUE(measures.contains("erase_kcore"));
}

TEST(bench_ouroboros_fig4, sets_the_ratios_of_the_paper_beside) {
    scratch_folder const folder;
    auto const result = run({"bench",
                             "run",
                             "ouroboros-fig4",
                             "--space",
                             "host",
                             "--graph",
                             "europe_osm",
                             "--variant",
                             "page-array,page-virtual-array,linked-pages-64,device-malloc",
                             "--most-arcs",
                             "2k",
                             "--edges",
                             "50",
                             "--source",
                             "stand-in",
                             "--repetitions",
                             "1",
                             "--output",
                             folder.path("a.json"),
                             "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("1785"), std::string::npos) << result.out;
    json const comparisons = json::parse(text_of(folder.path("a.json")))["context"]["comparisons"];
    ASSERT_EQ(comparisons.size(), 5u);
    EXPECT_EQ(comparisons[0]["paper"]["mean"], 1785);
    EXPECT_EQ(comparisons[0]["ratios"], 3);
    EXPECT_GT(comparisons[0]["ours"]["mean"].get<double>(), 0);
    EXPECT_EQ(comparisons[1]["ratios"], 1);
    EXPECT_EQ(run({"bench", "run", "ouroboros-fig4", "--graph", "moon"}).exit_code, 2);
    EXPECT_EQ(run({"bench", "run", "ouroboros-fig4", "--variant", "moon"}).exit_code, 2);
    EXPECT_EQ(run({"bench", "run", "ouroboros-fig4", "--most-arcs", "0"}).exit_code, 2);
    EXPECT_EQ(run({"bench", "run", "ouroboros-fig4", "--most-arcs", "many"}).exit_code, 2);
    EXPECT_EQ(run({"bench", "run", "ouroboros-fig4", "--source", "moon"}).exit_code, 2);
}

TEST(bench_ouroboros_fig4, is_drawn_in_eight_panels_with_its_ratios) {
    scratch_folder const folder;
    if (std::system("/usr/bin/env python3 -c 'import matplotlib' >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "no matplotlib for python3 on PATH";
    auto const result = run({"bench",
                             "run",
                             "ouroboros-fig4",
                             "--space",
                             "host",
                             "--graph",
                             "ldoor,europe_osm",
                             "--variant",
                             "page-array,linked-pages-64",
                             "--most-arcs",
                             "2k",
                             "--edges",
                             "50",
                             "--source",
                             "stand-in",
                             "--repetitions",
                             "1",
                             "--plot",
                             folder.path("a.svg"),
                             "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    std::string const picture = text_of(folder.path("a.svg"));
    std::size_t panels = 0;
    for (auto at = picture.find("<g id=\"axes_"); at != std::string::npos;
         at = picture.find("<g id=\"axes_", at + 1))
        ++panels;
    EXPECT_EQ(panels, 9u); // one more has the table
}

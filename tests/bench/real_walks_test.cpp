// SPDX-License-Identifier: Apache-2.0
// The figures of the random-walk paper by the real tool, small.
#include "../cli/process.hpp"
#include "../io/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

using nlohmann::json;
using namespace rhizome::cli::testing;
using namespace rhizome::testing;

namespace {

/// Runs a benchmark; cells are ok, or not served with one of these reasons. Returns those that are ok.
std::vector<json> walk_cells(std::vector<std::string> words, std::string const& not_served_because = "") {
    scratch_folder const folder;
    words.insert(words.begin(), {"bench", "run"});
    words.insert(words.end(), {"--output", folder.path("a.json"), "--quiet"});
    auto const result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<json> cells;
    if (result.exit_code != 0) return cells;
    std::set<std::string> seen; // a cell has an entry for each of its times
    json const document = json::parse(text_of(folder.path("a.json")));
    for (json const& entry : document["benchmarks"]) {
        if (!entry.contains("axes") || entry.value("aggregate_name", "median") != "median") continue;
        if (entry["status"] == "not served") {
            EXPECT_FALSE(not_served_because.empty()) << entry.dump();
            EXPECT_NE(entry["skip_message"].get<std::string>().find(not_served_because), std::string::npos)
                << entry.dump();
            continue;
        }
        EXPECT_EQ(entry["status"], "ok") << entry.dump();
        if (seen.insert(entry["axes"].dump()).second) cells.push_back(entry);
    }
    return cells;
}

std::set<std::string> values_of(std::vector<json> const& cells, char const* choice) {
    std::set<std::string> values;
    for (json const& each : cells)
        values.insert(each["axes"][choice].get<std::string>());
    return values;
}

std::vector<std::string> small(std::vector<std::string> words, char const* space) {
    words.insert(words.end(), {"--space", space, "--repetitions", "2"});
    return words;
}

} // namespace

TEST(bench_walks, count_steps_on_host_and_emulator) {
    for (char const* space : {"host", "simt"}) {
        auto const found = walk_cells(
            small({"random-walk-fig11", "--pages", "2048", "--free", "50,10", "--threads", "64"}, space));
        EXPECT_EQ(values_of(found, "allocator").size(), 6u) << space;
        for (json const& each : found) {
            bool const counts = each["axes"]["allocator"] != "ouroboros-page-virtual-array";
            EXPECT_EQ(each.contains("tas"), counts) << each.dump();
            if (counts) {
                EXPECT_GE(each["tas"].get<double>(), 1.0);
                EXPECT_GE(each["was"].get<double>(), each["tas"].get<double>());
            }
        }
        EXPECT_EQ(walk_cells(small({"random-walk-fig12", "--pages", "2048", "--threads", "8"}, space)).size(),
                  4u);
        EXPECT_EQ(walk_cells(small({"random-walk-fig10", "--pages", "2048", "--threads", "8"}, space)).size(),
                  12u);
        EXPECT_EQ(
            walk_cells(small({"random-walk-fig1", "--threads", "1,33", "--operations", "5"}, space)).size(),
            4u);
    }
}
TEST(bench_walks, correlate_steps_and_time_on_host_and_emulator) {
    for (char const* space : {"host", "simt"}) {
        auto const found = walk_cells(small(
            {"random-walk-correlation", "--pages", "2048", "--free", "50,10", "--threads", "64"}, space));
        ASSERT_EQ(found.size(), 6u) << space; // three searches
        for (json const& each : found) {
            EXPECT_GT(each["real_time"].get<double>(), 0);
            EXPECT_GE(each["was"].get<double>(), each["tas"].get<double>());
            EXPECT_EQ(each.contains("collisions_formula"), each["axes"]["search"] != "collaborative");
        }
    }
}
TEST(bench_walks, compute_the_equations) {
    auto const found = walk_cells({"random-walk-fig6"});
    EXPECT_EQ(found.size(), 5u * 12);
    // More threads than free pages become as many as there are.
    auto const few = walk_cells({"random-walk-fig6", "--pages", "32768", "--free", "0.5,50"});
    EXPECT_EQ(few.size(), 2u + 12);
}
TEST(bench_walks, request_blocks_of_heaps_that_are_partly_free) {
    for (char const* space : {"host", "simt"}) {
        auto const fig13 = walk_cells(
            small({"random-walk-fig13", "--threads", "20", "--heap", "4M", "--free", "50,10"}, space),
            "free");
        EXPECT_EQ(values_of(fig13, "scenario").size(), 7u) << space;
        EXPECT_EQ(values_of(fig13, "allocator").size(), 4u) << space;
        auto const fig14 = walk_cells(small({"random-walk-fig14", "--threads", "20", "--heap", "4M",
                                             "--before", "freed", "--allocator", "random-walk-malloc"},
                                            space));
        EXPECT_EQ(fig14.size(), 5u) << space;
        auto const fig4 = walk_cells(small({"random-walk-fig4", "--threads", "30", "--heap", "4M"}, space));
        EXPECT_EQ(fig4.size(), 5u * 5) << space;
    }
    EXPECT_TRUE(walk_cells(small({"random-walk-fig13", "--threads", "300", "--heap", "4M", "--free", "1",
                                  "--scenario", "8192", "--allocator", "random-walk-malloc"},
                                 "host"),
                           "2457600 bytes, but 41943 are free")
                    .empty());
}
TEST(bench_walks, hand_out_as_much_of_a_heap_as_rounding_leaves) {
    for (char const* space : {"host", "simt"}) {
        auto const found = walk_cells({"random-walk-fig15", "--space", space, "--heap", "4M", "--threads",
                                       "100", "--size", "1050,1280"});
        EXPECT_EQ(found.size(), 3u * 4 * 2) << space;
        for (json const& each : found)
            EXPECT_NEAR(each["handed_out"].get<double>() / each["handed_out_formula"].get<double>(), 1.0,
                        0.02)
                << each["axes"].dump();
    }
}
TEST(bench_hash_join, joins_with_pages_of_every_allocator) {
    for (char const* space : {"host", "simt"}) {
        auto const over_tuples =
            walk_cells(small({"random-walk-fig17", "--tuples", "100,500", "--pages", "4096"}, space));
        EXPECT_EQ(values_of(over_tuples, "allocator").size(), 7u) << space;
        EXPECT_EQ(over_tuples.size(), 14u) << space;
        auto const over_pages = walk_cells(
            small({"random-walk-fig18", "--tuples", "300", "--pool", "4M", "--copies", "7"}, space));
        EXPECT_EQ(over_pages.size(), 28u) << space;
    }
    EXPECT_EQ(walk_cells(small({"random-walk-fig18", "--tuples", "300", "--pool", "4M", "--page", "64",
                                "--allocator", "direct,random-walk-flag,random-walk-malloc"},
                               "host"),
                         "pages of 32, 128, 512 or 2048 bytes")
                  .size(),
              2u);
}
TEST(bench_hash_join, says_how_far_it_came_where_pages_run_out) {
    auto const found = walk_cells(small({"random-walk-fig17", "--tuples", "1000", "--pages", "512",
                                         "--allocator", "direct,random-walk-flag,random-walk-claim"},
                                        "host"),
                                  "matches lie in 512 pages");
    EXPECT_TRUE(found.empty());
}
TEST(bench_walks, figures_are_drawn) {
    if (std::system("/usr/bin/env python3 -c 'import matplotlib' >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "no matplotlib for python3 on PATH";
    scratch_folder const folder;
    auto const result = run({"bench",
                             "run",
                             "random-walk-fig1",
                             "random-walk-fig4",
                             "random-walk-fig6",
                             "random-walk-fig10",
                             "random-walk-fig11",
                             "random-walk-fig12",
                             "random-walk-correlation",
                             "random-walk-fig14", // as fig13
                             "random-walk-fig15",
                             "random-walk-fig18", // as fig17
                             "--space",
                             "host",
                             "--repetitions",
                             "2",
                             "--threads",
                             "16",
                             "--pages",
                             "4096",
                             "--free",
                             "50",
                             "--heap",
                             "4M",
                             "--scenario",
                             "4-64,4096-freed",
                             "--operation",
                             "add",
                             "--size",
                             "256,300",
                             "--largest",
                             "4096",
                             "--tuples",
                             "100",
                             "--pool",
                             "4M",
                             "--page",
                             "32,128",
                             "--plot",
                             folder.path("a.svg"),
                             "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(text_of(folder.path("a.svg")).find("</svg>"), std::string::npos);
}

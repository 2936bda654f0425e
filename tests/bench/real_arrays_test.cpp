// SPDX-License-Identifier: Apache-2.0
// The benchmarks of arrays by the real tool, small.
#include "../cli/process.hpp"
#include "../io/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

using nlohmann::json;
using namespace rhizome::cli::testing;
using namespace rhizome::testing;

namespace {

std::string contents(std::string const& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs a benchmark; all cells must be ok, with something measured. Returns the entries of the cells.
std::vector<json> array_cells(std::vector<std::string> words) {
    scratch_folder const folder;
    words.insert(words.begin(), {"bench", "run"});
    words.insert(words.end(), {"--output", folder.path("a.json"), "--quiet"});
    auto const result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<json> cells;
    if (result.exit_code != 0) return cells;
    bool measured = false;
    json const document = json::parse(contents(folder.path("a.json")));
    for (json const& entry : document["benchmarks"]) {
        measured = measured || entry.contains("measure") || entry.contains("gg_worst");
        if (!entry.contains("axes") || entry.value("aggregate_name", "median") != "median") continue;
        EXPECT_EQ(entry["status"], "ok") << entry.dump();
        cells.push_back(entry);
    }
    EXPECT_TRUE(measured);
    return cells;
}

} // namespace

TEST(bench_ggarray, doubles_every_array_on_host_and_emulator) {
    for (char const* space : {"host", "simt"}) {
        auto const found = array_cells({"ggarray-fig6", "ggarray-table2", "--space", space, "--elements",
                                        "1000,2500", "--repetitions", "1", "--warm-up", "0"});
        std::set<std::string> structures;
        for (json const& each : found)
            structures.insert(each["axes"]["structure"].get<std::string>());
        EXPECT_EQ(structures,
                  (std::set<std::string>{"static", "region", "gg-512", "gg-32", "buffer", "vector"}))
            << space;
    }
}
TEST(bench_ggarray, inserts_by_every_policy_and_number_of_vectors) {
    auto const found =
        array_cells({"ggarray-fig4", "--space", "host", "--elements", "1000,3000", "--structure",
                     "static,region,gg-32", "--repetitions", "2", "--warm-up", "0"});
    EXPECT_EQ(found.size(), 3u * 2 * 3);
    for (json const& each : found)
        EXPECT_EQ(each["axes"]["per-call"], "1") << "as in the paper";
    EXPECT_FALSE(array_cells({"ggarray-fig5", "--space", "simt", "--elements", "500", "--vectors", "1,7",
                              "--per-call", "4"})
                     .empty());
}
TEST(bench_ggarray, works_in_phases_and_computes_memory) {
    EXPECT_FALSE(array_cells({"ggarray-fig7", "--space", "host", "--elements", "50k", "--calls", "1,5",
                              "--each", "1,3", "--repetitions", "1", "--warm-up", "0"})
                     .empty());
    EXPECT_FALSE(array_cells({"ggarray-fig7", "--space", "simt"}).empty());
    EXPECT_FALSE(array_cells({"ggarray-fig3", "--sigma", "0,1.5"}).empty());
}
/// By method: how many cells a run has, all of which must be ok or of CUB; each has curves of so many values.
std::map<std::string, int> swept(std::vector<std::string> words, std::size_t percents) {
    scratch_folder const folder;
    words.insert(words.begin(), {"bench", "run", "space-sweep"});
    words.insert(words.end(),
                 {"--repetitions", "1", "--warm-up", "0", "--output", folder.path("a.json"), "--quiet"});
    auto const result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::map<std::string, int> cells;
    json const document = json::parse(contents(folder.path("a.json")));
    for (json const& entry : document["benchmarks"]) {
        if (!entry.contains("axes")) continue;
        std::string const method = entry["axes"]["method"];
        if (entry["status"] == "not served") {
            EXPECT_EQ(method, "cub");
            ++cells[method];
        } else if (entry.contains("curves")) {
            EXPECT_EQ(entry["status"], "ok") << entry.dump();
            EXPECT_EQ(entry["curves"]["select"].size(), percents);
            EXPECT_EQ(entry["curves"]["throughput"].size(), percents);
            ++cells[method];
        }
    }
    return cells;
}

TEST(bench_space_sweep, varies_one_thing_at_a_time) {
    auto const cells = swept({"--space", "host", "--data", "64K", "--percent-step", "48", "--method",
                              "default,space-3,space-7,cub"},
                             3);
    std::map<std::string, int> const expected{{"default", 7 + 3}, // types, and other launch shapes
                                              {"space-3", 7 + 3 + 5 + 5 + 5},
                                              {"space-7", 7 + 3 + 5 + 5},
                                              {"cub", 7}};
    EXPECT_EQ(cells, expected);
}
TEST(bench_space_sweep, crosses_what_is_named) {
    auto const cells =
        swept({"--space", "simt", "--data", "16K", "--percent-step", "96", "--method", "space-6,space-8",
               "--chunk", "512,4096", "--block-threads", "64,1024", "--streams", "0,3"},
              2);
    std::map<std::string, int> const expected{{"space-6", 8}, {"space-8", 8}};
    EXPECT_EQ(cells, expected);
}
TEST(bench_space_sweep, is_drawn) {
    if (std::system("/usr/bin/env python3 -c 'import matplotlib' >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "no matplotlib for python3 on PATH";
    scratch_folder const folder;
    auto const result = run({"bench",          "run",
                             "space-sweep",    "growth",
                             "--space",        "host",
                             "--data",         "64K",
                             "--heap",         "1M",
                             "--threads",      "1000",
                             "--allocator",    "ouroboros-page-array,bump",
                             "--method",       "space-8",
                             "--percent-step", "24",
                             "--repetitions",  "1",
                             "--warm-up",      "0",
                             "--plot",         folder.path("a.svg"),
                             "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(contents(folder.path("a.svg")).find("</svg>"), std::string::npos);
}
TEST(bench_ggarray, figures_are_drawn) {
    if (std::system("/usr/bin/env python3 -c 'import matplotlib' >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "no matplotlib for python3 on PATH";
    scratch_folder const folder;
    auto const result =
        run({"bench", "run", "ggarray-fig3", "ggarray-fig4", "ggarray-fig6", "--space", "host", "--elements",
             "1000,2000", "--repetitions", "1", "--warm-up", "0", "--plot", folder.path("a.svg"), "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(contents(folder.path("a.svg")).find("</svg>"), std::string::npos);
}

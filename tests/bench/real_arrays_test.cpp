// SPDX-License-Identifier: Apache-2.0
// The benchmarks of arrays by the real tool, small.
#include "../cli/process.hpp"
#include "../io/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
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

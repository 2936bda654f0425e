// SPDX-License-Identifier: Apache-2.0
// The benchmark of communication by the real tool, small.
#include "../cli/process.hpp"
#include "../io/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

using nlohmann::json;
using namespace rhizome::cli::testing;
using namespace rhizome::testing;

namespace {

std::vector<std::string> const quick_words{"bench",   "run",    "communication", "--space", "host",
                                           "--ranks", "2,3",    "--message",     "64,8K",   "--repetitions",
                                           "2",       "--quiet"};

std::vector<std::string> with(std::vector<std::string> words, std::vector<std::string> const& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

} // namespace

TEST(bench_communication_tool, measures_each_call_once_per_size) {
    scratch_folder const folder;
    auto const result = run(with(quick_words, {"--output", folder.path("a.json")}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    std::map<std::string, int> cells;
    json const document = json::parse(text_of(folder.path("a.json")));
    for (json const& entry : document["benchmarks"]) {
        if (entry.value("aggregate_name", "") != "median") continue;
        EXPECT_EQ(entry["status"], "ok") << entry.dump();
        bool const has_arrays = entry["axes"]["message"] != "0";
        EXPECT_EQ(entry.contains("bandwidth"), has_arrays) << entry.dump();
        ++cells[entry["axes"]["call"].get<std::string>()];
    }
    EXPECT_EQ(cells, (std::map<std::string, int>{{"exchange", 4},
                                                 {"all-gather", 4},
                                                 {"all-reduce", 4},
                                                 {"broadcast", 4},
                                                 {"counts", 2},
                                                 {"vote", 2},
                                                 {"barrier", 2}}));
}

TEST(bench_communication_tool, draws) {
    if (std::system("/usr/bin/env python3 -c 'import matplotlib' >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "no matplotlib for python3 on PATH";
    scratch_folder const folder;
    auto const result = run(with(quick_words, {"--plot", folder.path("a.svg")}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(text_of(folder.path("a.svg")).find("</svg>"), std::string::npos);
}

TEST(bench_communication_tool, predicts_and_refuses_numbers_that_are_none) {
    auto const result = run({"bench", "run", "communication-model", "--ranks", "2,8,256", "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("bytes_per_edge"), std::string::npos);
    auto const refused = run({"bench", "run", "communication-model", "--between-bandwidth", "0"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.err.find("--between-bandwidth: found '0'"), std::string::npos) << refused.err;
}

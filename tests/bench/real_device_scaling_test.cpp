// SPDX-License-Identifier: Apache-2.0
// The benchmark of several devices by the real tool, small: ranks are threads of the host.
#include "../cli/process.hpp"
#include "../io/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>

using nlohmann::json;
using namespace rhizome::cli::testing;
using namespace rhizome::testing;

TEST(bench_device_scaling_tool, measures_each_workload_beside_one_device) {
    scratch_folder const folder;
    auto const result = run({"bench",
                             "run",
                             "device-scaling",
                             "--space",
                             "host",
                             "--devices",
                             "1,2,3",
                             "--scale",
                             "8",
                             "--edges",
                             "2k",
                             "--iterations",
                             "3",
                             "--warm-up",
                             "0",
                             "--repetitions",
                             "2",
                             "--quiet",
                             "--output",
                             folder.path("a.json")});
    ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
    std::set<std::string> cells;
    json const document = json::parse(text_of(folder.path("a.json")));
    for (json const& entry : document["benchmarks"]) {
        if (entry.value("aggregate_name", "") != "median") continue;
        ASSERT_EQ(entry["status"], "ok") << entry.dump();
        json const& axes = entry["axes"];
        std::string const workload = axes["workload"];
        std::string const time = workload == "updates"    ? "insert"
                                 : workload == "pagerank" ? "iteration"
                                                          : "count";
        EXPECT_GT(entry[time + "_efficiency"].get<double>(), 0) << entry.dump();
        EXPECT_GT(entry["memory"].get<double>(), 0.9) << entry.dump();
        cells.insert(workload + " " + axes["devices"].get<std::string>() + " " +
                     axes["mode"].get<std::string>());
    }
    EXPECT_EQ(cells.size(), 18u);
}

TEST(bench_device_scaling_tool, says_why_a_space_is_not_served) {
    auto const result = run({"bench", "run", "device-scaling", "--space", "simt", "--devices", "2", "--mode",
                             "weak", "--workload", "triangles", "--quiet"});
    EXPECT_NE((result.out + result.err).find("emulator say nothing"), std::string::npos)
        << result.out << result.err;
    EXPECT_EQ(run({"bench", "run", "device-scaling", "--devices", "0"}).exit_code, 2);
}

TEST(bench_generated_graph_tool, loads_the_same_graph_on_any_number_of_ranks) {
    scratch_folder const folder;
    auto const result = run({"bench",
                             "run",
                             "generated-graph",
                             "--space",
                             "host",
                             "--devices",
                             "1,3",
                             "--scale",
                             "9",
                             "--edge-factor",
                             "8",
                             "--edges",
                             "1k",
                             "--load-batch",
                             "1k",
                             "--iterations",
                             "2",
                             "--warm-up",
                             "0",
                             "--repetitions",
                             "1",
                             "--quiet",
                             "--output",
                             folder.path("a.json")});
    ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
    std::set<double> edges;
    unsigned cells = 0; // a cell has an entry for each of its times
    json const document = json::parse(text_of(folder.path("a.json")));
    for (json const& entry : document["benchmarks"]) {
        if (!entry["name"].get<std::string>().ends_with("/load_median")) continue;
        ASSERT_EQ(entry["status"], "ok") << entry.dump();
        edges.insert(entry["edges"].get<double>());
        EXPECT_GT(entry["load_rate"].get<double>(), 0) << entry.dump();
        EXPECT_GT(entry["bytes_per_arc"].get<double>(), 4) << entry.dump();
        ++cells;
    }
    EXPECT_EQ(cells, 2u);
    EXPECT_EQ(edges.size(), 1u);
    EXPECT_NE(run({"bench", "list"}).out.find("generated-graph"), std::string::npos);
    EXPECT_EQ(run({"bench", "run", "generated-graph", "--scale", "32"}).exit_code, 2);
}

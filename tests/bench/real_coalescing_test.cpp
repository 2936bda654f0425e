// SPDX-License-Identifier: Apache-2.0
// The figures of the coalescing paper by the real tool, small.
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

/// The entries of the cells of a run, one for each.
std::vector<json> run_cells(std::vector<std::string> words, json* context = nullptr) {
    scratch_folder const folder;
    words.insert(words.begin(), {"bench", "run"});
    words.insert(words.end(), {"--output", folder.path("a.json"), "--quiet"});
    auto const result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<json> cells;
    if (result.exit_code != 0) return cells;
    std::set<std::string> seen; // a cell has an entry for each of its times
    json const document = json::parse(text_of(folder.path("a.json")));
    if (context != nullptr) *context = document["context"];
    for (json const& entry : document["benchmarks"])
        if (entry.contains("axes") && entry.value("aggregate_name", "median") == "median" &&
            seen.insert(entry["axes"].dump()).second)
            cells.push_back(entry);
    return cells;
}
void expect_all_ok(std::vector<json> const& cells, std::size_t count) {
    EXPECT_EQ(cells.size(), count);
    for (json const& each : cells)
        EXPECT_EQ(each["status"], "ok") << each.dump();
}

std::string const all_backings =
    "device-malloc,ouroboros-page-virtual-array,random-walk-malloc,coalescing-block-header-device-malloc,"
    "coalescing-warp-table-device-malloc,coalescing-block-header,coalescing-block-table,coalescing-warp-"
    "header,"
    "coalescing-warp-table,coalescing-dynamic,coalescing-block-table-random-walk-malloc,"
    "coalescing-warp-table-random-walk-malloc,coalescing-block-dense-device-malloc,"
    "coalescing-warp-dense-device-malloc";

} // namespace

TEST(bench_coalescing, works_by_every_pattern_on_host_and_emulator) {
    for (char const* space : {"host", "simt"}) {
        auto const cells =
            run_cells({"coalescing-fig3", "--space", space, "--floats", "25,400", "--blocks", "2",
                       "--block-threads", "96", "--repetitions", "1", "--heap", "8M", "--allocator",
                       "coalescing-block-table,coalescing-dynamic-device-malloc"});
        expect_all_ok(cells, 2u * 2 * 5);
        for (json const& each : cells) {
            EXPECT_GT(each["performance"].get<double>(), 0);
            EXPECT_GE(each["sectors"].get<double>(), each["lines"].get<double>());
        }
    }
}
TEST(bench_coalescing, serves_every_allocator_and_compares) {
    for (char const* space : {"host", "simt"}) {
        json context;
        expect_all_ok(run_cells({"coalescing-fig1", "--space", space, "--floats", "100", "--blocks", "2",
                                 "--block-threads", "64", "--repetitions", "1", "--heap", "8M", "--allocator",
                                 all_backings},
                                &context),
                      14);
        std::set<std::string> lines;
        for (json const& each : context["comparisons"])
            lines.insert(each["what"].get<std::string>());
        EXPECT_TRUE(lines.contains("linear, 100 floats, 2 x 64 threads: block-header")) << context.dump();
        EXPECT_TRUE(lines.contains("linear, 100 floats, 2 x 64 threads: warp-table over Ouroboros"));
        EXPECT_TRUE(lines.contains("linear, 100 floats, 2 x 64 threads: warp-table without padding"));
        EXPECT_TRUE(lines.contains("work, variants over random-walk-malloc alone"));
        expect_all_ok(run_cells({"coalescing-fig4", "--space", space, "--floats", "200", "--blocks", "1",
                                 "--block-threads", "64", "--repetitions", "1", "--heap", "8M", "--allocator",
                                 "device-malloc,coalescing-warp-header"}),
                      2);
    }
}
TEST(bench_coalescing, lays_blocks_of_neighbours_side_by_side) {
    auto const cells =
        run_cells({"coalescing-fig1", "--space", "simt", "--floats", "25", "--blocks", "2", "--block-threads",
                   "64", "--heap", "8M", "--allocator",
                   "coalescing-warp-table,coalescing-block-table,ouroboros-page-virtual-array"});
    expect_all_ok(cells, 3);
    for (json const& each : cells) {
        bool const coalesced = each["axes"]["allocator"] != "ouroboros-page-virtual-array";
        // 32 blocks of 112 bytes: 28 lines, or one more if they do not begin at a line.
        if (coalesced)
            EXPECT_LE(each["footprint"].get<double>(), 29) << each.dump();
        else
            EXPECT_GE(each["footprint"].get<double>(), 28) << each.dump();
    }
}
TEST(bench_coalescing, runs_every_collective_on_host_and_emulator) {
    for (char const* space : {"host", "simt"}) {
        expect_all_ok(
            run_cells({"coalescing-fig5", "--space", space, "--blocks", "2", "--block-threads", "32",
                       "--doubles", "3", "--repetitions", "1", "--warm-up", "1", "--heap", "8M",
                       "--allocator",
                       "device-malloc,coalescing-warp-table,coalescing-block-header-device-malloc"}),
            6u * 3);
        // Neither ranks nor threads of the last warp are a power of two.
        expect_all_ok(run_cells({"coalescing-fig5", "--space", space, "--blocks", "1", "--block-threads",
                                 "45", "--doubles", "2", "--repetitions", "1", "--heap", "8M", "--allocator",
                                 "coalescing-block-table,coalescing-dynamic"}),
                      6u * 2);
    }
}
TEST(bench_coalescing, says_where_memory_ran_out) {
    for (char const* space : {"host", "simt"})
        for (char const* figure : {"coalescing-fig1", "coalescing-fig5"}) {
            std::vector<std::string> words{figure,
                                           "--space",
                                           space,
                                           "--blocks",
                                           "4",
                                           "--block-threads",
                                           "256",
                                           "--heap",
                                           "1M",
                                           "--repetitions",
                                           "1",
                                           "--allocator",
                                           "coalescing-block-table,coalescing-warp-header"};
            if (figure == std::string("coalescing-fig1"))
                words.insert(words.end(), {"--floats", "400"});
            else
                words.insert(words.end(), {"--doubles", "128", "--collective", "broadcast"});
            auto const cells = run_cells(words);
            EXPECT_EQ(cells.size(), 2u);
            for (json const& each : cells) {
                EXPECT_EQ(each["status"], "not served") << each.dump();
                EXPECT_NE(each["skip_message"].get<std::string>().find("were refused"), std::string::npos)
                    << each.dump();
            }
        }
}
TEST(bench_coalescing, figures_are_drawn) {
    if (std::system("/usr/bin/env python3 -c 'import matplotlib' >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "no matplotlib for python3 on PATH";
    scratch_folder const folder;
    auto const result =
        run({"bench",           "run",
             "coalescing-fig1", "coalescing-fig3",
             "coalescing-fig4", "coalescing-fig5",
             "--space",         "host",
             "--blocks",        "2",
             "--block-threads", "32",
             "--repetitions",   "1",
             "--heap",          "8M",
             "--floats",        "25,100",
             "--pattern",       "linear,stride",
             "--collective",    "reduce,gather",
             "--allocator",     "device-malloc,coalescing-block-table,coalescing-warp-header-device-malloc",
             "--plot",          folder.path("a.svg"),
             "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(text_of(folder.path("a.svg")).find("</svg>"), std::string::npos);
}
TEST(bench_coalescing, runs_programs_of_several_collectives) {
    expect_all_ok(run_cells({"coalescing-programs", "--space", "host", "--ranks", "128,256", "--doubles", "2",
                             "--rounds", "2", "--repetitions", "2", "--heap", "32M", "--allocator",
                             "device-malloc,ouroboros-page-virtual-array,coalescing-block-table,"
                             "coalescing-warp-dense-device-malloc"}),
                  3u * 2 * 4);
    expect_all_ok(
        run_cells({"coalescing-programs", "--space", "simt", "--program", "sort,transpose", "--ranks", "128",
                   "--doubles", "1", "--rounds", "2", "--repetitions", "1", "--warm-up", "0", "--heap", "16M",
                   "--allocator", "coalescing-block-header,coalescing-warp-table-device-malloc"}),
        2u * 2);
    expect_all_ok(
        run_cells({"coalescing-programs", "--space", "simt", "--program", "solver", "--ranks", "384",
                   "--doubles", "3", "--rounds", "2", "--repetitions", "1", "--warm-up", "0", "--heap", "16M",
                   "--allocator", "coalescing-block-header,coalescing-warp-table-device-malloc"}),
        2u);
    for (char const* space : {"host", "simt"}) { // nothing is lost where requests are refused
        auto const cells = run_cells({"coalescing-programs", "--space", space, "--program", "sort,solver",
                                      "--ranks", "128", "--doubles", "64", "--repetitions", "1", "--warm-up",
                                      "0", "--heap", "1M", "--allocator", "coalescing-block-table"});
        ASSERT_EQ(cells.size(), 2u);
        EXPECT_EQ(cells[0]["status"], "not served") << cells[0].dump();
    }
    EXPECT_EQ(run({"bench", "run", "coalescing-programs", "--ranks", "100"}).exit_code, 2);
}

// SPDX-License-Identifier: Apache-2.0
// The benchmarks of allocators in the tool, small, on the spaces that every machine has.
#include "../cli/process.hpp"
#include "../io/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace rhizome::cli::testing;
using namespace rhizome::testing;
using nlohmann::json;

namespace {

/// In front of options that all benchmarks of allocators take.
std::vector<std::string> with_all_benchmarks(std::vector<std::string> const& options) {
    std::vector<std::string> words{"cycle", "fresh", "capacity", "address-range", "growth", "scaling"};
    words.insert(words.end(), options.begin(), options.end());
    return words;
}

/// Runs the tool and gives the medians, and what is no time, by "benchmark allocator size measure".
struct small_run {
    explicit small_run(std::vector<std::string> words) {
        words.insert(words.begin(), {"bench", "run"});
        words.insert(words.end(), {"--output", folder.path("results.json"), "--quiet"});
        result = run(words);
        if (result.exit_code != 0) return;
        document = json::parse(text_of(folder.path("results.json")));
        for (json const& entry : document["benchmarks"]) {
            if (!entry.contains("axes")) continue; // one repetition of a cell
            std::string const name = entry["benchmark"].get<std::string>() + " " +
                                     entry["axes"]["allocator"].get<std::string>() + " " +
                                     entry["axes"]["size"].get<std::string>();
            status[name] = entry["status"];
            if (entry.contains("aggregate_name") && entry["aggregate_name"] == "median")
                values[name + " " + entry["measure"].get<std::string>()] = entry["real_time"];
            for (char const* counter :
                 {"handed_out", "handed_out_again", "address_range", "live", "rounds", "served"})
                if (entry.contains(counter)) values[name + " " + counter] = entry[counter];
        }
    }

    void expect_all_ok() const {
        ASSERT_EQ(result.exit_code, 0) << result.err;
        EXPECT_FALSE(status.empty());
        for (auto const& [name, how] : status)
            EXPECT_TRUE(how == "ok" || (how == "not served" && may_be_refused(name)))
                << name << ": " << how << "\n"
                << result.out;
    }
    /// Cells of allocators with one size, of CUDA's own heap, and of coalescing over that where the size of
    /// the heap is measured.
    [[nodiscard]] static bool may_be_refused(std::string const& name) {
        auto const has = [&](char const* part) { return name.find(part) != std::string::npos; };
        bool const measures_heap =
            name.starts_with("fresh ") || name.starts_with("capacity ") || name.starts_with("growth ");
        return has(" device-malloc ") || has(" page-queue") || has(" random-walk-") ||
               (has("-device-malloc ") && measures_heap);
    }

    scratch_folder folder;
    outcome result;
    json document;
    std::map<std::string, std::string> status;
    std::map<std::string, double> values;
};

} // namespace

TEST(bench_host, measures_every_benchmark) {
    small_run const small(
        with_all_benchmarks({"--space", "host", "--threads", "500", "--heap", "4M", "--repetitions", "2",
                             "--warm-up", "1", "--size", "16,64-1024"}));
    small.expect_all_ok();
    auto const value = [&](std::string const& name) {
        EXPECT_TRUE(small.values.contains(name)) << name;
        return small.values.contains(name) ? small.values.at(name) : -1;
    };
    EXPECT_GT(value("cycle ouroboros-page-array 16 alloc"), 0);
    EXPECT_GT(value("cycle bump 64-1024 free"), 0);
    EXPECT_GT(value("fresh ouroboros-page-array 64-1024 alloc"), 0);
    EXPECT_GT(value("scaling device-malloc 16 alloc"), 0);
    EXPECT_NEAR(value("capacity bump 16 handed_out"), 1.0, 0.001);
    EXPECT_GT(value("capacity ouroboros-page-array 16 handed_out"), 0.9);
    EXPECT_LE(value("capacity ouroboros-page-array 16 handed_out"), 1.0);
    EXPECT_NEAR(value("capacity ouroboros-page-array 16 handed_out_again"),
                value("capacity ouroboros-page-array 16 handed_out"), 0.02);
    EXPECT_FALSE(small.values.contains("capacity bump 16 handed_out_again"));
    EXPECT_NEAR(value("address-range bump 16 address_range"), 1.0, 0.001);
    EXPECT_GE(value("address-range ouroboros-page-array 64-1024 address_range"), 1.0);
    EXPECT_NEAR(value("growth bump 16 live"), 0.5, 0.01);         // what is freed stays lost
    EXPECT_GT(value("growth ouroboros-page-array 16 live"), 0.9); // what is freed is used again
    for (json const& entry : small.document["benchmarks"]) {      // curves over the rounds
        if (!entry.contains("curves")) continue;
        json const& range = entry["curves"]["range_of_rounds"];
        EXPECT_EQ(entry["benchmark"], "growth");
        EXPECT_EQ(range.size(), entry["rounds"].get<std::size_t>());
        EXPECT_EQ(range.back(), entry["address_range"]);
        EXPECT_EQ(entry["curves"]["alloc"].size(), range.size());
    }
    EXPECT_EQ(small.status.at("capacity device-malloc 16"), "not served");
    EXPECT_EQ(small.document["context"]["notes"].size(), 0u);
}

TEST(bench_host, asks_a_heap_in_pieces_for_extents) {
    small_run const small({"extents", "--space", "host", "--threads", "50", "--heap", "4M", "--repetitions",
                           "2", "--warm-up", "0", "--size", "16384,65536", "--allocator",
                           "ouroboros-page-array,page-queue"});
    ASSERT_EQ(small.result.exit_code, 0) << small.result.err;
    EXPECT_EQ(small.status.at("extents ouroboros-page-array 16384"), "ok");
    EXPECT_EQ(small.values.at("extents ouroboros-page-array 16384 served"), 1.0);
    EXPECT_LT(small.values.at("extents ouroboros-page-array 65536 served"), 0.5); // pieces are smaller
    EXPECT_EQ(small.status.at("extents page-queue 16384"), "not served");
}

TEST(bench_simt, measures_every_benchmark_as_small_as_an_emulator_needs) {
    small_run const small(
        with_all_benchmarks({"--space", "simt", "--size", "64", "--heap", "1M", "--threads", "128",
                             "--repetitions", "1", "--allocator", "ouroboros-page-array,bump"}));
    small.expect_all_ok();
    EXPECT_NE(small.document["context"]["notes"].dump().find("on simt"), std::string::npos);
    EXPECT_EQ(small.document["context"]["notes"].size(), 2u) << small.document["context"]["notes"]; // warm-up
    EXPECT_GT(small.values.at("growth ouroboros-page-array 64 live"), 0.9);
}

TEST(bench_simt, one_lane_of_each_warp_asks_in_warp_mode) {
    small_run const small({"capacity", "--space", "simt", "--size", "1K", "--heap", "1M", "--threads", "64",
                           "--mode", "warp", "--allocator", "bump"});
    small.expect_all_ok();
    EXPECT_NE(small.result.out.find("mode warp"), std::string::npos);
    // 2 requests a launch, of 1024 that fit; the last launch is refused
    for (json const& entry : small.document["benchmarks"])
        EXPECT_EQ(entry["launches"], 513);
}

TEST(bench_host, shows_a_request_that_is_refused_as_a_failure) {
    small_run const small({"cycle", "--space", "host", "--size", "1M", "--heap", "2M", "--threads", "50",
                           "--repetitions", "1", "--allocator", "bump"});
    ASSERT_EQ(small.result.exit_code, 0) << small.result.err;
    EXPECT_EQ(small.status.at("cycle bump 1048576"), "failed");
    EXPECT_NE(small.result.out.find("48 of 50 requests were refused"), std::string::npos) << small.result.out;
}

TEST(bench_tool_list, has_one_line_for_each_benchmark) {
    auto const document = json::parse(run({"bench", "list", "--json"}).out);
    std::istringstream lines(run({"bench", "list", "--quiet"}).out);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
        ASSERT_LT(number, document.size()) << line;
        std::string const name = document[number]["name"];
        EXPECT_TRUE(line.starts_with("  " + name + " ")) << line << ": a summary that takes two lines?";
        EXPECT_LE(line.size(), 100u) << line;
    }
    EXPECT_EQ(number, document.size());
}

TEST(bench_tool_values, are_checked) {
    for (std::vector<std::string> const& wrong :
         std::vector<std::vector<std::string>>{{"--size", "3"},
                                               {"--size", "64-16"},
                                               {"--size", "16-"},
                                               {"--size", "-16"},
                                               {"--size", "moon"},
                                               {"--threads", "0"},
                                               {"--mode", "block"},
                                               {"--heap", "1K"},
                                               {"--repetitions", "0"},
                                               {"--allocator", "moon"},
                                               {"--space", "moon"},
                                               {"--seed", "-1"}}) {
        std::vector<std::string> words{"bench", "run", "cycle"};
        words.insert(words.end(), wrong.begin(), wrong.end());
        auto const result = run(words);
        EXPECT_EQ(result.exit_code, 2) << wrong[0] << " " << wrong[1];
        EXPECT_EQ(result.err_lines(), 1) << result.err;
    }
}

TEST(bench_host, compares_with_public_figures_of_the_same_workload) {
    scratch_folder const folder;
    std::string const figures =
        folder.write("figures.csv", "benchmark,system,allocator,size,threads,heap,space,measure,value,note\n"
                                    "cycle,Theirs,ouroboros-page-array,16,100,1048576,host,alloc,1000,\n");
    auto const result =
        run({"bench", "run", "cycle", "--space", "host", "--size", "16", "--heap", "1M", "--threads",
             "100,101", "--repetitions", "1", "--allocator", "ouroboros-page-array", "--public", figures});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    auto const found = result.out.find("1000 Theirs");
    EXPECT_NE(found, std::string::npos) << result.out;
    EXPECT_EQ(result.out.find("Theirs", found + 10), std::string::npos) << result.out;
}

TEST(bench_plot, draws_or_says_what_is_missing) {
    scratch_folder const folder;
    std::vector<std::string> const words{"bench",         "run",
                                         "cycle",         "scaling",
                                         "--space",       "host",
                                         "--size",        "16",
                                         "--heap",        "1M",
                                         "--threads",     "100,200",
                                         "--repetitions", "2",
                                         "--output",      folder.path("a.json"),
                                         "--plot",        folder.path("a.svg"),
                                         "--quiet"};
    auto const result = run(words);
    if (std::system("/usr/bin/env python3 -c 'import matplotlib' >/dev/null 2>&1") != 0) {
        EXPECT_EQ(result.exit_code, 1);
        EXPECT_EQ(result.err_lines(), 1) << result.err;
        EXPECT_EQ(result.out, ""); // found out before anything was measured
        EXPECT_EQ(folder.file_count(), 0);
        GTEST_SKIP() << "no matplotlib for python3 on PATH: " << result.err;
    }
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(json::accept(text_of(folder.path("a.json"))));
    EXPECT_NE(text_of(folder.path("a.svg")).find("</svg>"), std::string::npos);
}

TEST(bench_ouroboros_fig3, has_the_points_of_the_figure) {
    // Most are refused by so small a heap: the cells are counted.
    small_run const all(
        {"ouroboros-fig3", "--space", "host", "--heap", "1M", "--allocator", "bump", "--repetitions", "1"});
    ASSERT_EQ(all.result.exit_code, 0) << all.result.err;
    std::set<std::pair<std::string, std::string>> points;
    for (json const& entry : all.document["benchmarks"])
        if (entry.contains("axes"))
            points.emplace(entry["axes"]["size"].get<std::string>(),
                           entry["axes"]["threads"].get<std::string>());
    // 11 sizes with two counts; 5 more counts with 4 sizes, but for a million of 8 KiB, which do not fit.
    EXPECT_EQ(points.size(), 11u * 2 + 5 * 4 - 1);
    EXPECT_TRUE(points.contains({"16-8192", "100000"}));
    EXPECT_TRUE(points.contains({"32", "1000000"}));
    EXPECT_FALSE(points.contains({"64", "1"}));
    EXPECT_FALSE(points.contains({"8192", "1000000"}));
}

TEST(bench_ouroboros_fig3, measures_its_allocators_and_compares) {
    small_run const small({"ouroboros-fig3", "--space", "host", "--size", "16,64-1024", "--threads", "10000",
                           "--heap", "64M", "--repetitions", "2", "--warm-up", "0"});
    small.expect_all_ok();
    EXPECT_EQ(small.status.size(), 16u);
    EXPECT_GT(small.values.at("ouroboros-fig3 ouroboros-chunk-array 16 alloc"), 0);
    EXPECT_GT(small.values.at("ouroboros-fig3 device-malloc 64-1024 free"), 0);
    EXPECT_GT(small.values.at("ouroboros-fig3 ouroboros-page-array 16 first"), 0);
    EXPECT_GE(small.values.at("ouroboros-fig3 ouroboros-page-array 16 address_range"), 1);
    json const comparisons = small.document["context"]["comparisons"];
    ASSERT_EQ(comparisons.size(), 5u);
    EXPECT_EQ(comparisons[0]["ratios"], 8); // 4 page-based variants, 2 sizes
    EXPECT_EQ(comparisons[1]["ratios"], 0);
    small_run const emulated({"ouroboros-fig3", "--space", "simt", "--size", "64", "--threads", "64",
                              "--heap", "1M", "--repetitions", "1", "--allocator",
                              "ouroboros-page-virtual-linked,bump"});
    emulated.expect_all_ok();
}

TEST(bench_ouroboros_fig3, is_drawn) {
    scratch_folder const folder;
    if (std::system("/usr/bin/env python3 -c 'import matplotlib' >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "no matplotlib for python3 on PATH";
    auto const result = run({"bench",
                             "run",
                             "ouroboros-fig3",
                             "--space",
                             "host",
                             "--size",
                             "16,32,64,128,256",
                             "--threads",
                             "10,100,1000",
                             "--heap",
                             "8M",
                             "--repetitions",
                             "1",
                             "--warm-up",
                             "0",
                             "--allocator",
                             "ouroboros-page-array,device-malloc",
                             "--plot",
                             folder.path("a.svg"),
                             "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(text_of(folder.path("a.svg")).find("</svg>"), std::string::npos);
}

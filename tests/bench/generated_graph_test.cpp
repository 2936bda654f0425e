// SPDX-License-Identifier: Apache-2.0
// The benchmark of the largest graph: which edges are drawn, what is counted, and what happens without
// memory.
#include <rhizome/bench/device_scaling/edge_source_on.hpp>
#include <rhizome/bench/device_scaling/generated_graph.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/runtime/ranks/open_ranks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace rhizome;
using namespace rhizome::bench;

namespace {

cell generated_cell(std::string const& scale, std::string const& devices) {
    return {"generated-graph",
            {{"devices", devices},
             {"scale", scale},
             {"edge-factor", "16"},
             {"load-batch", "5000"},
             {"edges", "700"},
             {"iterations", "3"},
             {"space", "host"},
             {"warm-up", "0"},
             {"repetitions", "2"},
             {"seed", "5"}}};
}

/// What each rank gives.
std::vector<cell_result> results_of_ranks(cell const& which, std::uint64_t memory_limit_bytes = 0) {
    generated_graph_options const options(which);
    auto ranks = runtime::host_ranks(static_cast<int>(options.devices),
                                     {.threads = 2, .memory_limit_bytes = memory_limit_bytes});
    std::vector<cell_result> results(ranks.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        threads.emplace_back([&, rank] {
            try {
                results[rank] =
                    measure_generated_graph(*ranks[rank], options, [](edge_source_options const& source) {
                        return open_on<exec::host_space>({.name = "host", .host_threads = 2}, source);
                    });
            } catch (std::exception const& error) {
                results[rank] = {cell_status::failed, error.what(), {}};
                ranks[rank]->abort(error.what());
            }
        });
    for (auto& each : threads)
        each.join();
    return results;
}

double value_of(cell_result const& result, std::string const& name) {
    for (measure const& each : result.measures)
        if (each.name == name) return each.samples.back();
    ADD_FAILURE() << "no measure " << name;
    return 0;
}

} // namespace

TEST(bench_generated_graph, ids_are_scattered_one_to_one) {
    for (unsigned bits = 1; bits <= 16; ++bits)
        for (std::uint64_t const seed : {1u, 2u}) {
            scattered_ids const scattered{bits, seed};
            std::vector<bool> seen(std::size_t{1} << bits, false);
            for (std::uint64_t id = 0; id < seen.size(); ++id) {
                std::uint64_t const other = scattered(id);
                ASSERT_LT(other, seen.size());
                ASSERT_FALSE(seen[other]) << bits << " bits, seed " << seed << ", id " << id;
                seen[other] = true;
            }
        }
}

/// The id with the most neighbours is 0 before ids are scattered: (a + b)^scale of all ends.
TEST(bench_generated_graph, edges_have_the_degrees_of_the_model) {
    constexpr unsigned scale = 12;
    constexpr std::uint64_t count = 400'000;
    generated_edges const edges{scale, 7};
    std::vector<std::uint64_t> sources(1u << scale, 0);
    for (std::uint64_t i = 0; i < count; ++i)
        ++sources[edges.draw(i).source];
    std::uint64_t const hub = scattered_ids{scale, 7}(0);
    double expected = count;
    for (unsigned level = 0; level < scale; ++level)
        expected *= 0.76;
    EXPECT_EQ(std::max_element(sources.begin(), sources.end()) - sources.begin(),
              static_cast<std::ptrdiff_t>(hub));
    EXPECT_NEAR(static_cast<double>(sources[hub]), expected, expected * 0.03);
}

TEST(bench_generated_graph, any_number_of_ranks_loads_the_same_edges) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
    generated_edges const edges{10, 5};
    for (std::uint64_t i = 0; i < 16u << 10; ++i) {
        graph::edge const drawn = edges.draw(i);
        if (drawn.source != drawn.target)
            expected.insert({std::min(drawn.source, drawn.target), std::max(drawn.source, drawn.target)});
    }
    for (char const* const devices : {"1", "2", "3"})
        for (cell_result const& result : results_of_ranks(generated_cell("10", devices))) {
            ASSERT_EQ(result.status, cell_status::ok) << result.message;
            EXPECT_EQ(value_of(result, "edges"), static_cast<double>(expected.size())) << devices;
            EXPECT_EQ(value_of(result, "arcs"), 2 * static_cast<double>(expected.size())) << devices;
            EXPECT_GE(value_of(result, "bytes_per_arc"), 4.0);
            for (char const* const time : {"load", "insert", "erase", "iteration"})
                EXPECT_GT(value_of(result, time), 0) << time;
        }
}

TEST(bench_generated_graph, memory_that_runs_out_is_told_on_all_ranks_in_one_line) {
    std::string const drawn = " of 1048576 drawn edges were in";
    for (cell_result const& result : results_of_ranks(generated_cell("16", "2"), 6u << 20)) {
        EXPECT_EQ(result.status, cell_status::not_served) << result.message;
        EXPECT_EQ(result.message.find("memory ran out while loading: "), 0u) << result.message;
        EXPECT_NE(result.message.find("000" + drawn), std::string::npos) << result.message;
        EXPECT_EQ(result.message.find('\n'), std::string::npos);
    }
    for (cell_result const& result : results_of_ranks(generated_cell("16", "2"), 1u << 20)) {
        EXPECT_EQ(result.status, cell_status::not_served) << result.message;
        EXPECT_EQ(result.message.find("memory ran out before the first edge: "), 0u) << result.message;
        EXPECT_NE(result.message.find("; 0" + drawn), std::string::npos) << result.message;
    }
}

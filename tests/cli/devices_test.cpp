// SPDX-License-Identifier: Apache-2.0
// stream --devices: the graph over several ranks of this process.
#include "../requirements.hpp"
#include "tool_fixture.hpp"

#include <cstdlib>

using namespace rhizome::cli::testing;

namespace {

/// Without what depends on the machine.
nlohmann::json counts_of(nlohmann::json line) {
    for (char const* const time : {"insert_ms", "erase_ms", "read_ms", "reduce_ms", "wall_ms",
                                   "updates_per_second", "wall_updates_per_second"})
        line.erase(time);
    for (auto& each : line)
        if (each.is_object()) {
            each.erase("ms");
            each.erase("residual"); // sums in another order
        }
    return line;
}

std::vector<std::string> with(std::vector<std::string> words, std::vector<std::string> const& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

} // namespace

using devices = tool;

TEST_F(devices, give_the_same_report_and_graph) {
    auto const file = folder.path("rmat.graph");
    auto const stream = folder.path("stream.txt");
    ASSERT_EQ(run({"generate", "rmat", "--scale", "9", "--output", file}).exit_code, 0);
    ASSERT_EQ(run({"generate", "updates", file, "--count", "6000", "--output", stream}).exit_code, 0);
    std::vector<std::string> const words{"stream",
                                         file,
                                         stream,
                                         "--space",
                                         "host",
                                         "--batch",
                                         "2000",
                                         "--json",
                                         "--pagerank-every",
                                         "1",
                                         "--bfs-every",
                                         "2",
                                         "--triangles-every",
                                         "1",
                                         "--components-every",
                                         "1",
                                         "--validate-every",
                                         "1",
                                         "--threads",
                                         "2"};
    auto const after = folder.path("after.graph");
    auto const alone = run(with(words, {"--output", after}));
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    auto const expected = lines_of(alone);
    for (int const ranks : {1, 2, 3}) {
        auto const saved = folder.path("after-" + std::to_string(ranks) + ".graph");
        auto const over_ranks = run(with(words, {"--output", saved, "--devices", std::to_string(ranks)}));
        ASSERT_EQ(over_ranks.exit_code, 0) << over_ranks.err;
        auto const lines = lines_of(over_ranks);
        ASSERT_EQ(lines.batches.size(), 3u);
        for (std::size_t i = 0; i < lines.batches.size(); ++i)
            EXPECT_EQ(counts_of(lines.batches[i]), counts_of(expected.batches[i])) << ranks;
        EXPECT_EQ(lines.last["devices"], ranks);
        bool const writes = lines.last["graph"]["device"].get<std::string>().find(
                                "threads, writes batches)") != std::string::npos;
        EXPECT_EQ(writes, ranks > 1) << lines.last["graph"]["device"];
        EXPECT_EQ(counts_of(lines.last["summary"]), counts_of(expected.last["summary"])) << ranks;
        EXPECT_EQ(lines.last["graph"]["arcs"], expected.last["graph"]["arcs"]);
        EXPECT_EQ(rhizome::testing::text_of(saved), rhizome::testing::text_of(after)) << ranks;
    }
}

// On a machine with two GPUs: a process for each.
TEST_F(devices, on_gpus_are_processes) {
    auto const file = folder.path("rmat.graph");
    auto const stream = folder.path("stream.txt");
    ASSERT_EQ(run({"generate", "rmat", "--scale", "12", "--output", file}).exit_code, 0);
    ASSERT_EQ(run({"generate", "updates", file, "--count", "60000", "--output", stream}).exit_code, 0);
    std::vector<std::string> const words{"stream",
                                         file,
                                         stream,
                                         "--batch",
                                         "20000",
                                         "--json",
                                         "--pagerank-every",
                                         "1",
                                         "--bfs-every",
                                         "1",
                                         "--triangles-every",
                                         "1",
                                         "--components-every",
                                         "1",
                                         "--validate-every",
                                         "1"};
    auto const after = folder.path("after.graph");
    auto const saved = folder.path("after-2.graph");
    auto const two = run(with(words, {"--space", "cuda", "--devices", "2", "--output", saved}));
    bool const lacks_gpus = two.err.find("space cuda: ") != std::string::npos ||
                            two.err.find("this machine has") != std::string::npos;
    if (two.exit_code != 0 && lacks_gpus) {
        rhizome::tests::end_without(rhizome::tests::gpus_are_required(2), two.err);
        return;
    }
    ASSERT_EQ(two.exit_code, 0) << two.err;
    auto const alone = run(with(words, {"--space", "host", "--output", after}));
    auto const expected = lines_of(alone);
    auto const lines = lines_of(two);
    ASSERT_EQ(lines.batches.size(), expected.batches.size());
    EXPECT_NE(lines.last["graph"]["device"].get<std::string>().find("2 ranks (nccl, "), std::string::npos);
    for (std::size_t i = 0; i < lines.batches.size(); ++i)
        EXPECT_EQ(counts_of(lines.batches[i]), counts_of(expected.batches[i]));
    EXPECT_EQ(rhizome::testing::text_of(saved), rhizome::testing::text_of(after));
    // The usage errors of rank 0 are those of the command.
    expect_failure(run({"stream", graph, folder.path("none"), "--space", "cuda", "--devices", "2"}), 1,
                   "cannot open");
    expect_failure(run({"stream", graph, "-", "--space", "cuda", "--devices", "2"}), 2, "standard input");
}

TEST_F(devices, start_from_stored_graphs_and_from_nothing) {
    auto const stored = folder.path("kite.rhz");
    ASSERT_EQ(run({"convert", graph, stored}).exit_code, 0);
    auto const file = updates("+ 3 4\n+ 5 6\n- 0 1\n");
    for (std::vector<std::string> const& start :
         std::vector<std::vector<std::string>>{{stored, file}, {"--vertices", "5", file}}) {
        auto const words = with({"stream", "--grow-vertices", "--json", "--space", "host"}, start);
        auto const over_ranks = run(with(words, {"--devices", "2"}));
        ASSERT_EQ(over_ranks.exit_code, 0) << over_ranks.err;
        EXPECT_EQ(counts_of(lines_of(over_ranks).last["summary"]),
                  counts_of(lines_of(run(words)).last["summary"]));
    }
}

TEST_F(devices, refuse_what_is_not_offered_in_one_line) {
    auto const file = updates("+ 3 4\n");
    auto const stream = [&](std::vector<std::string> const& more) {
        return run(with({"stream", graph, file, "--devices", "2"}, more));
    };
    expect_failure(stream({"--space", "host", "--kcore-every", "1"}), 2, "--kcore-every is not offered");
    expect_failure(stream({"--space", "host", "--sssp-every", "1"}), 2, "--sssp-every is not offered");
    expect_failure(stream({"--space", "host", "--directed", "--triangles-every", "1"}), 2, "undirected");
    expect_failure(stream({"--space", "host", "--directed", "--pagerank-every", "1"}), 2, "--in-arcs");
    expect_failure(stream({"--space", "host", "--layout", "buckets"}), 2, "layout contiguous");
    expect_failure(stream({"--space", "simt"}), 2, "cuda and host");
    expect_failure(run({"stream", graph, file, "--devices", "0"}), 2, "expected a whole number");
    auto const weighted = updates("+ 3 4 2.5\n");
    expect_failure(run({"stream", graph, weighted, "--devices", "2", "--space", "host", "--output",
                        folder.path("w.rhz")}),
                   2, "--drop-weights leaves the weights out");
}

TEST_F(devices, run_out_of_memory_in_one_line) {
    auto const file = folder.path("many.txt");
    ASSERT_EQ(run({"generate", "rmat", "--scale", "12", "--output", folder.path("r.graph")}).exit_code, 0);
    expect_failure(run({"stream", folder.path("r.graph"), updates("+ 3 4\n"), "--devices", "2", "--space",
                        "host", "--memory-limit", "6M"}),
                   1, "out of memory");
}

TEST_F(devices, on_host_are_no_processes_of_a_launcher) {
    auto const file = updates("+ 3 4\n");
    ASSERT_EQ(setenv("RANK", "0", 1), 0);
    ASSERT_EQ(setenv("WORLD_SIZE", "2", 1), 0);
    auto const result = run({"stream", graph, file, "--devices", "2", "--space", "host"});
    unsetenv("RANK");
    unsetenv("WORLD_SIZE");
    expect_failure(result, 2, "a launcher has started several");
}

// SPDX-License-Identifier: Apache-2.0
// What a user sees: exit codes, messages, reports. Runs the tool as a process; the same tests run the tool on
// the reference session and on the real graph.
#include "tool_fixture.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace rhizome::cli::testing;
using namespace rhizome::testing;
using nlohmann::json;

TEST_F(tool, tells_wrong_usage_in_one_line) {
    struct {
        std::vector<std::string> words;
        std::string part;
    } const cases[] = {
        {{}, "no command"},
        {{"dance"}, "'dance'"},
        {{"--dance"}, "'--dance'"},
        {{"pagerank"}, "missing"},
        {{"stream", graph}, "missing"},
        {{"triangles", graph, graph}, "too many"},
        {{"stream", "--vertices", "5", graph, graph}, "too many"},
        {{"pagerank", graph, "--dance"}, "dance"},
        {{"pagerank", graph, "--damping"}, "damping"},
        {{"pagerank", graph, "--damping", "x"}, "--damping"},
        {{"pagerank", graph, "--damping", "1"}, "damping"},
        {{"pagerank", graph, "--damping", "nan"}, "damping"},
        {{"pagerank", graph, "--tolerance", "-1"}, "tolerance"},
        {{"pagerank", graph, "--max-iterations", "0"}, "--max-iterations"},
        {{"pagerank", graph, "--top", "0"}, "--top"},
        {{"pagerank", graph, "--top", "-3"}, "--top"},
        {{"stream", graph, graph, "--batch", "0"}, "--batch"},
        {{"stream", graph, graph, "--batch", "ten"}, "--batch"},
        {{"stream", graph, graph, "--batch", "99999999999999999999"}, "--batch"},
        {{"stream", graph, graph, "--pagerank-every", "0"}, "--pagerank-every"},
        {{"stream", graph, graph, "--directed", "--output", "x"}, "--output"},
        {{"stream", "--vertices", "x", graph}, "--vertices"},
        {{"info", graph, "--space", "moon"}, "moon"},
        {{"info", graph, "--allocator", "moon"}, "moon"},
        {{"info", graph, "--layout", "moon"}, "moon"},
        {{"info", graph, "--heap-bytes", "2X"}, "--heap-bytes"},
        {{"info", graph, "--memory-limit", "99999999999T"}, "--memory-limit"},
        {{"info", graph, "--threads", "-1"}, "--threads"},
        {{"info", graph, "--in-arcs"}, "--directed"},
        {{"info", graph, "--json=maybe"}, "maybe"},
        {{"convert", graph}, "missing"},
        {{"convert", graph, "x"}, "the name 'x' says no format"},
        {{"convert", graph, "x.gz"}, "says no format"},
        {{"convert", graph, "x.rhz.gz"}, "not compressed"},
        {{"convert", graph, "x.graph", "--to", "metsi"}, "did you mean 'metis'"},
        {{"strem", graph, graph}, "there is no command 'strem'; did you mean 'stream'?"},
        {{"generate", "rgmat"}, "did you mean 'rmat'"},
        {{"help", "paegrank"}, "did you mean 'pagerank'"},
        {{"help", "info", "info"}, "too many"},
        {{"pagerank", graph, "--dampnig", "0.5"},
         "option '--dampnig' does not exist; did you mean '--damping'?"},
        {{"info", graph, "--sapce=host"}, "did you mean '--space'"},
        {{"info", graph, "--space", "hots"}, "did you mean 'host'"},
        {{"completion", "fish"}, "only bash, zsh"},
        {{"stream", graph, graph, "--weights"}, "--output"},
        {{"convert", graph, "x", "--to", "moon"}, "moon"},
        {{"generate"}, "missing"},
        {{"generate", "moon"}, "'moon'"},
        {{"generate", "rgg", "--scale", "5"}, "--output"},
        {{"generate", "rgg", "--output", "x"}, "--scale"},
        {{"generate", "rgg", "--scale", "0", "--output", "x"}, "--scale"},
        {{"generate", "rgg", "--scale", "31", "--output", "x"}, "--scale"},
        {{"generate", "rmat", "--scale", "5"}, "--output"},
        {{"generate", "rmat", "--scale", "31", "--output", "x"}, "--scale"},
        {{"generate", "rmat", "--scale", "5", "--edge-factor", "0", "--output", "x"}, "--edge-factor"},
        {{"generate", "mesh", "--output", "x"}, "--side"},
        {{"generate", "mesh", "--side", "0", "--output", "x"}, "--side"},
        {{"generate", "mesh", "--side", "1025", "--output", "x"}, "--side"},
        {{"generate", "mesh", "--side", "5", "--seed", "1", "--output", "x"}, "seed"},
        {{"generate", "road", "--scale", "x", "--output", "x"}, "--scale"},
        {{"generate", "road", "--scale", "5", "--seed", "-1", "--output", "x"}, "--seed"},
        {{"generate", "kronecker", "--output", "x"}, "--scale"},
        {{"generate", "kronecker", "--scale", "31", "--output", "x"}, "--scale"},
        {{"generate", "kronecker", "--scale", "5", "--edge-factor", "1025", "--output", "x"},
         "--edge-factor"},
        {{"generate", "kronecker", "--scale", "5", "--threads", "-1", "--output", "x"}, "--threads"},
        {{"generate", "grid", "--output", "x"}, "--extents"},
        {{"generate", "grid", "--extents", "5", "--output", "x"}, "--extents"},
        {{"generate", "grid", "--extents", "5x", "--output", "x"}, "--extents"},
        {{"generate", "grid", "--extents", "5x0", "--output", "x"}, "--extents"},
        {{"generate", "grid", "--extents", "2x2x2x2", "--output", "x"}, "--extents"},
        {{"generate", "grid", "--extents", "65536x65536", "--output", "x"}, "at most 4294967295 vertices"},
        {{"generate", "grid", "--extents", "5x5", "--stencil", "7", "--output", "x"}, "4, 5 or 9"},
        {{"generate", "grid", "--extents", "5x5x5", "--stencil", "5", "--output", "x"}, "7 or 27"},
        {{"generate", "grid", "--extents", "5x5", "--stencil", "6", "--output", "x"}, "--stencil"},
        {{"generate", "grid", "--extents", "5x4", "--stencil", "4", "--wrap", "--output", "x"}, "even"},
        {{"generate", "grid", "--extents", "5x4", "--per-point", "0", "--output", "x"}, "--per-point"},
        {{"generate", "erdos-renyi", "--vertices", "5", "--output", "x"}, "--edges"},
        {{"generate", "erdos-renyi", "--vertices", "5", "--edges", "11", "--output", "x"}, "--edges"},
        {{"generate", "erdos-renyi", "--vertices", "5", "--probability", "1.5", "--output", "x"},
         "--probability"},
        {{"generate", "erdos-renyi", "--vertices", "5", "--edges", "1", "--probability", "0.5", "--output",
          "x"},
         "--probability"},
        {{"generate", "barabasi-albert", "--vertices", "0", "--output", "x"}, "--vertices"},
        {{"generate", "barabasi-albert", "--vertices", "9", "--degree", "0", "--output", "x"}, "--degree"},
        {{"generate", "delaunay", "--scale", "0", "--output", "x"}, "--scale"},
        {{"generate", "updates", graph, "--count", "0", "--output", "x"}, "--count"},
        {{"generate", "updates", graph, "--count", "1", "--burst-share", "-1", "--output", "x"},
         "--burst-share"},
        {{"generate", "updates", graph, "--count", "1", "--burst-length", "0", "--output", "x"},
         "--burst-length"},
        {{"generate", "updates", graph, "--count", "1", "--repeat-share", "nan", "--output", "x"},
         "--repeat-share"},
        {{"generate", "updates", graph, "--count", "1", "--sources", "6", "--output", "x"},
         "--sources: found '6', expected at most the 5 vertices of"},
        {{"generate", "updates", graph, "--count", "1", "--insert-share", "2", "--output", "x"},
         "--insert-share"},
    };
    for (auto const& each : cases) {
        std::string all;
        for (auto const& word : each.words)
            all += word + " ";
        SCOPED_TRACE(all);
        auto const result = run(each.words);
        expect_failure(result, 2, each.part);
        EXPECT_EQ(result.out, "");
    }
}

TEST_F(tool, helps) {
    auto const general = run({"--help"});
    EXPECT_EQ(general.exit_code, 0);
    EXPECT_EQ(general.err, "");
    for (char const* part : {"info", "pagerank", "triangles", "stream", "convert", "generate rgg",
                             "generate rmat", "generate mesh", "generate road", "generate updates", "--space",
                             "host", "contiguous", "Exit codes", "Example"})
        EXPECT_NE(general.out.find(part), std::string::npos) << part;
    struct {
        std::vector<std::string> words;
        std::vector<std::string> parts;
    } const cases[] = {
        {{"info", "--help"}, {"--space", "--memory-limit", "--in-arcs", "Examples"}},
        {{"pagerank", "-h"}, {"--damping", "0.85", "--tolerance", "--max-iterations", "--top", "--output"}},
        {{"triangles", "--help"}, {"--allocator", "--layout", "host"}},
        {{"stream", "--help"}, {"--batch", "100000", "--vertices", "--validate-every", "superseded"}},
        {{"generate", "rgg", "--help"}, {"--scale", "--seed"}},
        {{"generate", "updates", "--help"},
         {"--count", "--insert-share", "0.5", "--sources", "--burst-length", "--oldest-first"}},
        {{"generate", "kronecker", "--help"}, {"Graph500", "permutation", "generate rmat", "--threads"}},
        {{"generate", "grid", "--help"}, {"--stencil", "27 points", "--wrap"}},
        {{"generate", "erdos-renyi", "--help"}, {"--edges", "--probability"}},
        {{"generate", "barabasi-albert", "--help"}, {"--degree", "Batagelj"}},
        {{"generate", "delaunay", "--help"}, {"--scale", "planar"}},
        {{"convert", "--help"}, {"INPUT OUTPUT", "--to", ".rhz", "uint64"}},
        {{"generate", "rmat", "--help"}, {"--edge-factor", "16", ".57"}},
        {{"generate", "--help"}, {"generate rgg", "generate road", "generate updates"}},
    };
    for (auto const& each : cases) {
        auto const result = run(each.words);
        EXPECT_EQ(result.exit_code, 0) << result.err;
        for (auto const& part : each.parts)
            EXPECT_NE(result.out.find(part), std::string::npos) << part;
        EXPECT_NE(result.out.find("Exit codes"), std::string::npos);
    }
    for (char const* version : {"--version", "-V"})
        EXPECT_TRUE(run({version}).out.starts_with("rhizome ")) << version;
    for (std::vector<std::string> const& words : std::vector<std::vector<std::string>>{
             {"stream"}, {"generate", "rgg"}, {"generate"}, {"bench", "run"}}) {
        auto asked = words;
        asked.insert(asked.begin(), "help");
        auto flagged = words;
        flagged.emplace_back("--help");
        EXPECT_EQ(run(asked).out, run(flagged).out) << words[0];
        EXPECT_EQ(run(asked).exit_code, 0);
    }
    EXPECT_EQ(run({"help"}).out, general.out);
}

TEST_F(tool, streams) {
    auto const result = run({"stream", graph,
                             updates("# a comment\n+ 0 3 2.5\n- 2 3\n\n+ 1 0\n- 0 4\n+ 4 4\n"
                                     "+ 0 9\n+ 1 3\n- 3 1\n+ 2 4\n"),
                             "--batch", "5", "--pagerank-every", "1", "--triangles-every", "2",
                             "--validate-every", "1", "--json", "--space", "host"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err,
              "rhizome: 1 update was rejected, as an endpoint is no vertex: vertices are 0 to 4 (one "
              "more in METIS files; --map-ids takes the numbers there)\n");
    auto const [batches, document] = lines_of(result);
    EXPECT_EQ(document["graph"]["edges"], 4);
    ASSERT_EQ(batches.size(), 2u);
    auto const& first = batches[0];
    EXPECT_EQ(first["updates"], 5);
    EXPECT_EQ(first["inserted"], 2);
    EXPECT_EQ(first["present"], 1);
    EXPECT_EQ(first["erased"], 1);
    EXPECT_EQ(first["absent"], 1);
    EXPECT_EQ(first["edges_after"], 5);
    EXPECT_TRUE(first.contains("pagerank"));
    EXPECT_FALSE(first.contains("triangles"));
    auto const& second = batches[1];
    EXPECT_EQ(second["updates"], 4);
    EXPECT_EQ(second["rejected"], 1);
    EXPECT_EQ(second["superseded"], 1);
    EXPECT_EQ(second["inserted"], 1);
    EXPECT_EQ(second["absent"], 1);
    EXPECT_EQ(second["triangles"]["count"], 1);
    EXPECT_TRUE(second["validated"]);
    EXPECT_EQ(document["summary"]["updates"], 9);
    EXPECT_EQ(document["summary"]["edges_after"], 6);
}

TEST_F(tool, prints_one_line_a_batch_unless_quiet) {
    std::vector<std::string> words{"stream",  graph, updates("+ 0 3\n+ 1 3\n"), "--batch", "1",
                                   "--space", "host"};
    auto const loud = run(words);
    EXPECT_EQ(loud.exit_code, 0);
    EXPECT_NE(loud.out.find("\n     1        1        1"), std::string::npos) << loud.out;
    EXPECT_NE(loud.out.find("\n     2        1        1"), std::string::npos) << loud.out;
    words.push_back("--quiet");
    auto const quiet = run(words);
    EXPECT_EQ(quiet.out.find("\n     1"), std::string::npos);
    EXPECT_NE(quiet.out.find("2 updates in 2 batches"), std::string::npos) << quiet.out;
}

TEST_F(tool, tells_a_damaged_batch_after_those_before_it) {
    std::string text;
    for (int line = 1; line < 150; ++line)
        text += line % 3 == 0 ? "- 0 3\n" : "+ 0 3\n";
    std::string const damaged = updates(text + "+ 0 3 moon\n+ 1 3\n");
    auto const result = run({"stream", graph, damaged, "--batch", "1", "--space", "host"});
    expect_failure(result, 1, "updates.txt:150:7: found 'moon'");
    EXPECT_NE(result.out.find("\n   149        1"), std::string::npos) << result.out;
    EXPECT_EQ(result.out.find("\n   150        1"), std::string::npos) << result.out;
    EXPECT_EQ(result.out.find("stream "), std::string::npos) << "a summary of what has failed";
    // Within a batch, nothing of it is applied.
    expect_failure(run({"stream", graph, damaged, "--batch", "100", "--json"}), 1, "updates.txt:150");
}

TEST_F(tool, streams_come_to_the_same_however_they_are_cut) {
    std::string text;
    for (unsigned line = 0, state = 7; line < 300; ++line) {
        state = state * 1103515245u + 12345u;
        text += (state >> 16) % 3 == 0 ? "- " : "+ ";
        text += std::to_string((state >> 18) % 7) + " " + std::to_string((state >> 24) % 7) + "\n";
    }
    std::string const stream = updates(text);
    std::string expected;
    for (char const* batch : {"1", "2", "7", "150", "299", "300", "301"}) {
        std::string const last = folder.path("last.rhz");
        auto const result = run({"stream", "--vertices", "6", stream, "--batch", batch, "--json", "--output",
                                 last, "--space", "host", "--validate-every", "3"});
        ASSERT_EQ(result.exit_code, 0) << batch << result.err;
        auto const [batches, document] = lines_of(result);
        EXPECT_EQ(batches.size(), (299 + std::stoul(batch)) / std::stoul(batch));
        EXPECT_EQ(document["summary"]["updates"], 300);
        std::uint64_t number = 0;
        for (auto const& each : batches) {
            EXPECT_EQ(each["batch"], ++number);
            std::uint64_t sum = 0;
            for (char const* fate : {"inserted", "present", "erased", "absent", "duplicates", "superseded",
                                     "rejected", "self_loops_refused"})
                sum += each[fate].get<std::uint64_t>();
            EXPECT_EQ(each["updates"], sum);
        }
        EXPECT_GT(document["summary"]["wall_updates_per_second"], 0);
        EXPECT_GT(document["summary"]["edges_after"], 5);
        std::string const graph_now = text_of(last);
        if (expected.empty()) expected = graph_now;
        EXPECT_TRUE(graph_now == expected) << batch;
    }
    for (char const* nothing : {"", "\n", "# only a comment\n"}) {
        auto const result = run({"stream", "--vertices", "3", updates(nothing), "--json", "--space", "host"});
        ASSERT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(lines_of(result).batches.size(), 0u);
    }
}

TEST_F(tool, starts_from_an_empty_graph_and_reads_standard_input) {
    std::string const stream = updates("+ 0 1\n+ 1 2\n+ 2 0\n");
    auto const result = run_with(
        {"stream", "--vertices", "3", "-", "--json", "--quiet", "--triangles-every", "1"}, "", stream);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(json::parse(result.out)["summary"]["triangles"]["last_count"], 1);
    auto const none = run({"stream", "--vertices", "3", updates(""), "--json", "--quiet"});
    EXPECT_EQ(json::parse(none.out)["summary"]["batches"], 0);
}

TEST_F(tool, ranks_and_counts) {
    auto const ranks = run({"pagerank", graph, "--json", "--quiet", "--top", "2", "--tolerance", "1e-9"});
    ASSERT_EQ(ranks.exit_code, 0) << ranks.err;
    auto const document = json::parse(ranks.out);
    ASSERT_EQ(document["top"].size(), 2u);
    EXPECT_EQ(document["top"][0]["vertex"], 2);
    EXPECT_TRUE(document["pagerank"]["converged"]);
    auto const triangles = run({"triangles", graph, "--json", "--quiet"});
    EXPECT_EQ(json::parse(triangles.out)["triangles"]["count"], 1);
    auto const directed = run({"triangles", graph, "--json", "--quiet", "--directed"});
    EXPECT_EQ(json::parse(directed.out)["triangles"]["count"], 1);
    EXPECT_EQ(json::parse(directed.out)["graph"]["edges"], 8);

    std::string const path = folder.path("ranks.txt");
    ASSERT_EQ(run({"pagerank", graph, "--quiet", "--output", path}).exit_code, 0);
    std::istringstream lines(text_of(path));
    std::string head;
    std::getline(lines, head);
    EXPECT_EQ(head, "# vertex rank; vertices count from 0, in the file from 1");
    double sum = 0;
    std::size_t vertex = 0;
    double rank = 0;
    for (std::size_t v = 0; lines >> vertex >> rank; ++v) {
        EXPECT_EQ(vertex, v);
        sum += rank;
    }
    EXPECT_NEAR(sum, 1.0, 1e-5);
    EXPECT_EQ(vertex, 4u);
}

TEST_F(tool, informs) {
    auto const result = run({"info", graph, "--json", "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    auto const document = json::parse(result.out);
    EXPECT_EQ(document["graph"]["vertices"], 5);
    EXPECT_EQ(document["graph"]["arcs"], 8);
    EXPECT_EQ(document["degrees"]["min"], 0);
    EXPECT_EQ(document["degrees"]["max"], 3);
    EXPECT_EQ(document["degrees"]["median"], 2);
    EXPECT_EQ(document["degrees"]["p99"], 3);
    EXPECT_EQ(document["degrees"]["isolated"], 1);
    EXPECT_EQ(document["degrees"]["histogram"],
              json::parse(R"([{"from":0,"to":0,"vertices":1},{"from":1,"to":1,"vertices":1},
                              {"from":2,"to":3,"vertices":3}])"));
    EXPECT_EQ(document["self_loops"], 0);
    EXPECT_EQ(document["edges_in_file"], json::parse(R"({"directed":false,"sorted":true,"self_loops":0,
                                                         "duplicate_edges":0,"symmetric":null})"));
    EXPECT_EQ(document["memory"]["bytes_per_edge"], document["memory"]["total_bytes"].get<double>() / 4);
    auto const machine = run({"info", "--json"});
    ASSERT_EQ(machine.exit_code, 0) << machine.err;
    EXPECT_GE(json::parse(machine.out)["spaces"].size(), 2u);
    EXPECT_NE(run({"info"}).out.find("allocators"), std::string::npos);
}

TEST_F(tool, shows_progress_on_a_terminal_only) {
    if (!has_terminals()) GTEST_SKIP() << "this machine gives out no pseudo-terminals";
    std::vector<std::string> const words{"stream", graph, updates("+ 0 3\n"), "--space", "host"};
    auto const seen = run_on_terminal(words);
    EXPECT_EQ(seen.exit_code, 0);
    EXPECT_NE(seen.err.find("]"), std::string::npos) << seen.err;
    EXPECT_NE(seen.err.find("batch"), std::string::npos) << seen.err;
    EXPECT_EQ(run(words).err, "");
    auto quiet = words;
    quiet.push_back("--quiet");
    EXPECT_EQ(run_on_terminal(quiet).err, "");
    std::string const stored = folder.path("kite.rhz");
    EXPECT_NE(run_on_terminal({"convert", graph, stored}).err.find("reading"), std::string::npos);
    EXPECT_NE(run_on_terminal({"triangles", stored, "--space", "host"}).err.find("loading"),
              std::string::npos);
}

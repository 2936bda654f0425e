// SPDX-License-Identifier: Apache-2.0
// What the tool does to files: which it reads, which it writes, and that a failure leaves them alone. Like
// behaviour_test.cpp.
#include "tool_fixture.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

using namespace rhizome::cli::testing;
using namespace rhizome::testing;
using nlohmann::json;

TEST_F(tool, tells_bad_files_in_one_line) {
    expect_failure(run({"info", folder.path("nowhere")}), 1, "nowhere: cannot open");
    std::string const bad = folder.write("bad.graph", "2 1\n2\nmoon\n");
    expect_failure(run({"triangles", bad, "--json"}), 1,
                   "bad.graph:3:1: found 'moon', expected a neighbour from 1 to 2");
    auto const stream = run({"stream", graph, updates("+ 0 3\n+ 0\n"), "--json"});
    expect_failure(stream, 1, "updates.txt:2:4: found the end of the line, expected a vertex");
    EXPECT_EQ(stream.out, "");
    expect_failure(run({"stream", graph, updates("+ 0 3\n* 0 1\n"), "--batch", "1"}), 1,
                   "updates.txt:2:1: found '*'");
    expect_failure(run({"stream", graph, folder.path("nowhere")}), 1, "cannot open");
}

TEST_F(tool, refuses_to_generate_what_no_machine_holds) {
    std::string const file = folder.path("large.graph");
    expect_failure(run({"generate", "rmat", "--scale", "30", "--edge-factor", "1024", "--output", file}), 1,
                   "generate rmat needs about 24.0 TiB of memory, and this machine has ");
    for (std::vector<std::string> words : std::vector<std::vector<std::string>>{
             {"kronecker", "--scale", "30", "--edge-factor", "1024"},
             {"erdos-renyi", "--vertices", "4294967295", "--edges", "9223372030412324865"},
             {"erdos-renyi", "--vertices", "4294967295", "--probability", "1"},
             {"barabasi-albert", "--vertices", "4294967295", "--degree", "1024"}}) {
        words.insert(words.begin(), "generate");
        words.insert(words.end(), {"--output", file});
        expect_failure(run(words), 1, "generate " + words[1] + " needs about ");
    }
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(tool, writes_the_last_graph) {
    std::string const last = folder.path("last.graph");
    auto const result = run({"stream", graph, updates("+ 0 4\n- 0 1\n"), "--output", last, "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(text_of(last), "5 4\n3 5\n3\n1 2 4\n3\n1\n");
}

TEST_F(tool, leaves_files_alone_when_it_fails) {
    std::string const last = folder.write("last.graph", "precious");
    long const files = folder.file_count() + 1; // and the updates
    expect_failure(run({"stream", graph, updates("+ 0 4\nmoon\n"), "--output", last}), 1, "updates.txt:2");
    EXPECT_EQ(text_of(last), "precious");
    EXPECT_EQ(folder.file_count(), files);
    expect_failure(run({"pagerank", graph, "--output", folder.path("no/such/folder")}), 1, "cannot create");
}

TEST_F(tool, tells_what_cannot_be_written) {
    expect_failure(run_with({"info"}, "/dev/full"), 1, "<stdout>: cannot write");
    expect_failure(run_with({"stream", graph, updates("+ 0 4\n"), "--json"}, "/dev/full"), 1, "cannot write");
    expect_failure(run({"generate", "rgg", "--scale", "4", "--output", "/dev/full"}), 1,
                   "/dev/full: cannot write");
}

TEST_F(tool, generates_the_same_twice) {
    std::string const a = folder.path("a.graph");
    std::string const b = folder.path("b.graph");
    ASSERT_EQ(run({"generate", "rgg", "--scale", "9", "--seed", "3", "--output", a}).exit_code, 0);
    ASSERT_EQ(run({"generate", "rgg", "--scale", "9", "--seed", "3", "--output", b}).exit_code, 0);
    EXPECT_EQ(text_of(a), text_of(b));
    std::string const stream = folder.path("a.updates");
    ASSERT_EQ(run({"generate", "updates", a, "--count", "3000", "--output", stream}).exit_code, 0);
    auto result = run({"stream", a, stream, "--batch", "700", "--json", "--quiet", "--validate-every", "1"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(lines_of(result).last["summary"]["batches"], 5);
    result = run({"stream", a, stream, "--batch", "700", "--json"});
    auto const batches = lines_of(result).batches;
    EXPECT_EQ(batches.size(), 5u);
    for (auto const& batch : batches) {
        std::uint64_t sum = 0;
        for (char const* key : {"inserted", "present", "erased", "absent", "duplicates", "superseded",
                                "rejected", "self_loops_refused"})
            sum += batch[key].get<std::uint64_t>();
        EXPECT_EQ(batch["updates"], sum);
    }
}

TEST_F(tool, generates_the_same_on_any_number_of_threads) {
    for (auto const& each :
         std::vector<std::vector<std::string>>{{"rmat", "--scale", "14"},
                                               {"kronecker", "--scale", "14"},
                                               {"grid", "--extents", "400x300"},
                                               {"erdos-renyi", "--vertices", "50000", "--edges", "200000"},
                                               {"erdos-renyi", "--vertices", "5000", "--probability", "0.02"},
                                               {"barabasi-albert", "--vertices", "30000"},
                                               {"delaunay", "--scale", "14"}}) {
        SCOPED_TRACE(each[0]);
        std::string first;
        for (char const* threads : {"1", "2", "4"}) {
            std::vector<std::string> words{"generate"};
            words.insert(words.end(), each.begin(), each.end());
            words.insert(words.end(), {"--threads", threads, "--output", folder.path("t.graph")});
            auto const result = run(words);
            ASSERT_EQ(result.exit_code, 0) << result.err;
            std::string const text = text_of(folder.path("t.graph"));
            if (first.empty()) first = text;
            EXPECT_TRUE(text == first) << threads;
        }
    }
}

TEST_F(tool, generates_graphs_that_it_reads) {
    struct {
        std::vector<std::string> words;
        std::uint64_t vertices;
        std::uint64_t edges;
    } const cases[] = {
        {{"mesh", "--side", "7"}, 343, (19 * 19 * 19 - 343) / 2},
        {{"road", "--scale", "8", "--seed", "5"}, 256, 255 + 16},
        {{"rmat", "--scale", "6", "--edge-factor", "4"}, 64, 0},
        {{"kronecker", "--scale", "6", "--edge-factor", "4"}, 64, 0},
        {{"grid", "--extents", "30x20"}, 600, 29 * 20 + 30 * 19},
        {{"grid", "--extents", "5x6x7", "--stencil", "27", "--wrap"}, 210, 210 * 13},
        {{"grid", "--extents", "6x8", "--stencil", "4", "--wrap"}, 48, 48 * 3 / 2},
        {{"grid", "--extents", "5x6x7", "--stencil", "7", "--wrap", "--per-point", "2"}, 420, 420 * 13 / 2},
        {{"erdos-renyi", "--vertices", "1000", "--edges", "5000"}, 1000, 5000},
        {{"erdos-renyi", "--vertices", "1000", "--probability", "0.01"}, 1000, 0},
        {{"barabasi-albert", "--vertices", "500", "--degree", "3"}, 500, 0},
        {{"delaunay", "--scale", "8"}, 256, 0}};
    for (auto const& each : cases) {
        SCOPED_TRACE(each.words[0]);
        std::string const file = folder.path(each.words[0] + ".graph");
        std::vector<std::string> words{"generate"};
        words.insert(words.end(), each.words.begin(), each.words.end());
        words.insert(words.end(), {"--json", "--output", file});
        auto const result = run(words);
        ASSERT_EQ(result.exit_code, 0) << result.err;
        auto const told = json::parse(result.out);
        EXPECT_EQ(told["command"], "generate " + each.words[0]);
        EXPECT_EQ(told["vertices"], each.vertices);
        if (each.edges != 0) {
            EXPECT_EQ(told["edges"], each.edges);
        }
        auto const info = run({"info", file, "--json"});
        ASSERT_EQ(info.exit_code, 0) << info.err;
        EXPECT_EQ(json::parse(info.out)["graph"]["vertices"], each.vertices);
        EXPECT_EQ(json::parse(info.out)["graph"]["edges"], told["edges"]);
        EXPECT_GT(told["edges"], 0);
    }
}

TEST_F(tool, converts_there_and_back) {
    std::string const stored = folder.path("kite.rhz");
    auto const there = run({"convert", graph, stored, "--json"});
    ASSERT_EQ(there.exit_code, 0) << there.err;
    EXPECT_EQ(there.err, "");
    auto const document = json::parse(there.out);
    EXPECT_EQ(document["format"], "stored");
    EXPECT_EQ(document["vertices"], 5);
    EXPECT_EQ(document["edges"], 4);
    std::string const back = folder.path("back.graph");
    auto const text = run({"convert", stored, back});
    ASSERT_EQ(text.exit_code, 0) << text.err;
    EXPECT_NE(text.out.find("back.graph: 5 vertices, 4 edges, read"), std::string::npos) << text.out;
    EXPECT_EQ(text_of(back), kite);
    // Known by its first bytes, whatever its name; written under a name that says nothing.
    std::string const other = folder.path("other");
    ASSERT_EQ(run({"convert", graph, other, "--to", "stored"}).exit_code, 0);
    EXPECT_EQ(text_of(other), text_of(stored));
    ASSERT_EQ(run({"convert", other, back, "--to", "metis"}).exit_code, 0);
    EXPECT_EQ(text_of(back), kite);
    expect_failure(run({"convert", stored, other, "--to", "stored"}), 1, "is a stored graph already");
}

TEST_F(tool, converts_weights_and_says_what_it_leaves_out) {
    std::string const weighted = folder.write("weighted.graph", "3 3 11\n5 2 7 2 9\n6 1 7 3 8 1 9\n4 2 8\n");
    std::string const stored = folder.path("weighted.rhz");
    auto const result = run({"convert", weighted, stored});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("2 edges with weights"), std::string::npos) << result.out;
    EXPECT_EQ(result.err,
              "rhizome: sizes and weights of vertices are left out: stored graph files have none; 1 "
              "parallel edge is left out: stored graph files have none; 1 edge is several times in " +
                  weighted + " with different weights: the least one counts (--parallel)\n");
    EXPECT_EQ(run({"convert", weighted, stored, "--quiet"}).err, result.err) << "lost data is told always";
    std::string const back = folder.path("back.graph");
    ASSERT_EQ(run({"convert", stored, back}).exit_code, 0);
    EXPECT_EQ(text_of(back), "3 2 001\n2 7\n1 7 3 8\n2 8\n");
    EXPECT_NE(run({"info", stored}).out.find("weights   one per edge, of type uint64"), std::string::npos);
    EXPECT_EQ(json::parse(run({"triangles", stored, "--json", "--quiet"}).out)["graph"]["edges"], 2);
}

TEST_F(tool, reads_stored_graphs_as_it_reads_others) {
    std::string const stored = folder.path("kite.rhz");
    ASSERT_EQ(run({"convert", graph, stored}).exit_code, 0);
    for (auto const& words : std::vector<std::vector<std::string>>{
             {"info"}, {"pagerank"}, {"triangles"}, {"info", "--directed"}, {"triangles", "--directed"}}) {
        auto const of = [&](std::string const& file) {
            auto all = words;
            all.insert(all.begin() + 1, file);
            all.insert(all.end(), {"--json", "--quiet"});
            auto const result = run(all);
            EXPECT_EQ(result.exit_code, 0) << result.err;
            auto document = json::parse(result.out);
            for (char const* of_file : {"file", "format", "columns"})
                document.erase(of_file);
            for (char const* time : {"read_ms", "build_ms", "memory_limit_bytes"})
                document["graph"].erase(time);
            for (char const* part : {"pagerank", "triangles"})
                if (document.contains(part)) document[part].erase("ms");
            document.erase("memory"); // of another number of batches
            return document;
        };
        EXPECT_EQ(of(graph), of(stored)) << words[0];
    }
    std::string const a = folder.path("a.updates");
    std::string const b = folder.path("b.updates");
    ASSERT_EQ(run({"generate", "updates", graph, "--count", "50", "--output", a}).exit_code, 0);
    ASSERT_EQ(run({"generate", "updates", stored, "--count", "50", "--output", b}).exit_code, 0);
    EXPECT_EQ(text_of(a), text_of(b));
}

TEST_F(tool, keeps_graphs_that_metis_cannot_hold) {
    // Arcs 0 -> 1 -> 2 -> 3 and back from 2 to 1, without self-loops.
    std::string const stored = folder.path("arcs.rhz");
    auto const streamed =
        run({"stream", "--vertices", "4", "--directed", "--refuse-self-loops",
             updates("+ 0 1\n+ 1 2\n+ 2 3\n+ 2 1\n+ 2 2\n"), "--output", stored, "--quiet"});
    ASSERT_EQ(streamed.exit_code, 0) << streamed.err;
    // Directed without being told, and still without self-loops.
    auto const result =
        run({"stream", stored, updates("+ 3 3\n+ 3 0\n"), "--json", "--quiet", "--output", stored});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    auto const document = lines_of(result).last;
    EXPECT_TRUE(document["graph"]["directed"]);
    EXPECT_EQ(document["graph"]["edges"], 4);
    EXPECT_EQ(document["summary"]["self_loops_refused"], 1);
    EXPECT_EQ(json::parse(run({"info", stored, "--json", "--quiet"}).out)["graph"]["arcs"], 5);
    expect_failure(run({"convert", stored, folder.path("x.graph")}), 1,
                   "METIS files hold undirected graphs only");
    expect_failure(run({"stream", stored, updates("+ 0 1\n"), "--output", folder.path("x.graph")}), 2,
                   ".rhz");
    ASSERT_EQ(run({"generate", "rgg", "--scale", "6", "--output", folder.path("r.rhz")}).exit_code, 0);
    EXPECT_EQ(json::parse(run({"info", folder.path("r.rhz"), "--json", "--quiet"}).out)["graph"]["vertices"],
              64);
}

TEST_F(tool, tells_damaged_stored_graphs_in_one_line) {
    std::string const stored = folder.path("kite.rhz");
    ASSERT_EQ(run({"convert", graph, stored}).exit_code, 0);
    std::string bytes = text_of(stored);
    bytes[bytes.size() - 40] = static_cast<char>(bytes[bytes.size() - 40] ^ 1);
    std::string const damaged = folder.write("damaged.rhz", bytes);
    std::string const cut = folder.write("cut.rhz", bytes.substr(0, 100));
    for (char const* command : {"info", "pagerank", "triangles"}) {
        auto const result = run({command, damaged, "--json", "--space", "host"});
        expect_failure(result, 1, "damaged.rhz: at byte ");
        EXPECT_EQ(result.out, "");
        expect_failure(run({command, cut, "--space", "host"}), 1,
                       "cut.rhz: at byte 100: found a file of 100");
    }
    std::string const kept = folder.write("kept.graph", "precious");
    expect_failure(run({"convert", damaged, kept}), 1, "damaged.rhz: at byte ");
    EXPECT_EQ(text_of(kept), "precious");
    expect_failure(run({"convert", graph, "/dev/full", "--to", "stored"}), 1, "/dev/full: cannot write");
    expect_failure(run({"convert", folder.path("nowhere"), folder.path("x.rhz")}), 1, "nowhere: cannot open");
}

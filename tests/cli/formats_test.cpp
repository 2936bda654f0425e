// SPDX-License-Identifier: Apache-2.0
// Graph files of other formats than METIS: reading, writing, --format and --to. Like behaviour_test.cpp.
#include "tool_fixture.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace rhizome::cli::testing;
using namespace rhizome::testing;
using nlohmann::json;

namespace {

class tool_formats : public tool {
protected:
    /// The part "graph" of what info prints, for a file with this text.
    json info_of(std::string const& text, std::vector<std::string> const& options = {}) const {
        std::vector<std::string> words{"info", folder.write("file", text), "--json", "--quiet"};
        words.insert(words.end(), options.begin(), options.end());
        auto const result = run(words);
        EXPECT_EQ(result.exit_code, 0) << result.err;
        return result.exit_code == 0 ? json::parse(result.out)["graph"] : json();
    }

    void expect_size(json const& found, int vertices, int edges, bool directed) const {
        EXPECT_EQ(found["vertices"], vertices);
        EXPECT_EQ(found["edges"], edges);
        EXPECT_EQ(found["directed"], directed);
    }
};

} // namespace

TEST_F(tool_formats, are_recognised_by_content) {
    expect_size(info_of("p sp 3 3\na 1 2 5\na 2 3 5\na 3 1 5\n"), 3, 3, true);
    expect_size(info_of("p tw 3 2\n1 2\n2 3\n"), 3, 2, false);
    expect_size(info_of("p tw 3 2\n1 2\n2 3\n", {"--directed"}), 3, 4, true);
    expect_size(info_of("p edge 3 4\ne 1 2\ne 2 1\ne 2 3\ne 3 2\n"), 3, 2, false);
    expect_size(info_of("3 2\n2\n1 3\n2\n"), 3, 2, false);
}

TEST_F(tool_formats, are_described_as_they_are_in_the_file) {
    std::string const road = folder.write("road", "p sp 4 5\na 2 3 5\na 1 2 5\na 2 1 5\na 1 1 5\na 2 3 4\n");
    auto const document = json::parse(run({"info", road, "--json", "--quiet"}).out);
    EXPECT_EQ(document["edges_in_file"], json::parse(R"({"directed":true,"sorted":false,"self_loops":1,
                                                         "duplicate_edges":1,"symmetric":false})"));
    EXPECT_EQ(document["graph"]["edges"], 4);
    EXPECT_EQ(document["degrees"]["isolated"], 1);
    std::string const text = run({"info", road}).out;
    EXPECT_NE(text.find("file      directed, not all arcs with their reverses; edges not in ascending order; "
                        "1 self-loop, 1 duplicate edge\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("median 0, mean 1.00, p99 2, max 2; 1 isolated vertex\n"), std::string::npos) << text;
    std::string const stored = folder.path("road.rhz");
    ASSERT_EQ(run({"convert", road, stored}).exit_code, 0);
    EXPECT_EQ(json::parse(run({"info", stored, "--json", "--quiet"}).out)["edges_in_file"],
              json::parse(R"({"directed":true,"sorted":true,"self_loops":1,"duplicate_edges":0,
                              "symmetric":false})"));
}

TEST_F(tool_formats, are_overruled_by_an_option) {
    std::string const road = folder.write("road", "p sp 2 1\na 1 2 3\n");
    expect_failure(run({"info", road, "--format", "metis"}), 1, "road: is a DIMACS9 file, not a METIS file");
    expect_failure(run({"info", road, "--format", "moon"}), 2, "moon");
    EXPECT_EQ(run({"info", road, "--format", "dimacs9"}).exit_code, 0);
    expect_failure(run({"pagerank", graph, "--format", "pace"}), 1,
                   "kite.graph:1:1: found '5', expected a problem line 'p tw n m'");
}

TEST_F(tool_formats, reach_every_command) {
    std::string const road = folder.write("road.gr", "p sp 3 3\na 1 2 5\na 2 3 -5\na 3 1 5\n");
    EXPECT_EQ(json::parse(run({"triangles", road, "--json", "--quiet"}).out)["triangles"]["count"], 1);
    EXPECT_EQ(run({"pagerank", road}).exit_code, 0);
    std::string const last = folder.path("last.gr");
    auto const streamed = run({"stream", road, updates("+ 0 2 7\n- 0 1\n"), "--output", last, "--quiet"});
    ASSERT_EQ(streamed.exit_code, 0) << streamed.err;
    EXPECT_EQ(text_of(last), "p sp 3 3\na 1 3 7\na 2 3 -5\na 3 1 5\n");
    ASSERT_EQ(run({"generate", "updates", road, "--count", "5", "--output", folder.path("u")}).exit_code, 0);
    auto const text = run({"info", road});
    EXPECT_NE(text.out.find("from 1 in DIMACS9 files"), std::string::npos) << text.out;
}

TEST_F(tool_formats, are_converted) {
    std::string const road = folder.write("road", "p sp 3 2\na 1 2 5\na 2 3 -5\n");
    std::string const stored = folder.path("road.rhz");
    ASSERT_EQ(run({"convert", road, stored}).exit_code, 0);
    EXPECT_NE(run({"info", stored}).out.find("of type int64"), std::string::npos);
    std::string const back = folder.path("back.gr.gz");
    ASSERT_EQ(run({"convert", stored, back}).exit_code, 0);
    auto const plain = run({"convert", back, "-", "--to", "dimacs9"});
    EXPECT_EQ(plain.out, text_of(road));
    expect_failure(run({"convert", road, folder.path("x.graph")}), 1,
                   "the graph is directed, and METIS files hold undirected graphs only");
    EXPECT_EQ(run({"convert", graph, "-", "--to", "pace"}).out, "p tw 5 4\n1 2\n1 3\n2 3\n3 4\n");
    auto const weighted = run({"convert", folder.write("w.graph", "2 1 1\n2 7\n1 7\n"), "-", "--to", "pace"});
    EXPECT_EQ(weighted.out, "p tw 2 1\n1 2\n");
    EXPECT_NE(weighted.err.find("weights of edges are left out: PACE files have none"), std::string::npos)
        << weighted.err;
    for (char const* const to : {"pace", "stored"}) {
        auto const written =
            run({"convert", folder.path("w.graph"), folder.path("w.out"), "--to", to, "--json", "--quiet"});
        EXPECT_EQ(json::parse(written.out)["weights"], std::string(to) == "stored");
    }
}

TEST_F(tool_formats, keep_weights_of_vertices_where_they_can) {
    std::string const col = folder.write("a.col", "p edge 2 1\nn 1 5\nn 2 6\ne 1 2\n");
    EXPECT_EQ(run({"convert", col, "-", "--to", "metis"}).out, "2 1 010\n5 2\n6 1\n");
    auto const back =
        run({"convert", folder.write("b.graph", "2 1 10\n5 2\n6 1\n"), "-", "--to", "dimacs-colouring"});
    EXPECT_EQ(back.out, text_of(col));
    EXPECT_EQ(back.err.find("left out"), std::string::npos) << back.err;
    auto const two = run(
        {"convert", folder.write("c.graph", "2 1 10 2\n5 5 2\n6 6 1\n"), "-", "--to", "dimacs-colouring"});
    EXPECT_NE(two.err.find("sizes and weights of vertices are left out"), std::string::npos) << two.err;
}

TEST_F(tool_formats, read_edge_lists_with_names) {
    std::string const list =
        folder.write("people.txt", "# friends\nAda Bob 5\nBob Eve 7\nEve Ada 6\nEve Max 1\n");
    expect_size(info_of(text_of(list)), 4, 4, false);
    expect_size(info_of(text_of(list), {"--directed"}), 4, 4, true);
    auto const ranks = run({"pagerank", list, "--top", "1", "--space", "host"});
    EXPECT_NE(ranks.out.find("         Eve  0."), std::string::npos) << ranks.out;
    auto const json_ranks = json::parse(run({"pagerank", list, "--json", "--quiet"}).out);
    EXPECT_EQ(json_ranks["top"][0]["name"], "Eve");
    EXPECT_EQ(json_ranks["top"][0]["vertex"], 2);
    EXPECT_TRUE(run({"pagerank", list, "-o", "-", "-q"})
                    .out.starts_with("# vertex rank; vertices have their names in the file\nAda 0."));
    std::string const stored = folder.path("people.rhz");
    ASSERT_EQ(run({"convert", list, stored}).exit_code, 0);
    EXPECT_NE(run({"info", stored}).out.find("vertex 0 is 'Ada' there"), std::string::npos);
    EXPECT_EQ(run({"convert", stored, "-", "--to", "csv"}).out,
              "source,target,weight\nAda,Bob,5\nAda,Eve,6\nBob,Eve,7\nEve,Max,1\n");
    auto const lost = run({"convert", stored, "-", "--to", "metis"});
    EXPECT_NE(lost.err.find("names of vertices are left out: METIS files have none"), std::string::npos)
        << lost.err;
    std::string const last = folder.path("last.edges");
    ASSERT_EQ(run({"stream", list, updates("- 0 1\n"), "--output", last, "--quiet"}).exit_code, 0);
    EXPECT_NE(text_of(last).find("\nBob\tEve\t7\n"), std::string::npos) << text_of(last);
}

TEST_F(tool_formats, read_edge_lists_of_numbers) {
    std::string const list = folder.write("numbers.txt", "900 5\n5 77\n");
    std::string const stored = folder.path("numbers.rhz");
    ASSERT_EQ(run({"convert", list, stored, "--directed"}).exit_code, 0);
    EXPECT_EQ(run({"convert", stored, "-", "--to", "edge-list"}).out,
              "# Edges: 2\n# Directed\n# source\ttarget\n5\t77\n900\t5\n");
    auto const undirected = run({"convert", stored, "-", "--to", "csv"});
    EXPECT_NE(undirected.err.find("that edges are directed is left out: CSV files do not say it"),
              std::string::npos)
        << undirected.err;
    std::string const from_one = folder.write("one.txt", "3 1\n2 3\n");
    EXPECT_NE(run({"info", from_one}).out.find("from 1 in the file: vertex"), std::string::npos);
    ASSERT_EQ(run({"convert", from_one, stored}).exit_code, 0);
    EXPECT_EQ(run({"convert", stored, "-", "--to", "csv"}).out, "source,target\n1,3\n2,3\n");
    std::string const timed = folder.write("timed.txt", "0 1 1082040961\n1 2 1082040962\n");
    auto const lost = run({"convert", timed, stored});
    EXPECT_NE(lost.err.find("times of edges are left out: stored graph files have none"), std::string::npos)
        << lost.err;
    EXPECT_EQ(run({"convert", timed, "-", "--to", "konect"}).out,
              "% sym unweighted\n% 2 3 3\n1 2 1 1082040961\n2 3 1 1082040962\n");
    EXPECT_EQ(info_of(text_of(timed), {"--columns", "u,v,w"})["vertices"], 3);
    expect_failure(run({"info", timed, "--columns", "u,x"}), 2, "'x' names no column of an edge list");
    for (char const* const command : {"info", "triangles"}) {
        expect_failure(run({command, graph, "--columns", "u,v"}), 1,
                       "kite.graph:4:5: found '4', expected the end of the line after 2 columns");
        expect_failure(run({command, graph, "--columns", "u,v", "--format", "metis"}), 2,
                       "--columns describes edge lists; '" + graph + "' is a METIS file");
    }
    std::string const triangle = "3 3\n2 3\n1 3\n1 2\n"; // METIS, and also a list of edges
    expect_size(info_of(triangle), 3, 3, false);
    EXPECT_EQ(info_of(triangle, {"--columns", "u,v"})["edges"], 4);
    expect_failure(run({"info", folder.write("a.zip", "PK\x03\x04")}), 1,
                   "a.zip: is a ZIP archive; unpack it, and name the file in it that holds the graph");
    expect_failure(run({"info", stored, "--columns", "u,v"}), 2, "is a stored graph");
    // A stream that was made for the columns that were named.
    std::string const stream = folder.path("made.updates");
    std::string const skewed = folder.write("skewed.txt", "9 0 1\n9 1 2\n");
    ASSERT_EQ(
        run({"generate", "updates", skewed, "--columns", "-,u,v", "--count", "3", "-o", stream}).exit_code,
        0);
    EXPECT_NE(text_of(stream).find("graph of 3 vertices"), std::string::npos) << text_of(stream);
}

TEST_F(tool_formats, of_published_files_are_read) {
    expect_size(info_of("% sym positive\n1 2 0 885635999.999997\n"), 2, 1, false);
    expect_size(info_of("6,2,4,1289241911.72836\n6,5,-2,1289241941.53378\n"), 3, 2, false);
    expect_size(info_of("%%MatrixMarket matrix coordinate pattern symmetric\n%70 70 2\n2 1\n70 3\n"), 70, 2,
                false);
    expect_size(info_of("p 4 2 u u 0\n0 1\n1 2\n"), 4, 2, false);
    std::string const matrix =
        folder.write("file.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n%70 70 1\n2 1\n");
    expect_failure(run({"info", matrix, "--format", "edge-list"}), 1,
                   "holds a MatrixMarket file, not a list of edges");
    auto const bolt =
        run({"stream", "--vertices", "2", updates("a 0 1 3\nd 0 1 3\n"), "--json", "--batch", "1"});
    ASSERT_EQ(bolt.exit_code, 0) << bolt.err;
    EXPECT_EQ(lines_of(bolt).batches[1]["erased"], 1);
    auto const timed = run({"stream", updates("1 2 1.5e1\n"), "--json"});
    EXPECT_EQ(timed.exit_code, 0) << timed.err;
}

TEST_F(tool_formats, of_temporal_lists_may_have_words_as_names) {
    std::string const list = folder.write("words.txt", "Ada Bob 5\nBob Eve 4\n");
    auto const result = run({"stream", list, "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(lines_of(result).last["summary"]["inserted"], 2);
    std::string const last = folder.path("last.csv");
    ASSERT_EQ(run({"stream", list, "--output", last, "-q"}).exit_code, 0);
    EXPECT_EQ(text_of(last), "source,target\nBob,Eve\nBob,Ada\n");
}

TEST_F(tool_formats, have_names_that_are_quoted_where_they_are_not_words) {
    std::string const list = folder.write(
        "names.gml",
        "graph [ node [ id 0 label \"Doe, John\" ] node [ id 1 label \"a\nb\" ] node [ id 2 label \"x\" ]\n"
        "  edge [ source 0 target 1 weight 2 ] edge [ source 1 target 2 weight 3 ] ]\n");
    auto const lines_in = [](std::string const& text) { return std::count(text.begin(), text.end(), '\n'); };
    EXPECT_EQ(lines_in(run({"pagerank", list, "-o", "-", "-q"}).out), 4);
    EXPECT_EQ(run({"components", list, "-o", "-", "-q"}).out,
              "# vertex component; vertices have their names in the file\n"
              "\"Doe, John\" \"Doe, John\"\n\"a\\x0ab\" \"Doe, John\"\nx \"Doe, John\"\n");
    for (char const* const command : {"bfs", "sssp"}) {
        auto const paths = run({command, list, "--source", "\"Doe, John\",x", "-o", "-", "-q"});
        ASSERT_EQ(paths.exit_code, 0) << paths.err;
        EXPECT_TRUE(
            paths.out.find(
                "; vertices have their names in the file\n\"Doe, John\" 0 \"Doe, John\"\n\"a\\x0ab\" ") !=
            std::string::npos)
            << paths.out;
    }
    EXPECT_EQ(run({"bfs", list, "--source", "\"a\\x0ab\"", "-q"}).exit_code, 0);
    expect_failure(run({"bfs", list, "--source", "Doe, John"}), 2,
                   "found 'Doe', expected the name of a vertex");
    for (char const* const wrong : {"\"Doe, John", "\"x\"y", "x,", ""})
        expect_failure(run({"bfs", list, "--source", wrong}), 2, "--source: found");
    // The result is a list of edges, and names come back as they were.
    std::string const components = folder.path("components.txt");
    ASSERT_EQ(run({"components", list, "-o", components}).exit_code, 0);
    EXPECT_EQ(run({"convert", components, "-", "--to", "csv", "--format", "edge-list"}).out,
              "source,target\n\"Doe, John\",\"Doe, John\"\n\"Doe, John\",\"a\\x0ab\"\n\"Doe, John\",x\n");
    std::string const last = folder.path("last.csv");
    auto const streamed = run({"stream", list, updates("- \"Doe, John\" \"a\\x0ab\"\n"), "--map-ids",
                               "--strict", "-o", last, "-q"});
    ASSERT_EQ(streamed.exit_code, 0) << streamed.err;
    EXPECT_EQ(text_of(last), "source,target,weight\n\"a\\x0ab\",x,3\n");
}

TEST_F(tool_formats, are_named_by_info_with_columns_and_the_first_id) {
    auto const about = [&](std::string const& text) {
        auto const result = run({"info", folder.write("file", text), "--json", "-q"});
        json const document = json::parse(result.out);
        return std::vector<json>{document.value("format", json()), document.value("columns", json()),
                                 document.value("first_id", json("none"))};
    };
    EXPECT_EQ(about("3 2\n2\n1 3\n2\n"), (std::vector<json>{"metis", nullptr, 1}));
    EXPECT_EQ(about("0 1\n1 2\n"),
              (std::vector<json>{"edge-list", json::parse(R"(["source","target"])"), 0}));
    EXPECT_EQ(about("from,to,time,weight\n1,2,5,7\n2,3,5,7\n"),
              (std::vector<json>{"csv", json::parse(R"(["source","target","weight","time"])"), 1}));
    EXPECT_EQ(about("# c\nAda Bob\n"),
              (std::vector<json>{"edge-list", json::parse(R"(["source","target"])"), nullptr}));
    EXPECT_NE(
        run({"info", folder.write("file", "# c\n1 2 7\n")})
            .out.find("format    edge list: source, target, weight; vertices count from 1 in the file\n"),
        std::string::npos);
    EXPECT_NE(
        run({"info", folder.write("file", "# c\nAda 2\n")}).out.find("source, target; vertices have names\n"),
        std::string::npos);
}

TEST_F(tool_formats, come_with_notices_where_a_reader_guesses_or_rounds) {
    std::string ascending;
    for (int i = 0; i < 20; ++i)
        ascending += std::to_string(i) + " " + std::to_string(i + 1) + " " + std::to_string(i) + "\n";
    std::string const list = folder.write("ascending.txt", ascending);
    for (std::vector<std::string> const& words :
         {std::vector<std::string>{"info", list}, {"convert", list, folder.path("x.txt")}}) {
        auto const result = run(words);
        EXPECT_EQ(result.exit_code, 0);
        EXPECT_NE(result.err.find(
                      "is taken for times, as its numbers ascend; --columns u,v,w takes it for weights"),
                  std::string::npos)
            << result.err;
    }
    EXPECT_EQ(run({"convert", list, folder.path("x.txt"), "--columns", "u,v,w"}).err, "");
    std::string const road =
        folder.write("road.gr", "p sp 3 2\na 1 2 9007199254740992\na 2 3 9007199254740992\n");
    EXPECT_NE(run({"sssp", road, "--source", "0"}).err.find("distances beyond 2^53 are rounded"),
              std::string::npos);
    EXPECT_EQ(run({"sssp", road, "--source", "1"}).err.find("2^53"), std::string::npos);
}

TEST_F(tool_formats, of_directed_graphs_take_in_arcs) {
    std::string const road = folder.write("road.gr", "p sp 3 2\na 1 2 5\na 2 3 5\n");
    EXPECT_EQ(run({"info", road, "--in-arcs", "-q"}).exit_code, 0);
    EXPECT_EQ(run({"stream", road, updates("+ 2 0\n"), "--in-arcs", "-q"}).exit_code, 0);
    for (std::vector<std::string> const& words :
         {std::vector<std::string>{"info", graph, "--in-arcs"},
          {"stream", "--vertices", "3", updates("+ 2 0\n"), "--in-arcs"}})
        expect_failure(run(words), 2, "--in-arcs: only for directed graphs");
}

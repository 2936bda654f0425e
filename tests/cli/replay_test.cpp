// SPDX-License-Identifier: Apache-2.0
// Formats of streams, windows, time steps, vertices that appear, names. Like behaviour_test.cpp.
#include "tool_fixture.hpp"

#include <cstdlib>

using namespace rhizome::cli::testing;
using namespace rhizome::testing;
using nlohmann::json;

namespace {

/// Times 0, 5, 10, ...; an edge comes again.
constexpr char const* temporal = "# u v t\n10 20 0\n20 30 5\n10 30 10\n20 10 12\n40 40 31\n";

} // namespace

TEST_F(tool, streams_a_temporal_list_without_preparation) {
    auto const result = run({"stream", updates(temporal), "--json", "--space", "host"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    auto const [batches, document] = lines_of(result);
    EXPECT_EQ(document["graph"]["vertices"], 0);
    EXPECT_EQ(document["summary"]["vertices_after"], 4);
    EXPECT_EQ(document["summary"]["edges_after"], 4);
    EXPECT_EQ(document["summary"]["superseded"], 1);
    EXPECT_EQ(document["summary"]["expired"], 0);
    auto const text = run({"stream", updates(temporal), "--space", "host"});
    EXPECT_NE(text.out.find("\nvertices  4\n"), std::string::npos) << text.out;
    // From standard input, and out of order.
    std::string const shuffled = folder.write("shuffled", "1 2 7\n3 4 5\n1 2 6\n");
    auto const piped = run_with({"stream", "-", "--json", "--batch", "1", "--space", "host"}, "", shuffled);
    ASSERT_EQ(piped.exit_code, 0) << piped.err;
    EXPECT_EQ(lines_of(piped).batches.size(), 3u);
    EXPECT_EQ(lines_of(piped).batches[2]["present"], 1);
    expect_failure(run({"stream", shuffled, "--sorted", "--space", "host"}), 1,
                   "shuffled:2:5: found '5', expected a time of at least 7");
}

TEST_F(tool, wants_a_graph_for_streams_that_are_not_temporal) {
    expect_failure(run({"stream", updates("+ 0 1\n")}), 2, "an argument is missing");
    auto const of_words = run({"stream", updates("ann bob 1\nbob eve 2\n"), "--json", "--space", "host"});
    ASSERT_EQ(of_words.exit_code, 0) << of_words.err;
    EXPECT_EQ(lines_of(of_words).last["summary"]["vertices_after"], 3);
    auto const grown =
        run({"stream", updates("+ 0 1\n- 3 1\n"), "--grow-vertices", "--json", "--space", "host"});
    ASSERT_EQ(grown.exit_code, 0) << grown.err;
    EXPECT_EQ(lines_of(grown).last["summary"]["vertices_after"], 4) << "an erasure names a vertex as well";
    EXPECT_EQ(lines_of(grown).last["summary"]["rejected"], 0);
    // With vertices, a temporal list names those that there are.
    auto const given = run({"stream", "--vertices", "30", updates(temporal), "--json", "--space", "host"});
    ASSERT_EQ(given.exit_code, 0) << given.err;
    EXPECT_EQ(lines_of(given).last["summary"]["vertices_after"], 30);
    EXPECT_EQ(lines_of(given).last["summary"]["rejected"], 3);
}

TEST_F(tool, knows_the_formats_of_streams) {
    for (auto const& [text, name] : std::vector<std::pair<std::string, std::string>>{
             {"+ 0 3\n- 0 1\n", "updates"}, {"a 0 3\nd 0 1\n", "graphbolt"}}) {
        for (bool const named : {false, true}) {
            std::vector<std::string> words{"stream", graph, updates(text), "--json", "--space", "host"};
            if (named) words.insert(words.end(), {"--stream-format", name});
            auto const result = run(words);
            ASSERT_EQ(result.exit_code, 0) << result.err;
            EXPECT_EQ(lines_of(result).batches[0]["inserted"], 1);
            EXPECT_EQ(lines_of(result).batches[0]["erased"], 1);
        }
    }
    expect_failure(
        run({"stream", graph, updates("+ 0 3\n"), "--stream-format", "graphbolt", "--space", "host"}), 1,
        "updates.txt:1:1: found '+', expected an update 'a u v [w]' or 'd u v'");
    expect_failure(run({"stream", graph, graph, "--stream-format", "snap"}), 2, "snap");
}

TEST_F(tool, replays_by_time_and_by_window) {
    auto const steps = run({"stream", updates(temporal), "--time-step", "10", "--json", "--space", "host"});
    ASSERT_EQ(steps.exit_code, 0) << steps.err;
    ASSERT_EQ(lines_of(steps).batches.size(), 3u);
    EXPECT_EQ(lines_of(steps).batches[0]["updates"], 2);
    EXPECT_EQ(lines_of(steps).batches[1]["updates"], 2);
    EXPECT_EQ(lines_of(steps).last["time_step"], 10);
    // At 12 the edges from 0 and 5 are 12 and 7 old; that from 0 has come again.
    auto const by_time = run(
        {"stream", updates(temporal), "--time-step", "10s", "--window", "7", "--json", "--space", "host"});
    ASSERT_EQ(by_time.exit_code, 0) << by_time.err;
    auto const [batches, document] = lines_of(by_time);
    EXPECT_EQ(batches[1]["expired"], 1);
    EXPECT_EQ(batches[1]["edges_after"], 2);
    EXPECT_EQ(batches[2]["expired"], 2);
    EXPECT_EQ(batches[2]["edges_after"], 1);
    EXPECT_EQ(document["summary"]["expired"], 3);
    EXPECT_EQ(document["window_time"], 7);
    // The last two insertions; edges of GRAPH stay.
    auto const by_edges = run({"stream", graph, updates("+ 0 3\n+ 1 3\n- 0 1\n+ 3 4\n+ 2 4\n"), "--batch",
                               "1", "--window", "2e", "--json", "--space", "host"});
    ASSERT_EQ(by_edges.exit_code, 0) << by_edges.err;
    std::vector<int> edges;
    for (json const& batch : lines_of(by_edges).batches)
        edges.push_back(batch["edges_after"].get<int>());
    EXPECT_EQ(edges, (std::vector<int>{5, 6, 5, 5, 5}));
    expect_failure(
        run({"stream", graph, updates("+ 0 3\n"), "--window", "7d", "--space", "host"}), 1,
        "updates.txt: is a stream without times (updates); --window with a time needs a temporal one");
    expect_failure(run({"stream", graph, updates("+ 0 3\n"), "--time-step", "7d", "--space", "host"}), 1,
                   "--time-step needs a temporal one");
    expect_failure(run({"stream", graph, graph, "--time-step", "7d", "--batch", "3"}), 2,
                   "exclude each other");
    expect_failure(run({"stream", graph, graph, "--window", "7x"}), 2,
                   "--window: found '7x', expected a time");
}

TEST_F(tool, maps_names) {
    std::string const last = folder.path("last.graph");
    auto const result =
        run({"stream", updates("+ ann bob\n+ bob 18446744073709551615 \n- ann zoe\n"), "--grow-vertices",
             "--map-ids", "--output", last, "--space", "host", "--batch", "2"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(text_of(last), "4 2\n2\n1 3\n2\n\n");
    EXPECT_EQ(result.err_lines(), 1) << result.err;
    EXPECT_NE(result.err.find("names of vertices are left out of the METIS file"), std::string::npos)
        << result.err;
    // The vertices of a METIS file are 1, 2, ...; without --grow-vertices there are no others.
    auto const mapped =
        run({"stream", graph, updates("+ 5 4\n+ 5 new\n"), "--map-ids", "--json", "--space", "host"});
    ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
    EXPECT_EQ(lines_of(mapped).last["summary"]["inserted"], 1);
    EXPECT_EQ(lines_of(mapped).last["summary"]["rejected"], 1);
    auto const grown = run({"stream", graph, updates("+ 5 4\n+ 5 new 2.5\n"), "--map-ids", "--grow-vertices",
                            "--json", "--space", "host", "--output", folder.path("last.rhz")});
    ASSERT_EQ(grown.exit_code, 0) << grown.err;
    EXPECT_EQ(lines_of(grown).last["summary"]["inserted"], 2);
    EXPECT_EQ(lines_of(grown).last["summary"]["vertices_after"], 6);
    EXPECT_TRUE(lines_of(grown).last["graph"]["weights"]) << "the first batch names one";
    expect_failure(run({"stream", graph, updates("+ ann bob\n"), "--space", "host"}), 1,
                   "found 'ann', expected a vertex");
}

TEST_F(tool, maps_names_as_the_file_numbers_vertices) {
    std::string const list = folder.write("from-one.txt", "1 2\n2 3\n");
    std::string const last = folder.path("last.csv");
    std::string const stored = folder.path("from-one.rhz");
    ASSERT_EQ(run({"convert", list, stored}).exit_code, 0);
    for (std::string const& from : {list, stored}) {
        auto const result = run({"stream", from, updates("+ 3 1\n- 1 2\n+ 4 1\n"), "--map-ids",
                                 "--grow-vertices", "--output", last, "--space", "host"});
        ASSERT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(text_of(last), "source,target\n1,3\n1,4\n2,3\n");
    }
    std::string const from_zero = folder.write("from-zero.txt", "0 1\n1 2\n");
    ASSERT_EQ(run({"stream", from_zero, updates("+ 2 0\n"), "--map-ids", "--output", last}).exit_code, 0);
    EXPECT_EQ(text_of(last), "source,target\n0,1\n0,2\n1,2\n");
    // Names that only number the vertices are not missed.
    auto const metis = run({"stream", graph, updates("+ 5 4\n"), "--map-ids", "--space", "host", "--output",
                            folder.path("last.graph")});
    EXPECT_EQ(metis.exit_code, 0);
    EXPECT_EQ(metis.err, "");
    EXPECT_EQ(text_of(folder.path("last.graph")), "5 5\n2 3\n1 3\n1 2 4\n3 5\n4\n");
}

TEST_F(tool, numbers_vertices_as_a_temporal_list_is_replayed) {
    for (bool const grows : {false, true}) {
        std::string const last = folder.path("last.csv");
        std::vector<std::string> words{
            "stream", updates("500 6 20\n1 2 10\n"), "--batch", "1", "--json", "--space", "host", "--output",
            last};
        if (grows) words.emplace_back("--grow-vertices"); // as it is without it
        auto const result = run(words);
        ASSERT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(lines_of(result).batches[0]["vertices_after"], 2);
        EXPECT_EQ(lines_of(result).batches[1]["vertices_after"], 4);
        EXPECT_EQ(text_of(last), "source,target\n1,2\n500,6\n");
    }
    auto const gone = run({"stream", updates("% asym dynamic\n1 2 1 100\n2 3 1 110\n1 2 -1 120\n"), "--batch",
                           "1", "--json", "--space", "host"});
    ASSERT_EQ(gone.exit_code, 0) << gone.err;
    EXPECT_EQ(lines_of(gone).last["summary"]["edges_after"], 1);
}

TEST_F(tool, wants_the_format_of_an_empty_stream) {
    expect_failure(run({"stream", updates("# nothing\n"), "--space", "host"}), 2,
                   "updates.txt is empty, so its format is not known; --stream-format temporal is needed");
    auto const named =
        run({"stream", updates("# nothing\n"), "--stream-format", "temporal", "--json", "--space", "host"});
    ASSERT_EQ(named.exit_code, 0) << named.err;
    EXPECT_EQ(lines_of(named).last["summary"]["vertices_after"], 0);
}

TEST_F(tool, keeps_names_of_the_vertices_that_it_has) {
    std::string const list = folder.write("people.txt", "Ada Bob 5\nBob Eve 7\nEve Ada 6\n");
    std::string const last = folder.path("last.csv");
    // A rejected update names a vertex that the graph does not get.
    auto const rejected = run({"stream", list, updates("- Ada Bob\n+ Ada Zoe\n"), "--map-ids", "--output",
                               last, "--space", "host"});
    ASSERT_EQ(rejected.exit_code, 0) << rejected.err;
    EXPECT_EQ(text_of(last), "source,target,weight\nAda,Eve,6\nBob,Eve,7\n");
    EXPECT_EQ(rejected.err.find("left out"), std::string::npos) << rejected.err;
    // Vertices that appear as numbers have no names.
    auto const unnamed =
        run({"stream", list, updates("+ 0 4\n"), "--grow-vertices", "--output", last, "--space", "host"});
    ASSERT_EQ(unnamed.exit_code, 0) << unnamed.err;
    EXPECT_NE(
        unnamed.err.find("names of vertices are left out, as 2 vertices that the stream added have none; "
                         "--map-ids takes names from the stream"),
        std::string::npos)
        << unnamed.err;
}

TEST_F(tool, says_that_a_stream_numbers_vertices_that_have_names) {
    std::string const list = folder.write("numbers.txt", "100 205\n205 300\n");
    auto const result = run({"stream", list, updates("+ 100 300\n+ 1 2\n"), "--space", "host"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(
        result.err.find("the vertices of GRAPH have names, but the stream counts them from 0; --map-ids "
                        "takes their names from the stream"),
        std::string::npos)
        << result.err;
    EXPECT_NE(result.err.find("vertices are 0 to 2 (--map-ids takes their names)"), std::string::npos)
        << result.err;
    EXPECT_EQ(run({"stream", list, updates("+ 100 300\n"), "--map-ids", "--space", "host"}).err, "");
}

TEST_F(tool, windows_hold_what_the_graph_takes) {
    auto const result = run({"stream", "--vertices", "3", updates("+ 5 6\n+ 0 1\n+ 1 2\n"), "--batch", "1",
                             "--window", "1e", "--json", "--space", "host"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(lines_of(result).last["summary"]["rejected"], 1);
    EXPECT_EQ(lines_of(result).last["summary"]["expired"], 1);
    EXPECT_EQ(lines_of(result).last["summary"]["edges_after"], 1);
    auto const loops = run({"stream", "--vertices", "3", updates("+ 0 1\n+ 1 1\n"), "--batch", "1",
                            "--window", "1e", "--refuse-self-loops", "--json", "--space", "host"});
    ASSERT_EQ(loops.exit_code, 0) << loops.err;
    EXPECT_EQ(lines_of(loops).last["summary"]["expired"], 0) << "a refused self-loop moves no window";
    auto const grown = run({"stream", updates("+ 5 6\n+ 0 1\n"), "--grow-vertices", "--batch", "1",
                            "--window", "1e", "--json", "--space", "host"});
    ASSERT_EQ(grown.exit_code, 0) << grown.err;
    EXPECT_EQ(lines_of(grown).last["summary"]["expired"], 1);
}

TEST_F(tool, says_what_the_last_graph_leaves_out) {
    std::string const timed = folder.write("timed.txt", "1 2 5 1082040961\n2 3 6 1082040962\n");
    auto const no_weights = run({"stream", timed, updates("- 0 1\n"), "--columns", "u,v,w,t", "--space",
                                 "host", "--output", folder.path("last.col")});
    ASSERT_EQ(no_weights.exit_code, 0) << no_weights.err;
    EXPECT_NE(no_weights.err.find("weights of edges are left out: DIMACS colouring files have none"),
              std::string::npos)
        << no_weights.err;
    EXPECT_NE(no_weights.err.find("times of edges are left out"), std::string::npos) << no_weights.err;
    auto const isolated =
        run({"stream", graph, updates("+ 0 3\n"), "--space", "host", "--output", folder.path("last.csv")});
    ASSERT_EQ(isolated.exit_code, 0) << isolated.err;
    EXPECT_NE(isolated.err.find("1 vertex without edges left out"), std::string::npos) << isolated.err;
    auto const dropped = run({"stream", timed, updates("- 0 1\n"), "--columns", "u,v,w,-", "--drop-weights",
                              "--space", "host", "--output", folder.path("last.col")});
    EXPECT_EQ(dropped.err, "") << "that was asked for";
}

TEST_F(tool, checks_names_for_the_output_before_the_stream) {
    std::string const cities = folder.write(
        "cities.gml", "graph [\n node [ id 0 label \"New York\" ]\n node [ id 1 label \"Rome\" ]\n"
                      " edge [ source 0 target 1 ]\n]\n");
    auto const result =
        run({"stream", cities, updates("+ 0 1\n"), "--space", "host", "--output", folder.path("last.txt")});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(text_of(folder.path("last.txt")).find("\"New York\"\tRome\n"), std::string::npos);
    auto const refused = run({"stream", cities, updates("+ 0 1\n"), "--space", "host", "--output",
                              folder.path("last.properties")});
    expect_failure(refused, 1, "names of vertices are text, and LDBC files hold whole numbers");
    EXPECT_EQ(refused.out, "") << "nothing was done";
}

TEST_F(tool, streams_published_temporal_lists) {
    char const* const datasets = std::getenv("RHIZOME_DATASETS");
    if (datasets == nullptr) GTEST_SKIP() << "RHIZOME_DATASETS is not set";
    struct {
        char const* file;
        int updates, vertices, edges; // edges that are no self-loops, as in INDEX.csv
    } const lists[] = {{"CollegeMsg.txt.gz", 59835, 1899, 13838},
                       {"email-Eu-core-temporal.txt.gz", 332334, 986, 16064},
                       {"sx-mathoverflow.txt.gz", 506550, 24818, 187986}};
    for (auto const& each : lists) {
        std::string const path = std::string(datasets) + "/" + each.file;
        for (char const* const batch : {"--batch=100000", "--time-step=90d"}) {
            auto const result =
                run({"stream", path, batch, "--refuse-self-loops", "--json", "--space", "host"});
            ASSERT_EQ(result.exit_code, 0) << result.err;
            json const summary = lines_of(result).last["summary"];
            EXPECT_EQ(summary["updates"], each.updates) << each.file;
            EXPECT_EQ(summary["vertices_after"], each.vertices) << each.file;
            EXPECT_EQ(summary["edges_after"], each.edges) << each.file;
        }
        auto const window = run({"stream", path, "--window", "30d", "--json", "--quiet", "--space", "host"});
        ASSERT_EQ(window.exit_code, 0) << window.err;
        json const summary = lines_of(window).last["summary"];
        EXPECT_LT(summary["edges_after"], each.edges) << each.file;
        EXPECT_GT(summary["expired"], 0) << each.file;
    }
}

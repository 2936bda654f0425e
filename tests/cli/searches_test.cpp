// SPDX-License-Identifier: Apache-2.0
// Breadth-first search and connected components from the command line, and after batches of a stream.
#include "tool_fixture.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace rhizome::cli::testing;
using namespace rhizome::testing;
using nlohmann::json;

namespace {

class tool_searches : public tool {
protected:
    /// What a command prints with --json and these words.
    static json document_of(std::vector<std::string> words) {
        words.insert(words.end(), {"--json", "--quiet"});
        auto const result = run(words);
        EXPECT_EQ(result.exit_code, 0) << result.err;
        return result.exit_code == 0 ? json::parse(result.out) : json();
    }
};

/// The words of each line.
std::vector<std::vector<std::string>> words_of(std::string const& text) {
    std::vector<std::vector<std::string>> lines;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream words(line);
        lines.emplace_back();
        for (std::string word; words >> word;)
            lines.back().push_back(word);
    }
    return lines;
}

using neighbours = std::map<std::uint64_t, std::set<std::uint64_t>>;

/// The neighbours of each vertex of a METIS file without weights, counted from 0.
neighbours read_metis(std::string const& text) {
    neighbours of;
    auto const lines = words_of(text);
    for (std::uint64_t v = 0; v + 1 < lines.size(); ++v) {
        of[v];
        for (std::string const& word : lines[v + 1])
            of[v].insert(std::stoull(word) - 1);
    }
    return of;
}

/// Levels by a queue.
std::map<std::uint64_t, std::uint64_t> levels_plainly(neighbours const& of,
                                                      std::vector<std::uint64_t> const& sources) {
    std::map<std::uint64_t, std::uint64_t> levels;
    std::deque<std::uint64_t> queue(sources.begin(), sources.end());
    for (std::uint64_t const source : sources)
        levels[source] = 0;
    for (; !queue.empty(); queue.pop_front())
        for (std::uint64_t const next : of.at(queue.front()))
            if (levels.emplace(next, levels[queue.front()] + 1).second) queue.push_back(next);
    return levels;
}

} // namespace

TEST_F(tool_searches, find_levels_and_parents) {
    auto const document = document_of({"bfs", graph, "--source", "3"});
    auto const& bfs = document["bfs"];
    EXPECT_EQ(document["command"], "bfs");
    EXPECT_EQ(document["graph"]["edges"], 4);
    EXPECT_EQ(bfs["sources"], json::parse(R"([{"vertex":3}])"));
    EXPECT_EQ(bfs["reached"], 4);
    EXPECT_EQ(bfs["levels"], 3);
    EXPECT_EQ(bfs["arcs"], 8);
    EXPECT_EQ(bfs["histogram"], json::parse(R"([{"from":0,"to":0,"vertices":1},{"from":1,"to":1,"vertices":1},
                                               {"from":2,"to":2,"vertices":2}])"));
    EXPECT_GT(bfs["edges_per_second"], 0);
    EXPECT_TRUE(bfs.contains("bottom_up_levels"));
    EXPECT_TRUE(bfs.contains("ms"));

    EXPECT_EQ(
        run({"bfs", graph, "--source", "3", "--output", "-", "--quiet"}).out,
        "# vertex level parent; vertices count from 0, in the file from 1\n0 2 2\n1 2 2\n2 1 3\n3 0 3\n");
    std::string const path = folder.path("levels.txt.gz");
    ASSERT_EQ(run({"bfs", graph, "--source", "4,4,0", "--output", path, "--quiet"}).exit_code, 0);
    EXPECT_EQ(run({"bfs", graph, "--source", "4,4,0", "--output", "-", "--quiet"}).out,
              "# vertex level parent; vertices count from 0, in the file from 1\n0 0 0\n1 1 0\n2 1 0\n3 2 "
              "2\n4 0 4\n");

    auto const text = run({"bfs", graph, "--source", "3", "--space", "host"});
    EXPECT_EQ(text.err, "");
    EXPECT_NE(text.out.find("from vertex 3, which is 4 in the file: 4 of 5 vertices reached, 3 levels ("),
              std::string::npos)
        << text.out;
    EXPECT_NE(text.out.find(" edges/s\n"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("level  vertices\n"), std::string::npos) << text.out;
    EXPECT_NE(run({"bfs", graph, "--source", "3,4"}).out.find("from 2 vertices: 5 of 5"), std::string::npos);
}

TEST_F(tool_searches, follow_the_directions_of_edges) {
    std::string const arcs = folder.write("arcs.gr", "p sp 4 3\na 1 2 5\na 2 3 5\na 4 1 5\n");
    for (std::vector<std::string> const& more :
         std::vector<std::vector<std::string>>{{}, {"--directed", "--in-arcs"}}) {
        std::vector<std::string> words{"bfs", arcs, "--source", "0"};
        words.insert(words.end(), more.begin(), more.end());
        auto const document = document_of(words);
        EXPECT_EQ(document["bfs"]["reached"], 3);
        EXPECT_EQ(document["bfs"]["levels"], 3);
        EXPECT_EQ(document["bfs"]["arcs"], 2);
        words[0] = "components";
        words.erase(words.begin() + 2, words.begin() + 4);
        EXPECT_EQ(document_of(words)["components"]["count"], 1) << "directions do not matter";
    }
}

TEST_F(tool_searches, take_and_give_names_of_vertices) {
    std::string const list = folder.write("people.txt", "# friends\nAda Bob\nBob Eve\nMax Mia\n");
    auto const document = document_of({"bfs", list, "--source", "Eve"});
    EXPECT_EQ(document["bfs"]["sources"], json::parse(R"([{"vertex":2,"name":"Eve"}])"));
    EXPECT_EQ(document["bfs"]["reached"], 3);
    EXPECT_EQ(run({"bfs", list, "--source", "Eve,Mia", "-o", "-", "-q"}).out,
              "# vertex level parent; vertices have their names in the file\nAda 2 Bob\nBob 1 Eve\nEve 0 "
              "Eve\nMax 1 Mia\nMia 0 Mia\n");
    expect_failure(run({"bfs", list, "--source", "2"}), 2,
                   "--source: found '2', expected the name of a vertex");
    EXPECT_EQ(run({"components", list, "-o", "-", "-q"}).out,
              "# vertex component; vertices have their names in the file\n"
              "Ada Ada\nBob Ada\nEve Ada\nMax Max\nMia Max\n");
    auto const components = document_of({"components", list, "--top", "1"});
    EXPECT_EQ(components["components"]["largest"],
              json::parse(R"([{"first_vertex":0,"vertices":3,"name":"Ada"}])"));
    // Numbers that are names are no vertex numbers.
    std::string const numbers = folder.write("numbers.txt", "10 20\n20 30\n");
    EXPECT_EQ(document_of({"bfs", numbers, "--source", "10"})["bfs"]["reached"], 3);
    expect_failure(run({"bfs", numbers, "--source", "0"}), 2, "the name of a vertex");
}

TEST_F(tool_searches, find_components_and_their_sizes) {
    auto const document = document_of({"components", graph});
    auto const& components = document["components"];
    EXPECT_EQ(components["count"], 2);
    EXPECT_EQ(components["largest"],
              json::parse(R"([{"first_vertex":0,"vertices":4},{"first_vertex":4,"vertices":1}])"));
    EXPECT_EQ(components["sizes"],
              json::parse(R"([{"from":1,"to":1,"components":1},{"from":4,"to":7,"components":1}])"));
    EXPECT_GT(components["edges_per_second"], 0);
    EXPECT_EQ(run({"components", graph, "--output", "-", "--quiet"}).out,
              "# vertex component; vertices count from 0, in the file from 1\n0 0\n1 0\n2 0\n3 0\n4 4\n");
    auto const text = run({"components", graph, "--top", "1", "--space", "host"});
    EXPECT_EQ(text.err, "");
    EXPECT_NE(text.out.find("\n2 components in "), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("first vertex      vertices\n           0             4\n          size"),
              std::string::npos)
        << text.out;
}

TEST_F(tool_searches, find_core_numbers) {
    auto const document = document_of({"kcore", graph});
    auto const& cores = document["kcore"];
    EXPECT_EQ(cores["largest"], 2);
    EXPECT_EQ(cores["vertices_in_largest"], 3);
    EXPECT_EQ(cores["histogram"],
              json::parse(R"([{"from":0,"to":0,"vertices":1},{"from":1,"to":1,"vertices":1},
                                                 {"from":2,"to":2,"vertices":3}])"));
    EXPECT_GT(cores["edges_per_second"], 0);
    EXPECT_EQ(document_of({"kcore", graph, "--directed"})["kcore"]["largest"], 2)
        << "directions do not matter";
    EXPECT_EQ(run({"kcore", graph, "--output", "-", "--quiet"}).out,
              "# vertex core-number; vertices count from 0, in the file from 1\n0 2\n1 2\n2 2\n3 1\n4 0\n");
    auto const text = run({"kcore", graph, "--space", "host"});
    EXPECT_EQ(text.err, "");
    EXPECT_NE(text.out.find("the largest core number is 2, of 3 vertices\n"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("core number  vertices\n"), std::string::npos) << text.out;
    EXPECT_NE(run({"kcore", "--help"}).out.find("core number"), std::string::npos);
    EXPECT_EQ(document_of({"kcore", folder.write("none.graph", "0 0\n")})["kcore"]["largest"], 0);
}

TEST_F(tool_searches, count_the_triangles_of_each_vertex) {
    std::string const two = folder.write("two.graph", "5 6\n2 3 4\n1 3\n1 2 4\n1 3 5\n4\n");
    auto const document = document_of({"local-triangles", two, "--top", "2"});
    EXPECT_EQ(document["local-triangles"]["count"], 2);
    EXPECT_EQ(document["top"], json::parse(R"([{"vertex":0,"triangles":2},{"vertex":2,"triangles":2}])"));
    EXPECT_EQ(run({"local-triangles", two, "--output", "-", "--quiet"}).out,
              "# vertex triangles; vertices count from 0, in the file from 1\n0 2\n1 1\n2 2\n3 1\n4 0\n");
    EXPECT_NE(run({"local-triangles", two, "--space", "host"}).out.find("triangles 2 in "),
              std::string::npos);
    expect_failure(run({"local-triangles", two, "--top", "0"}), 2, "--top");
}

TEST_F(tool_searches, rank_by_weight) {
    std::string const star = folder.write("star.graph", "3 2 001\n2 3 3 1\n1 3\n1 1\n"); // weights 3 and 1
    auto const document = document_of({"weighted-pagerank", star, "--damping", "0.5"});
    EXPECT_EQ(document["weighted-pagerank"]["damping"], 0.5);
    EXPECT_EQ(document["top"][0]["vertex"], 0);
    EXPECT_EQ(document["top"][1]["vertex"], 1) << "its edge weighs more";
    auto const ranks = document["top"];
    EXPECT_NEAR(ranks[1]["rank"].get<double>() - ranks[2]["rank"].get<double>(),
                0.5 * ranks[0]["rank"].get<double>() / 2, 1e-6)
        << "vertex 0 gives 3/4 of its rank to one neighbour and 1/4 to the other";
    expect_failure(run({"weighted-pagerank", graph}), 1, "'rhizome pagerank' ranks vertices without weights");
    expect_failure(run({"weighted-pagerank", star, "--damping", "1"}), 2, "--damping");
    auto const stream = run({"stream", star, updates("+ 1 2\n"), "--weighted-pagerank-every", "1",
                             "--local-triangles-every", "1", "--space", "host"});
    EXPECT_EQ(stream.exit_code, 0) << stream.err;
    EXPECT_NE(stream.out.find("weighted-pagerank 1 run"), std::string::npos) << stream.out;
    EXPECT_NE(stream.out.find("local triangles"), std::string::npos) << stream.out;
}

TEST_F(tool_searches, find_shortest_paths_by_weight) {
    std::string const weighted =
        folder.write("weighted.graph", "5 4 001\n2 7 3 9\n1 7 3 1\n1 9 2 1 4 6\n3 6\n\n");
    auto const document = document_of({"sssp", weighted, "--source", "0"});
    auto const& sssp = document["sssp"];
    EXPECT_TRUE(document["graph"]["weights"]);
    EXPECT_EQ(sssp["sources"], json::parse(R"([{"vertex":0}])"));
    EXPECT_EQ(sssp["reached"], 4);
    EXPECT_EQ(sssp["largest_distance"], 14);
    EXPECT_GT(sssp["edges_per_second"], 0);
    EXPECT_TRUE(sssp.contains("delta"));
    EXPECT_EQ(
        run({"sssp", weighted, "--source", "0", "--output", "-", "--quiet"}).out,
        "# vertex distance parent; vertices count from 0, in the file from 1\n0 0 0\n1 7 0\n2 8 1\n3 14 2\n");
    EXPECT_EQ(
        run({"sssp", weighted, "--source", "3,1", "--delta", "0.5", "-o", "-", "-q"}).out,
        "# vertex distance parent; vertices count from 0, in the file from 1\n0 7 1\n1 0 1\n2 1 1\n3 0 3\n");
    auto const text = run({"sssp", weighted, "--source", "0", "--space", "host"});
    EXPECT_EQ(text.err, "");
    EXPECT_NE(
        text.out.find(
            "from vertex 0, which is 1 in the file: 4 of 5 vertices reached, the farthest at distance 14\n"),
        std::string::npos)
        << text.out;
    EXPECT_NE(run({"sssp", "--help"}).out.find("--source V[,V...]"), std::string::npos);

    std::string const list = folder.write("people.txt", "Ada Bob 2.5\nBob Eve 0.25\n");
    EXPECT_EQ(run({"sssp", list, "--source", "Eve", "-o", "-", "-q"}).out,
              "# vertex distance parent; vertices have their names in the file\nAda 2.75 Bob\nBob 0.25 "
              "Eve\nEve 0 Eve\n");
    std::string const arcs = folder.write("arcs.gr", "p sp 3 2\na 1 2 5\na 3 2 4\n");
    EXPECT_EQ(run({"sssp", arcs, "--source", "0", "-o", "-", "-q"}).out,
              "# vertex distance parent; vertices count from 0, in the file from 1\n0 0 0\n1 5 0\n");

    expect_failure(run({"sssp", graph, "--source", "0"}), 1,
                   graph + ": has no weights of edges; 'rhizome bfs' finds paths of fewest edges");
    std::string const negative = folder.write("negative.gr", "p sp 3 2\na 1 2 5\na 2 3 -4\n");
    expect_failure(run({"sssp", negative, "--source", "0"}), 1, "negative");
    expect_failure(run({"sssp", weighted, "--source", "0", "--delta", "-1"}), 2, "--delta");
    expect_failure(run({"sssp", weighted}), 2, "sssp: --source is missing");
    expect_failure(run({"sssp", weighted, "--source", "5"}), 2, "--source: found '5'");
}

TEST_F(tool_searches, find_shortest_paths_after_batches) {
    std::string const weighted =
        folder.write("weighted.graph", "5 4 001\n2 7 3 9\n1 7 3 1\n1 9 2 1 4 6\n3 6\n\n");
    std::string const changes = updates("+ 3 4 0.5\n- 0 1\n");
    auto const result =
        run({"stream", weighted, changes, "--batch", "1", "--sssp-every", "1", "--json", "--space", "host"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    auto const [batches, last] = lines_of(result);
    EXPECT_TRUE(last["graph"]["weights"]);
    EXPECT_EQ(batches.at(0)["sssp"]["reached"], 5);
    EXPECT_EQ(batches.at(0)["sssp"]["largest_distance"], 14.5);
    EXPECT_EQ(batches.at(1)["sssp"]["largest_distance"], 15.5);
    EXPECT_EQ(last["summary"]["sssp"]["runs"], 2);
    EXPECT_EQ(last["summary"]["sssp"]["last_reached"], 5);
    EXPECT_EQ(last["summary"]["sssp"]["last_largest_distance"], 15.5);
    auto const text =
        run({"stream", weighted, changes, "--sssp-every", "1", "--source", "4", "--space", "host"});
    EXPECT_NE(text.out.find(" ms, 5 reached, distance at most 15.5\n"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("\nsssp      1 run, "), std::string::npos) << text.out;

    std::string const plain = folder.write("plain.txt", "+ 0 3\n");
    expect_failure(run({"stream", graph, plain, "--sssp-every", "1", "--space", "host"}), 1,
                   "--sssp-every: neither the graph nor the first batch has weights");
    auto const ones = run({"stream", graph, plain, "--sssp-every", "1", "--weights", "--json", "--quiet"});
    ASSERT_EQ(ones.exit_code, 0) << ones.err;
    EXPECT_EQ(json::parse(ones.out)["summary"]["sssp"]["last_largest_distance"], 1);
    expect_failure(run({"stream", weighted, plain, "--sssp-every", "1", "--drop-weights"}), 2,
                   "--sssp-every and --drop-weights exclude each other");
    expect_failure(run({"stream", weighted, folder.write("n.txt", "+ 0 3 -1\n"), "--sssp-every", "1"}), 1,
                   "batch 1: ");
}

TEST_F(tool_searches, say_what_is_wrong) {
    struct {
        std::vector<std::string> words;
        std::string part;
    } const wrong_usage[] = {
        {{"bfs"}, "missing"},
        {{"bfs", graph}, "bfs: --source is missing"},
        {{"bfs", graph, "--source"}, "source"},
        {{"bfs", graph, "--source", ""}, "--source: found '', expected vertices with commas"},
        {{"bfs", graph, "--source", "1,"}, "--source: found '1,', expected vertices with commas"},
        {{"bfs", graph, "--source", "5"}, "--source: found '5', expected a vertex of " + graph + ": 0 to 4"},
        {{"bfs", graph, "--source", "0,18446744073709551616"}, "expected a vertex of"},
        {{"bfs", graph, "--source", "x"}, "(one more in METIS files)"},
        {{"bfs", graph, "--source=-1"}, "--source: found '-1'"},
        {{"bfs", folder.write("none.graph", "0 0\n"), "--source", "0"}, "has none"},
        {{"bfs", graph, graph, "--source", "0"}, "too many"},
        {{"bfs", graph, "--sorce", "0"}, "did you mean '--source'"},
        {{"kcore"}, "missing"},
        {{"stream", graph, graph, "--damping", "7"}, "--damping"},
        {{"kcore", graph, "--top", "3"}, "--top"},
        {{"stream", graph, graph, "--kcore-every", "0"}, "--kcore-every"},
        {{"components"}, "missing"},
        {{"components", graph, graph}, "too many"},
        {{"components", graph, "--top", "0"}, "--top"},
        {{"components", graph, "--source", "0"}, "--source"},
        {{"stream", graph, graph, "--bfs-every", "0"}, "--bfs-every"},
        {{"stream", graph, graph, "--components-every", "x"}, "--components-every"},
        {{"stream", graph, graph, "--source", "0"}, "--source is for --bfs-every and --sssp-every"},
        {{"stream", graph, graph, "--bfs-every", "1", "--source", "a"}, "--source: found 'a'"},
        {{"stream", graph, updates("+ 0 3\n"), "--bfs-every", "1", "--source", "5"},
         "--source: found '5', expected a vertex of the graph: 0 to 4"},
        {{"stream", "--vertices", "0", updates("+ 0 3\n"), "--bfs-every", "1"}, "the graph has no vertices"},
    };
    for (auto const& each : wrong_usage) {
        SCOPED_TRACE(each.part);
        auto const result = run(each.words);
        expect_failure(result, 2, each.part);
        EXPECT_EQ(result.out, "");
    }
    std::string const bad = folder.write("bad.graph", "2 1\n2\nx\n");
    for (char const* command : {"bfs", "components", "kcore"}) {
        std::vector<std::string> words{command, bad, "--json"};
        std::vector<std::string> nowhere{command, graph, "--output", folder.path("no/such/folder")};
        if (words[0] == "bfs") {
            words.insert(words.end(), {"--source", "0"});
            nowhere.insert(nowhere.end(), {"--source", "0"});
        }
        expect_failure(run(words), 1, "bad.graph:3:1: found 'x'");
        expect_failure(run(nowhere), 1, "cannot create");
    }
    // What fails leaves no file behind.
    std::string const output = folder.path("levels.txt");
    EXPECT_EQ(run({"bfs", graph, "--source", "9", "--output", output}).exit_code, 2);
    EXPECT_FALSE(std::ifstream(output).is_open());
}

TEST_F(tool_searches, have_help_completion_and_a_manual) {
    EXPECT_NE(run({"bfs", "--help"}).out.find("--source V[,V...]"), std::string::npos);
    EXPECT_NE(run({"components", "--help"}).out.find("weakly connected"), std::string::npos);
    EXPECT_NE(run({"stream", "--help"}).out.find("--components-every K"), std::string::npos);
    for (std::vector<std::string> const& words :
         std::vector<std::vector<std::string>>{{"--help"}, {"manual"}, {"completion", "bash"}})
        for (char const* name : {"bfs", "components", "kcore", "sssp"})
            EXPECT_NE(run(words).out.find(name), std::string::npos) << words[0];
}

TEST_F(tool_searches, run_after_batches_of_a_stream) {
    // After batch 1 there is the path 0 1 2; batch 2 joins 3 - 4 to nothing; batch 3 cuts 0 off.
    std::string const changes = updates("+ 0 1\n+ 1 2\n+ 3 4\n+ 3 4\n- 0 1\n- 0 1\n");
    auto const result =
        run({"stream", "--vertices", "5", changes, "--batch", "2", "--bfs-every", "1", "--components-every",
             "2", "--source", "0,3", "--kcore-every", "3", "--json", "--space", "host"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    auto const [batches, last] = lines_of(result);
    ASSERT_EQ(batches.size(), 3u);
    EXPECT_EQ(batches[0]["bfs"]["reached"], 4);
    EXPECT_EQ(batches[0]["bfs"]["levels"], 3);
    EXPECT_FALSE(batches[0].contains("components"));
    EXPECT_EQ(batches[1]["bfs"]["reached"], 5);
    EXPECT_EQ(batches[1]["components"]["count"], 2);
    EXPECT_EQ(batches[2]["bfs"]["reached"], 3);
    EXPECT_EQ(batches[2]["kcore"]["largest"], 1);
    EXPECT_EQ(last["summary"]["kcore"]["runs"], 1);
    EXPECT_EQ(last["summary"]["kcore"]["last_largest"], 1);
    EXPECT_EQ(last["summary"]["bfs"]["runs"], 3);
    EXPECT_EQ(last["summary"]["bfs"]["last_reached"], 3);
    EXPECT_EQ(last["summary"]["bfs"]["last_levels"], 2);
    EXPECT_EQ(last["summary"]["components"]["runs"], 1);
    EXPECT_EQ(last["summary"]["components"]["last_count"], 2);

    auto const text = run({"stream", "--vertices", "5", changes, "--batch", "2", "--bfs-every", "3",
                           "--components-every", "3", "--space", "host"});
    EXPECT_NE(text.out.find(" ms, 1 reached in 1 level; 3 components in "), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("\nbfs       1 run, "), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("\ncomponents 1 run, "), std::string::npos) << text.out;
}

TEST_F(tool_searches, wait_for_sources_that_appear_later) {
    auto const result =
        run({"stream", "--vertices", "0", updates("+ 0 1\n+ 4 1\n"), "--grow-vertices", "--batch", "1",
             "--bfs-every", "1", "--source", "4", "--json", "--space", "host"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    auto const batches = lines_of(result).batches;
    EXPECT_EQ(batches.at(0)["bfs"]["reached"], 0);
    EXPECT_EQ(batches.at(0)["bfs"]["levels"], 0);
    EXPECT_EQ(batches.at(1)["bfs"]["reached"], 3);
}

TEST_F(tool_searches, agree_with_plain_code_in_every_space) {
    std::string const path = folder.path("r.graph");
    ASSERT_EQ(run({"generate", "rmat", "--scale", "8", "--edge-factor", "2", "--output", path}).exit_code, 0);
    auto const of = read_metis(text_of(path));
    auto const levels = levels_plainly(of, {0, 77});
    for (char const* space : {"host", "simt"}) {
        SCOPED_TRACE(space);
        auto const lines =
            words_of(run({"bfs", path, "--source", "0,77", "--space", space, "-o", "-", "-q"}).out);
        ASSERT_EQ(lines.size(), levels.size());
        for (auto const& line : lines) {
            std::uint64_t const v = std::stoull(line.at(0));
            std::uint64_t const parent = std::stoull(line.at(2));
            EXPECT_EQ(std::stoull(line.at(1)), levels.at(v));
            if (levels.at(v) == 0) {
                EXPECT_EQ(parent, v);
            } else {
                EXPECT_EQ(levels.at(parent) + 1, levels.at(v));
                EXPECT_TRUE(of.at(parent).contains(v));
            }
        }
        std::set<std::uint64_t> first_vertices;
        for (auto const& line : words_of(run({"components", path, "--space", space, "-o", "-", "-q"}).out)) {
            std::uint64_t const v = std::stoull(line.at(0));
            std::uint64_t const first = std::stoull(line.at(1));
            EXPECT_EQ(first, levels_plainly(of, {v}).begin()->first);
            first_vertices.insert(first);
        }
        EXPECT_EQ(document_of({"components", path, "--space", space})["components"]["count"],
                  first_vertices.size());
    }
}

TEST_F(tool_searches, find_the_components_of_published_graphs) {
    char const* const datasets = std::getenv("RHIZOME_DATASETS");
    if (datasets == nullptr) GTEST_SKIP() << "RHIZOME_DATASETS is not set";
    // Their numbers of vertices and components in INDEX.csv.
    struct {
        char const* file;
        std::uint64_t vertices;
        std::uint64_t components;
    } const graphs[] = {{"fe_body.graph.gz", 45087, 351},
                        {"hep-th.graph", 8361, 1332},
                        {"power.graph", 4941, 1},
                        {"rgg_n_2_15_s0.graph.gz", 32768, 6},
                        {"wiki-Vote.txt.gz", 7115, 24}};
    for (auto const& each : graphs) {
        std::string const path = std::string(datasets) + "/" + each.file;
        auto const components = document_of({"components", path});
        EXPECT_EQ(components["graph"]["vertices"], each.vertices) << each.file;
        EXPECT_EQ(components["components"]["count"], each.components) << each.file;
        if (each.components != 1) continue;
        EXPECT_EQ(document_of({"bfs", path, "--source", "0"})["bfs"]["reached"], each.vertices) << each.file;
    }
}

// Of parallel edges, a graph keeps one: the distances must be those of the file.
TEST_F(tool_searches, count_the_least_weight_of_parallel_edges) {
    std::string const road = folder.write("road.gr", "p sp 2 3\na 1 2 9\na 1 2 3\na 1 2 5\n");
    std::string const list = folder.write("list.txt", "# Nodes: 2 Edges: 3\n0 1 9\n1 0 3\n0 1 5\n");
    std::string const matrix = folder.write(
        "file.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 2 9\n1 2 3\n1 2 5\n");
    std::string const metis = folder.write("file.graph", "2 3 1\n2 9 2 3 2 5\n1 9 1 3 1 5\n");
    auto const distance = [&](std::string const& file, std::vector<std::string> const& more) {
        std::vector<std::string> words{"sssp", file, "--source", "0"};
        words.insert(words.end(), more.begin(), more.end());
        return document_of(words)["sssp"]["largest_distance"];
    };
    for (std::string const& file : {road, list, matrix, metis}) {
        EXPECT_EQ(distance(file, {}), 3) << file;
        EXPECT_EQ(distance(file, {"--parallel", "least"}), 3) << file;
        EXPECT_EQ(distance(file, {"--parallel", "sum"}), 17) << file;
        std::string const stored = folder.path("stored.rhz");
        ASSERT_EQ(run({"convert", file, stored}).exit_code, 0);
        EXPECT_EQ(distance(stored, {}), 3) << file << " after convert";
        ASSERT_EQ(run({"convert", file, stored, "--parallel", "sum"}).exit_code, 0);
        EXPECT_EQ(distance(stored, {}), 17) << file << " after convert";
    }
    EXPECT_EQ(distance(road, {"--parallel", "last"}), 5);
    EXPECT_EQ(distance(road, {"--parallel", "first"}), 9);
    auto const said = run({"sssp", road, "--source", "0", "--space", "host"});
    EXPECT_EQ(said.err, "rhizome: 1 edge is several times in " + road +
                            " with different weights: the least one counts (--parallel)\n");
    expect_failure(run({"sssp", road, "--source", "0", "--parallel", "most"}), 2, "least");
    // Text formats have all of them, unless the caller chooses.
    std::string const text = folder.path("text.txt");
    ASSERT_EQ(run({"convert", road, text}).exit_code, 0);
    EXPECT_EQ(distance(text, {}), 3);
    ASSERT_EQ(run({"convert", road, text, "--parallel", "last"}).exit_code, 0);
    EXPECT_EQ(distance(text, {}), 5);
    auto const stream = run({"stream", road, updates("+ 1 0\n"), "--sssp-every", "1", "--source", "0",
                             "--json", "--space", "host"});
    ASSERT_EQ(stream.exit_code, 0) << stream.err;
    EXPECT_NE(stream.out.find("\"largest_distance\":3"), std::string::npos) << stream.out;
}

TEST_F(tool_searches, say_which_file_has_weights_with_too_large_a_sum) {
    std::string const road = folder.write("road.gr", "p sp 2 2\na 1 2 9007199254740992\na 1 2 1\n");
    expect_failure(run({"sssp", road, "--source", "0", "--parallel", "sum"}), 1,
                   road + ": the weights of the parallel edges 0 -> 1 have a sum beyond 2^53");
    EXPECT_EQ(run({"sssp", road, "--source", "0"}).exit_code, 0);
}

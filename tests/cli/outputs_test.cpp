// SPDX-License-Identifier: Apache-2.0
// What goes to standard output and what to standard error, with --quiet and --json.
#include "tool_fixture.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

using namespace rhizome::cli::testing;
using namespace rhizome::testing;
using nlohmann::json;

namespace {

using words_list = std::vector<std::string>;

words_list with(words_list words, words_list const& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

class outputs : public tool {
protected:
    std::string weighted = folder.write("weighted.graph", "3 2 1\n2 5\n1 5 3 7\n2 7\n");
};

} // namespace

TEST_F(outputs, quiet_prints_results_alone) {
    struct {
        words_list words;
        std::string result;
    } const cases[] = {{{"info", graph}, "degrees "},
                       {{"pagerank", graph}, "      vertex  rank"},
                       {{"triangles", graph}, "triangles 1 in "},
                       {{"bfs", graph, "--source", "0"}, "bfs "},
                       {{"components", graph}, "2 components in "},
                       {{"kcore", graph}, "k-cores "},
                       {{"sssp", weighted, "--source", "0"}, "sssp "},
                       {{"stream", graph, updates("+ 0 3\n")}, "stream "}};
    for (auto const& each : cases) {
        SCOPED_TRACE(each.words[0]);
        auto const loud = run(each.words);
        auto const quiet = run(with(each.words, {"-q"}));
        ASSERT_EQ(quiet.exit_code, 0) << quiet.err;
        EXPECT_EQ(quiet.err, "");
        EXPECT_NE(quiet.out.find(each.result), std::string::npos) << quiet.out;
        for (char const* part : {"\nspace ", "\nloading ", "count from 0 here"}) {
            EXPECT_NE(loud.out.find(part), std::string::npos) << part;
            EXPECT_EQ(quiet.out.find(part), std::string::npos) << part;
        }
    }
}

TEST_F(outputs, quiet_prints_nothing_where_a_file_is_the_result) {
    std::string const file = folder.path("file.graph");
    words_list const cases[] = {
        {"generate", "mesh", "--side", "2", "--output"},
        {"generate", "updates", graph, "--count", "10", "--output"},
        {"convert", graph, "--to", "metis"},
    };
    for (auto const& each : cases) {
        SCOPED_TRACE(each[1]);
        auto const quiet = run(with(each, {file, "-q"}));
        EXPECT_EQ(quiet.exit_code, 0);
        EXPECT_EQ(quiet.out + quiet.err, "");
        EXPECT_NE(run(with(each, {file})).out, "");
        auto const printed = run(with(each, {"-", "-q"}));
        EXPECT_EQ(printed.out, text_of(file));
        EXPECT_EQ(printed.err, "");
        EXPECT_TRUE(json::accept(run(with(each, {file, "-q", "--json"})).out));
    }
    auto const table = run({"kcore", graph, "-q", "-o", "-"});
    EXPECT_EQ(table.out,
              "# vertex core-number; vertices count from 0, in the file from 1\n0 2\n1 2\n2 2\n3 1\n4 0\n");
    EXPECT_EQ(table.err, "");
}

TEST_F(outputs, quiet_still_warns_of_lost_data) {
    std::string const sizes = folder.write("sizes.graph", "2 1 10\n7 2\n8 1\n");
    auto const result = run({"convert", sizes, folder.path("sizes.rhz"), "-q"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err,
              "rhizome: sizes and weights of vertices are left out: stored graph files have none\n");
    std::string const broken = folder.write("broken.graph", "2 9\n2\n1\n");
    EXPECT_NE(run({"triangles", broken, "--lenient", "-q"}).err.find("mended "), std::string::npos);
}

TEST_F(outputs, json_and_a_file_do_not_share_standard_output) {
    for (std::string const out : {"-", "/dev/stdout"}) {
        words_list const cases[] = {
            {"generate", "mesh", "--side", "2", "--output", out},
            {"generate", "updates", graph, "--count", "10", "--output", out},
            {"convert", graph, out, "--to", "metis"},
            {"pagerank", graph, "--output", out},
            {"stream", graph, updates("+ 0 3\n"), "--output", out},
        };
        for (auto const& each : cases) {
            SCOPED_TRACE(each[0]);
            auto const result = run(with(each, {"--json"}));
            expect_failure(result, 2, "--json: standard output cannot take both");
            EXPECT_EQ(result.out, "");
        }
    }
}

TEST_F(outputs, version_has_a_document) {
    auto const document = run({"--version", "--json"});
    EXPECT_EQ(document.exit_code, 0);
    auto const parsed = json::parse(document.out);
    EXPECT_EQ(parsed["name"], "rhizome");
    EXPECT_EQ(run({"--version"}).out, "rhizome " + parsed["version"].get<std::string>() + "\n");
    EXPECT_EQ(run({"-V", "-q"}).out, run({"--version"}).out);
    expect_failure(run({"--version", "moon"}), 2, "--version: found 'moon'");
}

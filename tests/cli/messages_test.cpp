// SPDX-License-Identifier: Apache-2.0
// How text of users and files stands in messages and reports, and how messages read.
#include "tool_fixture.hpp"

#include <string>
#include <vector>

using namespace rhizome::cli::testing;
using namespace rhizome::testing;

namespace {

using words_list = std::vector<std::string>;

class messages : public tool {};

} // namespace

TEST_F(messages, text_that_a_terminal_would_obey_is_escaped) {
    std::string const evil = "evil\x1b[31m\x07name\xff\xc3\xb6";
    words_list const cases[] = {{evil},
                                {"--" + evil},
                                {"help", evil},
                                {"info", graph, "--" + evil},
                                {"info", graph, "--space", evil},
                                {"info", graph, "--threads=" + evil},
                                {"triangles", graph, evil},
                                {"info", evil},
                                {"info", folder.write(evil, "damage\n")},
                                {"convert", graph, evil},
                                {"convert", graph, evil + ".rhz.gz"},
                                {"convert", graph, folder.path(evil + "/no.rhz")},
                                {"generate", evil},
                                {"datasets", evil},
                                {"completion", evil},
                                {"bench", "run", evil},
                                {"bench", "list", evil},
                                {"bench", "run", "plain", "--plot", evil}};
    for (auto const& each : cases) {
        SCOPED_TRACE(each[0]);
        auto const result = run(each);
        EXPECT_NE(result.exit_code, 0);
        EXPECT_EQ(result.err_lines(), 1) << result.err;
        EXPECT_NE(result.err.find("\\x1b[31m\\x07name\\xff"), std::string::npos) << result.err;
        for (char const c : {'\x1b', '\x07', '\xff'})
            EXPECT_EQ(result.err.find(c), std::string::npos) << result.err;
    }
}

TEST_F(messages, long_text_is_cut_in_messages) {
    std::string const longest(100'000, 'y'); // of a word on a command line
    words_list const cases[] = {{longest},
                                {"info", longest},
                                {"info", graph, "--" + longest},
                                {"info", graph, "--" + longest + "=x"},
                                {"info", graph, "-q" + longest},
                                {"info", graph, "--json=" + longest},
                                {"info", graph, "--layout=" + longest},
                                {"kcore", graph, "-o" + longest},
                                {"info", graph, "--layout", longest},
                                {"info", graph, "--threads", longest},
                                {"bfs", graph, "--source", longest},
                                {"generate", "grid", "--extents", longest, "--output", "x"},
                                {"convert", graph, longest},
                                {"bench", "run", longest}};
    for (auto const& each : cases) {
        SCOPED_TRACE(each[0].substr(0, 10));
        auto const result = run(each);
        EXPECT_NE(result.exit_code, 0);
        EXPECT_EQ(result.err_lines(), 1);
        EXPECT_LT(result.err.size(), 1000u) << result.err.substr(0, 2000);
        EXPECT_NE(result.err.find("..."), std::string::npos) << result.err.substr(0, 2000);
    }
}

TEST_F(messages, names_from_files_are_escaped_and_cut_in_reports) {
    std::string const evil = "a\x1b[31mb";
    std::string const text = "graph [ node [ id 0 label \"" + evil + "\" ] node [ id 1 label \"" +
                             std::string(1'000'000, 'x') + "\" ] edge [ source 0 target 1 ] ]\n";
    std::string const list = folder.write("names.gml", text);
    words_list const cases[] = {{"pagerank", list}, {"components", list}, {"bfs", list, "--source", evil}};
    for (auto const& each : cases) {
        SCOPED_TRACE(each[0]);
        auto const result = run(each);
        ASSERT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
        EXPECT_NE(result.out.find("a\\x1b[31mb"), std::string::npos) << result.out.substr(0, 2000);
        EXPECT_LT(result.out.size(), 4000u);
    }
    auto const written = run({"components", list, "-q", "-o", "-"});
    EXPECT_TRUE(written.out.find("\n\"a\\x1b[31mb\" \"a\\x1b[31mb\"\n") != std::string::npos)
        << written.out.substr(0, 100);
}

TEST_F(messages, are_sentences) {
    std::string const list = folder.write("list.txt", "0 1\n1 2\n");
    expect_failure(run({"info", list, "--lenient"}), 2, "is an edge list file");
    std::string const stored = folder.path("kite.rhz");
    ASSERT_EQ(run({"convert", graph, stored}).exit_code, 0);
    expect_failure(run({"info", stored, "--lenient"}), 2, "is a stored graph file");
    expect_failure(run({"inof"}), 2,
                   "there is no command 'inof'; did you mean 'info'? Try 'rhizome --help'\n");
    expect_failure(run({"dance"}), 2, "there is no command 'dance'; try 'rhizome --help'\n");
    expect_failure(run({"info", "--sapce", "x"}), 2, "did you mean '--space'? Try 'rhizome info --help'\n");
    expect_failure(run({"generate", "rgmat"}), 2, "did you mean 'rmat'? Try 'rhizome generate --help'\n");
    expect_failure(run({"--hlep"}), 2, "did you mean '--help'? Try 'rhizome --help'\n");
    expect_failure(run({"datasets", "ldor"}), 2, "did you mean 'ldoor'? 'rhizome datasets' lists all\n");
}

// SPDX-License-Identifier: Apache-2.0
// Weights, standard streams, compressed files, rejected updates and shells. Like behaviour_test.cpp.
#include "tool_fixture.hpp"

#include <filesystem>
#include <random>

using namespace rhizome::cli::testing;
using namespace rhizome::testing;
using nlohmann::json;

namespace {

/// The kite of tool_fixture.hpp, with weights.
constexpr char const* weighted_kite = "5 4 001\n2 7 3 9\n1 7 3 8\n1 9 2 8 4 6\n3 6\n\n";

std::string drop_lines(std::string const& text, std::size_t count) {
    std::size_t at = 0;
    while (count-- > 0)
        at = text.find('\n', at) + 1;
    return text.substr(at);
}

} // namespace

TEST_F(tool, takes_a_switch_that_is_off_as_off) {
    auto const result = run({"triangles", graph, "--json=false", "--directed=false", "--space", "host"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(result.out.starts_with("graph ")) << result.out;
    EXPECT_EQ(result.out.find("directed"), std::string::npos);
    EXPECT_TRUE(json::accept(run({"triangles", graph, "--json=true"}).out));
}

TEST_F(tool, limits_memory_to_what_the_machine_has) {
    auto const by_default = json::parse(run({"info", graph, "--json", "--space", "host"}).out)["graph"];
    EXPECT_GT(by_default["memory_limit_bytes"].get<std::uint64_t>(), 1u << 20);
    auto const given =
        json::parse(run({"info", graph, "--json", "--space", "host", "--memory-limit", "64M"}).out)["graph"];
    EXPECT_EQ(given["memory_limit_bytes"], 64u << 20);
    auto const none =
        json::parse(run({"info", graph, "--json", "--space", "host", "--memory-limit", "0"}).out)["graph"];
    EXPECT_TRUE(none["memory_limit_bytes"].is_null());
}

TEST_F(tool, writes_names_that_are_no_utf8_into_json) {
    std::string const odd = folder.write("a\xff.graph", kite);
    auto const result = run({"triangles", odd, "--json", "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(json::parse(result.out)["file"].get<std::string>().find("a\uFFFD.graph"), std::string::npos);
    auto const streamed = run({"stream", odd, updates("+ 0 4\n"), "--json"});
    ASSERT_EQ(streamed.exit_code, 0) << streamed.err;
    EXPECT_EQ(lines_of(streamed).batches.size(), 1u);
    EXPECT_EQ(
        run({"generate", "mesh", "--side", "2", "--json", "--output", folder.path("b\xff.graph")}).exit_code,
        0);
    EXPECT_EQ(run({"convert", odd, folder.path("c\xff.rhz"), "--json"}).exit_code, 0);
}

TEST_F(tool, keeps_weights_that_it_writes_back) {
    std::string const weighted = folder.write("weighted.graph", weighted_kite);
    std::string const last = folder.path("last.graph");
    // 0 - 3 is new, 2 - 3 gets another weight, 0 - 1 goes; 3 - 4 names no weight.
    std::string const changes = updates("+ 0 3 5\n+ 3 2 4\n- 0 1\n+ 3 4\n");
    auto const result = run({"stream", weighted, changes, "--output", last, "--json", "--space", "host"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(text_of(last), "5 5 001\n3 9 4 5\n3 8\n1 9 2 8 4 4\n1 5 3 4 5 1\n4 1\n");
    EXPECT_EQ(lines_of(result).batches[0]["present"], 1) << "the edge with a new weight";
    EXPECT_TRUE(lines_of(result).last["graph"]["weights"]);
    auto const left_out =
        run({"stream", weighted, changes, "--output", last, "--drop-weights", "--quiet", "--space", "host"});
    ASSERT_EQ(left_out.exit_code, 0) << left_out.err;
    EXPECT_TRUE(text_of(last).starts_with("5 5\n")) << text_of(last);
}

TEST_F(tool, keeps_weights_of_streams_and_stored_graphs) {
    std::string const stored = folder.path("last.rhz");
    auto result = run({"stream", "--vertices", "3", updates("+ 0 1 2\n+ 2 1\n"), "--output", stored,
                       "--quiet", "--space", "host"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    std::string const text = folder.path("last.graph");
    ASSERT_EQ(run({"convert", stored, text}).exit_code, 0);
    EXPECT_EQ(text_of(text), "3 2 001\n2 2\n1 2 3 1\n2 1\n");
    // Read, changed, written again; a directed stored graph as well.
    result =
        run({"stream", stored, updates("+ 0 2 2.5\n"), "--output", stored, "--quiet", "--space", "host"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(json::parse(run({"info", stored, "--json", "--quiet"}).out)["weight_type"], "float64");
    expect_failure(run({"stream", stored, updates("- 0 1\n"), "--output", text, "--space", "host"}), 1,
                   "edge 0 -> 2 has weight 2.5");
    expect_failure(
        run({"stream", "--vertices", "3", updates("+ 0 1 -2\n"), "--output", text, "--space", "host"}), 1,
        "edge 0 -> 1 has weight -2");
    std::string const arcs = folder.path("arcs.rhz");
    result = run({"stream", "--vertices", "3", "--directed", updates("+ 1 0 7\n+ 0 1 8\n"), "--output", arcs,
                  "--quiet", "--space", "host"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(json::parse(run({"info", arcs, "--json", "--quiet"}).out)["weight_type"], "uint64");
}

TEST_F(tool, refuses_weights_that_come_late) {
    std::string const changes = updates("+ 0 1\n+ 1 2\n+ 0 2 5\n");
    std::string const last = folder.path("last.graph");
    std::vector<std::string> words{"stream",   "--vertices", "3",       changes, "--batch", "2",
                                   "--output", last,         "--space", "host",  "--quiet"};
    expect_failure(run(words), 1, "updates.txt:3: found a weight");
    words.emplace_back("--weights");
    ASSERT_EQ(run(words).exit_code, 0);
    EXPECT_EQ(text_of(last), "3 3 001\n2 1 3 5\n1 1 3 1\n1 5 2 1\n");
}

TEST_F(tool, compresses_what_its_name_says) {
    std::string const packed = folder.path("mesh.graph.gz");
    ASSERT_EQ(run({"generate", "mesh", "--side", "4", "--output", packed, "--quiet"}).exit_code, 0);
    EXPECT_TRUE(text_of(packed).starts_with("\x1f\x8b"));
    std::string const plain = folder.path("mesh.graph");
    ASSERT_EQ(run({"generate", "mesh", "--side", "4", "--output", plain, "--quiet"}).exit_code, 0);
    std::string const back = folder.path("back.rhz");
    ASSERT_EQ(run({"convert", packed, back}).exit_code, 0);
    std::string const again = folder.path("again.graph.bz2");
    ASSERT_EQ(run({"convert", back, again}).exit_code, 0);
    EXPECT_TRUE(text_of(again).starts_with("BZh"));
    ASSERT_EQ(run({"convert", again, folder.path("again.rhz")}).exit_code, 0);
    EXPECT_EQ(text_of(folder.path("again.rhz")), text_of(back));
    std::string const stream = folder.path("a.updates.gz");
    ASSERT_EQ(run({"generate", "updates", plain, "--count", "9", "--output", stream}).exit_code, 0);
    EXPECT_TRUE(text_of(stream).starts_with("\x1f\x8b"));
    EXPECT_EQ(run({"stream", plain, stream, "--output", packed, "--quiet"}).exit_code, 0);
    EXPECT_EQ(run({"info", packed, "--quiet"}).exit_code, 0);
    expect_failure(run({"generate", "mesh", "--side", "2", "--output", folder.path("x.graph.lz4")}), 1,
                   ".lz4");
}

TEST_F(tool, writes_files_to_standard_output_and_reports_beside_them) {
    for (char const* out : {"-", "/dev/stdout"}) {
        auto const mesh = run({"generate", "mesh", "--side", "2", "--output", out});
        ASSERT_EQ(mesh.exit_code, 0) << mesh.err;
        EXPECT_TRUE(mesh.out.starts_with("8 28\n")) << mesh.out;
        EXPECT_NE(mesh.err.find("8 vertices, 28 edges"), std::string::npos) << mesh.err;
        auto const streamed = run({"stream", graph, updates("+ 0 3\n- 0 1\n"), "--output", out});
        ASSERT_EQ(streamed.exit_code, 0) << streamed.err;
        EXPECT_EQ(streamed.out, "5 4\n3 4\n3\n1 2 4\n1 3\n\n");
        EXPECT_NE(streamed.err.find("2 updates in 1 batch"), std::string::npos) << streamed.err;
        auto const ranks = run({"pagerank", graph, "-o", out, "-q"});
        EXPECT_TRUE(ranks.out.starts_with("# vertex rank; vertices count from 0, in the file from 1\n0 0."))
            << ranks.out;
        auto const converted = run({"convert", graph, out, "--to", "metis"});
        EXPECT_EQ(converted.out, kite);
    }
    EXPECT_FALSE(std::filesystem::exists("-"));
    auto const read = run_with({"info", "-", "--json", "--quiet"}, "", graph);
    EXPECT_EQ(json::parse(read.out)["graph"]["edges"], 4);
}

TEST_F(tool, names_the_format_that_it_does_not_read) {
    std::string const market =
        folder.write("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 1\n\n3\n2\n");
    expect_failure(run({"info", market}), 1,
                   "a.mtx:2:4: found the end of the line, expected the number of entries");
    expect_failure(run({"info", market, "--format", "metis"}), 1,
                   "a.mtx: is a MatrixMarket file, not a METIS file");
    std::string const stored = folder.path("kite.rhz");
    ASSERT_EQ(run({"convert", graph, stored}).exit_code, 0);
    expect_failure(run_with({"info", "-"}, "", stored), 1, "holds a stored graph");
    std::string bytes = text_of(stored);
    expect_failure(run({"info", folder.write("packed.rhz", "\x1f\x8b\x08" + bytes)}), 1,
                   "found a file compressed by gzip");
    bytes[0] = 'X';
    expect_failure(run({"info", folder.write("text.rhz", bytes)}), 1,
                   "expected the first line of a graph file");
    bytes[0] = '\x88';
    expect_failure(run({"info", folder.write("damaged.rhz", bytes)}), 1, "at byte 0: found '\\x88RHZ");
}

TEST_F(tool, says_what_it_rejected) {
    std::string const changes = updates("+ 0 3\n+ 0 9\n- 9 1\n");
    auto const result = run({"stream", graph, changes, "--space", "host"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.err.find("2 updates were rejected"), std::string::npos) << result.err;
    EXPECT_EQ(run({"stream", graph, changes, "--space", "host", "--quiet"}).err, "");
    std::string const last = folder.write("last.graph", "precious");
    expect_failure(run({"stream", graph, changes, "--strict", "--output", last, "--space", "host"}), 1,
                   "batch 1: 2 updates were rejected");
    EXPECT_EQ(text_of(last), "precious");
}

TEST_F(tool, generates_no_insertion_where_none_is_asked_for) {
    std::string const stream = folder.path("a.updates");
    // More updates than there are edges: some find nothing left.
    ASSERT_EQ(
        run({"generate", "updates", graph, "--count", "5000", "--insert-share", "0", "-o", stream}).exit_code,
        0);
    EXPECT_EQ(drop_lines(text_of(stream), 1).find('+'), std::string::npos);
    auto const result = run({"stream", graph, stream, "--json", "--quiet", "--space", "host"});
    EXPECT_EQ(lines_of(result).last["summary"]["edges_after"], 0);
}

TEST_F(tool, ends_quietly_when_its_reader_goes) {
    for (auto const& words : std::vector<std::vector<std::string>>{
             {"--help"},
             {"info"},
             {"stream", graph, updates("+ 0 3\n"), "--space", "host"},
             {"generate", "mesh", "--side", "3", "--output", "-", "--quiet"}}) {
        auto const result = run_without_reader(words);
        EXPECT_EQ(result.exit_code, 128 + 13) << words[0];
        EXPECT_EQ(result.err, "") << words[0];
    }
}

TEST_F(tool, prints_what_it_has_before_an_error) {
    // Both on one file: what comes first stands first.
    std::string const log = folder.write("log", "");
    auto const result =
        run_program({"bash", "-c", "exec \"$0\" \"$@\" > '" + log + "' 2>&1", RHIZOME_TOOL_UNDER_TEST,
                     "stream", graph, updates("moon\n"), "--space", "host"});
    EXPECT_EQ(result.exit_code, 1);
    std::string const text = text_of(log);
    ASSERT_NE(text.find("rhizome: "), std::string::npos) << text;
    EXPECT_LT(text.find(" batch  updates"), text.find("rhizome: ")) << text;
}

TEST_F(tool, keeps_results_up_to_date) {
    std::string text;
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        bool const erases = random() % 3 == 0;
        text += (erases ? "- " : "+ ") + std::to_string(random() % 40) + " " + std::to_string(random() % 40) +
                (erases ? "\n" : " " + std::to_string(1 + random() % 9) + "\n");
    }
    std::string const changes = updates(text);
    std::vector<std::string> const stream{"stream", "--vertices", "40",   changes,  "--batch",
                                          "100",    "--space",    "host", "--json", "--quiet"};
    auto const with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), stream.begin(), stream.end());
        return run(more);
    };
    std::string const names = with({"--maintain", "diameter"}).err;
    std::string all_maintained = names.substr(names.find("expected some of ") + 17);
    std::erase_if(all_maintained, [](char c) { return c == ' ' || c == '\n'; });
    // Each batch's results are compared with those computed anew.
    auto const kept = with({"--maintain", all_maintained, "--weights", "--validate-every", "1"});
    ASSERT_EQ(kept.exit_code, 0) << kept.err;
    auto const found = nlohmann::json::parse(kept.out).at("summary");
    EXPECT_EQ(found.at("triangles").at("runs"), 20);
    EXPECT_TRUE(found.at("components").contains("recomputed"));
    auto const anew = with({"--triangles-every", "20", "--components-every", "20"});
    auto const expected = nlohmann::json::parse(anew.out).at("summary");
    for (char const* const name : {"triangles", "components"})
        EXPECT_EQ(found.at(name).at("last_count"), expected.at(name).at("last_count")) << name;

    expect_failure(with({"--maintain", "diameter"}), 2, "--maintain: found 'diameter', expected some of ");
    expect_failure(with({"--maintain", "triangles,"}), 2, "--maintain: found '', expected some of ");
    expect_failure(with({"--maintain", "triangles:3"}), 2, "triangles does not search from a vertex");
    expect_failure(with({"--maintain", "triangles,triangles"}), 2, "triangles is named twice");
    expect_failure(with({"--maintain", "triangles", "--triangles-every", "2"}), 2, "exclude each other");
    expect_failure(with({"--maintain", "triangles", "--devices", "2"}), 2,
                   "not offered over several devices");
    expect_failure(with({"--maintain", "triangles", "--directed"}), 1, "the graph is directed");
    expect_failure(with({"--maintain", "triangles", "--layout", "buckets"}), 1,
                   "do not follow graphs of layout buckets");
}

TEST_F(tool, keeps_lines_within_100_columns) {
    std::string const changes = updates("+ 0 3\n- 0 1\n+ 0 9\n");
    for (auto const& words : std::vector<std::vector<std::string>>{
             {"--help"},
             {"info"},
             {"help", "stream"},
             {"help", "generate"},
             {"help", "info"},
             {"help", "convert"},
             {"stream", "--vertices", "4", changes, "--pagerank-every", "1", "--triangles-every", "1",
              "--validate-every", "1", "--space", "host"}}) {
        std::istringstream text(run(words).out);
        for (std::string line; std::getline(text, line);)
            EXPECT_LE(line.size(), 100u) << words[0] << ": " << line;
    }
    EXPECT_NE(
        run({"stream", "--vertices", "4", changes, "--space", "host"}).out.find("3 updates in 1 batch:"),
        std::string::npos);
}

TEST_F(tool, says_from_where_vertices_count) {
    auto const metis = run({"pagerank", graph, "--space", "host"});
    EXPECT_NE(metis.out.find("vertices  count from 0 here and from 1 in METIS files"), std::string::npos)
        << metis.out;
    std::string const stored = folder.path("kite.rhz");
    ASSERT_EQ(run({"convert", graph, stored}).exit_code, 0);
    EXPECT_NE(run({"pagerank", stored, "--space", "host"}).out.find("from 1 in the file that was stored"),
              std::string::npos);
}

TEST_F(tool, draws_nothing_on_terminals_that_cannot) {
    if (!has_terminals()) GTEST_SKIP() << "this machine gives out no pseudo-terminals";
    std::vector<std::string> const words{"triangles", graph, "--space", "host"};
    EXPECT_NE(run_on_terminal(words).err.find("reading"), std::string::npos) << "progress while loading";
    EXPECT_EQ(run_on_terminal(words, {"TERM=dumb"}).err, "");
    EXPECT_EQ(run_on_terminal(words, {"NO_COLOR=1"}).err, "");
}

TEST_F(tool, completes_in_bash) {
    auto const complete = [](std::string const& line, std::string const& words, int at) {
        auto const result =
            run_program({"bash", "-c",
                         "source <(\"$0\" completion bash); COMP_LINE='" + line + "'; COMP_WORDS=(" + words +
                             "); COMP_CWORD=" + std::to_string(at) + "; _rhizome; echo \"${COMPREPLY[*]}\"",
                         RHIZOME_TOOL_UNDER_TEST});
        EXPECT_EQ(result.err, "");
        return result.out;
    };
    EXPECT_EQ(complete("rhizome str", "rhizome str", 1), "stream\n");
    EXPECT_EQ(complete("rhizome generate r", "rhizome generate r", 2), "rgg rmat road\n");
    EXPECT_EQ(complete("rhizome stream --pag", "rhizome stream --pag", 2), "--pagerank-every\n");
    EXPECT_EQ(complete("rhizome generate rgg --sc", "rhizome generate rgg --sc", 3), "--scale\n");
    EXPECT_EQ(complete("rhizome info --space h", "rhizome info --space h", 3), "host\n");
    EXPECT_EQ(complete("rhizome convert a b --to met", "rhizome convert a b --to met", 5), "metis\n");
    auto const zsh = run({"completion", "zsh"});
    EXPECT_TRUE(zsh.out.starts_with("#compdef rhizome\n"));
    EXPECT_NE(zsh.out.find("'--space[where it lives"), std::string::npos);
}

TEST_F(tool, prints_its_manual) {
    auto const result = run({"manual"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    for (char const* part : {".TH RHIZOME 1", ".SH NAME", "rhizome stream", "\\fB\\-\\-batch\\fR",
                             "generate updates", ".SH EXIT STATUS", "\\fB\\-\\-memory\\-limit\\fR"})
        EXPECT_NE(result.out.find(part), std::string::npos) << part;
}

TEST_F(tool, streams_the_temporal_lists_that_it_writes) {
    std::string const list = folder.write(
        "list.csv", "source,target,time,weight\n1,2,1000000000,5\n2,3,2000000000,6\n1,3,3000000000,7\n");
    std::string const text = folder.path("list.txt");
    ASSERT_EQ(run({"convert", list, text}).exit_code, 0);
    EXPECT_NE(text_of(text).find("# source\ttarget\tweight\ttime\n"), std::string::npos);
    std::string const last = folder.path("last.txt");
    auto const result = run({"stream", text, "--time-step", "1000000000", "--json", "--output", last,
                             "--weights", "--space", "host"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(lines_of(result).batches.size(), 3u);
    EXPECT_NE(text_of(last).find("1\t2\t5"), std::string::npos) << text_of(last);
    std::string const without = folder.write("without.txt", "# source target weight\n0 1 5\n1 2 6\n");
    expect_failure(run({"stream", without}), 1,
                   without + ":2: found a list of edges whose header names no column 'time'");
}

TEST_F(tool, says_that_times_are_rounded) {
    std::string const list =
        folder.write("out.tsv", "% sym positive\n1 2 1 885635999.999997\n2 3 1 885635998\n");
    std::string const said = "1 time has a fraction and is rounded down: times are whole numbers\n";
    auto const converted = run({"convert", list, folder.path("list.txt")});
    ASSERT_EQ(converted.exit_code, 0) << converted.err;
    EXPECT_EQ(converted.err, "rhizome: " + said);
    auto const streamed = run({"stream", list, "--space", "host"});
    ASSERT_EQ(streamed.exit_code, 0) << streamed.err;
    EXPECT_EQ(streamed.err, "rhizome: " + said);
    EXPECT_EQ(run({"info", list, "--space", "host"}).err, "");
}

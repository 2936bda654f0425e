// SPDX-License-Identifier: Apache-2.0
// `rhizome bench` on a fake registry whose cells hang, crash and lie.
#include "../cli/process.hpp"
#include "../io/scratch_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace rhizome::cli::testing;
using namespace rhizome::testing;
using nlohmann::json;

namespace {

int constexpr answer_descriptor = 3; // where `bench cell` answers

void expect_failure(outcome const& result, int exit_code, std::string const& part) {
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_EQ(result.err_lines(), 1) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
}

} // namespace

TEST(bench_tool, measures_with_several_processes_and_names_the_rank_that_fails) {
    scratch_folder const folder;
    std::map<std::string, std::string> outcomes;
    auto const measure = [&](std::string const& behaviours, std::string const& seconds) {
        auto const result = run({"bench", "run", "several", "--behaviour", behaviours, "--time-limit",
                                 seconds, "--output", folder.path("a.json"), "--quiet"});
        ASSERT_EQ(result.exit_code, 0) << result.err;
        json const document = json::parse(text_of(folder.path("a.json")));
        for (json const& entry : document["benchmarks"]) {
            if (!entry.contains("axes")) continue;
            std::string const behaviour = entry["axes"]["behaviour"];
            EXPECT_EQ(entry.value("ranks", 0), behaviour == "work" ? 3 : 0) << entry.dump();
            outcomes[behaviour] = entry.value("error_message", entry["status"].get<std::string>());
        }
    };
    measure("work,crash,leave,throw,leave-silently", "60");
    measure("hang", "1");
    EXPECT_EQ(outcomes["work"], "ok");
    EXPECT_EQ(outcomes["crash"], "failed: rank 1 of 3 was ended by SIGSEGV: last words");
    EXPECT_EQ(outcomes["leave"], "failed: rank 1 of 3 ended with exit code 5");
    EXPECT_EQ(outcomes["throw"].find(
                  "failed: rank 1 of 3 ended with exit code 1: rhizome: it does, \"so\" and says "),
              0u)
        << outcomes["throw"];
    EXPECT_EQ(outcomes["leave-silently"], "failed: rank 0 ended without an answer");
    EXPECT_EQ(outcomes["hang"], "timed out: no end within 1 s");
    auto const by_hand = run({"bench", "rank", "x"});
    EXPECT_EQ(by_hand.exit_code, 1);
    EXPECT_NE(by_hand.err.find("not by hand"), std::string::npos) << by_hand.err;
}
TEST(bench_tool, goes_on_after_cells_that_hang_and_crash) {
    scratch_folder const folder;
    auto const result = run({"bench", "run", "misbehaving", "--behaviour",
                             "work,hang,crash,leave,leave-silently,throw,shun,chatter", "--time-limit", "0.5",
                             "--output", folder.path("a.json"), "--csv", folder.path("a.csv"), "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    for (char const* line : {"timed out: no end within 0.5 s", "crashed: SIGSEGV: last words", "exit code 5",
                             "ended without an answer", "failed: it does", "not served: not for everybody"})
        EXPECT_NE(result.out.find(line), std::string::npos) << line << "\n" << result.out;
    json const document = json::parse(text_of(folder.path("a.json")));
    std::map<std::string, std::string> status;
    for (json const& entry : document["benchmarks"])
        if (entry.contains("axes")) status[entry["axes"]["behaviour"]] = entry["status"];
    EXPECT_EQ(status, (std::map<std::string, std::string>{{"work", "ok"},
                                                          {"hang", "timed out"},
                                                          {"crash", "crashed"},
                                                          {"leave", "crashed"},
                                                          {"leave-silently", "crashed"},
                                                          {"throw", "failed"},
                                                          {"shun", "not served"},
                                                          {"chatter", "ok"}}));
    EXPECT_NE(text_of(folder.path("a.csv")).find("misbehaving,work,8,earth,ok,,work,ms,3,16,16,8,8,24,"),
              std::string::npos)
        << text_of(folder.path("a.csv"));
    EXPECT_EQ(folder.file_count(), 2);
}

TEST(bench_tool, tells_wrong_usage_in_one_line) {
    struct {
        std::vector<std::string> words;
        std::string part;
    } const cases[] = {
        {{"bench"}, "expected list or run"},
        {{"bench", "dance"}, "only list, run"},
        {{"bench", "run", "dance"}, "'dance'"},
        {{"bench", "run"}, "'all'"},
        {{"bench", "run", "--space", "earth"}, "'all'"},
        {{"bench", "run", "all", "--behaviour", "dance"}, "'dance'"},
        {{"bench", "run", "all", "--behaviour", "work,"}, "comma"},
        {{"bench", "run", "all", "--count", "x"}, "--count"},
        {{"bench", "run", "plain", "--count", "1"}, "--count"},
        {{"bench", "run", "all", "--space", "sun"}, "'sun'"},
        {{"bench", "run", "all", "--time-limit", "0"}, "--time-limit"},
        {{"bench", "run", "all", "--time-limit", "soon"}, "--time-limit"},
        {{"bench", "run", "all", "--plot", "picture.txt"}, ".svg"},
        {{"bench", "run", "--json"}, "'all'"},
        {{"bench", "run", "plain", "--json", "a.json"}, "--output a.json writes one"},
        {{"bench", "run", "plain", "--json", "--output", "-"}, "--json and --output both"},
        {{"bench", "run", "plain", "--json", "--csv", "/dev/stdout"}, "--json and --csv both"},
        {{"bench", "run", "plain", "--csv", "-", "-o", "-"}, "--output and --csv both"},
        {{"bench", "run", "plain", "--json", "--csv", "-", "-o", "-"}, "all use standard output"},
        {{"bench", "run", "plian"}, "did you mean 'plain'? 'rhizome bench list' lists all"},
        {{"bench", "run", "dance", "--help"}, "there is no benchmark 'dance'"},
        {{"help", "bench", "run", "dance"}, "there is no benchmark 'dance'"},
        {{"bench", "list", "dance"}, "'dance'; 'rhizome bench list' lists all"},
        {{"bench", "list", "several", "behav"}, "did you mean 'misbehaving'?"},
        {{"bench", "list", "al"}, "did you mean 'several'?"}};
    for (auto const& each : cases) {
        SCOPED_TRACE(each.words.back());
        auto const result = run(each.words);
        expect_failure(result, 2, each.part);
        EXPECT_EQ(result.out, "");
    }
}

TEST(bench_tool, tells_other_failures_in_one_line) {
    scratch_folder const folder;
    expect_failure(run({"bench", "run", "all", "--space", "moon"}), 1, "too far");
    expect_failure(run({"bench", "run", "all", "--output", folder.path("no/such/folder")}), 1,
                   "cannot create");
    expect_failure(run({"bench", "run", "all", "--public", folder.path("nowhere")}), 1, "cannot open");
    expect_failure(run({"bench", "run", "all", "--public", folder.write("damaged.csv", "moon\n")}), 1,
                   "damaged.csv:1");
}

TEST(bench_tool, all_is_every_benchmark) {
    auto const result = run({"bench", "run", "all", "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("misbehaving:"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("plain:"), std::string::npos) << result.out;
}

TEST(bench_tool, reads_the_figures_that_it_wrote) {
    scratch_folder const folder;
    std::vector<std::string> words{"bench", "run", "misbehaving", "--quiet", "--csv", folder.path("a.csv")};
    ASSERT_EQ(run(words).exit_code, 0);
    words.insert(words.end(), {"--public", folder.path("a.csv")});
    auto const result = run(words);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("16 rhizome "), std::string::npos) << result.out;
}

TEST(bench_tool, finds_out_first_whether_it_can_write_and_draw) {
    scratch_folder const folder;
    scratch_folder const elsewhere;
    std::string const path = std::getenv("PATH");
    setenv("PATH", elsewhere.path(".").c_str(), 1); // no python3
    auto const without_python = run({"bench", "run", "misbehaving", "--behaviour", "hang", "--plot",
                                     folder.path("a.svg"), "--output", folder.path("a.json")});
    setenv("PATH", path.c_str(), 1);
    expect_failure(without_python, 1, "python3");
    EXPECT_EQ(without_python.out, ""); // not even the head of a run
    EXPECT_EQ(folder.file_count(), 0);

    // As on a disk that is nearly full: no file may have more than some KiB.
    std::string const out = elsewhere.path("out");
    std::string const command = "trap '' XFSZ; ulimit -f 8; exec timeout 20 " RHIZOME_TOOL_UNDER_TEST
                                " bench run misbehaving --behaviour hang --output " +
                                folder.path("b.json") + " >" + out + " 2>&1";
    EXPECT_EQ(std::system(command.c_str()) / 256, 1); // NOLINT: a shell is wanted
    EXPECT_NE(text_of(out).find("b.json: cannot write"), std::string::npos) << text_of(out);
    EXPECT_EQ(folder.file_count(), 0);
}

TEST(bench_tool, keeps_the_results_of_a_picture_that_cannot_be_drawn) {
    scratch_folder const folder;
    scratch_folder const programs;
    scratch_folder const temporary;
    std::string const python = programs.write(
        "python3", "#!/bin/sh\ncase \"$*\" in *--check*) exit 0;; esac\necho broken >&2\nexit 1\n");
    std::filesystem::permissions(python, std::filesystem::perms::owner_all);
    std::string const command = "TMPDIR=" + temporary.path(".") + " PATH=" + programs.path(".") +
                                ":$PATH " RHIZOME_TOOL_UNDER_TEST " bench run plain --plot " +
                                folder.path("a.svg") + " >" + programs.path("out") + " 2>&1";
    EXPECT_EQ(std::system(command.c_str()) / 256, 1); // NOLINT: a shell is wanted
    EXPECT_NE(text_of(programs.path("out"))
                  .find("a.svg: cannot draw: broken; the results are in " + temporary.path("")),
              std::string::npos)
        << text_of(programs.path("out"));
    EXPECT_EQ(folder.file_count(), 0);
    ASSERT_EQ(temporary.file_count(), 1);
    for (auto const& each : std::filesystem::directory_iterator(temporary.path(".")))
        EXPECT_EQ(json::parse(text_of(each.path().string()))["benchmarks"][0]["status"], "ok");
}

TEST(bench_tool, writes_what_there_is_when_it_is_interrupted) {
    scratch_folder const folder;
    for (auto const& [signal, code] : {std::pair{"INT", 130}, std::pair{"TERM", 143}}) {
        SCOPED_TRACE(signal);
        std::string const out = folder.path("out");
        // The first cell is shown when it is done; the second one hangs.
        std::string const command =
            RHIZOME_TOOL_UNDER_TEST " bench run misbehaving --behaviour work,hang --time-limit 60 --output " +
            folder.path("a.json") + " --csv " + folder.path("a.csv") + " >" + out + " 2>" + out +
            ".err & tool=$!; for i in $(seq 300); do grep -q '16 ms' " + out +
            " && break; sleep 0.1; done; kill -" + signal + " $tool; wait $tool";
        EXPECT_EQ(std::system(command.c_str()) / 256, code); // NOLINT: a shell is wanted
        EXPECT_NE(text_of(out + ".err").find("interrupted after 1 of 2 cells; their results are in "),
                  std::string::npos)
            << text_of(out + ".err") << text_of(out);
        json const document = json::parse(text_of(folder.path("a.json")));
        EXPECT_EQ(document["context"]["notes"][0], "ended after 1 of 2 cells");
        EXPECT_EQ(document["benchmarks"][0]["run_name"], "misbehaving/work/8/space:earth/work");
        ASSERT_EQ(document["context"]["comparisons"].size(), 1u); // of what was measured until then
        EXPECT_EQ(document["context"]["comparisons"][0]["ours"]["mean"], 0.5);
        EXPECT_NE(text_of(folder.path("a.csv")).find("misbehaving,work,8,earth,ok,"), std::string::npos);
    }
}

TEST(bench_tool, writes_what_there_is_when_its_output_is_full) {
    scratch_folder const folder;
    auto const result =
        run_with({"bench", "run", "misbehaving", "--output", folder.path("a.json")}, "/dev/full");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find("<stdout>: cannot write"), std::string::npos) << result.err;
    EXPECT_EQ(json::parse(text_of(folder.path("a.json")))["context"]["notes"][0], "ended after 1 of 2 cells");
}

TEST(bench_tool, cells_are_no_commands_of_the_users) {
    // Without and with a descriptor where `bench run` would expect the answer.
    int const kept = fcntl(answer_descriptor, F_DUPFD_CLOEXEC, answer_descriptor + 1);
    int const null = fcntl(open("/dev/null", O_WRONLY | O_CLOEXEC), F_DUPFD_CLOEXEC, answer_descriptor + 1);
    close(answer_descriptor);
    expect_failure(run({"bench", "cell"}), 1, "bench run");
    EXPECT_EQ(dup2(null, answer_descriptor), answer_descriptor);
    expect_failure(run({"bench", "cell"}), 1, "bench run");
    close(answer_descriptor);
    close(null);
    if (kept >= 0) dup2(kept, answer_descriptor);
    if (kept >= 0) close(kept);
}

TEST(bench_tool, lists_a_line_for_each_and_the_axes_of_those_named) {
    std::string const lines = "  misbehaving          does what it is told\n"
                              "  plain                has one choice\n"
                              "  several              is measured by three processes\n";
    auto const list = run({"bench", "list"});
    EXPECT_EQ(list.exit_code, 0);
    EXPECT_EQ(list.out,
              lines + "\n'rhizome bench list NAME' prints the axes of a benchmark and their defaults.\n");
    EXPECT_EQ(run({"bench", "list", "-q"}).out, lines);
    auto const named = run({"bench", "list", "misbehaving", "plain"});
    EXPECT_EQ(named.exit_code, 0);
    EXPECT_TRUE(named.out.starts_with("misbehaving: does what it is told\n"
                                      "  Nothing is measured.\n"
                                      "    --behaviour      work,shun\n"
                                      "    --count          8\n"
                                      "    --space          (fits the machine)\n"
                                      "\n"
                                      "plain: has one choice\n"
                                      "    --depth          1   [one value]\n"))
        << named.out;
    EXPECT_EQ(named.out.find("several"), std::string::npos);
    auto const document = json::parse(run({"bench", "list", "--json"}).out);
    EXPECT_EQ(document.size(), 3u);
    EXPECT_EQ(document[0]["choices"][0]["default"], "work,shun");
    auto const one = json::parse(run({"bench", "list", "--json", "plain"}).out);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0]["choices"][0]["name"], "depth");
}

TEST(bench_tool, helps_with_the_options_of_the_benchmarks_that_are_named) {
    auto const expect_parts = [](std::string const& help, std::vector<std::string> const& there,
                                 std::vector<std::string> const& absent) {
        for (std::string const& part : there)
            EXPECT_NE(help.find(part), std::string::npos) << part << "\n" << help;
        for (std::string const& part : absent)
            EXPECT_EQ(help.find(part), std::string::npos) << part << "\n" << help;
    };
    std::string const general = run({"bench", "run", "--help"}).out;
    expect_parts(general,
                 {"--time-limit", "--output FILE", "--plot", "--json", "BENCHMARK --help", "Examples"},
                 {"--behaviour", "--depth", "--json FILE"});
    std::string const plain = run({"bench", "run", "plain", "--help"}).out;
    expect_parts(plain, {"plain: has one choice", "--depth N", "(default: 1)", "--time-limit"},
                 {"--behaviour"});
    EXPECT_EQ(run({"help", "bench", "run", "plain"}).out, plain);
    EXPECT_EQ(run({"bench", "run", "--depth", "2", "plain", "-h"}).out, plain) << "2 is no benchmark";
    expect_parts(run({"bench", "run", "plain", "misbehaving", "--help"}).out,
                 {"--depth", "--behaviour", "(default: work,shun)"}, {"is measured by three processes"});
    expect_parts(run({"bench", "run", "all", "--help"}).out, {"--depth", "--behaviour"}, {});
    expect_parts(run({"bench", "--help"}).out, {"bench list", "bench run", "--time-limit"}, {"--behaviour"});
    expect_parts(run({"completion", "bash"}).out, {"--behaviour", "--depth"}, {});
    expect_parts(run({"manual"}).out, {"behaviour", "depth"}, {});
    auto const all = run({"--help"}).out;
    EXPECT_NE(all.find("bench run"), std::string::npos);
    EXPECT_EQ(all.find("bench cell"), std::string::npos);
}

TEST(bench_tool, json_prints_one_document) {
    scratch_folder const folder;
    auto const result = run({"bench", "run", "plain", "--json", "--output", folder.path("a.json")});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(json::parse(result.out)["benchmarks"][0]["benchmark"], "plain");
    EXPECT_EQ(result.out, text_of(folder.path("a.json")));
    EXPECT_EQ(run({"bench", "run", "plain", "--json", "-q"}).err, "");
    EXPECT_EQ(run_without_reader({"bench", "run", "plain", "--json"}).exit_code, 141);

    std::string const document = folder.path("printed");
    std::string const tool = RHIZOME_TOOL_UNDER_TEST;
    // The cell that hangs has a child of its own: the first cell is done then.
    std::string const command =
        tool + " bench run misbehaving --behaviour work,hang --time-limit 60 --json >" + document + " 2>" +
        document +
        ".err & tool=$!; for i in $(seq 300); do"
        " cell=$(cat /proc/$tool/task/*/children 2>/dev/null);"
        " [ -n \"$cell\" ] && [ -n \"$(cat /proc/${cell%% *}/task/*/children 2>/dev/null)\" ] && break;"
        " sleep 0.1; done; kill -INT $tool; wait $tool";
    EXPECT_EQ(std::system(command.c_str()) / 256, 130); // NOLINT: a shell is wanted
    EXPECT_NE(text_of(document + ".err").find("interrupted after 1 of 2 cells; their results are printed"),
              std::string::npos)
        << text_of(document + ".err");
    EXPECT_EQ(json::parse(text_of(document))["context"]["notes"][0], "ended after 1 of 2 cells");
}

TEST(bench_tool, keeps_a_document_that_cannot_be_printed) {
    scratch_folder const temporary;
    setenv("TMPDIR", temporary.path(".").c_str(), 1);
    auto const result = run_with({"bench", "run", "plain", "--json"}, "/dev/full");
    unsetenv("TMPDIR");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find("<stdout>: cannot write"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("; the results are in "), std::string::npos) << result.err;
    EXPECT_EQ(temporary.file_count(), 1);
}

TEST(bench_tool, writes_a_file_to_standard_output_and_the_table_beside_it) {
    for (char const* out : {"-", "/dev/stdout"}) {
        auto const document = run({"bench", "run", "plain", "--output", out});
        EXPECT_TRUE(json::accept(document.out)) << document.out;
        EXPECT_NE(document.err.find("plain: has one choice"), std::string::npos) << document.err;
        auto const table = run({"bench", "run", "plain", "--csv", out, "--quiet"});
        EXPECT_TRUE(table.out.starts_with("benchmark,")) << table.out;
        EXPECT_EQ(table.err, "");
    }
    EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST(bench_tool, quiet_prints_the_table_alone) {
    std::vector<std::string> words{"bench", "run", "misbehaving", "--space", "small"};
    auto const loud = run(words);
    words.emplace_back("-q");
    auto const quiet = run(words);
    EXPECT_TRUE(quiet.out.starts_with("\nmisbehaving: does what it is told\n")) << quiet.out;
    EXPECT_EQ(quiet.err, "");
    for (char const* part : {"commit ", "small: an asteroid", "count 4 on small", "spread:"}) {
        EXPECT_NE(loud.out.find(part), std::string::npos) << part;
        EXPECT_EQ(quiet.out.find(part), std::string::npos) << part;
    }
}

TEST(bench_tool, says_what_it_made_smaller_and_records_it) {
    scratch_folder const folder;
    auto const result =
        run({"bench", "run", "misbehaving", "--space", "small", "--output", folder.path("a.json")});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("count 4 on small"), std::string::npos) << result.out;
    EXPECT_EQ(json::parse(text_of(folder.path("a.json")))["context"]["notes"][0], "count 4 on small");
}

TEST(bench_tool, shows_progress_on_a_terminal_only) {
    if (!has_terminals()) GTEST_SKIP() << "this machine gives out no pseudo-terminals";
    std::vector<std::string> const words{"bench", "run",          "misbehaving", "--behaviour",
                                         "hang",  "--time-limit", "0.4"};
    EXPECT_NE(run_on_terminal(words).err.find("cell 1 of 1"), std::string::npos);
    EXPECT_EQ(run(words).err.find("cell 1"), std::string::npos);
}

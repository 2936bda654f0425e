// `rhizome bench` on a fake registry whose cells hang, crash and lie.
#include "../cli/process.hpp"
#include "../io/scratch_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <map>
#include <string>
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

TEST(bench_tool, goes_on_after_cells_that_hang_and_crash) {
    scratch_folder const folder;
    auto const result = run({"bench", "run", "misbehaving", "--behaviour",
                             "work,hang,crash,leave,leave-silently,throw,shun,chatter", "--time-limit", "0.5",
                             "--json", folder.path("a.json"), "--csv", folder.path("a.csv"), "--quiet"});
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
    } const cases[] = {{{"bench"}, "expected list or run"},
                       {{"bench", "dance"}, "only list, run"},
                       {{"bench", "run", "dance"}, "'dance'"},
                       {{"bench", "run", "--behaviour", "dance"}, "'dance'"},
                       {{"bench", "run", "--behaviour", "work,"}, "comma"},
                       {{"bench", "run", "--count", "x"}, "--count"},
                       {{"bench", "run", "plain", "--count", "1"}, "--count"},
                       {{"bench", "run", "--space", "sun"}, "'sun'"},
                       {{"bench", "run", "--time-limit", "0"}, "--time-limit"},
                       {{"bench", "run", "--time-limit", "soon"}, "--time-limit"},
                       {{"bench", "run", "--plot", "picture.txt"}, ".svg"},
                       {{"bench", "run", "--json"}, "json"},
                       {{"bench", "list", "misbehaving"}, "too many"}};
    for (auto const& each : cases) {
        SCOPED_TRACE(each.words.back());
        auto const result = run(each.words);
        expect_failure(result, 2, each.part);
        EXPECT_EQ(result.out, "");
    }
}

TEST(bench_tool, tells_other_failures_in_one_line) {
    scratch_folder const folder;
    expect_failure(run({"bench", "run", "--space", "moon"}), 1, "too far");
    expect_failure(run({"bench", "run", "--json", folder.path("no/such/folder")}), 1, "cannot create");
    expect_failure(run({"bench", "run", "--public", folder.path("nowhere")}), 1, "cannot open");
    expect_failure(run({"bench", "run", "--public", folder.write("damaged.csv", "moon\n")}), 1,
                   "damaged.csv:1");
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

TEST(bench_tool, lists_and_helps) {
    auto const list = run({"bench", "list"});
    EXPECT_EQ(list.exit_code, 0);
    for (char const* part : {"misbehaving", "plain", "--behaviour", "work,shun", "--depth"})
        EXPECT_NE(list.out.find(part), std::string::npos) << part;
    EXPECT_EQ(json::parse(run({"bench", "list", "--json"}).out)[0]["choices"][0]["default"], "work,shun");
    auto const help = run({"bench", "run", "--help"});
    for (char const* part : {"--behaviour", "--depth", "--time-limit", "--json FILE", "--plot", "Examples"})
        EXPECT_NE(help.out.find(part), std::string::npos) << part;
    EXPECT_NE(run({"bench", "--help"}).out.find("bench list"), std::string::npos);
    auto const general = run({"--help"}).out;
    EXPECT_NE(general.find("bench run"), std::string::npos);
    EXPECT_EQ(general.find("bench cell"), std::string::npos);
}

TEST(bench_tool, says_what_it_made_smaller_and_records_it) {
    scratch_folder const folder;
    auto const result =
        run({"bench", "run", "misbehaving", "--space", "small", "--json", folder.path("a.json")});
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

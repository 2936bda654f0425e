// SPDX-License-Identifier: Apache-2.0
// The harness without the tool: axes, statistics, files, processes.
#include "../io/scratch_folder.hpp"

#include <rhizome/bench/harness/break_even.hpp>
#include <rhizome/bench/harness/child.hpp>
#include <rhizome/bench/harness/kept_results.hpp>
#include <rhizome/bench/harness/messages.hpp>
#include <rhizome/bench/harness/plan.hpp>
#include <rhizome/bench/harness/result_files.hpp>
#include <rhizome/bench/harness/results.hpp>
#include <rhizome/bench/harness/statistics.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/parse_error.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

using namespace rhizome;
using namespace rhizome::bench;
using nlohmann::json;

namespace {

std::vector<std::string> names_of(plan const& made) {
    std::vector<std::string> names;
    for (cell const& each : made.cells)
        names.push_back(name_of(each));
    return names;
}

plan plan_of(selection const& chosen) {
    return make_plan({&find_benchmark("misbehaving")}, chosen, describe_spaces());
}

run_results results_of(std::vector<measured_cell> cells) {
    return {record_environment("rhizome bench run", describe_spaces()), {"a note"}, std::move(cells)};
}

measured_cell measured(std::string const& allocator, cell_result result) {
    return {{"cycle",
             {{"allocator", allocator},
              {"size", "16"},
              {"threads", "1000000"},
              {"mode", "thread"},
              {"heap", "8589934592"}}},
            std::move(result),
            1.5};
}

cell_result const two_measures{
    cell_status::ok, "", {{"alloc", "ms", false, {0.25, 0.5, 0.125}}, {"held", "share", true, {0.75}}}};

} // namespace

TEST(kept_results, of_a_run_are_measured_once) {
    cell const one{"misbehaving", {{"behaviour", "work"}, {"count", "1"}}};
    cell const other{"misbehaving", {{"behaviour", "work"}, {"count", "2"}}};
    int calls = 0;
    auto const measure = [&] {
        ++calls;
        return two_measures;
    };
    {
        kept_results const of_run;
        for (int round = 0; round < 3; ++round) {
            EXPECT_EQ(measured_once(one, measure), two_measures);
            EXPECT_EQ(measured_once(other, measure), two_measures);
        }
        EXPECT_EQ(calls, 2);
        cell const failing{"misbehaving", {{"behaviour", "throw"}, {"count", "1"}}};
        for (int round = 0; round < 2; ++round)
            (void)measured_once(failing, [&] {
                ++calls;
                return cell_result{cell_status::failed, "no", {}};
            });
        EXPECT_EQ(calls, 4) << "what failed is measured again";
    }
    {
        kept_results const of_next_run;
        EXPECT_EQ(measured_once(one, measure), two_measures);
        EXPECT_EQ(calls, 5);
    }
    (void)measured_once(one, measure);
    (void)measured_once(one, measure);
    EXPECT_EQ(calls, 7) << "outside of a run";
}

TEST(statistics, are_those_of_the_sample) {
    double const odd[] = {5, 1, 3};
    EXPECT_EQ(summarize(odd).median, 3);
    double const even[] = {4, 1, 3, 2};
    statistics const summary = summarize(even);
    EXPECT_EQ(summary.count, 4u);
    EXPECT_EQ(summary.median, 2.5);
    EXPECT_EQ(summary.mean, 2.5);
    EXPECT_EQ(summary.lowest, 1);
    EXPECT_EQ(summary.highest, 4);
    EXPECT_NEAR(summary.deviation, 1.2909944, 1e-6);
    EXPECT_NEAR(summary.variation(), 0.5163977, 1e-6);
    double const one[] = {7};
    EXPECT_EQ(summarize(one).median, 7);
    EXPECT_EQ(summarize(one).deviation, 0);
    EXPECT_EQ(summarize({}).count, 0u);
    EXPECT_EQ(summarize({}).variation(), 0);
}

TEST(statistics, have_pearsons_correlation) {
    std::vector<double> const x{1, 2, 3, 5, 8};
    std::vector<double> const y{0.11, 0.12, 0.13, 0.15, 0.18}; // his textbook example
    EXPECT_NEAR(correlation(x, y), 1, 1e-9);
    EXPECT_NEAR(correlation(x, std::vector<double>{5, 4, 3, 1, -2}), -1, 1e-9);
    EXPECT_NEAR(correlation(std::vector<double>{1, 2, 3}, std::vector<double>{1, 3, 2}), 0.5, 1e-9);
    EXPECT_EQ(correlation(x, std::vector<double>(5, 7)), 0);
    EXPECT_EQ(correlation({}, {}), 0);
}
TEST(statistics, have_percentiles) {
    std::vector<double> hundred;
    for (int i = 100; i > 0; --i)
        hundred.push_back(i);
    EXPECT_EQ(percentile(hundred, 0.99), 99);
    EXPECT_EQ(percentile(hundred, 0.999), 100);
    EXPECT_EQ(percentile(hundred, 0.5), 50);
    EXPECT_EQ(percentile(hundred, 0.001), 1);
    double const one[] = {7};
    EXPECT_EQ(percentile(one, 0.99), 7);
}

TEST(break_evens, lie_where_a_repair_takes_as_long_as_computing_anew) {
    auto const measured_at = [](std::string const& graph, std::string const& edges, double insert_ms,
                                double erase_ms) {
        return measured_cell{{"any", {{"graph", graph}, {"edges", edges}, {"pattern", "local"}}},
                             {cell_status::ok,
                              "",
                              {{"anew", "ms", false, {8, 8, 9}},
                               {"insert_repair", "ms", false, {insert_ms}},
                               {"erase_repair", "ms", false, {erase_ms}}}}};
    };
    auto const found = break_evens_of(
        {measured_at("a", "10000", 80, 4),
         measured_at("a", "100", 0.8, 9),
         measured_at("b", "100", 1, 8),
         measured_at("a", "1000", 4, 3),
         {{"any", {{"graph", "a"}, {"edges", "1"}, {"pattern", "local"}}}, {cell_status::failed, "", {}}}});
    ASSERT_EQ(found.size(), 4u);
    EXPECT_EQ(found[0].change, "insert");
    EXPECT_EQ(found[0].choices,
              (std::vector<std::pair<std::string, std::string>>{{"graph", "a"}, {"pattern", "local"}}));
    // From half as long to ten times as long within a power of ten.
    ASSERT_TRUE(found[0].edges);
    EXPECT_NEAR(*found[0].edges, 1000 * std::pow(10, std::log(2) / std::log(20)), 1e-6);
    EXPECT_FALSE(found[1].edges); // expensive at first
    EXPECT_FALSE(found[1].repair_wins_at_first);
    EXPECT_FALSE(found[2].edges); // at all sizes
    EXPECT_TRUE(found[2].repair_wins_at_first);
    EXPECT_FALSE(found[3].edges);
    EXPECT_FALSE(found[3].repair_wins_at_first);
    EXPECT_EQ(break_even_text({found[0], found[1], found[2]}),
              "any a local, insert: repairing takes less time below 1704 edges per batch\n"
              "any a local, erase: repairing takes longer already at the smallest size\n"
              "any b local, insert: repairing takes less time at all sizes\n");
    break_even on_host = found[0];
    break_even on_cuda = found[2];
    on_host.choices.push_back({"space", "host"});
    on_cuda.choices.push_back({"space", "cuda"});
    EXPECT_EQ(break_even_text({on_host, on_cuda}),
              "any a local host, insert: repairing takes less time below 1704 edges per batch\n"
              "any b local cuda, insert: repairing takes less time at all sizes\n");
    EXPECT_TRUE(break_evens_of({measured("bump", two_measures)}).empty());
}

TEST(plan, crosses_the_axes_the_first_slowest) {
    EXPECT_EQ(names_of(plan_of({{"behaviour", "work,shun"}, {"count", "2,1,2"}})),
              (std::vector<std::string>{"misbehaving/work/2/space:earth", "misbehaving/work/1/space:earth",
                                        "misbehaving/shun/2/space:earth", "misbehaving/shun/1/space:earth"}));
}

TEST(plan, takes_the_first_usable_space_and_says_what_it_made_smaller) {
    plan const by_default = plan_of({});
    EXPECT_EQ(names_of(by_default),
              (std::vector<std::string>{"misbehaving/work/8/space:earth", "misbehaving/shun/8/space:earth"}));
    EXPECT_TRUE(by_default.notes.empty());
    plan const fitted = plan_of({{"space", "small"}, {"behaviour", "work,shun"}});
    EXPECT_EQ(names_of(fitted),
              (std::vector<std::string>{"misbehaving/work/4/space:small", "misbehaving/shun/4/space:small"}));
    EXPECT_EQ(fitted.notes, std::vector<std::string>{"count 4 on small"});
    plan const chosen = plan_of({{"space", "small"}, {"count", "9"}, {"behaviour", "work"}});
    EXPECT_EQ(names_of(chosen), std::vector<std::string>{"misbehaving/work/9/space:small"});
    EXPECT_TRUE(chosen.notes.empty());
}

TEST(plan, tells_wrong_usage) {
    for (selection const& wrong : std::vector<selection>{{{"behaviour", "dance"}},
                                                         {{"behaviour", ""}},
                                                         {{"behaviour", "work,"}},
                                                         {{"behaviour", ",work"}},
                                                         {{"count", "0"}},
                                                         {{"count", "1-2"}},
                                                         {{"space", "sun"}},
                                                         {{"depth", "1"}}})
        EXPECT_THROW((void)plan_of(wrong), cli::usage_error) << wrong.begin()->first;
    EXPECT_THROW((void)find_benchmark("dance"), cli::usage_error);
    try {
        (void)plan_of({{"space", "moon"}});
        ADD_FAILURE() << "the moon cannot be used";
    } catch (cli::usage_error const&) {
        ADD_FAILURE() << "it exists";
    } catch (std::runtime_error const& error) {
        EXPECT_STREQ(error.what(), "--space moon: too far");
    }
}

TEST(messages, survive_the_pipe) {
    cell const which{"cycle", {{"size", "16"}, {"allocator", "a \"b\""}}};
    EXPECT_EQ(cell_of(to_json(which)), which);
    EXPECT_EQ(result_of(to_json(two_measures)), two_measures);
    for (cell_status const status :
         {cell_status::not_served, cell_status::failed, cell_status::crashed, cell_status::timed_out})
        EXPECT_EQ(status_of(name_of(status)), status);
    for (space_description const& each : describe_spaces())
        EXPECT_EQ(space_of(to_json(each)), each);
    for (char const* damaged :
         {"{}", "[]", "{\"status\":\"ok\"}", "3", "{\"status\":\"fine\",\"message\":\"\",\"measures\":[]}",
          "{\"status\":\"ok\",\"message\":\"\",\"measures\":[{}]}"}) {
        auto const parsed = nlohmann::ordered_json::parse(damaged); // what is damaged is not its syntax
        EXPECT_THROW((void)result_of(parsed), std::exception) << damaged;
    }
}

TEST(results_json, follow_google_benchmark) {
    json const document = json::parse(
        json_text(results_of({measured("bump", two_measures),
                              measured("first", {cell_status::timed_out, "no end within 1 s", {}}),
                              measured("second", {cell_status::not_served, "not its \xff business", {}})}),
                  public_figures()));
    json const& context = document["context"];
    for (char const* key : {"date", "host_name", "executable", "num_cpus", "load_avg", "library_build_type",
                            "commit", "compiler", "command_line", "spaces"})
        EXPECT_TRUE(context.contains(key)) << key;
    EXPECT_EQ(context["notes"], json::array({"a note"}));
    EXPECT_EQ(context["spaces"]["moon"]["reason"], "too far");
    json const& entries = document["benchmarks"];
    ASSERT_EQ(entries.size(), 3u + 4u + 1u + 1u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(entries[i]["run_type"], "iteration");
        EXPECT_EQ(entries[i]["repetition_index"], i);
        EXPECT_EQ(entries[i]["repetitions"], 3);
        EXPECT_EQ(entries[i]["time_unit"], "ns");
        EXPECT_EQ(entries[i]["cpu_time"], entries[i]["real_time"]);
        EXPECT_EQ(entries[i]["iterations"], 1);
    }
    EXPECT_EQ(entries[0]["real_time"], 250'000);
    EXPECT_EQ(entries[0]["run_name"], "cycle/bump/16/threads:1000000/mode:thread/heap:8589934592/alloc");
    json const& median = entries[4];
    EXPECT_EQ(median["aggregate_name"], "median");
    EXPECT_EQ(median["name"], entries[0]["run_name"].get<std::string>() + "_median");
    EXPECT_EQ(median["real_time"], 250'000);
    EXPECT_EQ(median["run_type"], "aggregate");
    EXPECT_EQ(median["iterations"], 3);
    json const& variation = entries[6];
    EXPECT_EQ(variation["aggregate_name"], "cv");
    EXPECT_NEAR(variation["real_time"], 0.65465, 1e-5); // a share, in no unit
    EXPECT_EQ(median["held"], 0.75);
    EXPECT_EQ(median["axes"]["size"], "16");
    EXPECT_EQ(entries[7]["error_occurred"], true);
    EXPECT_EQ(entries[7]["error_message"], "timed out: no end within 1 s");
    EXPECT_EQ(entries[8]["skipped"], true);
    EXPECT_FALSE(entries[8].contains("error_occurred"));
    EXPECT_EQ(entries[8]["real_time"], 1.5e9);
    for (json const& each : entries)
        EXPECT_TRUE(each.contains("name") && each.contains("run_type") && each.contains("time_unit")) << each;
}

TEST(results_json, name_what_is_measured_and_not_how_often) {
    auto const names_of_run = [](char const* repetitions, char const* seed) {
        measured_cell one = measured("bump", two_measures);
        one.cell.values.insert(one.cell.values.begin() + 1, {"warm-up", repetitions});
        one.cell.values.emplace_back("repetitions", repetitions);
        one.cell.values.emplace_back("seed", seed);
        json const document = json::parse(json_text(results_of({one}), public_figures()));
        std::vector<std::string> names;
        for (json const& each : document["benchmarks"]) {
            names.push_back(each["name"]);
            EXPECT_EQ(each["seed"], std::stoull(seed));
        }
        return names;
    };
    auto const names = names_of_run("3", "1");
    EXPECT_EQ(names.at(0), "cycle/bump/16/threads:1000000/mode:thread/heap:8589934592/alloc");
    EXPECT_EQ(names_of_run("5", "77"), names);
}

TEST(results_csv, quote_what_would_break_a_line) {
    std::string const text = csv_text(results_of({measured("bump", two_measures),
                                                  measured("odd", {cell_status::failed, "a, \"b\"\nc", {}})}),
                                      public_figures());
    EXPECT_EQ(text.substr(0, text.find('\n')),
              "benchmark,allocator,size,threads,mode,heap,status,message,measure,unit,samples,median,mean,"
              "deviation,lowest,highest,counterpart,counterpart_value,counterpart_ratio,best_public,"
              "best_public_value,best_public_ratio,commit");
    EXPECT_NE(text.find("cycle,bump,16,1000000,thread,8589934592,ok,,alloc,ms,3,0.25,"), std::string::npos)
        << text;
    EXPECT_NE(text.find("failed,\"a, \"\"b\"\"\nc\",,,,"), std::string::npos) << text;
}

TEST(results_csv, are_figures_to_compare_with) {
    rhizome::testing::scratch_folder const folder;
    measured_cell one = measured("ouro-page", two_measures);
    one.cell.values.emplace_back("repetitions", "3");
    one.cell.set("mode", "warp");
    measured_cell none = measured("bump", {cell_status::ok, "", {{"held", "share", true, {0}}}});
    run_results results =
        results_of({one, none, measured("odd", {cell_status::failed, "a, \"b\"\n# c\n\n,", {}})});
    results.where.commit = "0123456789ab";
    public_figures const figures(folder.write("own.csv", csv_text(results, public_figures())));
    EXPECT_EQ(figures.size(), 3u);
    cell again = one.cell;
    again.set("repetitions", "20"); // how often it is measured changes no workload
    for (auto const& [measure, value] : {std::pair{"alloc", 0.25}, std::pair{"held", 0.75}}) {
        public_figure const* const own = figures.counterpart(again, measure);
        ASSERT_NE(own, nullptr) << measure;
        EXPECT_EQ(own->value, value);
        EXPECT_EQ(own->system, "rhizome 0123456789ab");
        EXPECT_EQ(figures.best(again, measure, false), own);
    }
    EXPECT_EQ(figures.counterpart(none.cell, "held")->value, 0.0);
    again.set("mode", "thread");
    EXPECT_EQ(figures.counterpart(again, "alloc"), nullptr);
    // Read with figures beside, what is written then is read as well.
    EXPECT_EQ(public_figures(folder.write("again.csv", csv_text(results, figures))).size(), 3u);
}

TEST(result_files, are_each_written_whatever_becomes_of_the_others) {
    rhizome::testing::scratch_folder const folder;
    rhizome::testing::scratch_folder const temporary;
    char const* const before = std::getenv("TMPDIR");
    std::string const kept = before == nullptr ? "" : before;
    setenv("TMPDIR", temporary.path(".").c_str(), 1);
    run_results const results = results_of({measured("bump", two_measures)});
    result_files files({"/dev/full", folder.path("a.csv"), ""}, 1);
    EXPECT_EQ(files.names(), "/dev/full, " + folder.path("a.csv"));
    try {
        files.write(results, public_figures());
        ADD_FAILURE() << "a full device took it";
    } catch (std::runtime_error const& error) {
        EXPECT_NE(std::string(error.what()).find("/dev/full: cannot write"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("the results are in " + temporary.path("")),
                  std::string::npos)
            << error.what();
    }
    EXPECT_EQ(rhizome::testing::text_of(folder.path("a.csv")), csv_text(results, public_figures()));
    ASSERT_EQ(temporary.file_count(), 1);
    for (auto const& each : std::filesystem::directory_iterator(temporary.path(".")))
        EXPECT_EQ(rhizome::testing::text_of(each.path().string()), json_text(results, public_figures()));
    if (before == nullptr)
        unsetenv("TMPDIR");
    else
        setenv("TMPDIR", kept.c_str(), 1);
}

namespace {
constexpr char const* figures_head =
    "# a comment\nbenchmark,system,allocator,size,threads,heap,space,measure,value,note\n";
}

TEST(public_figures, find_the_counterpart_and_the_best) {
    rhizome::testing::scratch_folder const folder;
    public_figures const figures(folder.write(
        "figures.csv", std::string(figures_head) +
                           "cycle,Floor,bump,16,1000000,8589934592,,alloc,0.01,\n"
                           "cycle,Good,,16,1000000,8589934592,,alloc,0.1,\r\n\n"
                           "cycle,Like ours,ouro-page,16,1000000,8589934592,,alloc,0.5,then crash\n"
                           "cycle,Closer,ouro-page-virtual,16,,,,alloc,,hung\n"
                           "cycle,Good,,64,1000000,8589934592,,alloc,0.001,\n"));
    cell which = measured("ouro-page-small", {}).cell;
    ASSERT_NE(figures.counterpart(which, "alloc"), nullptr);
    EXPECT_EQ(figures.counterpart(which, "alloc")->system, "Like ours");
    EXPECT_EQ(figures.counterpart(which, "alloc")->note, "then crash");
    ASSERT_NE(figures.best(which, "alloc", false), nullptr);
    EXPECT_EQ(figures.best(which, "alloc", false)->system, "Good");
    EXPECT_EQ(figures.best(which, "alloc", true)->system, "Like ours");
    EXPECT_EQ(figures.counterpart(which, "free"), nullptr);
    which.set("allocator", "ouro-page-virtual");
    EXPECT_FALSE(figures.counterpart(which, "alloc")->value.has_value());
    which.set("allocator", "ouro-pages");
    EXPECT_EQ(figures.counterpart(which, "alloc"), nullptr);
    for (auto const& [choice, value] :
         {std::pair{"threads", "999"}, std::pair{"heap", "1"}, std::pair{"mode", "warp"}}) {
        cell other = measured("bump", {}).cell;
        other.set(choice, value);
        EXPECT_EQ(figures.counterpart(other, "alloc"), nullptr) << choice;
        EXPECT_EQ(figures.best(other, "alloc", false), nullptr) << choice;
    }
    EXPECT_EQ(advantage(2, 6, false), 3);
    EXPECT_EQ(advantage(6, 2, true), 3);
}

TEST(public_figures, of_several_files_have_the_choices_that_their_heads_name) {
    rhizome::testing::scratch_folder const folder;
    public_figures const figures(std::vector<std::string>{
        folder.write("a.csv", "benchmark,system,graph,edges,measure,value,note\n"
                              "updates,Theirs,rgg,10000,insert,0.5,\n"
                              "updates,Faster,mesh,,insert,0.25,\n"),
        folder.write("b.csv", std::string(figures_head) + "cycle,Good,,16,,,,alloc,0.1,\n")});
    EXPECT_EQ(figures.size(), 3u);
    EXPECT_EQ(figures.source_names(), "a.csv, b.csv");
    cell which{"updates", {{"graph", "rgg"}, {"edges", "10000"}, {"allocator", "bump"}}};
    ASSERT_NE(figures.best(which, "insert", false), nullptr);
    EXPECT_EQ(figures.best(which, "insert", false)->system, "Theirs");
    EXPECT_EQ(figures.counterpart(which, "insert"), nullptr);
    EXPECT_EQ(figures.best(which, "erase", false), nullptr);
    which.set("edges", "100000");
    EXPECT_EQ(figures.best(which, "insert", false), nullptr);
    which.set("graph", "mesh");
    ASSERT_NE(figures.best(which, "insert", false), nullptr);
    EXPECT_EQ(figures.best(which, "insert", false)->system, "Faster");
    EXPECT_EQ(figures.best({"updates", {{"graph", "rgg"}}}, "insert", false), nullptr); // has no edges
}

TEST(public_figures, tell_what_is_damaged) {
    rhizome::testing::scratch_folder const folder;
    EXPECT_THROW(public_figures(folder.path("nowhere")), io::file_error);
    for (std::string const& damaged :
         {std::string("something,else\n"), std::string("benchmark,system,graph,measure,value\n"),
          std::string("benchmark,system,graph,graph,measure,value,note\n"),
          std::string(figures_head) + "cycle,Good\n",
          std::string(figures_head) + "cycle,Good,,16,,,,alloc,fast,\n",
          std::string(figures_head) + "cycle,Good,,16,,,,alloc,-1,\n",
          std::string(figures_head) + "cycle,Good,,16,,,,alloc,nan,\n",
          std::string(figures_head) + "cycle,Good,,16,,,,alloc,1x,\n",
          std::string(figures_head) + "cycle,Good,,16,,,,alloc,1,,\n"})
        EXPECT_THROW(public_figures(folder.write("damaged.csv", damaged)), io::parse_error) << damaged;
}

TEST(result_table, shows_figures_of_others_and_failures) {
    rhizome::testing::scratch_folder const folder;
    public_figures const figures(folder.write(
        "figures.csv", std::string(figures_head) + "cycle,Good,bum,16,1000000,8589934592,,alloc,0.5,\n" +
                           "cycle,Other,second,16,1000000,8589934592,,alloc,,hung\n"));
    std::vector<measured_cell> const cells{measured("bum", two_measures), measured("second", two_measures),
                                           measured("third", {cell_status::crashed, "SIGSEGV", {}})};
    result_table table({cells[0].cell, cells[1].cell, cells[2].cell}, figures);
    std::string const first = table.lines_of(cells[0]);
    EXPECT_NE(first.find("threads 1,000,000, mode thread, heap 8 GiB"), std::string::npos) << first;
    EXPECT_NE(first.find("0.250 ms"), std::string::npos) << first;
    EXPECT_NE(first.find("2.00  0.500 Good"), std::string::npos) << first;
    EXPECT_NE(table.lines_of(cells[1]).find(" -  "), std::string::npos);
    EXPECT_EQ(table.lines_of(cells[2]), "third      crashed: SIGSEGV\n") << table.lines_of(cells[2]);
}

TEST(run_child, hands_over_and_takes_back) {
    std::string const much(1 << 20, 'x'); // more than a pipe holds, both ways
    child_end const echo = run_child({"/bin/sh", "-c", "cat >&3; echo printed; echo said >&2"}, much, 30);
    EXPECT_EQ(echo.how, child_end::kind::exited);
    EXPECT_EQ(echo.code, 0);
    EXPECT_EQ(echo.answer, much);
    EXPECT_EQ(echo.last_words, "said");
    EXPECT_EQ(run_child({"/bin/sh", "-c", "exit 3"}, much, 30).code, 3);
    child_end const killed = run_child({"/bin/sh", "-c", "kill -9 $$"}, "", 30);
    EXPECT_EQ(killed.how, child_end::kind::signalled);
    EXPECT_EQ(signal_name(killed.code), "SIGKILL");
    EXPECT_THROW((void)run_child({"/no/such/program"}, "", 30), std::runtime_error);
}

TEST(run_child, ends_what_takes_too_long_with_all_that_it_started) {
    rhizome::testing::scratch_folder const folder;
    std::string const mark = folder.path("mark");
    int ticks = 0;
    child_end const end = run_child({"/bin/sh", "-c", "(sleep 1; touch " + mark + ") & exec 3>&-; sleep 100"},
                                    "", 0.3, [&](double) { ++ticks; });
    EXPECT_EQ(end.how, child_end::kind::timed_out);
    EXPECT_LT(end.wall_seconds, 20);
    EXPECT_GT(ticks, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    EXPECT_EQ(folder.file_count(), 0) << "a grandchild lived on";
}

TEST(run_child, stops_where_the_user_wants_it) {
    interrupt_guard const guard;
    auto const start = std::chrono::steady_clock::now();
    EXPECT_THROW((void)run_child({"/bin/sh", "-c", "sleep 100"}, "", 100, [](double) { std::raise(SIGINT); }),
                 interrupted);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

// rhizome bench run: measures, shows, writes.
#include <rhizome/bench/child.hpp>
#include <rhizome/bench/commands.hpp>
#include <rhizome/bench/plan.hpp>
#include <rhizome/bench/plot.hpp>
#include <rhizome/bench/public_figures.hpp>
#include <rhizome/bench/result_files.hpp>
#include <rhizome/bench/results.hpp>
#include <rhizome/bench/runner.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/stopped.hpp>
#include <rhizome/cli/usage_error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>

namespace rhizome::bench {
namespace {

constexpr std::size_t most_words = 1000;

/// What all benchmarks together let the user choose, each name once.
std::vector<choice> all_choices() {
    std::vector<choice> all;
    for (benchmark const& each : benchmarks())
        for (choice const& one : each.choices)
            if (std::none_of(all.begin(), all.end(), [&](choice const& c) { return c.name == one.name; }))
                all.push_back(one);
    return all;
}

/// Options hold pointers: the texts that they point to live here.
char const* kept(std::string text) {
    static std::deque<std::string> texts;
    return texts.emplace_back(std::move(text)).c_str();
}

cli::command_text run_text() {
    cli::command_text command{
        .name = "bench run",
        .words = "BENCHMARK ...|all",
        .summary = "measures; beside our figures stand those of public code",
        .details =
            "Runs each combination of the axes' values in a process of its own: what hangs or crashes is a\n"
            "result, and not the end. 'rhizome bench list' lists the benchmarks with the defaults of each "
            "axis;\n"
            "'all' runs every one. Lists are values with commas between them. On cuda, times are CUDA "
            "events'.\n"
            "Cells that fail do not make the run fail: they are shown, and recorded with their reasons.\n"
            "Ctrl-C ends the run: the results so far are written, and the exit code is 130.\n",
        .examples = "  rhizome bench run cycle --size 16,4-64 --json cycle.json --plot cycle.svg\n"
                    "  rhizome bench run scaling --allocator ouroboros-page-array --csv scaling.csv\n"
                    "  rhizome bench run updates --graph rgg,rmat --edges 10k,1M --pattern random,hub\n"
                    "  rhizome bench run cycle --space host --threads 1000 --csv before.csv\n"
                    "  rhizome bench run cycle --space host --threads 1000 --public before.csv",
        .options = {},
        .opens_session = false,
        .has_json = false};
    for (choice const& each : all_choices())
        command.options.push_back({kept(each.name), kept(each.summary), kept(each.value)});
    command.options.push_back({"time-limit", "seconds that a cell may take", "SECONDS", "60"});
    command.options.push_back({"json", "write the results in Google Benchmark's schema", "FILE"});
    command.options.push_back({"csv", "write the results as a table, one line a quantity", "FILE"});
    command.options.push_back(
        {"plot", "draw the results: .svg, .png or .pdf; takes python3 and matplotlib", "FILE"});
    command.options.push_back({"public",
                               "figures to show beside ours, or what --csv wrote; default: those of "
                               "public code that come with the tool",
                               "FILE"});
    return command;
}

std::vector<benchmark const*> chosen_benchmarks(cli::arguments const& args) {
    std::vector<std::string> names = args.words(0, most_words);
    if (names.empty())
        throw cli::usage_error(
            "bench run: which benchmarks? Expected names, which 'rhizome bench list' lists, or "
            "'all' for every one");
    if (std::find(names.begin(), names.end(), "all") != names.end()) {
        names.clear();
        for (benchmark const& each : benchmarks())
            names.push_back(each.name);
    }
    std::vector<benchmark const*> chosen;
    for (std::string const& name : names) {
        benchmark const* const found = &find_benchmark(name);
        if (std::find(chosen.begin(), chosen.end(), found) == chosen.end()) chosen.push_back(found);
    }
    return chosen;
}

selection chosen_values(cli::arguments const& args) {
    selection chosen;
    for (choice const& each : all_choices())
        if (args.has(each.name.c_str())) chosen[each.name] = args.text(each.name.c_str());
    return chosen;
}

public_figures load_figures(cli::arguments const& args) {
    if (args.has("public")) return public_figures(args.text("public"));
    return public_figures(data_files(".csv"));
}

double time_limit(cli::arguments const& args) {
    double const seconds = args.real("time-limit");
    constexpr double most = 1e6;
    if (!(seconds > 0 && seconds <= most))
        throw cli::usage_error("--time-limit: expected more than 0 and at most 1000000 seconds");
    return seconds;
}

result_paths wanted_files(cli::arguments const& args) {
    auto const path = [&](char const* option) { return args.has(option) ? args.text(option) : ""; };
    return {path("json"), path("csv"), path("plot")};
}

void check_picture_name(cli::arguments const& args) {
    if (!args.has("plot")) return;
    std::string const path = args.text("plot");
    bool const known = path.ends_with(".svg") || path.ends_with(".png") || path.ends_with(".pdf");
    if (!known)
        throw cli::usage_error("--plot: found '" + path +
                               "', expected a name that ends in .svg, .png or .pdf");
}

std::string head_of(environment const& where, plan const& plan) {
    std::string text = fmt::format("rhizome {}, commit {}, {}\n", where.version, where.commit, where.date);
    for (space_description const& each : where.spaces) {
        bool const used = std::any_of(plan.cells.begin(), plan.cells.end(), [&](cell const& one) {
            return one.has("space") && one.text("space") == each.name;
        });
        if (!used) continue;
        text += fmt::format("{}: {}{}{}\n", each.name, each.device,
                            each.driver.empty() ? "" : ", driver " + each.driver,
                            each.runtime.empty() ? "" : ", CUDA runtime " + each.runtime);
    }
    for (std::string const& note : plan.notes)
        text += "smaller than the defaults: " + note + "\n";
    return text;
}

std::string command_line_of(cli::arguments const& args, selection const& chosen) {
    std::string line = "rhizome bench run";
    for (std::string const& word : args.words(0, most_words))
        line += " " + word;
    for (auto const& [name, value] : chosen)
        line += " --" + name + " " + value;
    return line + " --time-limit " + args.text("time-limit");
}

/// Runs the cells and shows them, until all are done or something ends it. What ended it is thrown only after
/// `results` has all cells that are done.
void measure_cells(cli::command_context& context, plan const& plan, run_options const& options,
                   public_figures const& figures, run_results& results) {
    result_table table(plan.cells, figures);
    cli::progress_bar bar(!context.quiet() && cli::stderr_is_terminal());
    auto const count = static_cast<double>(plan.cells.size());
    for (cell const& each : plan.cells) {
        double const done = static_cast<double>(results.cells.size());
        results.cells.push_back(run_cell(each, options, [&](double seconds) {
            bar.show(done / count, fmt::format("cell {:.0f} of {:.0f}, {:.0f} s: {}", done + 1, count,
                                               seconds, name_of(each)));
        }));
        bar.clear();
        context.out.print(table.lines_of(results.cells.back()));
        context.out.flush();
    }
    context.out.print(table.foot());
    context.out.flush();
}

/// What papers state of the benchmarks that were run, beside the results so far; prints it.
void compare_with_papers(cli::command_context& context, std::vector<benchmark const*> const& which,
                         run_results& results) {
    for (benchmark const* each : which) {
        if (!each->compare) continue;
        std::vector<measured_cell> own;
        for (measured_cell const& measured : results.cells)
            if (measured.cell.benchmark == each->name) own.push_back(measured);
        std::vector<comparison> const found = each->compare(own);
        context.out.print(
            fmt::format("\n{}: the paper's ratios beside ours\n\n{}", each->name, comparison_table(found)));
        results.comparisons.insert(results.comparisons.end(), found.begin(), found.end());
    }
}

void run_run(cli::command_context& context) {
    cli::arguments const& args = context.args;
    auto const which = chosen_benchmarks(args);
    selection const chosen = chosen_values(args);
    run_options const options{time_limit(args), own_program_as_child()};
    check_picture_name(args);
    public_figures const figures = load_figures(args);
    if (figures.size() == 0) context.notice = "no figures of public code are installed beside this program";
    interrupt_guard guard;
    try {
        auto const spaces = ask_for_spaces(options);
        plan const plan = make_plan(which, chosen, spaces);
        result_files files(wanted_files(args), plan.cells.size());
        run_results results{record_environment(command_line_of(args, chosen), spaces), plan.notes, {}, {}};
        std::exception_ptr end;
        try {
            context.out.print(head_of(results.where, plan));
            measure_cells(context, plan, options, figures, results);
        } catch (...) {
            end = std::current_exception();
        }
        if (end && results.cells.empty()) std::rethrow_exception(end);
        try {
            compare_with_papers(context, which, results); // also what was measured until Ctrl-C
        } catch (...) {
            if (!end) end = std::current_exception();
        }
        std::string const so_far =
            fmt::format("after {} of {} cells", results.cells.size(), plan.cells.size());
        if (end) results.notes.push_back("ended " + so_far);
        guard.forget(); // the picture is drawn by a child
        files.write(results, figures);
        try {
            if (end) std::rethrow_exception(end);
        } catch (interrupted const& signal) {
            throw cli::stopped(signal.signal(),
                               fmt::format("interrupted {}; {}", so_far,
                                           files.names().empty() ? "no file was asked for"
                                                                 : "their results are in " + files.names()));
        }
    } catch (interrupted const& signal) {
        throw cli::stopped(signal.signal(),
                           "interrupted before the first cell was done: nothing was written");
    }
}

} // namespace

cli::command const run_command{run_text, run_run};

} // namespace rhizome::bench

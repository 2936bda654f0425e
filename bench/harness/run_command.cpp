// SPDX-License-Identifier: Apache-2.0
// rhizome bench run: measures, shows, writes.
#include <rhizome/bench/harness/break_even.hpp>
#include <rhizome/bench/harness/child.hpp>
#include <rhizome/bench/harness/choice_text.hpp>
#include <rhizome/bench/harness/commands.hpp>
#include <rhizome/bench/harness/kept_results.hpp>
#include <rhizome/bench/harness/plan.hpp>
#include <rhizome/bench/harness/plot.hpp>
#include <rhizome/bench/harness/public_figures.hpp>
#include <rhizome/bench/harness/result_files.hpp>
#include <rhizome/bench/harness/results.hpp>
#include <rhizome/bench/harness/runner.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/stopped.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/io/output_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <functional>

namespace rhizome::bench {
namespace {

constexpr std::size_t most_words = 1000;

std::vector<benchmark const*> all_benchmarks() {
    std::vector<benchmark const*> all;
    for (benchmark const& each : benchmarks())
        all.push_back(&each);
    return all;
}

/// What these benchmarks together let the user choose, each name once. A choice has no defaults here if they
/// differ between the benchmarks.
std::vector<choice> choices_of(std::vector<benchmark const*> const& which) {
    std::vector<choice> all;
    for (benchmark const* each : which)
        for (choice const& one : each->choices) {
            auto const known =
                std::find_if(all.begin(), all.end(), [&](choice const& c) { return c.name == one.name; });
            if (known == all.end())
                all.push_back(one);
            else if (known->defaults != one.defaults)
                known->defaults.clear();
        }
    return all;
}

/// Options hold pointers: the texts that they point to live here.
char const* kept(std::string text) {
    static std::deque<std::string> texts;
    return texts.emplace_back(std::move(text)).c_str();
}

cli::command_text text_without_choices() {
    cli::command_text command{
        .name = "bench run",
        .words = "BENCHMARK ...|all",
        .summary = "runs benchmarks and compares them with recorded results of other systems",
        .details =
            "Each benchmark has options of its own: 'rhizome bench run BENCHMARK --help' lists them, and\n"
            "'rhizome bench list' lists the benchmarks; 'all' runs every one.\n"
            "Runs each combination of the axes' values in a process of its own: what hangs or crashes is a\n"
            "result, and not the end. Lists are values with commas between them. On cuda, times are CUDA\n"
            "events'. Cells that fail do not make the run fail: they are shown, and recorded with their "
            "reasons.\n"
            "Ctrl-C ends the run: the results so far are written, or printed with --json, and the exit code\n"
            "is 130. One of --json, --output and --csv at a time can have standard output.\n",
        .examples = "  rhizome bench run cycle --help\n"
                    "  rhizome bench run cycle --size 16,4-64 --output cycle.json --plot cycle.svg\n"
                    "  rhizome bench run scaling --allocator ouroboros-page-array --csv scaling.csv\n"
                    "  rhizome bench run updates --graph rgg,rmat --edges 10k,1M --pattern random,hub\n"
                    "  rhizome bench run cycle --space host --threads 1000 --csv before.csv\n"
                    "  rhizome bench run cycle --space host --threads 1000 --public before.csv",
        .options = {},
        .opens_session = false,
        .json_summary =
            "one JSON document in Google Benchmark's schema on standard output, nothing else there"};
    command.options.push_back({"time-limit", "seconds that a cell may take", "SECONDS", "60"});
    command.options.push_back(
        {"output", "write the document of --json to a file; -: to standard output", "FILE"});
    command.options.push_back(
        {"csv", "write the results as a table, one line a quantity; -: to standard output", "FILE"});
    command.options.push_back(
        {"plot", "draw the results: .svg, .png or .pdf; takes python3 and matplotlib", "FILE"});
    command.options.push_back({"public",
                               "figures to show beside ours, or what --csv wrote; default: those of "
                               "public code that come with the tool",
                               "FILE"});
    return command;
}

/// What the parser takes: the options of all benchmarks. Their group is not in the help of the command.
cli::command_text run_text() {
    cli::command_text command = text_without_choices();
    for (choice const& each : choices_of(all_benchmarks()))
        command.options.push_back({.name = kept(each.name),
                                   .summary = kept(each.summary),
                                   .value = kept(each.value),
                                   .group = "Benchmark"});
    return command;
}

/// Throws usage_error for a name that no benchmark has.
benchmark const* named_benchmark(cli::arguments const& args, std::string const& name) {
    if (args.has("json") && name.ends_with(".json"))
        throw cli::usage_error(fmt::format(
            "bench run: --json prints, and takes no file; --output {} writes one", io::shown(name)));
    return &find_benchmark(name);
}

/// Those that the command line names, each once.
std::vector<benchmark const*> named_benchmarks(cli::arguments const& args) {
    auto const& names = args.words(0, most_words);
    if (std::find(names.begin(), names.end(), "all") != names.end()) return all_benchmarks();
    std::vector<benchmark const*> named;
    for (std::string const& name : names) {
        benchmark const* const found = named_benchmark(args, name);
        if (std::find(named.begin(), named.end(), found) == named.end()) named.push_back(found);
    }
    return named;
}

/// The help: with names, what these benchmarks are, and their options with the defaults.
cli::command_text run_help(cli::arguments const& args) {
    cli::command_text command = text_without_choices();
    auto const which = named_benchmarks(args);
    if (which.empty()) return command;
    std::vector<cli::option_text> own;
    for (choice const& each : choices_of(which)) {
        cli::option_text option{kept(each.name), kept(each.summary), kept(each.value)};
        if (!each.defaults.empty()) option.default_value = kept(default_text(each));
        own.push_back(option);
    }
    command.options.insert(command.options.begin(), own.begin(), own.end());
    std::string descriptions;
    for (benchmark const* each : which)
        descriptions += description_of(*each);
    command.details = kept(descriptions);
    return command;
}

std::vector<benchmark const*> chosen_benchmarks(cli::arguments const& args) {
    std::vector<benchmark const*> chosen = named_benchmarks(args);
    if (chosen.empty())
        throw cli::usage_error(
            "bench run: which benchmarks? Expected names, which 'rhizome bench list' lists, or "
            "'all' for every one");
    return chosen;
}

selection chosen_values(cli::arguments const& args) {
    selection chosen;
    for (choice const& each : choices_of(all_benchmarks()))
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
    return {path("output"), path("csv"), path("plot")};
}

/// Decides where the table goes: standard output has one text only. Throws usage_error if it should have
/// several.
void keep_table_apart(cli::command_context& context, result_paths const& paths) {
    std::vector<std::string> there;
    if (context.json()) there.emplace_back("--json");
    if (io::is_standard_output(paths.json)) there.emplace_back("--output");
    if (io::is_standard_output(paths.csv)) there.emplace_back("--csv");
    if (there.size() > 1)
        throw cli::usage_error(fmt::format("{} {} use standard output; name a file for one of them",
                                           fmt::join(there, " and "), there.size() == 2 ? "both" : "all"));
    if (there.empty()) return;
    if (context.json() || context.quiet())
        context.out.discard();
    else
        context.out.use_standard_error();
}

void check_picture_name(cli::arguments const& args) {
    if (!args.has("plot")) return;
    std::string const path = args.text("plot");
    bool const known = path.ends_with(".svg") || path.ends_with(".png") || path.ends_with(".pdf");
    if (!known)
        throw cli::usage_error("--plot: found " + io::quoted(path) +
                               ", expected a name that ends in .svg, .png or .pdf");
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
        text += "note: " + note + "\n";
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
    kept_results const kept;
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
    if (!context.quiet()) context.out.print(table.foot());
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

/// What prints the document of --json; empty without.
std::function<void(std::string const&)> document_printer(cli::command_context& context) {
    if (!context.json()) return {};
    return [&context](std::string const& document) {
        context.out.use_standard_output();
        context.out.print(document);
        context.out.flush();
    };
}

void run_run(cli::command_context& context) {
    cli::arguments const& args = context.args;
    auto const which = chosen_benchmarks(args);
    selection const chosen = chosen_values(args);
    run_options const options{time_limit(args), own_program_as_child()};
    check_picture_name(args);
    public_figures const figures = load_figures(args);
    result_paths const paths = wanted_files(args);
    keep_table_apart(context, paths);
    if (figures.size() == 0) context.notice = "no figures of public code are installed beside this program";
    interrupt_guard guard;
    try {
        auto const spaces = ask_for_spaces(options);
        plan const plan = make_plan(which, chosen, spaces);
        result_files files(paths, plan.cells.size());
        run_results results{record_environment(command_line_of(args, chosen), spaces), plan.notes, {}, {}};
        std::exception_ptr end;
        try {
            if (!context.quiet()) context.out.print(head_of(results.where, plan));
            measure_cells(context, plan, options, figures, results);
        } catch (...) {
            end = std::current_exception();
        }
        if (end && results.cells.empty()) std::rethrow_exception(end);
        try {
            compare_with_papers(context, which, results); // also what was measured until Ctrl-C
            if (auto const found = break_evens_of(results.cells); !found.empty() && !context.quiet())
                context.out.print("\n" + break_even_text(found));
        } catch (...) {
            if (!end) end = std::current_exception();
        }
        std::string const so_far =
            fmt::format("after {} of {} cells", results.cells.size(), plan.cells.size());
        if (end) results.notes.push_back("ended " + so_far);
        guard.forget(); // the picture is drawn by a child
        files.write(results, figures, document_printer(context));
        try {
            if (end) std::rethrow_exception(end);
        } catch (interrupted const& signal) {
            throw cli::stopped(signal.signal(), fmt::format("interrupted {}; {}", so_far,
                                                            context.json() ? "their results are printed"
                                                            : files.names().empty()
                                                                ? "no file was asked for"
                                                                : "their results are in " + files.names()));
        }
    } catch (interrupted const& signal) {
        throw cli::stopped(signal.signal(),
                           "interrupted before the first cell was done: nothing was written");
    }
}

} // namespace

cli::command const run_command{run_text, run_run, run_help};

} // namespace rhizome::bench

// rhizome bench run: measures, shows, writes.
#include <rhizome/bench/child.hpp>
#include <rhizome/bench/commands.hpp>
#include <rhizome/bench/plan.hpp>
#include <rhizome/bench/plot.hpp>
#include <rhizome/bench/public_figures.hpp>
#include <rhizome/bench/results.hpp>
#include <rhizome/bench/runner.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/output_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>

namespace rhizome::bench {
namespace {

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

cli::command_text text() {
    cli::command_text command{
        .name = "bench run",
        .words = "[BENCHMARK ...]",
        .summary = "measures; beside our figures stand those of public code",
        .details =
            "Runs each combination of the axes' values in a process of its own: what hangs or crashes is a\n"
            "result, and not the end. Without names: all benchmarks; 'rhizome bench list' lists them with "
            "the\n"
            "defaults of each axis. Lists are values with commas between them. On cuda, times are CUDA "
            "events'.\n"
            "Cells that fail do not make the run fail: they are shown, and recorded with their reasons.\n",
        .examples = "  rhizome bench run cycle --size 16,4-64 --json cycle.json --plot cycle.svg\n"
                    "  rhizome bench run scaling --allocator ouroboros-page-array --csv scaling.csv\n"
                    "  rhizome bench run updates --graph rgg,rmat --edges 10k,1M --pattern random,hub\n"
                    "  rhizome bench run --space host --threads 1000 --heap 64M --repetitions 3",
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
                               "figures of public code to show beside ours; default: those that "
                               "come with the tool",
                               "FILE"});
    return command;
}

std::vector<benchmark const*> chosen_benchmarks(cli::arguments const& args) {
    std::vector<benchmark const*> chosen;
    for (std::string const& name : args.words(0, 1000)) {
        benchmark const* const found = &find_benchmark(name);
        if (std::find(chosen.begin(), chosen.end(), found) == chosen.end()) chosen.push_back(found);
    }
    if (chosen.empty())
        for (benchmark const& each : benchmarks())
            chosen.push_back(&each);
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

/// An output file is opened before anything is measured, so that a wrong name costs no hours.
std::unique_ptr<io::output_file> open_output(cli::arguments const& args, char const* option) {
    return args.has(option) ? std::make_unique<io::output_file>(args.text(option)) : nullptr;
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
    for (std::string const& word : args.words(0, 1000))
        line += " " + word;
    for (auto const& [name, value] : chosen)
        line += " --" + name + " " + value;
    return line + " --time-limit " + args.text("time-limit");
}

void run(cli::command_context& context) {
    cli::arguments const& args = context.args;
    auto const which = chosen_benchmarks(args);
    selection const chosen = chosen_values(args);
    run_options const options{time_limit(args), own_program_as_child()};
    check_picture_name(args);
    public_figures const figures = load_figures(args);
    if (figures.size() == 0) context.notice = "no figures of public code are installed beside this program";
    interrupt_guard const guard;
    auto const spaces = ask_for_spaces(options);
    plan const plan = make_plan(which, chosen, spaces);
    auto json_file = open_output(args, "json");
    auto csv_file = open_output(args, "csv");
    run_results results{record_environment(command_line_of(args, chosen), spaces), plan.notes, {}};
    context.out.print(head_of(results.where, plan));
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

    std::string const json = json_text(results, figures);
    if (json_file) {
        json_file->write(json);
        json_file->commit();
    }
    if (csv_file) {
        csv_file->write(csv_text(results, figures));
        csv_file->commit();
    }
    if (args.has("plot")) draw_plot(json, args.text("plot"));
}

} // namespace

cli::command const run_command{text, run};

} // namespace rhizome::bench

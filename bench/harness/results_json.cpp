// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/break_even.hpp>
#include <rhizome/bench/harness/results.hpp>
#include <rhizome/bench/harness/statistics.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace rhizome::bench {
namespace {

using json = nlohmann::ordered_json;

json axes_of(cell const& which) {
    json axes = json::object();
    for (auto const& [choice, value] : which.values)
        axes[choice] = value;
    return axes;
}

json head_of(measured_cell const& measured, std::string const& run_name, std::size_t family) {
    json entry{{"name", run_name},
               {"family_index", family},
               {"per_family_instance_index", 0},
               {"run_name", run_name},
               {"run_type", "iteration"}};
    entry["repetitions"] = 1;
    entry["threads"] = measured.cell.has("threads") ? measured.cell.count("threads") : 1;
    if (measured.cell.has("seed")) entry["seed"] = measured.cell.count("seed");
    return entry;
}

/// In nanoseconds: Google Benchmark's compare.py prints no digits behind the point.
void add_time(json& entry, double value) {
    entry["real_time"] = value;
    entry["cpu_time"] = value;
    entry["time_unit"] = "ns";
}

double nanoseconds(double milliseconds) { return milliseconds * 1e6; }

/// What every entry of a cell tells: its choices, its counters, the figures of others.
json tail_of(measured_cell const& measured) {
    json tail{{"benchmark", measured.cell.benchmark},
              {"axes", axes_of(measured.cell)},
              {"status", name_of(measured.result.status)},
              {"wall_seconds", measured.wall_seconds}};
    for (measure const& each : measured.result.measures)
        if (!each.is_time()) tail[each.name] = summarize(each.samples).median;
    return tail;
}

json figure_json(public_figure const& figure) {
    json entry{{"system", figure.system}};
    entry["value"] = figure.value ? json(*figure.value) : json();
    if (!figure.note.empty()) entry["note"] = figure.note;
    return entry;
}

json public_json(measured_cell const& measured, public_figures const& figures) {
    json all = json::object();
    for (measure const& each : measured.result.measures) {
        json found = json::object();
        if (auto const* figure = figures.counterpart(measured.cell, each.name))
            found["counterpart"] = figure_json(*figure);
        if (auto const* figure = figures.best(measured.cell, each.name, each.more_is_better))
            found["best"] = figure_json(*figure);
        if (!found.empty()) all[each.name] = found;
    }
    return all;
}

void add_times(json& entries, measured_cell const& measured, measure const& time, std::size_t family,
               json const& tail) {
    std::string const run_name = name_of(measured.cell) + "/" + time.name;
    json head = head_of(measured, run_name, family);
    head["repetitions"] = time.samples.size();
    // Repetitions of a few; what has thousands is told by its aggregates.
    constexpr std::size_t samples_shown = 64;
    std::size_t const shown = time.samples.size() <= samples_shown ? time.samples.size() : 0;
    for (std::size_t index = 0; index < shown; ++index) {
        json entry = head;
        entry["repetition_index"] = index;
        entry["iterations"] = 1;
        add_time(entry, nanoseconds(time.samples[index]));
        entry["measure"] = time.name;
        entries.push_back(std::move(entry));
    }
    statistics const summary = summarize(time.samples);
    std::array<std::pair<char const*, double>, 4> const aggregates{{{"mean", summary.mean},
                                                                    {"median", summary.median},
                                                                    {"stddev", summary.deviation},
                                                                    {"cv", summary.variation()}}};
    for (auto const& [name, value] : aggregates) {
        json entry = head;
        entry["name"] = run_name + "_" + name;
        entry["run_type"] = "aggregate";
        entry["aggregate_name"] = name;
        bool const is_share = std::string(name) == "cv"; // of the mean
        entry["aggregate_unit"] = is_share ? "percentage" : "time";
        entry["iterations"] = summary.count;
        add_time(entry, is_share ? value : nanoseconds(value));
        entry["measure"] = time.name;
        entry.update(tail);
        entries.push_back(std::move(entry));
    }
}

/// What a cell measured step by step: each curve with all its values, times in milliseconds.
json curves_of(measured_cell const& measured) {
    json curves = json::object();
    for (measure const& each : measured.result.measures)
        if (each.is_curve) curves[each.name] = each.samples;
    return curves;
}

/// For a cell without times: one entry, of the time that its process took.
json entry_without_times(measured_cell const& measured, std::size_t family, json const& tail) {
    json entry = head_of(measured, name_of(measured.cell), family);
    entry["repetition_index"] = 0;
    entry["iterations"] = 1;
    add_time(entry, nanoseconds(measured.wall_seconds * 1000));
    cell_result const& result = measured.result;
    if (result.status == cell_status::not_served) {
        entry["skipped"] = true;
        entry["skip_message"] = result.message;
    } else if (result.status != cell_status::ok) {
        entry["error_occurred"] = true;
        entry["error_message"] = std::string(name_of(result.status)) + ": " + result.message;
    }
    entry.update(tail);
    return entry;
}

json range_json(ratio_range const& range) {
    json entry = json::object();
    if (range.mean) entry["mean"] = *range.mean;
    if (range.lowest) entry["lowest"] = *range.lowest;
    if (range.highest) entry["highest"] = *range.highest;
    return entry;
}

json comparison_json(comparison const& each) {
    return {{"what", each.what},
            {"source", each.source},
            {"paper", range_json(each.paper)},
            {"ours", range_json(each.ours)},
            {"ratios", each.ratios}};
}

json break_even_json(break_even const& each) {
    json entry{{"benchmark", each.benchmark}, {"axes", json::object()}, {"change", each.change}};
    for (auto const& [name, value] : each.choices)
        entry["axes"][name] = value;
    entry["edges"] = each.edges ? json(*each.edges) : json();
    entry["repair_wins_at_first"] = each.repair_wins_at_first;
    return entry;
}

} // namespace

std::string json_text(run_results const& results, public_figures const& figures) {
    json document{{"context", to_json(results.where)}};
    document["context"]["notes"] = results.notes;
    document["context"]["public_figures"] = figures.source_names();
    if (!results.comparisons.empty()) {
        json comparisons = json::array();
        for (comparison const& each : results.comparisons)
            comparisons.push_back(comparison_json(each));
        document["context"]["comparisons"] = comparisons;
    }
    for (break_even const& each : break_evens_of(results.cells))
        document["context"]["break_evens"].push_back(break_even_json(each));
    json entries = json::array();
    std::size_t family = 0;
    for (measured_cell const& measured : results.cells) {
        json tail = tail_of(measured);
        json const beside = public_json(measured, figures);
        if (!beside.empty()) tail["public"] = beside;
        std::size_t const first = entries.size();
        bool has_times = false;
        for (measure const& each : measured.result.measures) {
            if (!each.is_time() || each.samples.empty() || measured.result.status != cell_status::ok)
                continue;
            has_times = true;
            add_times(entries, measured, each, family, tail);
        }
        if (!has_times) entries.push_back(entry_without_times(measured, family, tail));
        // In the first entry of the cell that has its choices, since curves are long.
        if (json curves = curves_of(measured); !curves.empty())
            for (std::size_t i = first; i < entries.size(); ++i)
                if (entries[i].contains("axes")) {
                    entries[i]["curves"] = std::move(curves);
                    break;
                }
        ++family;
    }
    // An entry a line: there are thousands of them, and two files are compared line by line.
    constexpr auto replace = json::error_handler_t::replace;
    std::string text = document.dump(2, ' ', false, replace);
    text.resize(text.rfind('\n')); // the closing brace
    text += ",\n  \"benchmarks\": [";
    char const* between = "\n    ";
    for (json const& entry : entries) {
        text += between + entry.dump(-1, ' ', false, replace);
        between = ",\n    ";
    }
    return text + "\n  ]\n}\n";
}

} // namespace rhizome::bench

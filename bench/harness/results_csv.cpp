// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/csv.hpp>
#include <rhizome/bench/harness/results.hpp>
#include <rhizome/bench/harness/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace rhizome::bench {
namespace {

std::string number(double value) { return fmt::format("{}", value); }

void add_figure(std::vector<std::string>& fields, public_figure const* figure, double ours,
                bool more_is_better) {
    fields.push_back(figure == nullptr ? "" : figure->system);
    bool const known = figure != nullptr && figure->value.has_value();
    fields.push_back(known ? number(*figure->value) : "");
    fields.push_back(known ? number(advantage(ours, *figure->value, more_is_better)) : "");
}

} // namespace

std::string csv_text(run_results const& results, public_figures const& figures) {
    std::vector<std::string> choices; // of all cells, in order of appearance
    for (measured_cell const& measured : results.cells)
        for (auto const& [choice, value] : measured.cell.values)
            if (std::find(choices.begin(), choices.end(), choice) == choices.end()) choices.push_back(choice);

    std::vector<std::string> head{"benchmark"};
    head.insert(head.end(), choices.begin(), choices.end());
    for (char const* name : {"status", "message", "measure", "unit", "samples", "median", "mean", "deviation",
                             "lowest", "highest", "counterpart", "counterpart_value", "counterpart_ratio",
                             "best_public", "best_public_value", "best_public_ratio", "commit"})
        head.emplace_back(name);
    std::string text = csv_line(head);

    for (measured_cell const& measured : results.cells) {
        std::vector<std::string> start{measured.cell.benchmark};
        for (std::string const& choice : choices)
            start.push_back(measured.cell.has(choice) ? measured.cell.text(choice) : "");
        start.emplace_back(name_of(measured.result.status));
        start.push_back(measured.result.message);
        if (measured.result.measures.empty()) {
            start.resize(head.size() - 1);
            start.push_back(results.where.commit);
            text += csv_line(start);
        }
        for (measure const& each : measured.result.measures) {
            statistics const summary = summarize(each.samples);
            std::vector<std::string> fields = start;
            fields.insert(fields.end(),
                          {each.name, each.unit, std::to_string(summary.count), number(summary.median),
                           number(summary.mean), number(summary.deviation), number(summary.lowest),
                           number(summary.highest)});
            add_figure(fields, figures.counterpart(measured.cell, each.name), summary.median,
                       each.more_is_better);
            add_figure(fields, figures.best(measured.cell, each.name, each.more_is_better), summary.median,
                       each.more_is_better);
            fields.push_back(results.where.commit);
            text += csv_line(fields);
        }
    }
    return text;
}

} // namespace rhizome::bench

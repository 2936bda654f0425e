// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/registry.hpp>
#include <rhizome/bench/harness/results.hpp>
#include <rhizome/bench/harness/statistics.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rhizome::bench {
namespace {

std::string pretty_bytes(std::uint64_t bytes) {
    constexpr char const* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && bytes % 1024 == 0 && unit + 1 < std::size(units); ++unit)
        bytes /= 1024;
    return fmt::format("{} {}", bytes, units[unit]);
}

std::string pretty_count(std::string digits) {
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    return digits;
}

/// Three digits that count; whole numbers beyond them stay whole.
std::string short_number(double value) {
    if (!std::isfinite(value)) return "-";
    if (value == 0) return "0";
    if (value >= 2 && value < 1e6 && value == std::floor(value)) return fmt::format("{:.0f}", value);
    double const size = std::abs(value);
    if (size >= 1e6 || size < 1e-4) return fmt::format("{:.2e}", value);
    int const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
    return fmt::format("{:.{}f}", value, digits);
}

std::string ratio_text(public_figure const* figure, double ours, bool more_is_better) {
    if (figure == nullptr || !figure->value) return "";
    double const ratio = advantage(ours, *figure->value, more_is_better);
    return ratio >= 100 ? fmt::format("{:.0f}", ratio) : fmt::format("{:.2f}", ratio);
}

std::string counterpart_text(public_figure const* figure) {
    if (figure == nullptr) return "";
    if (!figure->value) return "-";
    return short_number(*figure->value) + (figure->note.empty() ? "" : " " + figure->note);
}

std::string best_text(public_figure const* figure) {
    return figure == nullptr ? "" : short_number(*figure->value) + " " + figure->system;
}

std::string trimmed(std::string line) {
    while (!line.empty() && line.back() == ' ')
        line.pop_back();
    return line + "\n";
}

constexpr char const* line_format = "{}  {:<18} {:>9} {:<13} {:>6}  {:<16} {:>6}  {:<30} {:>6}";

} // namespace

std::string pretty(std::string const& choice, std::string const& value) {
    bool const digits = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    if (choice == "size" || choice == "heap") {
        if (digits) return pretty_bytes(cli::parse_bytes(choice, value));
        auto const dash = value.find('-');
        if (dash != std::string::npos && value.find_first_not_of("0123456789-") == std::string::npos)
            return pretty(choice, value.substr(0, dash)) + " - " + pretty(choice, value.substr(dash + 1));
    }
    return digits ? pretty_count(value) : value;
}

result_table::result_table(std::vector<cell> const& cells, public_figures const& figures)
    : cells_(cells), figures_(figures) {}

void result_table::begin(std::string const& benchmark) {
    benchmark_ = benchmark;
    common_.clear();
    columns_.clear();
    std::vector<cell const*> own;
    for (cell const& each : cells_)
        if (each.benchmark == benchmark) own.push_back(&each);
    if (own.empty()) return;
    for (auto const& [choice, first] : own.front()->values) {
        std::string const& value = first;
        std::string const& name = choice;
        bool const agree = std::all_of(own.begin(), own.end(), [&](cell const* each) {
            return each->has(name) && each->text(name) == value;
        });
        if (agree && name != "allocator") {
            common_ += (common_.empty() ? "" : ", ") + name + " " + pretty(name, value);
            continue;
        }
        column next{name, name.size()};
        for (cell const* each : own)
            if (each->has(name)) next.width = std::max(next.width, pretty(name, each->text(name)).size());
        columns_.push_back(next);
    }
}

std::string result_table::label_of(cell const& which) const {
    std::string label;
    for (column const& each : columns_) {
        std::string const text =
            which.has(each.choice) ? pretty(each.choice, which.text(each.choice)) : std::string();
        label += fmt::format("{}{:<{}}", label.empty() ? "" : "  ", text, each.width);
    }
    return label;
}

std::string result_table::head() const {
    std::string label;
    for (column const& each : columns_)
        label += fmt::format("{}{:<{}}", label.empty() ? "" : "  ", each.choice, each.width);
    std::string summary;
    for (benchmark const& each : benchmarks())
        if (each.name == benchmark_) summary = ": " + each.summary;
    return fmt::format("\n{}{}\n  {}\n\n", benchmark_, summary, common_) +
           trimmed(fmt::format(fmt::runtime(line_format), label, "measure", "median", "", "spread",
                               "counterpart", "ratio", "best public", "ratio"));
}

std::string result_table::lines_of(measured_cell const& measured) {
    std::string lines;
    if (measured.cell.benchmark != benchmark_) {
        begin(measured.cell.benchmark);
        lines = head();
    }
    std::string label = label_of(measured.cell);
    cell_result const& result = measured.result;
    if (result.status != cell_status::ok)
        return lines + fmt::format("{}  {}: {}\n", label, name_of(result.status), io::shown(result.message));
    for (measure const& each : result.measures) {
        statistics const summary = summarize(each.samples);
        public_figure const* const counterpart = figures_.counterpart(measured.cell, each.name);
        public_figure const* const best = figures_.best(measured.cell, each.name, each.more_is_better);
        lines += trimmed(fmt::format(
            fmt::runtime(line_format), label, each.name, short_number(summary.median), each.unit,
            summary.count > 1 ? fmt::format("{:.0f} %", summary.variation() * 100) : "",
            counterpart_text(counterpart), ratio_text(counterpart, summary.median, each.more_is_better),
            best_text(best), ratio_text(best, summary.median, each.more_is_better)));
        label.assign(label.size(), ' ');
    }
    return lines;
}

std::string result_table::foot() const {
    std::string text = "\nspread: standard deviation over the mean of the repetitions.\n";
    if (figures_.size() != 0)
        text +=
            "counterpart: public code of the same design, best public: of any design, both as recorded in\n" +
            figures_.source_names() + "; ratio: how many times better ours is.\n";
    return text;
}

} // namespace rhizome::bench

// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/csv.hpp>
#include <rhizome/bench/harness/public_figures.hpp>
#include <rhizome/io/parse_error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace rhizome::bench {
namespace {

bool is_workload_of(public_figure const& figure, cell const& which, std::string const& measure) {
    bool names_mode = false;
    for (auto const& [choice, value] : figure.choices) {
        if (!which.has(choice) || which.text(choice) != value) return false;
        names_mode = names_mode || choice == "mode";
    }
    return figure.benchmark == which.benchmark && figure.measure == measure &&
           (names_mode || !which.has("mode") || which.text("mode") == "thread");
}

bool contains(std::vector<std::string> const& names, std::string const& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// What the head of a file says of its columns.
class columns {
public:
    /// Throws io::parse_error for a head that lacks one of those that a figure needs, or has one twice.
    columns(csv_reader const& file, std::vector<std::string> const& names)
        : names_(names), is_of_ours_(contains(names, "median") && contains(names, "commit")) {
        std::vector<std::string> const needed =
            is_of_ours_ ? std::vector<std::string>{"benchmark", "status", "measure", "median", "commit"}
                        : std::vector<std::string>{"benchmark", "system", "measure", "value", "note"};
        std::string head_text = csv_line(names_);
        head_text.pop_back();
        for (std::string const& each : needed)
            if (!contains(names_, each))
                throw io::parse_error(file.path(), file.line(), io::quoted(head_text),
                                      "a column " + each + " among others");
        std::vector<std::string> sorted = names_;
        std::sort(sorted.begin(), sorted.end());
        auto const twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (twice != sorted.end())
            throw io::parse_error(file.path(), file.line(), io::quoted(*twice) + " twice",
                                  "each column once");
    }

    /// None for a cell that has no measures.
    [[nodiscard]] std::optional<public_figure> figure(csv_reader const& file,
                                                      std::vector<std::string> const& fields) const {
        if (fields.size() != names_.size())
            throw io::parse_error(file.path(), file.line(), std::to_string(fields.size()) + " fields",
                                  std::to_string(names_.size()));
        public_figure result;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (is_of_ours_)
                set_of_ours(result, file, names_[i], fields[i]);
            else
                set(result, file, names_[i], fields[i]);
        }
        if (is_of_ours_ && result.measure.empty()) return {};
        return result;
    }

private:
    static void set(public_figure& result, csv_reader const& file, std::string const& name,
                    std::string const& text) {
        std::pair<char const*, std::string*> const own[] = {{"benchmark", &result.benchmark},
                                                            {"system", &result.system},
                                                            {"allocator", &result.allocator},
                                                            {"measure", &result.measure},
                                                            {"note", &result.note}};
        auto const place = std::find_if(std::begin(own), std::end(own),
                                        [&](auto const& each) { return each.first == name; });
        if (place != std::end(own))
            *place->second = text;
        else if (name == "value")
            result.value = value_of(file, text, false);
        else if (!text.empty())
            result.choices.emplace_back(name, text);
    }

    /// A column of csv_text(). How often it was measured is no part of the workload.
    static void set_of_ours(public_figure& result, csv_reader const& file, std::string const& name,
                            std::string const& text) {
        static constexpr char const* told_otherwise[] = {"status",
                                                         "message",
                                                         "unit",
                                                         "samples",
                                                         "mean",
                                                         "deviation",
                                                         "lowest",
                                                         "highest",
                                                         "counterpart",
                                                         "counterpart_value",
                                                         "counterpart_ratio",
                                                         "best_public",
                                                         "best_public_value",
                                                         "best_public_ratio"};
        if (std::find(std::begin(told_otherwise), std::end(told_otherwise), name) !=
                std::end(told_otherwise) ||
            says_how_measured(name))
            return;
        if (name == "median")
            result.value = value_of(file, text, true);
        else if (name == "commit")
            result.system = "rhizome " + text;
        else
            set(result, file, name, text);
    }

    static std::optional<double> value_of(csv_reader const& file, std::string const& text, bool may_be_0) {
        if (text.empty()) return {};
        double value = 0;
        char const* const end = text.data() + text.size();
        auto const [stop, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc{} || stop != end || !std::isfinite(value) || value < 0 ||
            (value == 0 && !may_be_0))
            throw io::parse_error(file.path(), file.line(), io::quoted(text),
                                  may_be_0 ? "a number, or nothing" : "a number above 0, or nothing");
        return value;
    }

    std::vector<std::string> names_;
    bool is_of_ours_; ///< written by `rhizome bench run --csv`
};

} // namespace

public_figures::public_figures(std::vector<std::string> const& paths) {
    for (std::string const& path : paths)
        read(path);
}

void public_figures::read(std::string const& path) {
    csv_reader file(path);
    source_names_ += (source_names_.empty() ? "" : ", ") + path.substr(path.rfind('/') + 1);
    std::vector<std::string> fields;
    std::optional<columns> head;
    while (file.next(fields)) {
        if (!head)
            head.emplace(file, fields);
        else if (auto figure = head->figure(file, fields))
            figures_.push_back(*std::move(figure));
    }
}

public_figure const* public_figures::counterpart(cell const& which, std::string const& measure) const {
    if (!which.has("allocator")) return nullptr;
    std::string const& ours = which.text("allocator");
    public_figure const* found = nullptr;
    for (public_figure const& each : figures_) {
        bool const same_design =
            !each.allocator.empty() && (ours == each.allocator || ours.starts_with(each.allocator + "-"));
        if (!same_design || !is_workload_of(each, which, measure)) continue;
        if (found == nullptr || found->allocator.size() < each.allocator.size()) found = &each;
    }
    return found;
}

public_figure const* public_figures::best(cell const& which, std::string const& measure,
                                          bool more_is_better) const {
    public_figure const* found = nullptr;
    for (public_figure const& each : figures_) {
        if (!each.value || each.allocator == "bump" || !is_workload_of(each, which, measure)) continue;
        if (found == nullptr || (more_is_better ? *each.value > *found->value : *each.value < *found->value))
            found = &each;
    }
    return found;
}

double advantage(double ours, double theirs, bool more_is_better) {
    double const better = more_is_better ? ours : theirs;
    double const worse = more_is_better ? theirs : ours;
    return worse == 0 ? std::numeric_limits<double>::infinity() : better / worse;
}

} // namespace rhizome::bench
